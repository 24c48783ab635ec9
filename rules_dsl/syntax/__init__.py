"""The text of a fence -> its tree, or an error that says what could stand there.

May import source and diagnostics; the vocabulary and semantics import it. It never knows what a name means.
"""
