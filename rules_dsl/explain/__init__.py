"""What there is to know of one clause or one diagnostic, for people: `clausegate explain` and the reference.

May import every layer below, and mutate for its figures; commands import it. It states nothing of its
own: every number and sentence comes from the program.
"""
