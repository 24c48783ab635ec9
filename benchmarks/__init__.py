"""Measurements of one thing against another, in turn within one run."""
