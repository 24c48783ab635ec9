"""One file, in whatever state: content or one sentence, never an exception."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence import MISSING, Malformed, documents
from engine.evidence.documents import choose, describe, fill, read_document
from tests.command import ROOT
from tests.packages import SPOILED


def read(folder: Path, content: bytes, form: str = "json") -> object:
    path = folder / "document"
    path.write_bytes(content)
    return read_document(path, form)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("empty", "is empty"),
        ("blank", "is empty"),
        ("truncated", "is cut short at line 1"),
        ("pruned", "is a placeholder (its content was pruned)"),
        ("binary", "is not text in UTF-8"),
        ("list", "holds a list at its top, not a mapping"),
        ("scalar", "holds 3 at its top, not a mapping"),
        ("duplicate", 'holds the key "model" twice'),
        ("nan", "holds NaN, which is no number"),
        ("infinity", "holds -Infinity, which is no number"),
        ("huge", "holds a number out of all range"),
        ("digits", "holds a number out of all range"),
        ("deep", "is nested too deeply"),
    ],
)
def test_unusable_json_says_why(tmp_path: Path, kind: str, reason: str) -> None:
    assert read(tmp_path, SPOILED[kind]) == Malformed(reason)


def test_every_kind_of_unusable_document_is_pinned() -> None:
    pinned = test_unusable_json_says_why.pytestmark[0].args[1]  # type: ignore[attr-defined]
    assert {kind for kind, _ in pinned} == set(SPOILED)


def test_wrong_json_names_its_line(tmp_path: Path) -> None:
    assert read(tmp_path, b'{\n "a": 1,\n "b": oops\n}') == Malformed(
        "is not valid JSON (line 3: Expecting value)"
    )


def test_numbers_are_exact_and_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"size": 911.2121276855469, "small": 1e-3, "count": 64, "none": null}'
    assert read(tmp_path, content) == {
        "size": Fraction("911.2121276855469"),
        "small": Fraction(1, 1000),
        "count": 64,
        "none": None,
    }


@given(st.binary(max_size=200), st.sampled_from(["json", "yaml", "text"]))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, content: bytes, form: str) -> None:
    found = read(tmp_path_factory.getbasetemp(), content, form)
    assert isinstance(found, (dict, str, Malformed))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, object]
) -> None:
    assert read(tmp_path_factory.getbasetemp(), json.dumps(content).encode()) == content


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30))
def test_a_decimal_keeps_every_digit(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    found = read(tmp_path_factory.getbasetemp(), f'{{"a": {value}}}'.encode())
    assert isinstance(found, dict)
    assert Fraction(found["a"]) == Fraction(str(value))


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('a: !!int "16"\nb: !!bool "true"\nc: !!float "1.5"', {"a": 16, "b": True, "c": Fraction(3, 2)}),
        ("since: 2026-07-08", {"since": "2026-07-08"}),
        ("base: &b {x: 1}\nown: {<<: *b, y: 2}", {"base": {"x": 1}, "own": {"x": 1, "y": 2}}),
        ("a: 0.1", {"a": Fraction(1, 10)}),
    ],
)
def test_yaml_as_tools_write_it(tmp_path: Path, text: str, content: object) -> None:
    assert read(tmp_path, text.encode(), "yaml") == content


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\na: 2", 'holds the key "a" twice'),
        ("a: .nan", "holds .nan, which is no number"),
        ("a: 1.0e+999999999", "holds a number out of all range"),
        ("a: &x [*x]", "refers to itself"),
        ("a: !!int lots", "holds a value that its YAML tag does not allow"),
        ("? [1]\n: 2", "holds a key that is no text"),
        ("- 1", "holds a list at its top, not a mapping"),
        ("\ta: b", "is not valid YAML (line 1: found character that cannot start any token)"),
        ("\0", "is not valid YAML"),
    ],
)
def test_unusable_yaml_says_why(tmp_path: Path, text: str, reason: str) -> None:
    assert read(tmp_path, text.encode(), "yaml") == Malformed(reason)


@pytest.mark.parametrize("text", ["a: " + "{a: " * 100_000, "- " * 100_000, "a: " + "[" * 100_000])
def test_deep_yaml_is_refused_before_it_is_composed(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text.encode(), "yaml")
    assert isinstance(found, Malformed)
    assert "nest" in found.reason


def test_aliases_that_unfold_without_end_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    assert read(tmp_path, "\n".join(lines).encode(), "yaml") == Malformed(
        "unfolds to more than a description can hold"
    )


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert read_document(tmp_path, "json") == Malformed("is a folder, not a file")
    assert read_document(tmp_path / "pipe", "json") == Malformed("is not a regular file")
    assert read_document(tmp_path / "loop", "json") == Malformed(
        "cannot be opened (too many levels of symbolic links)"
    )
    assert read_document(tmp_path / "absent", "text") == Malformed(
        "cannot be opened (no such file or directory)"
    )


def test_a_file_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "closed.json"
    path.write_text("{}")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert read_document(path, "json") == Malformed("cannot be opened (permission denied)")


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "SIZE_LIMIT", 1024 * 1024)
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1024 * 1024 + 1)
    assert read_document(path, "json") == Malformed("is larger than 1 MiB")


def test_a_glob_chooses_the_one_file(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("summary.json", "._summary.json", ".hidden_summary.json", "inner/config.yaml"):
        (tmp_path / name).write_text("{}")
    assert choose(tmp_path, "*summary.json") == tmp_path / "summary.json"
    assert choose(tmp_path, "inner/*.yaml") == tmp_path / "inner" / "config.yaml"
    assert choose(tmp_path, "*SUMMARY.json") is MISSING
    assert choose(tmp_path / "absent", "*.json") is MISSING
    (tmp_path / "0_summary.json").write_text("{}")
    assert choose(tmp_path, "*summary.json") == Malformed(
        "is ambiguous: 2 files match (0_summary.json, summary.json)"
    )


def test_a_folder_that_cannot_be_listed_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert choose(tmp_path, "*summary.json") == Malformed(
        "stands in a folder that cannot be listed (permission denied)"
    )


def test_names_in_a_pattern_are_no_globs() -> None:
    assert fill("systems/{system}.yaml", {"system": "sys[1]*"}) == "systems/sys[[]1][*].yaml"
    assert fill("{family}_{timestamp}.json", {"family": "kv_cache", "timestamp": None}) == "kv_cache_*.json"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("lots", '"lots"'),
        ("x" * 100, '"' + "x" * 40 + '..."'),
        ({}, "a mapping"),
        ([1], "a list"),
        (None, "null"),
        (True, "true"),
        (Fraction(1, 4), "0.25"),
        (10**400, "a number out of all range"),
        (Fraction(10**400), "a number out of all range"),
    ],
)
def test_a_value_is_described_in_few_words(value: object, words: str) -> None:
    assert describe(value) == words


def test_reading_json_loads_no_yaml() -> None:
    program = "import sys, engine.package.subjects, engine.evidence.readers; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("pattern", [".run.json", ".run*", ".*.json", "inner/.run.json", ".d/run.json"])
def test_a_hidden_document_is_found_where_the_pattern_says_so(tmp_path: Path, pattern: str) -> None:
    folder, _, name = pattern.rpartition("/")
    file = tmp_path / folder / (name if "*" not in name else ".run.json")
    file.parent.mkdir(exist_ok=True)
    file.write_text("{}")
    (file.parent / "other.json").write_text("{}")
    assert choose(tmp_path, pattern) == file


def test_files_that_match_one_pattern_are_named_below_their_folder(tmp_path: Path) -> None:
    for number in range(11):
        (tmp_path / f"d{number:02}").mkdir()
        (tmp_path / f"d{number:02}" / "run.json").write_text("{}")
    found = choose(tmp_path, "d*/run.json")
    assert isinstance(found, Malformed)
    assert found.reason.startswith("is ambiguous: 11 files match (d00/run.json, d01/run.json, ")
    assert found.reason.endswith("d07/run.json and 3 more)")
