"""Pragmas that ``#if`` leaves out govern nothing."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, Region

LOOP = "for (int i = 0; i < n; i++) a[i] = 2 * a[i];"
PARALLEL = "#pragma omp parallel for"


def file_request(directives: str, *options: str) -> Request:
    text = f"void f(int n, double *a) {{\n{directives}\n{LOOP}\n}}\n"
    return Request("/a.c", Flags("c", options=options), text.encode())


ACTIVE = [
    ("no condition", PARALLEL, ()),
    ("not left out", f"#if 1\n{PARALLEL}\n#endif", ()),
    ("by a definition", f"#ifdef P\n{PARALLEL}\n#endif", ("-DP",)),
    ("not switched off", f"#ifndef SERIAL\n  {PARALLEL}\n#endif", ()),
    ("behind what is left out", f"#if 0\n#endif\n{PARALLEL}", ()),
    ("other way", f"#if 0\n#else\n{PARALLEL}\n#endif", ()),
    ("OpenMP off", f"#ifdef _OPENMP\n{PARALLEL}\n#endif", ()),
    ("OpenMP off, defined", f"# if defined(_OPENMP)\n{PARALLEL}\n#endif", ()),
    ("OpenMP off, a value", f"#if _OPENMP\n{PARALLEL}\n#endif", ()),
    ("OpenMP on", f"#ifdef _OPENMP\n{PARALLEL}\n#endif", ("-D_OPENMP=201811",)),
]
LEFT_OUT = [
    ("never", f"#if 0\n{PARALLEL}\n#endif", ()),
    ("not defined", f"#ifdef P\n{PARALLEL}\n#endif", ()),
    ("switched off", f"#ifndef SERIAL\n{PARALLEL}\n#endif", ("-DSERIAL",)),
    ("other way", f"#if 1\n#else\n{PARALLEL}\n#endif", ()),
    ("around", f"#if 0\n#if 1\n{PARALLEL}\n#endif\n#endif", ()),
    ("OpenMP of a version", f"#if _OPENMP >= 201511\n{PARALLEL}\n#endif", ()),
    ("OpenMP and more", f"#if defined(_OPENMP) && defined(P)\n{PARALLEL}\n#endif", ()),
    ("without OpenMP", f"#ifndef _OPENMP\n{PARALLEL}\n#endif", ("-D_OPENMP=201811",)),
    ("an operator", '#if 0\n_Pragma("omp parallel for")\n#endif', ()),
]


@pytest.mark.parametrize(("directives", "options"), [each[1:] for each in ACTIVE])
def test_active_pragmas(directives: str, options: tuple[str, ...]) -> None:
    asked = file_request(directives, *options)
    (node,) = extract(asked).functions[0].function.body
    assert isinstance(node, Region)
    assert file_equations(asked).loops[0].shared


@pytest.mark.parametrize(("directives", "options"), [each[1:] for each in LEFT_OUT])
def test_pragmas_that_are_left_out(directives: str, options: tuple[str, ...]) -> None:
    asked = file_request(directives, *options)
    (node,) = extract(asked).functions[0].function.body
    assert isinstance(node, Loop)
    assert not file_equations(asked).loops[0].shared


def test_hints_that_are_left_out() -> None:
    (loop,) = extract(file_request("#if 0\n#pragma GCC ivdep\n#endif")).functions[0].function.body
    assert isinstance(loop, Loop)
    assert loop.pragmas == ()
