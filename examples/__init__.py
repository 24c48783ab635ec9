"""Packages of submissions, some right and some wrong, and the script that writes them."""
