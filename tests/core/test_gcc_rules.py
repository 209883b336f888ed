"""gcc's refusals, each on both sides of its threshold.

Verdicts are those of gcc 12.2 ``-O3 -fopt-info-vec`` on these loops, for SSE2 (no ``-march``),
``haswell``, ``skylake-avx512`` and ``znver3``.
"""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core import Compiler
from rooflint.core.plan import plan_of
from rooflint.core.vectorize.gcc_rules import GCC_RULES
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

MACHINES = ("skylake-sp-6148", "haswell-ep-e5-2695v3", "skylake-sp-6148", "zen3-7763")
HEADER = "#include <stdint.h>\n#include <math.h>\n"
LOOP = "for (long i = 0; i < n; i++) "
DOUBLES = "(double *restrict a, const double *restrict b, long n)"
FLOATS = "(float *restrict a, const float *restrict b, long n)"
SHORT_WORDS = "(uint16_t *restrict a, const uint16_t *restrict b, long n)"
WORDS = "(uint32_t *restrict a, const uint32_t *restrict b, long n)"
GATHER = (
    "(double *restrict a, const double *restrict b, const double *restrict c,"
    " const int *restrict x, long n)"
)
SUM = "(double *restrict a, const double *restrict b, double s, long n)"
THREE = "(int *restrict a, const int *restrict b, const int *restrict c, long n)"
LONG_WORDS = "(uint64_t *restrict a, const uint64_t *restrict b, long n)"

COUNTED_ON = "(float *restrict a, const float *restrict b, {} k, long n)"
MIXED_SUM = "(double *restrict a, const float *restrict b, double s, long n)"
COUNTED = "s += b[i]; k[i] += 1;"


def fives(second: str, others: str) -> str:
    """Five stores side by side: ``second`` is the second element, ``others`` with its number."""
    values = [others.format(place) for place in range(5)]
    values[1] = second
    stores = [f"a[5 * i + {place}] = {value};" for place, value in enumerate(values)]
    return f"{{ {' '.join(stores)} }}"


# parameters, body, and on which of SSE2, Haswell, Skylake-X, Zen 3 there are vectors
CASES = {
    "G-DIVIDE": (
        ("(int *restrict a, const int *restrict b, int d, long n)", "a[i] = b[i] / d;", "----"),
        ("(int *restrict a, const int *restrict b, long n)", "a[i] = b[i] / 7;", "vvvv"),
        ("(uint64_t *restrict a, const uint64_t *restrict b, long n)", "a[i] = b[i] % 10;", "----"),
        ("(uint64_t *restrict a, const uint64_t *restrict b, long n)", "a[i] = b[i] / 8;", "vvvv"),
        ("(uint16_t *restrict a, const uint16_t *restrict b, long n)", "a[i] = b[i] % 10;", "vvvv"),
    ),
    "G-ROUND": (
        (DOUBLES, "a[i] = floor(b[i]);", "----"),
        (FLOATS, "a[i] = truncf(b[i]);", "----"),
        (DOUBLES, "a[i] = rint(b[i]);", "-vvv"),
        (FLOATS, "a[i] = nearbyintf(b[i]);", "-vvv"),
    ),
    "G-CONVERT": (
        ("(double *restrict a, const int64_t *restrict b, long n)", "a[i] = b[i];", "--v-"),
        ("(int64_t *restrict a, const double *restrict b, long n)", "a[i] = b[i];", "--v-"),
        ("(double *restrict a, const uint32_t *restrict b, long n)", "a[i] = b[i];", "vvvv"),
        ("(double *restrict a, double h, long n)", "a[i] = i * h;", "--v-"),
    ),
    "G-SHIFT": (
        (
            "(unsigned *restrict a, const unsigned *restrict b, unsigned *restrict c, long n)",
            "a[i] = b[i] << (c[i] & 31);",
            "-vvv",
        ),
        ("(uint64_t *restrict a, const uint64_t *restrict b, long n)", "a[i] = b[i] << 3;", "vvvv"),
    ),
    "G-WIDE-COMPARISON": (
        ("(long *restrict a, const double *restrict b, long n)", "a[i] |= b[i] > 0;", "-vvv"),
        ("(int *restrict a, const double *restrict b, long n)", "a[i] |= b[i] > 0;", "-vvv"),
        ("(int *restrict a, const float *restrict b, long n)", "a[i] |= b[i] > 0;", "vvvv"),
        ("(long *restrict a, const long *restrict b, long n)", "a[i] += b[i] == 3;", "-vvv"),
    ),
    "G-BITS": (
        (WORDS, "a[i] = __builtin_popcount(b[i]);", "----"),
        (WORDS, "a[i] = __builtin_clz(b[i]);", "--v-"),
        (LONG_WORDS, "a[i] = __builtin_clzl(b[i]);", "--v-"),
        (WORDS, "a[i] = __builtin_ctz(b[i]);", "----"),
        (WORDS, "a[i] = __builtin_ffs(b[i]);", "----"),
        (WORDS, "a[i] = __builtin_parity(b[i]);", "----"),
        (SHORT_WORDS, "a[i] = __builtin_bswap16(b[i]);", "vvvv"),
        (WORDS, "a[i] = __builtin_bswap32(b[i]);", "-vvv"),
        (LONG_WORDS, "a[i] = __builtin_bswap64(b[i]);", "-vvv"),
        (WORDS, "a[i] = b[i] << 7 | b[i] >> 25;", "vvvv"),
    ),
    "G-TRAP": (
        (DOUBLES, "if (b[i] > 0) a[i] += 1.5;", "--v-"),
        (DOUBLES, "a[i] = b[i] > 0 ? b[i] * 2 : b[i];", "--v-"),
        (DOUBLES, "if (b[i] > 0) a[i] = -b[i];", "-vvv"),
        ("(int *restrict a, const int *restrict b, long n)", "if (b[i] > 0) a[i] += 3;", "-vvv"),
        (
            "(double *restrict a, const double *restrict b, int k, long n)",
            "if (k > 3) a[i] = b[i] * 2; else a[i] = b[i];",
            "vvvv",
        ),
        # only the index itself splits a loop, at a variable
        (
            "(double *restrict a, const double *restrict b, long m, long n)",
            "if (i + 1 < m) a[i] = b[i]; else a[i] = b[i] * 2;",
            "--v-",
        ),
        (DOUBLES, "if (i + 1 < 16000) a[i] = b[i]; else a[i] = b[i] * 2;", "vvvv"),
        # a forward goto is a branch
        (FLOATS, "{ float x = b[i]; if (x < 1) goto out; x = x * 2; out: a[i] = x; }", "--v-"),
        # the index decides: two loops, one behind the other, or a condition of each iteration
        (
            "(double *restrict a, const double *restrict b, long m, long n)",
            "if (i < m) a[i] = b[i]; else a[i] = b[i] * 2;",
            "vvvv",
        ),
        (
            "(double *restrict a, const double *restrict b, long m, long n)",
            "if (i == m) a[i] = b[i]; else a[i] = b[i] * 2;",
            "--v-",
        ),
    ),
    "G-MASK": (
        (FLOATS, "if (b[i] > 0) a[2 * i] = b[i];", "----"),
        (FLOATS, "if (b[i] > 0) a[i] = b[i];", "-vvv"),
        (
            "(double *restrict a, const double *restrict b, const double *restrict c, long n)",
            "a[i] = b[i] > 0 ? c[i] : 0;",
            "-vvv",
        ),
        (
            "(uint8_t *restrict a, const uint8_t *restrict b, long n)",
            "if (b[i] > 3) a[i] = b[i];",
            "--v-",
        ),
        ("(short *restrict a, const short *restrict b, long n)", "if (b[i] > 3) a[i] = 1;", "--v-"),
        (THREE, "if (b[i] < 0) a[i] = 1; else if (c[i] < 0) a[i] = 2; else a[i] = 3;", "-vvv"),
        (THREE, "if (b[i] < 0 && c[i] > 0) a[i] = 1; else a[i] = 4;", "-vvv"),
        (THREE, "if (c[i] > b[i]) a[i] = 1; else a[i] = 4;", "vvvv"),
        ("(int *restrict a, const int *restrict b, long n)", "if (b[i] > 3) a[i] = b[i];", "-vvv"),
        (
            "(int *restrict a, const int *restrict b, long n)",
            "if (b[i] > 3) a[i] = b[i]; else if (b[i] < -3) a[i] = 7; else a[i] = 1;",
            "vvvv",
        ),
    ),
    "G-FOLD": (
        (SUM, "{ s += b[i]; s += b[i] * b[i]; } *a = s;", "----"),
        (SUM, "s += b[i] + b[i] * b[i]; *a = s;", "vvvv"),
        # two additions over pairs
        (SUM, "s = s + b[2 * i] + b[2 * i + 1]; *a = s;", "vvvv"),
        (SUM, "s = s + b[2 * i] + b[i]; *a = s;", "----"),
    ),
    "G-FOLD-TYPES": (
        (MIXED_SUM, "s += b[i];", "----"),
        (
            "(const double *restrict b, int *restrict k, double s, long n)",
            f"{{ {COUNTED} }}",
            "----",
        ),
        ("(const float *restrict b, double *restrict a, float s, long n)", "s += b[i];", "vvvv"),
        (SUM, "s += b[i];", "vvvv"),
    ),
    "G-BACK": (
        (FLOATS, "a[i] = b[-2 * i];", "----"),
        (FLOATS, "a[i] = b[-3 * i];", "vvvv"),
        (FLOATS, "a[i] = b[-i];", "vvvv"),
        (FLOATS, "a[i] = b[-2 * i] + b[1 - 2 * i];", "----"),
        (FLOATS, "{ a[-2 * i] = b[-2 * i] * 2; a[1 - 2 * i] = b[1 - 2 * i] * 2; }", "vvvv"),
        (FLOATS, "{ a[-2 * i] = b[i]; a[1 - 2 * i] = b[i] * 2; }", "----"),
        (FLOATS, "a[-2 * i] = b[i];", "vvvv"),
    ),
    "G-STORES": (
        (FLOATS, "{ a[4 * i] = b[i]; a[4 * i + 1] = b[i]; a[4 * i + 2] = b[i]; }", "----"),
        (FLOATS, "{ a[4 * i] = b[i]; a[4 * i + 1] = b[i] * 2; }", "vvvv"),
        (DOUBLES, "a[3 * i] = b[i];", "vvvv"),
        (FLOATS, fives("b[i]", "b[i]"), "----"),
        (FLOATS, fives("b[5 * i + 1] + 2", "b[5 * i + {}] * 2"), "----"),
        (FLOATS, fives("b[5 * i + 1] * 2", "b[5 * i + {}] * 2"), "vvvv"),
    ),
    "G-GROUP": (
        (GATHER, "a[i] = c[5 * i] + c[5 * i + 1] + b[x[i]];", "----"),
        (GATHER, "a[i] = c[3 * i] + c[3 * i + 1] + b[x[i]];", "vvvv"),
    ),
    "G-ORDER": (
        (WORDS, "{ a[i] = b[i]; a[i] = a[i + 1] + 2; }", "----"),
        (WORDS, "{ a[i] = a[i + 1] + 2; a[i] = a[i] * b[i]; }", "vvvv"),
    ),
    "G-WRAP": (
        (COUNTED_ON.format("unsigned"), "{ a[k] = b[i] * 2; k++; }", "----"),
        (COUNTED_ON.format("int"), "{ a[k] = b[i] * 2; k++; }", "vvvv"),
        (COUNTED_ON.format("uint64_t"), "{ a[k] = b[i] * 2; k++; }", "vvvv"),
        (COUNTED_ON.format("unsigned"), "{ a[i] = b[k] * 2; k++; }", "vvvv"),
        ("(float *a, const float *b, unsigned k, long n)", "{ a[i] = b[k] * 2; k++; }", "----"),
        ("(float *a, const int *b, unsigned k, long n)", "{ a[i] = b[k]; k++; }", "vvvv"),
    ),
    "G-SPARSE": (
        (DOUBLES, "a[i] = b[3 * i];", "vvvv"),
        (DOUBLES, "a[i] = b[4 * i];", "-vvv"),
        (DOUBLES, "a[i] = b[5 * i];", "vvvv"),
        (DOUBLES, "a[i] = b[8 * i];", "----"),
        (FLOATS, "a[i] = b[8 * i];", "-vvv"),
        (FLOATS, "a[i] = b[16 * i];", "----"),
    ),
}


def compiled(parameters: str, body: str) -> Function:
    text = f"{HEADER}void f{parameters}\n{{ {LOOP}{body} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    return source.function


def gcc(*, native: bool = True, traps: bool = True, errno: bool = True) -> Compiler:
    flags = CodeGeneration(
        opt_level="3",
        march="native" if native else None,
        trapping_math=traps,
        math_errno=errno,
    )
    return compiler_of(flags, "gcc-12")


def verdicts(function: Function, *, traps: bool = True, errno: bool = True) -> str:
    (facts,) = facts_of(function)
    found = ""
    for number, name in enumerate(MACHINES):
        machine = find_machine(name, (builtin_dir(),))
        made = plan_of(function, facts, machine, gcc(native=number > 0, traps=traps, errno=errno))
        found += "v" if made.code.vector.width > 1 else "-"
    return found


@pytest.mark.parametrize(
    ("parameters", "body", "expected"), [case for cases in CASES.values() for case in cases]
)
def test_verdicts(parameters: str, body: str, expected: str) -> None:
    assert verdicts(compiled(parameters, body)) == expected


def test_every_rule_has_loops_that_it_takes_and_refuses() -> None:
    assert [rule.id for rule in GCC_RULES] == list(CASES)
    for cases in CASES.values():
        found = "".join([expected for *_, expected in cases])
        assert set(found) == {"v", "-"}


ROUNDED = "(float *restrict a, const float *restrict b, long n)"
TO_INT = "(int *restrict a, const float *restrict b, long n)"
TO_LONG = "(long *restrict a, const double *restrict b, long n)"


@pytest.mark.parametrize(
    ("parameters", "body", "expected"),
    [
        (DOUBLES, "a[i] = floor(b[i]);", "-vvv"),
        (ROUNDED, "a[i] = roundf(b[i]);", "-vvv"),
        (TO_INT, "a[i] = (int)roundf(b[i]);", "-vvv"),
        (DOUBLES, "if (b[i] > 0) a[i] += 1.5;", "-vvv"),
        # one by one, without a call
        (TO_INT, "a[i] = lroundf(b[i]);", "----"),
        (TO_INT, "a[i] = lrintf(b[i]);", "----"),
        (TO_LONG, "a[i] = lround(b[i]);", "----"),
        (TO_LONG, "a[i] = lrint(b[i]);", "----"),
    ],
)
def test_verdicts_without_traps_and_errno(parameters: str, body: str, expected: str) -> None:
    assert verdicts(compiled(parameters, body), traps=False, errno=False) == expected


@pytest.mark.parametrize(
    ("body", "traps", "errno", "calls"),
    [
        ("a[i] = roundf(b[i]);", True, False, True),
        ("a[i] = roundf(b[i]);", False, True, False),
        ("a[i] = lrintf(b[i]);", True, True, True),
        ("a[i] = lrintf(b[i]);", True, False, False),
        ("a[i] = lroundf(b[i]);", False, True, True),
        ("a[i] = lroundf(b[i]);", True, False, True),
        ("a[i] = lroundf(b[i]);", False, False, False),
    ],
)
def test_rounding_that_needs_no_call(body: str, traps: bool, errno: bool, calls: bool) -> None:
    function = compiled(TO_INT, body)
    (facts,) = facts_of(function)
    machine = find_machine(MACHINES[1], (builtin_dir(),))
    code = plan_of(function, facts, machine, gcc(traps=traps, errno=errno)).code
    assert any(op.role == "call" for op in code.operations) == calls


@pytest.mark.parametrize(
    ("parameters", "body", "width"),
    [
        # gcc counts iterations by the narrowest type: an index of 4 B, and the amount of a shift
        ("(double *restrict a, double h, int n)", "a[i] = i * h;", 8),
        ("(double *restrict a, const double *restrict b, int n)", "a[i] = b[i] * 2;", 4),
        (
            "(uint64_t *restrict a, const uint64_t *restrict b, const uint64_t *restrict c, int n)",
            "a[i] = b[i] << (c[i] & 15);",
            8,
        ),
    ],
)
def test_width_by_the_narrowest_type(parameters: str, body: str, width: int) -> None:
    text = f"{HEADER}void f{parameters}\n{{ for (int i = 0; i < n; i++) {body} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    machine = find_machine(MACHINES[1], (builtin_dir(),))
    assert plan_of(source.function, facts, machine, gcc()).code.vector.width == width


@pytest.mark.parametrize(
    ("parameters", "body", "is_vector"),
    [
        ("(int *restrict a, const int *restrict b, int d, long n)", "a[i] = b[i] / d;", False),
        ("(int *restrict a, const int *restrict b, long n)", "a[i] = b[i] / 7;", True),
        ("(uint64_t *restrict a, const uint64_t *restrict b, long n)", "a[i] = b[i] % 10;", False),
        ("(uint64_t *restrict a, const uint64_t *restrict b, long n)", "a[i] = b[i] / 8;", True),
        # around a division that a condition may leave out, clang 19 vectorizes
        ("(int *restrict a, const int *restrict b, long n)", "a[i] = b[i] ? 9 / b[i] : 0;", True),
    ],
)
def test_quotients_do_not_pay_in_clang_either(parameters: str, body: str, is_vector: bool) -> None:
    function = compiled(parameters, body)
    (facts,) = facts_of(function)
    machine = find_machine(MACHINES[1], (builtin_dir(),))
    made = plan_of(function, facts, machine, Compiler("clang"))
    assert (made.code.vector.width > 1) == is_vector
