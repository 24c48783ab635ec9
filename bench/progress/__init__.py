"""What a person follows while a run goes on: figures of all ranks, an estimate, a line at the terminal.

May import process, the workload and ranks' events; the driver imports it. It changes nothing of the run.
"""
