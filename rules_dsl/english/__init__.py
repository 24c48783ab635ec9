"""english."""
