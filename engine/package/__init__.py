"""Folders -> subjects: a tree of submissions walked, read and judged.

May import verdict, evidence and runtime; the command line imports it. It never follows a link out of the
tree nor writes into it; `assemble` alone writes, what it adds to a package.
"""
