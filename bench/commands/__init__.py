"""Commands of the workload itself, `clausegate bench ...`."""
