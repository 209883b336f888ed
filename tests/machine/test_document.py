"""YAML as data: lines, plain scalars, and nothing that expands or runs."""

import time
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import ConfigurationError
from rooflint.machine.document import MAX_BYTES, YamlNode, header, parse, read_document

Json: TypeAlias = Any


def values(node: YamlNode) -> Json:
    match node.data:
        case dict() as entries:
            return {key: values(child) for key, child in entries.items()}
        case list() as items:
            return [values(item) for item in items]
        case scalar:
            return scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("6e9", 6e9),  # YAML 1.1 readers make a text of it
        ("6.0e+9", 6e9),
        ("12", 12),
        ("-1.5", -1.5),
        ("010", 10),
        ("no", "no"),  # YAML 1.1 readers make it false
        ("true", True),
        ("~", None),
        ("", None),
        ('"12"', "12"),
        ("'true'", "true"),
        ("1.2.3", "1.2.3"),
        ("2 x 8", "2 x 8"),
        (".5", 0.5),
    ],
)
def test_plain_scalars(text: str, value: object) -> None:
    found = values(parse(f"key: {text}", "f"))["key"]
    assert found == value
    assert type(found) is type(value)


def test_values_know_their_lines() -> None:
    root = parse("a: 1\nb:\n  c: [1,\n    2]\n\nd: {e: 3}\n", "f.yaml")
    assert isinstance(root.data, dict)
    assert {key: node.line for key, node in root.data.items()} == {"a": 1, "b": 2, "d": 6}
    below = root.data["b"].data
    assert isinstance(below, dict)
    assert below["c"].line == 3


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: &x 1\nb: *x", 1, "anchors and aliases"),
        ("a: 1\nb: *x", 2, "anchors and aliases"),
        ("a: !!python/object/apply:os.system [ls]", 1, "tags are not read"),
        ("a: !!binary aGk=", 1, "tags are not read"),
        ("a: 1\na: 2", 2, "duplicate key 'a', first on line 1"),
        ("a: {b: 1, b: 2}", 1, "duplicate key 'b'"),
        ("a: [1, 2]]", 1, "not valid YAML"),
        ("a:\n\t- 1", 2, "not valid YAML"),
        ("? [1]\n: 2", 1, "expected a plain text as key"),
        ("a: 1\n---\nb: 2", 2, "one YAML document"),
        ("a: " + "[" * 20 + "]" * 20, 1, "nested more than 16 levels"),
        ("a: \x01", None, "not valid YAML"),
    ],
)
def test_what_is_not_read(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(f"f.yaml:{line}: " if line else "f.yaml: ")


def test_an_empty_file_is_no_machine() -> None:
    for text in ("", "# nothing\n"):
        with pytest.raises(ConfigurationError, match="empty, expected a machine description"):
            parse(text, "f.yaml")


def test_alias_bombs_and_depth_cost_nothing() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
    )
    start = time.process_time()
    for text in (bomb, "a: " + "[" * 500_000, "a: " + "{b: " * 100_000):
        with pytest.raises(ConfigurationError):
            parse(text, "f.yaml")
    assert time.process_time() - start < 1.0


def test_unreadable_files(tmp_path: Path) -> None:
    big = tmp_path / "big.yaml"
    big.write_text("a: 1\n" + "#" * MAX_BYTES)
    with pytest.raises(ConfigurationError, match="larger than 1 MiB"):
        read_document(big)
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_document(tmp_path / "none.yaml")
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"a: 1\nb: \xe9\n")
    with pytest.raises(ConfigurationError, match=r"latin.yaml:2: expected UTF-8"):
        read_document(latin)
    marked = tmp_path / "marked.yaml"
    marked.write_bytes("\ufeffa: é\n".encode())
    assert values(read_document(marked)) == {"a": "é"}


def test_header_stops_at_the_keys_it_wants() -> None:
    text = "name: x\nother: [1, {a: 2}]\nnote: y\nbroken: ["
    found = header(text, "f", ("name", "note"))
    assert {key: node.data for key, node in found.items()} == {"name": "x", "note": "y"}
    with pytest.raises(ConfigurationError):
        header(text, "f", ("name", "absent"))


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        parse(text, "f")
    except ConfigurationError as error:
        assert "\n" not in str(error)


DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text("abcxyz 01", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc", min_size=1), DATA, max_size=4))
def test_json_is_read_back(data: dict[str, Any]) -> None:
    import json  # noqa: PLC0415

    assert values(parse(json.dumps(data), "f")) == data
