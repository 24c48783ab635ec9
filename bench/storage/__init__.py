"""Ways to reach storage: a file, a direct file, an object store, nothing at all.

May import the standard library and numpy only. The rest of bench imports the submodules: `engines`
names the ways, `kernel` asks what the kernel knows of a file. Never reads a plan or a rule. This
module imports nothing, so that `bench plan` starts without numpy.
"""
