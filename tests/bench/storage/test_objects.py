"""Object access: uploads in parts and back, and what a store refuses, against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.driver.clean import clean_plan
from bench.driver.existing_checkpoints import planned_files
from bench.storage.access import split
from bench.storage.base import Corrupt
from bench.storage.meter import Meter
from bench.storage.objects import PART, Objects
from bench.workload.data import Pattern
from bench.workload.layout import identity, step_folder
from bench.workload.plan import FILE
from tests.bench.plans import small
from tests.bench.store import BUCKET, client, object_store
from tests.command import run

FOLDER = f"s3://{BUCKET}/ckpt"


@pytest.fixture(scope="module")
def variables() -> Iterator[dict[str, str]]:
    with object_store() as found:
        yield found


@pytest.fixture
def store(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Objects]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    opened = Objects()
    yield opened
    opened.close()


def meter() -> Meter:
    return Meter(lambda _: None)


@pytest.mark.parametrize("path", ["s3://b/k/x", "b/k/x", "/b/k/x"])
def test_a_path_is_a_bucket_and_a_key(path: str) -> None:
    assert split(path) == ("b", "k/x")


@pytest.mark.parametrize("size", [1, PART - 1, PART, 2 * PART + 12_345])
def test_what_is_written_is_read_and_verified(store: Objects, size: int) -> None:
    path, written, read = f"{FOLDER}/sizes/{size}", meter(), meter()
    store.write(path, size, Pattern(path), written)
    store.read(path, size, Pattern(path), read)
    assert written.bytes == read.bytes == size
    assert sum(written.latencies) == -(-size // PART)
    assert store.object_names(f"{FOLDER}/sizes/{size}", 1) == []  # the object itself is no folder
    assert str(size) in store.object_names(f"{FOLDER}/sizes", 9)


def test_a_changed_byte_is_found(store: Objects, variables: dict[str, str]) -> None:
    path, size = f"{FOLDER}/changed", 2 * PART + 99
    store.write(path, size, Pattern(path), meter())
    bucket, key = split(path)
    held = bytearray(client(variables).get_object(Bucket=bucket, Key=key)["Body"].read())
    held[PART + 7] ^= 0x40
    client(variables).put_object(Bucket=bucket, Key=key, Body=bytes(held))
    with pytest.raises(Corrupt, match=rf"changed: byte {PART + 7} is 0x{held[PART + 7]:02x}"):
        store.read(path, size, Pattern(path), meter())
    with pytest.raises(Corrupt, match=f"holds {size} bytes, {size + 1} were written"):
        store.read(path, size + 1, Pattern(path), meter())


def test_what_the_store_refuses_names_the_object(store: Objects) -> None:
    with pytest.raises(FileNotFoundError, match="404") as missing:
        store.read(f"{FOLDER}/nothing", 9, Pattern("x"), meter())
    assert missing.value.filename == f"{FOLDER}/nothing"
    with pytest.raises(FileNotFoundError, match="NoSuchBucket"):
        store.write("s3://no-such-bucket/x", 9, Pattern("x"), meter())


def test_cleaning_removes_what_the_run_uploaded_and_nothing_else(
    store: Objects, variables: dict[str, str], tmp_path: Path
) -> None:
    plan = replace(small(tmp_path, engine="objects"), folder=f"{FOLDER}/cleaned/llama3-8b")
    objects = [
        (f"{plan.step(number)}/{name}", size, identity(plan.model, step_folder(number), name))
        for number, name, size in planned_files(plan, (1, 2))
    ]
    for path, size, content in objects[:-1]:  # the last was never uploaded
        store.write(path, size, Pattern(content), meter())
    s3 = client(variables)
    bucket, key = split(objects[0][0])
    s3.put_object(Bucket=bucket, Key=key, Body=b"of somebody else")
    s3.put_object(Bucket=bucket, Key=f"{key}.bak", Body=b"x")
    broken = split(objects[-1][0])[1]
    s3.create_multipart_upload(Bucket=bucket, Key=broken)
    (tmp_path / FILE).write_text(plan.as_json())
    kept = [key, f"{key}.bak"]

    def there() -> list[str]:
        found = s3.list_objects_v2(Bucket=bucket, Prefix=split(plan.folder)[1])["Contents"]
        return [entry["Key"] for entry in found]

    before = there()
    for dry in (["--dry-run"], []):
        done = run(["bench", "clean", str(tmp_path), *dry], variables=variables)
        assert done.returncode == 0, done.stderr
        verb = "would be removed" if dry else "removed"
        assert f"{len(objects) - 2} files of" in done.stdout
        assert done.stdout.splitlines()[0].endswith(verb)
        assert objects[0][0] in done.stdout
        assert f"s3://{bucket}/{broken} (an upload that never ended)" in done.stdout
        assert there() == (before if dry else kept)


def test_a_broken_upload_leaves_nothing(store: Objects, variables: dict[str, str]) -> None:
    class Breaks:
        def fill(self, buffer: Any, offset: int, count: int) -> None:
            if offset:
                raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        store.write(f"{FOLDER}/broken", 3 * PART, Breaks(), meter())
    bucket, key = split(f"{FOLDER}/broken")
    assert "Uploads" not in client(variables).list_multipart_uploads(Bucket=bucket, Prefix=key)
    assert store.object_names(f"{FOLDER}/broken", 1) == []


def test_a_store_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": "x"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(OSError, match="cannot be used"):
        Objects().object_names(FOLDER, 1)


@pytest.mark.slow
def test_a_whole_run(tmp_path: Path, variables: dict[str, str]) -> None:
    line = (
        "whatif checkpointing run object --model llama3-8b --num-processes 2 --scale 0.001"
        " --accelerator-type b200 --client-host-memory-in-gb 24"
        " --params checkpoint.time_between_checkpoints=0"
        f" --checkpoint-folder {FOLDER}/run --results-dir {tmp_path} --format json"
    ).split()
    counts = ["--num-checkpoints-write", "2", "--num-checkpoints-read", "2"]
    done = run([*line, *counts], variables=variables)
    assert done.returncode == 0, done.stderr
    (leaf,) = tmp_path.glob("whatif/local/results/*/checkpointing/llama3-8b/*")
    metadata = json.loads(next(leaf.glob("*metadata.json")).read_text("utf-8"))
    keys = {key for key in metadata["override_parameters"] if key.startswith("storage.")}
    assert len(keys) == 5
    assert not (leaf / "fs_separation.json").exists()
    summary = json.loads((leaf / "summary.json").read_text("utf-8"))
    assert summary["workload"]["engine"] == "objects"
    assert summary["workload"]["phases"]["write"]["fsyncs"] == 0
    judged = json.loads(run(["validate", str(tmp_path), "--format", "json"]).stdout)
    assert [finding for finding in judged["findings"] if finding["rule"] == "evidence"] == []

    reading = ["--num-checkpoints-write", "0", "--num-checkpoints-read", "1", "--keep", "1"]
    kept = run([*line, *reading], variables=variables)
    assert kept.returncode == 0, kept.stderr
    plans = [json.loads(path.read_text("utf-8")) for path in tmp_path.rglob("plan.json")]
    assert sorted((plan["writes"], plan["sources"]) for plan in plans) == [(0, [2]), (2, [1, 2])]

    again = run([*line, *counts], variables=variables)
    assert again.returncode == 2
    assert "is not empty" in again.stderr
    nothing = run([*line, "--num-checkpoints-write", "0", "--num-checkpoints-read", "3"], variables=variables)
    assert nothing.returncode == 2
    assert "holds no global_epoch1_step3" in nothing.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [("AWS_ENDPOINT_URL", "localhost:9000"), ("AWS_PROFILE", "nobody"), ("AWS_REGION", "not a region")],
)
def test_a_store_that_is_set_up_wrongly_is_refused_with_the_reason(
    tmp_path: Path, variables: dict[str, str], variable: str, value: str
) -> None:
    line = (
        "whatif checkpointing run object --model llama3-8b --num-processes 2 --scale 0.001"
        " --accelerator-type b200 --client-host-memory-in-gb 24"
        f" --checkpoint-folder {FOLDER}/wrong --results-dir {tmp_path}"
    )
    done = run(line.split(), variables={**variables, variable: value})
    said = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert "internal error" not in said
    assert "the object store cannot be used" in said
    assert "look at the AWS_ variables" in said


def test_uploads_that_the_store_does_not_list_stop_no_cleaning(
    store: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(small(tmp_path, engine="objects", writes=1), folder=f"{FOLDER}/unlisted/llama3-8b")

    def denied(*_: object) -> list[str]:
        raise OSError(5, "the object store answers AccessDenied")

    monkeypatch.setattr(Objects, "unfinished_uploads", denied)
    number, name, size = next(planned_files(plan, (1,)))
    content = identity(plan.model, step_folder(number), name)
    store.write(f"{plan.step(number)}/{name}", size, Pattern(content), meter())
    done = clean_plan(plan)
    assert done.removed == 1
    assert done.left == ["uploads that never ended, if there are any: the object store answers AccessDenied"]
