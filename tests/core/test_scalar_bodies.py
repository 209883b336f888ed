"""Scalar code: bodies between two jumps, divisions with two results, conversions by their types."""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.code import Code
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of


def code_of(text: str, driver: str, level: str = "2") -> Code:
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    machine = find_machine("zen4-9654", (builtin_dir(),))
    return plan_of(
        source.function, facts, machine, compiler_of(CodeGeneration(opt_level=level), driver)
    ).code


def instructions(code: Code, kind: str) -> float:
    """How many of a class an iteration has."""
    return sum([op.times for op in code.operations if op.kind.partition(".")[0] == kind])


@pytest.mark.parametrize(
    ("text", "unrolled"),
    [
        # clang 19 -O2: ``rec`` has four products between two jumps, the others one body each
        ("void rec(int n, double *x, double *a)"
         " { for (int i = 1; i < n; i++) x[i] = x[i - 1] * a[i]; }", True),
        ("int first(int n, float *a, float x)"
         " { int i = 0; while (i < n && a[i] <= x) i++; return i; }", False),
        ("struct mask { unsigned char *bits; long size; unsigned char on; };"
         "void inv(struct mask *m)"
         " { for (long i = 0; i < m->size; i++) m->bits[i] ^= m->on; }", False),
    ],
)  # fmt: skip
def test_only_counted_loops_are_unrolled(text: str, unrolled: bool) -> None:
    code = code_of(text, "clang-19")
    assert code.vector.width == 1
    assert (code.vector.unroll > 1) == unrolled
    # one taken jump a cycle
    assert unrolled or code.t_core_cy >= 1.0


@pytest.mark.parametrize(
    ("body", "divisions"),
    [
        ("r[i] = a[i] / n; c[i] = a[i] % n;", 1),
        ("c[i] = a[i] % n; r[i] = a[i] / n;", 1),
        ("r[i] = a[i] / n; c[i] = a[i] / k;", 2),
        ("r[i] = a[i] / n; c[i] = a[i] % k;", 2),
    ],
)
def test_quotient_and_remainder_are_one_division(body: str, divisions: int) -> None:
    # gcc 12.2 and clang 19.1 -O2: so many idiv and div in the loop
    parameters = "int m, int n, int k, int *restrict a, int *restrict r, int *restrict c"
    text = f"void f({parameters}) {{ for (int i = 0; i < m; i++) {{ {body} }} }}"
    for driver in ("gcc-12", "clang-19"):
        code = code_of(text, driver)
        assert instructions(code, "div") + instructions(code, "rem") == divisions, driver


@pytest.mark.parametrize(
    ("of", "to", "kind"),
    [
        ("float", "double", "round"),
        ("double", "float", "round"),
        ("int", "double", "convert"),
        ("double", "int", "convert"),
    ],
)
def test_conversions_have_the_class_of_their_types(of: str, to: str, kind: str) -> None:
    text = (
        f"void f(int n, {of} *restrict a, {to} *restrict b)"
        f" {{ for (int i = 0; i < n; i++) b[i] = a[i]; }}"
    )
    code = code_of(text, "gcc-12")
    assert code.vector.width == 1
    assert instructions(code, kind) == 1
    assert instructions(code, "convert") + instructions(code, "round") == 1


@pytest.mark.parametrize(
    ("kind", "operation", "additions"),
    [
        # the shift, the signs, the rest, and the high half of 64 bits
        ("unsigned", "/ 10", 1),
        ("int", "/ 10", 4),
        ("unsigned", "% 10", 5),
        ("int", "% 10", 8),
        ("unsigned long", "% 10", 6),
        # a power of two is a shift or a mask
        ("unsigned", "/ 8", 0),
    ],
)
def test_quotients_by_constants_are_more_than_a_product(
    kind: str, operation: str, additions: int
) -> None:
    """Products, shifts and differences as gcc 12 and clang 19 write them without vectors."""
    text = f"void f({kind} *a, const {kind} *b, long n) {{ for (long i = 1; i < n; i++)"
    code = code_of(f"{text} a[i] = a[i - 1] ^ (b[i] {operation}); }}", "gcc")
    plain = code_of(f"{text} a[i] = a[i - 1] ^ (b[i] >> 3); }}", "gcc")
    assert code.vector.width == 1
    assert instructions(code, "add") - instructions(plain, "add") == additions
