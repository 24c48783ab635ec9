"""Tests, in the folders of what they test; `tests.command` runs the command line as a process."""
