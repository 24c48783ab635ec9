"""What click declares of `clausegate bench`: plan, report, clean.

Nothing imports it but the command line. It may import all of bench, each part where a command needs it.
"""
