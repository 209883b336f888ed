"""Builtins on bits: instructions where the core has them, sequences elsewhere, never calls.

Verdicts and widths are those of gcc 12.2 and clang 19.1 ``-O3`` on these loops.
"""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.code import Code
from rooflint.core.issue.bit_sequences import BitTarget, bit_steps
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Call, Function, walk
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

WORDS = "(unsigned *restrict a, const unsigned *restrict b, long n)"
LONG_WORDS = "(unsigned long *restrict a, const unsigned long *restrict b, long n)"
HASWELL, SKYLAKE, ICE_LAKE, ZEN4 = "hsw", "skx", "icelake-sp-8360y", "zen4-9654"


def compiled(parameters: str, body: str) -> Function:
    text = f"void f{parameters}\n{{ for (long i = 0; i < n; i++) {body} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    return source.function


def code_for(
    function: Function, machine: str, code: CodeGeneration, driver: str = "gcc-12"
) -> Code:
    (facts,) = facts_of(function)
    target = find_machine(machine, (builtin_dir(),))
    return plan_of(function, facts, target, compiler_of(code, driver)).code


def instructions(code: Code) -> dict[str, float]:
    """Arithmetic of a body by its class."""
    found: dict[str, float] = {}
    for op in code.operations:
        if op.role in ("arithmetic", "shuffle"):
            name = op.kind.partition(".")[0]
            found[name] = found.get(name, 0) + op.times
    return found


NATIVE = CodeGeneration(opt_level="3", march="native")
BASELINE = CodeGeneration(opt_level="3")


def test_no_call_is_left() -> None:
    function = compiled(WORDS, "a[i] = __builtin_popcount(b[i]);")
    assert not any(isinstance(node, Call) for node in walk(function.body))
    assert code_for(function, HASWELL, NATIVE).call_cy == 0


def test_one_instruction_and_its_idiom() -> None:
    # popcnt and the xor before it, load, store, counter, compare and branch: 6 of 4 a cycle
    code = code_for(compiled(WORDS, "a[i] = __builtin_popcount(b[i]);"), HASWELL, NATIVE)
    assert code.t_core_cy == pytest.approx(6 / 4)


@pytest.mark.parametrize(
    ("code", "by_hand"),
    [
        (BASELINE, True),
        (BASELINE._replace(features=("popcnt",)), False),
        (CodeGeneration(opt_level="3", march="x86-64-v2"), False),
        (CodeGeneration(opt_level="3", march="x86-64"), True),
        (NATIVE, False),
    ],
)
def test_code_for_every_processor_counts_by_hand(code: CodeGeneration, by_hand: bool) -> None:
    made = code_for(compiled(WORDS, "a[i] = __builtin_popcount(b[i]);"), SKYLAKE, code)
    assert ("popcount" not in instructions(made)) == by_hand


@pytest.mark.parametrize(
    ("machine", "width", "counts"),
    [(SKYLAKE, 1, 1), (ICE_LAKE, 8, 1), (HASWELL, 1, 1)],
)
def test_gcc_has_vectors_where_they_count(machine: str, width: int, counts: float) -> None:
    made = code_for(compiled(WORDS, "a[i] = __builtin_popcount(b[i]);"), machine, NATIVE)
    assert made.vector.width == width
    assert instructions(made)["popcount"] == counts


@pytest.mark.parametrize(("machine", "direct"), [(SKYLAKE, False), (ICE_LAKE, True), (ZEN4, True)])
def test_clang_counts_by_a_table_elsewhere(machine: str, direct: bool) -> None:
    made = code_for(
        compiled(LONG_WORDS, "a[i] = __builtin_popcountl(b[i]);"), machine, NATIVE, "clang"
    )
    assert made.vector.width == (8 if machine == ZEN4 else 4)
    assert ("popcount" in instructions(made)) == direct
    assert (instructions(made).get("shuffle", 0) == 3) != direct


@pytest.mark.parametrize(
    ("expression", "rotates"),
    [
        ("b[i] << 7 | b[i] >> 25", True),
        ("(b[i] >> 25) ^ (b[i] << 7)", True),
        ("b[i] << 7 | b[i] >> 24", False),
        ("b[i] << 7 | a[i] >> 25", False),
        ("(b[i] << 7) & (b[i] >> 25)", False),
        ("b[i] * -1 | b[i] >> 31", False),
        ("b[i] * -8 | b[i] >> 29", False),
    ],
)
def test_rotations_are_seen(expression: str, rotates: bool) -> None:
    made = code_for(compiled(WORDS, f"a[i] = {expression};"), SKYLAKE, NATIVE)
    assert ("rotate" in instructions(made)) == rotates


@pytest.mark.parametrize(("count", "rotates"), [(25, True), (24, False)])
def test_rotations_of_a_local_variable(count: int, rotates: bool) -> None:
    body = f"{{ unsigned x = b[i]; a[i] = x << 7 | x >> {count}; }}"
    made = code_for(compiled(WORDS, body), SKYLAKE, NATIVE)
    assert ("rotate" in instructions(made)) == rotates


def test_signed_words_are_not_rotated() -> None:
    parameters = "(int *restrict a, const int *restrict b, long n)"
    made = code_for(compiled(parameters, "a[i] = b[i] << 7 | b[i] >> 25;"), SKYLAKE, NATIVE)
    assert "rotate" not in instructions(made)


@pytest.mark.parametrize(("element_bytes", "shuffles"), [(1, 2), (2, 2), (4, 7), (8, 3)])
def test_tables_of_half_bytes_are_added_up(element_bytes: int, shuffles: float) -> None:
    target = BitTarget(vector=True, direct=False, legacy=False, counts=True)
    assert bit_steps("popcount", element_bytes, target)["shuffle"] == shuffles
