"""The gate: whether a run may start, judged from its command line before anything is written."""
