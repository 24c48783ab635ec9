"""What a checkpoint is: arrays, layout, bytes, plan, and what a run of it needs.

May import ranks and storage; every layer above imports it. `data` and `checkpoint` need numpy, and the plan
of a run is told without them.
"""
