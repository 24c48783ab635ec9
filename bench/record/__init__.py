"""What a leaf keeps of a run: its folder, its metadata, and the figures that ranks measured.

Imported by `driver`, `progress` and `cli`; may import `report`, `workload`, `rank` and `storage`. Never
starts a process, and never asks whether a rule holds.
"""
