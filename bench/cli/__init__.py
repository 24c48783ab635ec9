"""`clausegate bench`: the commands beside a run, as click sees them.

May import all the rest of bench; nothing imports it but the command line, by name. A command reads
its options, calls a function and prints the answer: it never computes a figure itself.
"""
