"""The gate: whether a run may start, judged from its command line before anything is written.

May import verdict, evidence and runtime; the command line and a workload import it. It never reads a
package, and it is kept light: the gate answers before a shell would notice.
"""
