"""The folder that a run leaves, in the tree of a submission.

Until every rank has ended well and the last document is written, the folder has a name that no
reader of such trees takes for a run: `<time>.unfinished`. Only then is it renamed, in one step.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.storage import kernel
from engine.evidence.layout import UNFINISHED

STAMP = "%Y%m%d_%H%M%S"


class LeafFolder:
    """The folder of one run, while it runs."""

    def __init__(self, workload: Path, started: datetime) -> None:
        """Make a new folder below that of the workload. Raises OSError."""
        workload.mkdir(parents=True, exist_ok=True)
        while True:
            self.stamp = started.strftime(STAMP)
            self.folder = workload / (self.stamp + UNFINISHED)
            self.final_folder = workload / self.stamp
            with suppress(FileExistsError):
                self.folder.mkdir()
                if not self.final_folder.exists():  # asked while the name is ours: nobody can finish under it
                    break
                self.folder.rmdir()
            started += timedelta(seconds=1)  # another run began within the same second

    def write(self, name: str, content: str) -> None:
        """Write one document whole, or not at all."""
        path = self.folder / name
        if path.parent != self.folder:
            path.parent.mkdir(exist_ok=True)
        handle, pending = tempfile.mkstemp(prefix=".", suffix=".pending", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(pending).chmod(0o644)
        Path(pending).replace(path)

    def write_json(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a JSON document; a figure that is no number raises ValueError."""
        self.write(name, json.dumps(content, indent=2, allow_nan=False) + "\n")

    def finish(self) -> Path:
        """Give the folder its name. Nothing in it changes after this."""
        for path in self.folder.rglob("*"):
            if path.is_file():
                kernel.sync(str(path))
        kernel.sync(str(self.folder))
        self.folder.rename(self.final_folder)
        try:
            kernel.sync(str(self.final_folder.parent))
        except OSError:
            self.final_folder.rename(self.folder)  # a name that may not last is none
            raise
        return self.final_folder
