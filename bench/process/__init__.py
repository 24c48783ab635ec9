"""Watches the processes of a run: follows their events, sees a stall, names how they ended.

May import the record, the workload and ranks' events; the driver and progress import it. It decides nothing
about a run's figures.
"""
