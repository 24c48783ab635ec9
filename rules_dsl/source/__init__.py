"""A document's text -> its parts: head, sections, clauses, fences, tables, each with its place.

May import diagnostics alone; every layer above reads its parts. It never looks inside a rule.
"""
