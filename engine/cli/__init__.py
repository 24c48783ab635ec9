"""The command line: what users type, and the exit codes that scripts rely on.

May import all of the engine, each part where a command needs it; nothing imports it. It holds no rule and
no sentence about one.
"""

import gc

gc.set_threshold(
    100_000
)  # what is loaded stays: looking for garbage in it takes a twentieth of the gate's time
