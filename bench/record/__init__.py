"""What a leaf keeps of a run: its figures, its summary, the files that a validator reads.

May import the workload, ranks and storage; the driver and progress import it. It judges nothing.
"""
