"""The page of plots of a finished run: one HTML file that needs no network."""
