"""The oracle: what a program's clauses say of given facts, told by walking the program.

May import the program alone; cases, mutation and tests ask it. It never looks at generated code nor at the
runtime under that, so that the two can be held against each other.
"""
