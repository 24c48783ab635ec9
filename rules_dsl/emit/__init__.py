"""The program -> the files of generated/: modules, manifest, and their place on disk.

May import the program, the compiler's passes and the runtime that generated code calls; commands and
explain import it. It never evaluates a clause: what it prints is held against the interpreter by tests,
so it shares no code with `evaluate`.
"""
