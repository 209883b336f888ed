"""Files that are no profile: one line each, and the rest is read."""

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.ir.unit import Span
from rooflint.profiles import ProfileProblem, SourcePart, read_counts, read_shares
from rooflint.profiles import content as content_module

DATA = Path(__file__).parent / "data"
EXPORT = (DATA / "traps.llvm-cov.json").read_bytes()
CASES = {
    "empty": (b"", ProfileProblem.UNKNOWN_KIND),
    "prose": (b"int main() { return 0; }\n", ProfileProblem.UNKNOWN_KIND),
    "other JSON": (b'{"type": "elephant"}', ProfileProblem.UNKNOWN_KIND),
    "cut": (EXPORT[: len(EXPORT) // 2], ProfileProblem.BROKEN),
    "deep": (b'{"x":' + b"[" * 200_000, ProfileProblem.BROKEN),
    "negative calls": (
        EXPORT.replace(b"[16,42,21,2,20,", b"[16,42,21,2,-1,"),
        ProfileProblem.BROKEN,
    ),
    "negative line": (
        (DATA / "traps.O0.gcov.json").read_bytes().replace(b'"count":20,', b'"count":-20,', 1),
        ProfileProblem.BROKEN,
    ),
    "text for a number": (EXPORT.replace(b'"count":1', b'"regions":"x"'), ProfileProblem.BROKEN),
    "packed and cut": (gzip.compress(EXPORT)[:-9], ProfileProblem.BROKEN_PACKING),
    "packed noise": (b"\x1f\x8b" + bytes(range(200)), ProfileProblem.BROKEN_PACKING),
    "profraw": (b"\x81rforpl\xff" + bytes(64), ProfileProblem.RAW_LLVM),
    "profdata": (b"\xfflprofi\x81" + bytes(64), ProfileProblem.RAW_LLVM),
    "gcda": (b"adcg*22B" + bytes(64), ProfileProblem.RAW_GCOV),
    "gcno": (b"oncg*22B" + bytes(64), ProfileProblem.RAW_GCOV),
    "perf.data": (b"PERFILE2" + bytes(64), ProfileProblem.RAW_PERF),
}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_file_is_one_line_and_costs_only_itself(name: str, tmp_path: Path) -> None:
    content, problem = CASES[name]
    broken = tmp_path / "broken\n.json"
    broken.write_bytes(content)
    profile = read_counts([str(broken), str(DATA / "traps.O0.gcov.json")])
    (error,) = profile.problems
    assert error.problem is problem
    assert "\n" not in str(error)
    assert problem.value in str(error)
    assert profile.unmatched([]) == ("/project/traps.cpp",)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (error,) = read_counts([str(tmp_path / "absent.json")]).problems
    assert error.problem is ProfileProblem.UNREADABLE


@pytest.mark.parametrize(("limit", "fits"), [(len(EXPORT), True), (len(EXPORT) - 1, False)])
@pytest.mark.parametrize("packed", [False, True])
def test_the_limit_holds_for_unpacked_bytes(
    limit: int, fits: bool, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_module, "MOST_BYTES", limit)
    file = tmp_path / "export"
    file.write_bytes(gzip.compress(EXPORT) if packed else EXPORT)
    problems = [each.problem for each in read_counts([str(file)]).problems]
    assert problems == ([] if fits else [ProfileProblem.TOO_LARGE])


RECORDINGS = [path.read_bytes() for path in sorted(DATA.iterdir()) if path.suffix != ".md"]
"""Of all formats, and two files of C++."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    recording=st.sampled_from(RECORDINGS),
    cut=st.floats(0, 1),
    length=st.integers(0, 40),
    noise=st.binary(max_size=40) | st.sampled_from([b"-1", b"1e99", b"9" * 5000, b"null", b"[]"]),
)
def test_a_damaged_recording_is_read_or_is_one_problem(
    recording: bytes, cut: float, length: int, noise: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "recording"
    at = int(cut * len(recording))
    file.write_bytes(recording[:at] + noise + recording[at + length :])
    assert len(read_counts([str(file)]).problems) in (0, 1)
    reading = read_shares([str(file)])
    assert len(reading.problems) in (0, 1)
    whole = SourcePart("spin.cpp", Span(line=1, column=1, end_line=99, end_column=1))
    shares = reading.profile.shares([whole])
    assert 0 <= shares.parts[0] <= 1
    assert 0 <= shares.outside <= 1
