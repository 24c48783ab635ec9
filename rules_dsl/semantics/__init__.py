"""Syntax trees -> the program: names found, types checked, defines ordered, statements lowered.

May import the vocabulary and what lies below it; the compiler's passes and the layers above import it.
It never renders a sentence nor evaluates a condition.
"""
