"""What counts as changed: since the branch left its base, in lines of the file as it is."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.lint.changed_lines import SMALL, changed_ranges

Lint = Callable[..., tuple[int, list[str], str]]

NEST = """void {name}(void) {{
  for (int j = 0; j < 4000; j++)
    for (int i = 0; i < 4000; i++)
      a[i][j] = {factor} * b[i][j];
}}
"""
ARRAYS = "double a[4000][4000], b[4000][4000];\n"
ONE, TWO = NEST.format(name="one", factor=2), NEST.format(name="two", factor=2)
OF_ONE, OF_TWO = {"4"}, {"9"}
"""Lines of the findings."""


def git(*arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *arguments],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    return done.stdout.strip()


def committed(text: str, message: str) -> None:
    Path("k.c").write_text(text)
    git("add", "k.c")
    git("commit", "-qm", message)


@pytest.fixture
def branched(lint: Lint) -> Lint:
    """On ``topic``, which left ``main`` before that changed the first nest."""
    git("init", "-q", "-b", "main")
    committed(ARRAYS + ONE + TWO, "start")
    git("checkout", "-q", "-b", "topic")
    git("checkout", "-q", "main")
    committed(ARRAYS + ONE.replace("2 *", "7 *") + TWO, "of somebody else")
    git("checkout", "-q", "topic")
    return lint


def lines(lint: Lint, base: str = "main", text: str | None = None) -> set[str]:
    _, out, err = lint("--select", "RL101", "--diff-base", base, text=text)
    assert "--diff-base" not in err
    return {line.split(":")[1] for line in out}


def test_a_branch_behind_its_base_is_not_blamed(branched: Lint) -> None:
    assert lines(branched) == set()
    # of the commit itself it does differ in the first nest
    committed(ARRAYS + ONE + TWO.replace("2 *", "3 *"), "of this branch")
    assert lines(branched) == OF_TWO
    assert lines(branched, "main~1") == OF_TWO
    assert lines(branched, "HEAD") == set()


def test_what_is_not_committed_counts(branched: Lint) -> None:
    assert lines(branched, text=ARRAYS + ONE + TWO.replace("2 *", "3 *")) == OF_TWO
    git("add", "k.c")
    assert lines(branched) == OF_TWO
    committed(ARRAYS + ONE.replace("2 *", "3 *") + TWO.replace("2 *", "3 *"), "both")
    assert lines(branched) == OF_ONE | OF_TWO


def test_a_new_file_counts_unless_git_ignores_it(branched: Lint) -> None:
    git("mv", "k.c", "other.c")
    git("commit", "-qm", "moved")
    assert lines(branched, "HEAD", ARRAYS + ONE + TWO) == OF_ONE | OF_TWO
    Path(".gitignore").write_text("k.c\n")
    assert lines(branched, "HEAD") == set()
    # what was added all the same is not ignored
    git("add", "-f", "k.c")
    assert lines(branched, "HEAD") == OF_ONE | OF_TWO


def test_ends_of_lines_make_no_change(branched: Lint) -> None:
    Path("k.c").write_bytes((ARRAYS + ONE + TWO).replace("\n", "\r\n").encode())
    assert lines(branched) == set()


def test_a_filter_of_the_repository_changes_nothing(branched: Lint) -> None:
    git("config", "filter.x.clean", "sed s/2/5/")
    Path(".gitattributes").write_text("*.c filter=x\n")
    assert lines(branched) == set()


def test_histories_without_a_common_commit(branched: Lint) -> None:
    git("checkout", "-q", "--orphan", "island")
    git("commit", "-qm", "island")
    code, out, err = branched("--diff-base", "main", text=None)
    assert (code, out) == (2, [])
    assert err == (
        "rooflint: --diff-base: 'main' and HEAD share no commit;"
        " name a commit that the branch started from\n"
    )


def test_a_clone_that_was_cut_off(
    branched: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(ARRAYS + ONE + TWO.replace("2 *", "3 *"), "of this branch")
    clone = tmp_path / "clone"
    git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{tmp_path}", str(clone))
    monkeypatch.chdir(clone)
    remedy = "; this clone is shallow: 'git fetch --unshallow' gets the rest\n"
    code, _, err = branched("--diff-base", "origin/main", text=None)
    assert (code, err) == (
        2, f"rooflint: --diff-base: 'origin/main' and HEAD share no commit{remedy}"
    )  # fmt: skip
    code, _, err = branched("--diff-base", "origin/main~1", text=None)
    assert (code, err) == (2, f"rooflint: --diff-base: 'origin/main~1' is not a commit{remedy}")
    git("-c", "protocol.file.allow=always", "fetch", "-q", "--unshallow")
    assert lines(branched, "origin/main") == OF_TWO


def test_no_repository_and_no_commit(lint: Lint, tmp_path: Path) -> None:
    code, _, err = lint("--diff-base", "main")
    assert (code, err) == (2, "rooflint: --diff-base: k.c: in no git repository\n")
    git("init", "-q", "-b", "main")
    code, _, err = lint("--diff-base", "main")
    assert (code, err) == (2, "rooflint: --diff-base: 'main' is not a commit\n")


def lines_of(ranges: list[tuple[int, int]]) -> set[int]:
    return {line for first, last in ranges for line in range(first, last + 1)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b c", "a b c", []),
        ("a b c", "a x c", [(2, 2)]),
        ("a b c", "a b x c", [(3, 3)]),
        # a seam: the lines on either side of what was taken out
        ("a b c", "a c", [(1, 2)]),
        ("a b c", "b c", [(0, 1)]),
        ("a b c", "a b", [(2, 3)]),
        ("", "a b", [(1, 2)]),
        # lines that stand more than once, on either side of what changed
        ("} { } { }", "} { } x { }", [(4, 4)]),
        ("p } q } r", "p } x } q } r", [(3, 4)]),
    ],
)
def test_ranges(old: str, new: str, expected: list[tuple[int, int]]) -> None:
    before, after = ("".join(f"{word}\n" for word in text.split()) for text in (old, new))
    found = changed_ranges(before.encode(), after.encode())
    assert found == expected


TEXTS = st.lists(st.sampled_from("abcdef{}"), max_size=30)


@given(TEXTS, TEXTS)
def test_what_is_left_is_in_the_earlier_text_in_order(old: list[str], new: list[str]) -> None:
    ranges = changed_ranges("\n".join(old).encode(), "\n".join(new).encode())
    changed = lines_of(ranges)
    rest = iter(old)
    assert all(line in rest for n, line in enumerate(new, start=1) if n not in changed)
    assert bool(ranges) == (old != new)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.data())
def test_one_line_put_in_is_one_range(old: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(old)))
    new = [*map(str, old[:place]), "new", *map(str, old[place:])]
    found = changed_ranges("\n".join(map(str, old)).encode(), "\n".join(new).encode())
    assert found == [(place + 1, place + 1)]


def test_long_texts_without_a_line_of_their_own_take_no_time() -> None:
    # a shortest edit script of these has 3 x 10^5 steps, each over as many lines
    old, new = b"{\n}\n" * 100_000, b"}\n}\n{\n" * 100_000
    ranges = changed_ranges(old, new)
    assert 0 < len(ranges) <= 2 * SMALL
