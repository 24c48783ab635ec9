"""Pages and text of a finished run, from its leaf alone; one HTML file that needs no network.

May import the record and the workload; the driver and the commands import it. It never changes a leaf.
"""
