"""Code under conditions in vectors: masks, both arms, and loops that clang leaves scalar for them.

Verdicts are those of clang 19.1 and gcc 12.2 ``-O3`` on these loops.
"""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.code import Code
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

MACHINES = ("skx", "hsw", "skx")
DOUBLES = (
    "(double *restrict a, double *restrict b, const double *restrict c, const double *restrict d,"
    " long n)"
)
BYTES = (
    "(char *restrict a, char *restrict b, const char *restrict c, const char *restrict d, long n)"
)


def code_for(body: str, machine: str, native: bool = True, parameters: str = DOUBLES) -> Code:
    text = f"double A[1000], B[1000];\nvoid f{parameters}\n{{ {body} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    target = find_machine(machine, (builtin_dir(),))
    code = CodeGeneration(opt_level="3", march="native" if native else None)
    return plan_of(source.function, facts, target, compiler_of(code, "clang")).code


def count(code: Code, name: str) -> float:
    return sum(op.times for op in code.operations if op.kind.partition(".")[0] == name)


LOOP = "for (long i = 0; i < n; i++) "


@pytest.mark.parametrize(
    ("body", "expected"),
    # of SSE2, Haswell, Skylake-X
    [
        (LOOP + "if (c[i] > 0) a[i] = c[i];", "vvv"),
        (LOOP + "a[i] = c[i] > 0 ? d[i] : 0.0;", "-vv"),
        (LOOP + "a[i] = c[i] > 0 ? c[i] * 2 : 0.0;", "vvv"),
        (LOOP + "if (c[i] > 0) a[i] = c[i]; else b[i] = c[i];", "--v"),
        (LOOP + "if (i == 0) a[i] = c[i]; else a[i] = c[i] * 2;", "vvv"),
        # of arrays of known size and as many iterations, every element may be loaded
        ("for (long i = 0; i < 1000; i++) a[i] = c[i] > 0 ? A[i] : 0.0;", "vvv"),
    ],
)
def test_clang_needs_masks(body: str, expected: str) -> None:
    made = [code_for(body, machine, native=k > 0) for k, machine in enumerate(MACHINES)]
    assert "".join(["v" if code.vector.width > 1 else "-" for code in made]) == expected


@pytest.mark.parametrize(("machine", "expected"), [("hsw", False), ("skx", True)])
def test_bytes_are_masked_by_avx512_alone(machine: str, expected: bool) -> None:
    body = LOOP + "if (c[i] > 0) a[i] = d[i];"
    assert (code_for(body, machine, parameters=BYTES).vector.width > 1) == expected


def test_a_store_under_a_mask_is_an_instruction_of_its_own() -> None:
    code = code_for(LOOP + "if (c[i] > 0) a[i] = c[i];", "hsw")
    assert count(code, "masked_store") == 1
    assert count(code, "store") == 0
    assert count(code_for(LOOP + "a[i] = c[i];", "hsw"), "masked_store") == 0


def test_a_load_under_a_mask_gives_the_zero() -> None:
    zeroed = code_for(LOOP + "a[i] = c[i] > 0 ? d[i] : 0.0;", "hsw")
    assert (count(zeroed, "masked_load"), count(zeroed, "select")) == (1, 0)
    other = code_for(LOOP + "a[i] = c[i] > 0 ? d[i] : 1.0;", "hsw")
    assert (count(other, "masked_load"), count(other, "select")) == (1, 1)


def test_vectors_run_both_arms() -> None:
    # products of one arm, a quotient of the other, and two stores under masks
    body = LOOP + "if (c[i] > 0) a[i] = c[i] * d[i] * d[i]; else b[i] = c[i] / d[i];"
    code = code_for(body, "skx")
    assert code.vector.width > 1
    assert (count(code, "mul"), count(code, "div"), count(code, "store")) == (2, 1, 2)
    # both arms load c and d, and they are loaded once
    assert count(code, "load") == 2
