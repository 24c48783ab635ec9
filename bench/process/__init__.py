"""Watches the processes of a run from outside: starts them, hears them, ends them, says how they ended.

Imported by `driver` and `progress`; may import what stands below it, ranks' events above all. Never
writes into the leaf, and never waits for a process that nothing can end.
"""
