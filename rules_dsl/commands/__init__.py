"""The commands of clausegate about a document: what click declares, and what each prints.

Nothing imports it but the command line. It may import all of rules_dsl; it decides nothing about a
document itself.
"""
