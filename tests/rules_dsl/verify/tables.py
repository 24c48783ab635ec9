"""Rows of a document's tables, written anew wherever their columns stand."""

from __future__ import annotations

import re


def rewritten(text: str, old: str, new: str) -> str:
    """The document with the first cells of one row, however they are padded, written anew."""
    cells = (re.escape(cell.strip()) for cell in old.strip("|").split("|"))
    row = r"^\|" + r"\|".join(rf" *{cell} *" for cell in cells) + r"\|"
    changed, found = re.subn(row, lambda _: new, text, flags=re.MULTILINE)
    assert found == 1, f"{found} rows begin with {old}"
    return changed
