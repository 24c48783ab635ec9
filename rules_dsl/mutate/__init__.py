"""Mutation of a rules document: does every word of a statement and every cell of a table matter?

`places` -> mutants, each one edit of the text; `trial` decides what kills one, re-deriving only what
it can change; `equivalent` and `missing` speak of those that nothing kills; `run` does all of it in parallel.
"""
