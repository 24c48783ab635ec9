"""semantics."""
