"""Integers of several sizes in vector code, extremes, absolute values, and steady selections.

Counts of instructions are those of gcc 12.2 and clang 19.1 ``-O3`` on these loops.
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

HASWELL, SKYLAKE = "hsw", "skx"
GCC, CLANG = "gcc-12", "clang-19"
NATIVE = CodeGeneration(opt_level="3", march="native")
BASELINE = CodeGeneration(opt_level="3")


def copying(to: str, source: str) -> str:
    return f"({to} *restrict a, const {source} *restrict b, long n)"


def code_of(
    parameters: str,
    body: str,
    machine: str = HASWELL,
    driver: str = GCC,
    code: CodeGeneration = NATIVE,
    result: str = "",
) -> Code:
    """The code of ``body`` in a loop over ``i``; ``result`` is a sum of this type, ``s``."""
    kind, before, after = (result, f"{result} s = 0;", "return s;") if result else ("void", "", "")
    loop = f"for (long i = 0; i < n; i++) {{ {body} }}"
    text = f"{kind} f{parameters}\n{{ {before} {loop} {after} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    target = find_machine(machine, (builtin_dir(),))
    return plan_of(source.function, facts, target, compiler_of(code, driver)).code


def made(code: Code) -> dict[str, float]:
    """Instructions of a body by class, and by class and type."""
    found: dict[str, float] = {}
    for op in code.operations:
        if op.role in ("arithmetic", "shuffle"):
            for key in {op.kind, op.kind.partition(".")[0]}:
                found[key] = found.get(key, 0) + op.times
    return found


def moved(code: Code) -> float:
    """Instructions that put elements elsewhere: those that widen, and all other shuffles."""
    found = made(code)
    return found.get("shuffle", 0) + found.get("widen", 0)


@pytest.mark.parametrize(
    ("to", "source", "shuffles"),
    [
        ("short", "unsigned char", 3),  # either half, and the upper one taken out
        ("int", "unsigned char", 3 + 6),
        ("long", "signed char", 3 + 6 + 12),
        ("long", "unsigned", 3),
        ("int", "int", 0),
    ],
)
def test_gcc_widens_by_doublings(to: str, source: str, shuffles: int) -> None:
    code = code_of(copying(to, source), "a[i] = b[i] + 0;" if to == source else "a[i] = b[i];")
    assert moved(code) == shuffles


def test_gcc_widens_in_sums() -> None:
    # 32 bytes: 9 instructions on port 5 of Haswell
    code = code_of("(const unsigned char *b, long n)", "s += b[i];", result="unsigned")
    assert moved(code) == 9
    assert code.t_core_cy == pytest.approx(9 / 32)


def test_sse2_unpacks_both_halves_of_a_register() -> None:
    unsigned = code_of(copying("short", "unsigned char"), "a[i] = b[i];", code=BASELINE)
    signed = code_of(copying("short", "signed char"), "a[i] = b[i];", code=BASELINE)
    assert made(unsigned)["shuffle"] == made(signed)["shuffle"] == 2
    assert "shift" not in made(unsigned)
    assert made(signed)["shift"] > 0


@pytest.mark.parametrize(("to", "source"), [("int", "unsigned char"), ("long", "unsigned")])
def test_clang_widens_in_one_step(to: str, source: str) -> None:
    code = code_of(copying(to, source), "a[i] = b[i];", driver=CLANG)
    assert moved(code) == 1


@pytest.mark.parametrize(
    ("to", "source", "machine", "shuffles", "logic"),
    [
        ("short", "int", HASWELL, 2, 2),
        ("signed char", "int", HASWELL, 6, 6),
        ("int", "long", HASWELL, 5, 0),
        ("int", "long", SKYLAKE, 1, 0),
        ("signed char", "short", SKYLAKE, 2, 2),
    ],
)
def test_gcc_packs_two_registers_into_one(
    to: str, source: str, machine: str, shuffles: int, logic: int
) -> None:
    found = made(code_of(copying(to, source), f"a[i] = ({to})b[i];", machine))
    assert (found["shuffle"], found.get("logic", 0)) == (shuffles, logic)


@pytest.mark.parametrize(
    ("machine", "to", "source", "shuffles"),
    [(HASWELL, "int", "long", 1), (HASWELL, "short", "int", 2), (SKYLAKE, "short", "int", 2)],
)
def test_clang_narrows_each_register(machine: str, to: str, source: str, shuffles: int) -> None:
    found = made(code_of(copying(to, source), f"a[i] = ({to})b[i];", machine, CLANG))
    assert found["shuffle"] == shuffles


BYTES = "(unsigned char *restrict a, const unsigned char *restrict b, int k, long n)"


@pytest.mark.parametrize("driver", [GCC, CLANG])
def test_bytes_are_added_as_bytes(driver: str) -> None:
    found = made(code_of(BYTES, "a[i] = a[i] + b[i];", driver=driver))
    assert found == {"add": 1, "add.i8": 1}


def test_gcc_computes_in_the_bits_that_are_needed() -> None:
    # of the shifted sum bits 8 to 15 are stored
    body = "a[i] = (b[i] * k + a[i] * (255 - k)) >> 8;"
    found = made(code_of(BYTES, body))
    assert found["mul.i16"] == 4
    assert (found["widen"], found["shuffle"], found["logic"]) == (4, 2 + 2, 2)
    # LLVM does not follow an argument below a shift to the right
    assert "mul.i32" in made(code_of(BYTES, body, driver=CLANG))
    # but where all of its bits are stored: vpmullw, vpaddb
    assert "mul.i32" not in made(code_of(BYTES, "a[i] = a[i] + b[i] * k;", driver=CLANG))
    assert moved(code_of(BYTES, "a[i] ^= k;", driver=CLANG)) == 0


def test_bits_that_a_comparison_needs_are_kept() -> None:
    found = made(code_of(BYTES, "a[i] = a[i] + b[i] > 255 ? 255 : a[i] + b[i];"))
    assert "add.i16" in found


def test_products_of_bytes_are_made_in_words() -> None:
    body = "a[i] = a[i] * b[i];"
    by_gcc, by_clang = (made(code_of(BYTES, body, driver=driver)) for driver in (GCC, CLANG))
    assert (by_gcc["mul.i16"], by_gcc["shuffle"]) == (2, 6)
    assert (by_clang["mul.i16"], by_clang["shift"]) == (2, 1)


def test_a_mask_is_as_wide_as_what_it_selects() -> None:
    same = code_of(
        "(int *restrict a, const int *restrict b, long n)", "a[i] = b[i] > 3 ? a[i] : 7;"
    )
    wider = code_of(
        "(long *restrict a, const int *restrict b, long n)", "a[i] = b[i] > 3 ? a[i] : 7;"
    )
    assert moved(same) == 0
    assert moved(wider) == 3


@pytest.mark.parametrize("driver", [GCC, CLANG])
@pytest.mark.parametrize("relation", [">", "<", ">=", "<="])
def test_an_extreme_by_a_branch_is_one_operation(driver: str, relation: str) -> None:
    body = f"if (b[i] {relation} s) s = b[i];"
    found = made(code_of("(const int *b, long n)", body, driver=driver, result="int"))
    assert found == {"max": 1, "max.i32": 1}


@pytest.mark.parametrize(
    "body",
    ["if (b[i] > s) s = b[i + 1];", "if (b[i] != s) s = b[i];", "if (b[i] > 3) s = b[i];"],
)
def test_other_choices_are_no_extremes(body: str) -> None:
    found = made(code_of("(const int *b, long n)", body, result="int"))
    assert "max" not in found


def test_a_conditional_sum_clears_its_addend() -> None:
    fast = CodeGeneration(opt_level="fast", march="native")
    pair = "(const double *a, const double *b, long n)"
    found = made(code_of(pair, "if (b[i] > 3) s += b[i];", code=fast, result="double"))
    assert found["logic.f64"] == 1
    assert "select" not in found
    # a load under a mask gives the zero by itself
    masked = made(code_of(pair, "if (b[i] > 3) s += a[i];", code=fast, result="double"))
    assert masked.keys().isdisjoint(("logic", "select"))


def test_a_conditional_scalar_is_selected_in_its_own_type() -> None:
    body = "if (b[i] > 3) s = b[i];"
    found = made(code_of("(const int *b, long n)", body, result="int"))
    assert found["select"] == found["select.i32"] == 1


def test_a_sign_is_dropped_by_one_operation() -> None:
    words = copying("int", "int")
    dropped = made(code_of(words, "a[i] = b[i] < 0 ? -b[i] : b[i];"))
    assert dropped == {"logic": 1, "logic.i32": 1}
    assert "select" in made(code_of(words, "a[i] = b[i] < 1 ? -b[i] : b[i];"))
    # minus zero of floating-point numbers is another value
    assert "select" in made(code_of(copying("float", "float"), "a[i] = b[i] < 0 ? -b[i] : b[i];"))


@pytest.mark.parametrize("driver", [GCC, CLANG])
@pytest.mark.parametrize(
    "body", ["s += abs(b[i] - c[i]);", "int d = b[i] - c[i]; s += d < 0 ? -d : d;"]
)
def test_a_sum_of_differences_of_bytes_is_one_instruction(driver: str, body: str) -> None:
    bytes_ = "(const unsigned char *b, const unsigned char *c, long n)"
    summed = code_of(bytes_, body, driver=driver, result="int")
    registers = max(1, summed.vector.width // 32)
    assert made(summed) == {
        "shuffle": registers, "shuffle.i8": registers, "add": registers, "add.i64": registers,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("signed char", "int d = b[i] - c[i]; s += d < 0 ? -d : d;"),
        ("unsigned char", "int d = b[i] - c[i]; s += d < 0 ? -d : d; t[i] = d;"),
        ("unsigned char", "int d = b[i] - c[i]; s += d < 0 ? -c[i] : d;"),
        ("unsigned char", "s += b[i] - c[i];"),
        ("short", "int d = b[i] - c[i]; s += d < 0 ? -d : d;"),
    ],
)
def test_other_sums_have_their_own_instructions(kind: str, body: str) -> None:
    parameters = f"(const {kind} *restrict b, const {kind} *restrict c, int *restrict t, long n)"
    found = made(code_of(parameters, body, result="int"))
    assert found.keys() > {"add", "shuffle"}
    assert found.keys() != {"add", "add.i64", "shuffle", "shuffle.i8"}


def test_a_steady_selection_has_a_loop_for_each_arm() -> None:
    parameters = "(double *restrict a, const double *restrict b, int k, long n)"
    body = "if (k) a[i] = b[i] * 2; else a[i] = b[i] + 1;"
    assert made(code_of(parameters, body)) == {"mul": 1, "mul.f64": 1}
    # gcc does so from -O3 on, clang from -O2
    second = CodeGeneration(opt_level="2", march="native")
    assert "select" in made(code_of(parameters, body, code=second))
    assert "select" not in made(code_of(parameters, body, code=second, driver=CLANG))
    assert "select" in made(code_of(parameters, body.replace("(k)", "(b[i] > 3)")))


def test_an_element_of_another_size_is_no_operand_in_memory() -> None:
    # on Zen 2, where a load within an instruction counts nothing: 5 instructions a cycle
    second = CodeGeneration(opt_level="2", march="native")
    narrow, same = (
        code_of(
            f"(int *restrict a, const {source} *restrict b, int k, long n)",
            "a[i] = b[i] ^ k;",
            "zen2-7452",
            code=second,
        )
        for source in ("unsigned char", "int")
    )
    assert narrow.issue_cy - same.issue_cy == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("machine", "cycles"),
    # 64 B of words of 32 B of bytes: two registers are widened and one is taken out, half a cycle
    # each on two pipes; on Zen 2 and 3 one of 32 B takes 1 and 1.25 cycles. On Skylake's one port
    # each takes a cycle.
    [("zen2", 2 * 1 + 0.5), ("zen3", 2 * 1.25 + 0.5), ("zen4", 1.5), ("skx", 3), ("hsw", 3)],
)
def test_widening_crosses_the_lanes_of_a_register(machine: str, cycles: float) -> None:
    flags = NATIVE._replace(prefer_vector_bits=256)
    code = code_of(copying("short", "unsigned char"), "a[i] = b[i];", machine, code=flags)
    assert made(code)["widen"] == 2
    assert code.vector.width * code.overlapping_cy == pytest.approx(max(cycles, 2 * 1))


@pytest.mark.parametrize("kind", ["long", "int", "short", "unsigned char", "double"])
@pytest.mark.parametrize("machine", ["hsw", "skx"])
def test_one_operation_pays_for_gcc_s_loads_in_unknown_steps(kind: str, machine: str) -> None:
    # remarks of gcc 12.2 -O3: a copy is no vector code, one exclusive or or sum makes it such
    head = f"({kind} *restrict a, const {kind} *restrict b, {kind} s, long m, long n)"
    assert code_of(head, "a[i] = b[m * i];", machine).vector.width == 1
    assert code_of(head, "a[i] = b[m * i] + s;", machine).vector.width > 1


@pytest.mark.parametrize(("arms", "selections"), [(2, 1), (3, 2), (4, 3)])
def test_each_arm_but_one_is_selected(arms: int, selections: int) -> None:
    """Values of several arms for one place are blended one after the other (gcc 12.2)."""
    body = "".join([f"if (b[i] > {40 - k}) a[i] = {k}; else " for k in range(arms - 1)])
    found = made(code_of(copying("int", "int"), f"{body} a[i] = b[i];"))
    assert found["select.i32"] == selections


def test_gcc_shifts_by_integers_of_32_bits() -> None:
    """Counts of 64 bits are packed, five shuffles for two registers, and widened again."""
    three = "(unsigned long *restrict a, const unsigned long *b, const unsigned long *c, long n)"
    by_elements = code_of(three, "a[i] = b[i] << c[i];")
    by_number = code_of(three, "a[i] = b[i] << 3;")
    assert moved(by_number) == 0
    assert moved(by_elements) > 0
    assert moved(code_of(three, "a[i] = b[i] << c[i];", driver="clang")) == 0
