"""What a checkpoint is: its files and their bytes, the plan of a run, and what a rank does with both.

Imported by all but `storage`; may import `rank` and `storage`. Knows of rules only the tables that hold
layouts and parameters. This module imports nothing, so that `bench plan` starts without numpy and MPI.
"""
