"""The program -> English: the sentence of a breach, and the phrases it is made of.

May import the program and the words of a vocabulary; every layer above it may ask for sentences. It never
reads the text of a document: what it says is what the machine understood.
"""
