"""Pages and text of a run, planned or finished: what people read and scripts parse.

Imported by `record`, `driver` and `cli`; may import `workload` and what stands below it. The page is one HTML
file that needs no network. Never measures anything: every figure is given.
"""
