"""The checkpoint workload: what the ranks of a run do, how it is started, and the leaf it leaves.

Ranks know no rule: a plan says which files of which sizes to write and read, and how often. The
launcher turns an accepted launch into such a plan, watches the ranks, and keeps the record.
"""
