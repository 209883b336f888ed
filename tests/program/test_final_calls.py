"""Paths that end a run by way of functions of other files."""

from collections.abc import Mapping

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.weights import program_weights


def executions_of(files: Mapping[str, str]) -> dict[str, float]:
    flags = Flags("c")
    read = [file_equations(Request(f"/{name}", flags, files[name].encode())) for name in files]
    weights = program_weights(link_files(read)).functions
    return {each.function.name: each.weight.executions for each in weights}


FATAL = {"b.c": "void leave(int);\nvoid die(void) { END }", "c.c": "void exit(int); LEAVE"}


@pytest.mark.parametrize(
    ("leave", "end", "dies"),
    [
        ("void leave(int n) { exit(n); }", "leave(1);", 0.0),
        ("int leave(int n) { exit(n); return 0; }", "leave(1);", 0.0),
        ("void leave(int n) { if (n) exit(n); }", "leave(1);", 0.25),
        ("void leave(int n) { exit(n); }", "static int n; if (n) leave(1);", 0.25),
        ("void leave(int n) { exit(n); }", "static int n; if (n) return; leave(1);", 0.25),
        ("void leave(int n) { exit(n); }", "static int n; while (n) leave(1);", 0.25),
    ],
)
def test_paths_end_that_call_what_never_returns_in_other_files(
    leave: str, end: str, dies: float
) -> None:
    main = "void die(void); int n, m; int main(void) { if (n == m) die(); return 0; }"
    files = {name: text.replace("END", end) for name, text in FATAL.items()}
    files["c.c"] = files["c.c"].replace("LEAVE", leave)
    assert executions_of({"a.c": main, **files})["die"] == pytest.approx(dies)


def test_a_way_of_a_switch_that_ends_the_run_is_taken_by_none() -> None:
    main = (
        "void die(void); int n, k; int main(void) {"
        " switch (n) { case 1: k++; break; case 2: k--; break; default: die(); } return 0; }"
    )
    files = {"b.c": "void leave(int); void die(void) { leave(1); }"}
    files["c.c"] = "void exit(int); void leave(int n) { exit(n); }"
    assert executions_of({"a.c": main, **files})["die"] == 0.0
