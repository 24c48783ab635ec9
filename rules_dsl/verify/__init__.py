"""What `check` and `test` hold: a document's cases, its checks on tables, its prose against its statements.

May import every layer below, the interpreter included; format, mutate, explain and commands import it. It
reports and never edits.
"""
