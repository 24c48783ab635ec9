"""The layout of a document: breach sentences refreshed, fences and tables aligned, a clause begun.

May import every layer below; commands and the catalogue import it. It never changes what a document means.
"""
