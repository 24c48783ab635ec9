"""All that generated code may import: values, operators, the declarations of a rule set, judging.

Imports the standard library alone, and of that only what is quick to import; every part of the engine and
the compiler may import it. It never names a fact, a clause or a division.
"""
