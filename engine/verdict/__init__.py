"""Facts -> findings: every statement asked, the unknown accounted for, the category earned.

May import evidence and runtime; launch, package and report import it. It never touches a disk.
"""
