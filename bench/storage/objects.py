"""An S3-compatible object store: files are objects, folders are the beginnings of their names.

A store that has answered the end of an upload keeps the object; that answer takes the place of
fsync. Where the store is, and who may use it, are the usual variables (AWS_ENDPOINT_URL,
AWS_ACCESS_KEY_ID, ...): the client library reads them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from bench.storage.access import SCHEME, split
from bench.storage.base import CacheState, DataSink, DataSource, wrong_size
from bench.storage.meter import Meter
from bench.storage.pipeline import STEP, Pipeline

THREADS = 4
PART = 2 * STEP
"""Bytes of one part of an upload; stores ask for 5 MiB at least."""

MISSING = ("404", "NoSuchKey", "NoSuchBucket")


class Objects:
    """Objects, in parts, several requests under way at once."""

    name = "objects"

    def __init__(self) -> None:
        try:
            import boto3
            from botocore.config import Config
            from botocore.exceptions import BotoCoreError
        except ModuleNotFoundError as error:
            words = f"object access needs {error.name}: pip install 'clausegate[s3]'"
            raise OSError(errno.ENOPKG, words, f"{SCHEME}://") from error

        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
        config = Config(
            max_pool_connections=THREADS + 1,
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",  # not every store knows the newer ones
            response_checksum_validation="when_required",
        )
        try:
            self._client: Any = boto3.client(SCHEME, region_name=region, config=config)
        except (BotoCoreError, ValueError) as error:
            words = f"the object store cannot be used: {error}; look at the AWS_ variables"
            raise OSError(errno.EINVAL, words, f"{SCHEME}://") from error
        self._pipeline = Pipeline(THREADS, PART)

    def make_folder(self, folder: str) -> None:
        """There are none."""

    def write(self, path: str, size: int, source: DataSource, meter: Meter) -> None:
        """Upload a new object in parts; what did not end well leaves nothing behind."""
        bucket, key = split(path)
        with _os_errors(path):
            name = {"Bucket": bucket, "Key": key}
            upload = {**name, "UploadId": self._client.create_multipart_upload(**name)["UploadId"]}
            tags: dict[int, str] = {}

            def put(memory: memoryview, offset: int) -> None:
                number = offset // PART + 1
                answer = self._client.upload_part(**upload, PartNumber=number, Body=memory.tobytes())
                tags[number] = answer["ETag"]

            try:
                self._pipeline.write(size, source, put, meter)
                parts = [{"PartNumber": number, "ETag": tags[number]} for number in sorted(tags)]
                with meter.waiting():
                    self._client.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
            except BaseException:
                with suppress(Exception):  # what went wrong first is what counts
                    self._client.abort_multipart_upload(**upload)
                raise

    def sync_folder(self, folder: str, meter: Meter) -> None:
        """An object is there, name and all, once its upload has ended."""

    def drop_from_cache(self, path: str) -> CacheState:
        """This client keeps nothing; what the store itself keeps in memory, it does not tell."""
        return CacheState(None)

    def remove(self, path: str) -> None:
        """Delete the object."""
        bucket, key = split(path)
        with _os_errors(path):
            self._client.delete_object(Bucket=bucket, Key=key)

    def remove_folder(self, folder: str) -> None:
        """There are none."""

    def read(self, path: str, size: int, sink: DataSink, meter: Meter) -> None:
        """Download an object in parts."""
        bucket, key = split(path)
        with _os_errors(path):
            found = self._client.head_object(Bucket=bucket, Key=key)["ContentLength"]
            if found != size:
                raise wrong_size(path, size, found)

            def get(memory: memoryview, offset: int) -> None:
                last = offset + len(memory) - 1
                answer = self._client.get_object(Bucket=bucket, Key=key, Range=f"bytes={offset}-{last}")
                memory[:] = answer["Body"].read()

            self._pipeline.read(path, size, sink, get, meter)

    def close(self) -> None:
        """End threads and connections."""
        self._pipeline.close()
        self._client.close()

    def peek(self, path: str, count: int) -> tuple[int, bytes] | None:
        """The size of an object and its first bytes; None of one that is not there. Raises OSError."""
        bucket, key = split(path)
        try:
            with _os_errors(path):
                size = self._client.head_object(Bucket=bucket, Key=key)["ContentLength"]
                if not size:
                    return 0, b""
                answer = self._client.get_object(Bucket=bucket, Key=key, Range=f"bytes=0-{count - 1}")
                return size, answer["Body"].read()
        except FileNotFoundError:
            return None

    def folders(self, folder: str) -> set[str]:
        """The names of what stands below a folder as folders do. Raises OSError."""
        bucket, key = split(folder)
        with _os_errors(folder):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=bucket, Prefix=f"{key}/", Delimiter="/"
            )
            found = [entry["Prefix"] for page in pages for entry in page.get("CommonPrefixes", ())]
        return {name.removeprefix(f"{key}/").rstrip("/") for name in found}

    def unfinished_uploads(self, folder: str) -> list[str]:
        """The objects below a folder whose upload never ended; stores keep such parts. Raises OSError."""
        bucket, key = split(folder)
        with _os_errors(folder):
            pages = self._client.get_paginator("list_multipart_uploads").paginate(
                Bucket=bucket, Prefix=f"{key}/"
            )
            return [f"{SCHEME}://{bucket}/{one['Key']}" for page in pages for one in page.get("Uploads", ())]

    def object_names(self, folder: str, most: int) -> list[str]:
        """The names of at most so many objects below a folder. Raises OSError."""
        bucket, key = split(folder)
        with _os_errors(folder):
            answer = self._client.list_objects_v2(Bucket=bucket, Prefix=f"{key}/", MaxKeys=most)
        return [entry["Key"].removeprefix(f"{key}/") for entry in answer.get("Contents", ())]


@contextmanager
def _os_errors(path: str) -> Iterator[None]:
    """The client's errors as those of the operating system, which name the object."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        about = error.response.get("Error", {})
        code = errno.ENOENT if about.get("Code") in MISSING else errno.EIO
        words = about.get("Message") or str(error)
        raise OSError(code, f"the object store answers {about.get('Code')}: {words}", path) from error
    except BotoCoreError as error:
        raise OSError(errno.EIO, f"the object store cannot be used: {error}", path) from error
    except KeyError as error:
        raise OSError(errno.EIO, f"the object store's answer lacks {error}", path) from error
    except ValueError as error:  # a part that is shorter than what was asked for
        raise OSError(errno.EIO, f"the object store sent less than was asked for: {error}", path) from error
