"""The run-time half of clausegate: evidence, verdicts, reports and the command line."""

__version__ = "0.1.0"
