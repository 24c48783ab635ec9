"""Starts a run: settles what it is, asks the machine first, makes the launcher's command, ends it.

May import every folder but cli. It never reads nor writes a byte of a checkpoint: ranks do.
"""
