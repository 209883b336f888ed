"""Stored measurements on the command line: kept, shown, counted, handed on, and forgotten."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace
from rooflint.cli.measure import exchange
from rooflint.incremental.measurements import (
    MAX_LINE_BYTES,
    MeasurementStore,
    StoredMeasurement,
    compiler_file,
)
from rooflint.render.schema import report_schema

Rooflint = Callable[..., tuple[int, str, str]]
VERSION = "gcc (made up) 12.2.0"
AT = ("triad.c", "-D", "n=1000", "--model", "ecm")


@pytest.fixture(autouse=True)
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only compiler of the computer."""
    path = tmp_path / "bin" / "gcc"
    path.parent.mkdir()
    path.write_bytes(b"program")
    monkeypatch.setattr(exchange, "locate", lambda name: str(path) if name == "gcc" else None)
    monkeypatch.setattr(exchange, "version_of", lambda _: VERSION)
    return path


@pytest.fixture
def measurement(triad: Path, compiler: Path, measurements: ModuleType) -> StoredMeasurement:
    """1.9 cycles, as if measured now, in the user's store."""
    identity = replace(measurements.identity_of(triad), compiler=VERSION)
    program = compiler_file(str(compiler))
    made = replace(measurements.MEASUREMENT, identity=identity, compiler_file=program)
    MeasurementStore().add([made])
    return made


def test_a_report_shows_it(rooflint: Rooflint, measurement: StoredMeasurement) -> None:
    _, out, _ = rooflint("analyze", *AT)
    assert "  measured    1.9 cy per iteration (predicted ecm 2); n = 1000, data in L1" in out
    _, page, _ = rooflint("analyze", *AT, "--format", "html")
    assert "measured 1.9 (predicted 2)" in page
    _, out, _ = rooflint("analyze", *AT, "--machine", "cell")
    assert "measured    under other conditions: n = 1000, data in L1" in out
    assert "1.9 cy" not in out


def test_a_change_takes_the_figure_away(
    rooflint: Rooflint, triad: Path, measurement: StoredMeasurement
) -> None:
    triad.write_text(triad.read_text().replace("s *", "2 * s *"))
    _, out, _ = rooflint("analyze", *AT)
    assert "  measured    before the last change\n" in out
    _, page, _ = rooflint("analyze", *AT, "--format", "html")
    assert "before the last change" in page
    assert "measured 1.9" not in page


def test_json_says_how_it_stands(rooflint: Rooflint, measurement: StoredMeasurement) -> None:
    _, out, _ = rooflint("analyze", *AT, "--format", "json")
    document = json.loads(out)
    jsonschema.validate(document, report_schema())
    (function,) = document["files"][0]["functions"]
    (shown,) = function["measured"]
    assert (shown["standing"], shown["cycles_per_iteration"]) == ("exact", 1.9)
    assert shown["predictions"] == [{"model": "ecm", "cycles_per_iteration": 2.0}]


def test_an_empty_store_loads_nothing(
    rooflint: Rooflint, triad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the store was opened")

    monkeypatch.setattr(MeasurementStore, "__init__", refused)
    code, out, _ = rooflint("analyze", *AT)
    assert (code, "measured  " in out) == (0, False)


def test_the_cache_counts_and_clears_it(rooflint: Rooflint, measurement: StoredMeasurement) -> None:
    assert rooflint("cache", "info")[1].endswith("\n1 measurement, 0.0 MiB\n")
    assert "removes\nthem too" in rooflint("cache", "--help")[1]
    assert rooflint("cache", "clear")[1].endswith("\n1 measurement, 0.0 MiB removed\n")
    assert "measurement" not in rooflint("cache", "info")[1]
    assert "measured  " not in rooflint("analyze", *AT)[1]


def test_a_team_hands_it_on(
    rooflint: Rooflint, measurement: StoredMeasurement, tmp_path: Path
) -> None:
    elsewhere = replace(measurement.identity, path="/somewhere/else.c")
    MeasurementStore().add([replace(measurement, identity=elsewhere)])
    code, out, _ = rooflint("measure", "--export", "team.jsonl")
    assert (code, out) == (0, f"1 measurement of files below {tmp_path} written to team.jsonl\n")
    text = Path("team.jsonl").read_text()
    assert str(tmp_path) not in text
    rooflint("cache", "clear")
    assert (
        rooflint("measure", "--import", "team.jsonl")[1] == "1 measurement read from team.jsonl\n"
    )
    assert MeasurementStore().of_function("triad.c", "triad") == (measurement,)


def test_a_figure_of_another_compiler_is_not_exact(
    rooflint: Rooflint, measurement: StoredMeasurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooflint("measure", "--export", "team.jsonl")
    rooflint("cache", "clear")
    monkeypatch.setattr(exchange, "version_of", lambda _: "gcc 13")
    rooflint("measure", "--import", "team.jsonl")
    assert "measured    under other conditions" in rooflint("analyze", *AT)[1]


def line(measurement: StoredMeasurement, **changes: object) -> bytes:
    data = msgspec.to_builtins(replace(measurement, compiler_file=None))
    data["identity"]["path"] = "triad.c"
    for name, value in changes.items():
        (data["identity"] if name in data["identity"] else data)[name] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"path": "/etc/passwd"}, "path: expected one below the current folder"),
        ({"path": "../triad.c"}, "path: expected one below the current folder"),
        ({"path": "a/../../triad.c"}, "path: expected one below the current folder"),
        ({"path": ""}, "path: expected one below the current folder"),
        ({"path": "a\u0000b"}, "path: expected one below the current folder"),
        ({"path": "\ud800"}, "JSON is malformed"),
        ({"cycles_per_iteration": 0}, "Expected `float` > 0.0"),
        ({"cycles_per_iteration": -1.0}, "Expected `float` > 0.0"),
        ({"cycles_per_iteration": 1e19}, "Expected `float` <= 1e+18"),
        ({"cycles_per_iteration": float("inf")}, "JSON is malformed"),
        ({"content": "x" * 32}, "Expected `str` matching regex"),
        ({"sizes": {"n": 1 << 54}}, "Expected `int` <= 9007199254740992"),
        ({"schema_version": 3}, "Invalid enum value 3"),
        (
            {"schema_version": 1},
            "of an older version, whose figures of nests in loops were",
        ),
        ({"command": "rm"}, "Object contains unknown field `command`"),
        ({"function": "f" * 5000}, "Expected `str` of length <= 4096"),
        ({"cpu": "x" * MAX_LINE_BYTES}, "more than 16 KiB in a line"),
    ],
)
def test_hostile_files_are_refused_as_a_whole(
    rooflint: Rooflint, measurement: StoredMeasurement, changes: dict[str, object], problem: str
) -> None:
    rooflint("cache", "clear")
    good = line(measurement)
    Path("team.jsonl").write_bytes(good + b"\n\n" + line(measurement, **changes) + b"\n")
    code, out, err = rooflint("measure", "--import", "team.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("measure: team.jsonl:3: ")
    assert problem in err
    assert err.count("\n") == 1
    assert list(MeasurementStore().all()) == []


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"[" * 10_000, b"null", b"{}", b'{"identity":', b"\x1b[31m"]
)
def test_what_is_no_measurement(rooflint: Rooflint, triad: Path, content: bytes) -> None:
    Path("team.jsonl").write_bytes(content)
    code, out, err = rooflint("measure", "--import", "team.jsonl")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("measure: team.jsonl:1: ")
    assert "\x1b" not in err


def test_files_that_are_none_and_too_large_ones(
    rooflint: Rooflint, triad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("pipe")
    Path("large").write_bytes(b" " * 11)
    monkeypatch.setattr(exchange, "MAX_FILE_BYTES", 10)
    for name, problem in (
        ("pipe", "is no file"),
        ("none", "cannot be read: No such file"),
        (".", "cannot be read: Is a directory"),
        ("large", "more than 0 MiB"),
    ):
        code, _, err = rooflint("measure", "--import", name)
        assert (code, problem in err) == (2, True), err
    Path("large").write_bytes(b" " * 10)
    assert rooflint("measure", "--import", "large")[0] == 0


@pytest.mark.parametrize(
    "arguments", [("triad.c", "--export", "a"), ("--export", "a", "--import", "b")]
)
def test_they_stand_alone(rooflint: Rooflint, triad: Path, arguments: tuple[str, ...]) -> None:
    code, _, err = rooflint("measure", *arguments)
    assert (code, "stand alone" in err) == (2, True)
