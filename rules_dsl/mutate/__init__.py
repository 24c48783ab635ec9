"""Mutation of a rules document: does every word of a statement and every cell of a table matter?

`places` -> mutants, each one edit of the text; `trial` decides what kills one, re-deriving only what
the edit touches. May import every layer below; commands and explain import it. It never writes a document.
"""
