"""How an object store is named: in the words of a launch, in what is recorded, and in requests.

This stands apart from `bench.storage.objects` since planning a run needs the names alone, and none
of what moves data.
"""

from __future__ import annotations

SCHEME = "s3"
LIBRARY = "boto3"


def split(path: str) -> tuple[str, str]:
    """Bucket and key of `s3://bucket/key` or `bucket/key`."""
    bucket, _, key = path.removeprefix(f"{SCHEME}://").lstrip("/").partition("/")
    return bucket, key
