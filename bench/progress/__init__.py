"""What a person sees of a run under way, and the logs that are kept of it.

Imported by `driver`; may import `process` and what stands below both. A terminal that is gone is no
fault: nothing here ever ends a run.
"""
