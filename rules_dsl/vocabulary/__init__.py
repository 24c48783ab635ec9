"""A document's declarations: facts, their evidence and options, documents, families, tables, words.

May import syntax, source and the units; semantics and the layers above read it. It never judges an
expression: those of a table or a conflict are kept as places in the text.
"""
