"""Starts a run: from an accepted launch to the command of the site's MPI, and to the exit code.

May import every folder but `cli`. Checks the machine, locks the folders, makes one invocation or
two, and removes checkpoints. Never moves the data of a checkpoint: the ranks do.
"""
