"""The peer of the validator: reads every JSON and YAML file below a folder, and makes nothing of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import yaml

LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def main() -> None:
    """Read them all."""
    for path in Path(sys.argv[1]).rglob("*"):
        if path.suffix == ".json":
            json.loads(path.read_text("utf-8"))
        elif path.suffix == ".yaml":
            yaml.load(path.read_text("utf-8"), LOADER)


if __name__ == "__main__":
    main()
