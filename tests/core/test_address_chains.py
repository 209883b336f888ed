"""Loads whose address waits for the previous iteration: tables, state machines, lists.

Skylake: a load takes 5 cycles to a general register, an integer operation 1.
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

LOAD, OPERATION = 5, 1


def code_of(text: str) -> Code:
    """The code of the only loop in ``text``, by gcc for Skylake."""
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    machine = find_machine("skx", (builtin_dir(),))
    code = CodeGeneration(opt_level="3", march="native")
    return plan_of(source.function, facts, machine, compiler_of(code, "gcc-12")).code


def looping(parameters: str, before: str, body: str, result: str) -> str:
    loop = f"for (long i = 0; i < n; i++) {{ {body} }}"
    return f"long f({parameters}, long n)\n{{ {before} {loop} return {result}; }}"


TABLE = "const unsigned char *a, const unsigned *t"


def test_a_table_lookup_waits_for_the_sum_so_far() -> None:
    # exclusive or, and; the load; the other exclusive or
    step = "c = t[(c ^ a[i]) & 255] ^ (c >> 8);"
    code = code_of(looping(TABLE, "unsigned c = 0;", step, "c"))
    assert code.recurrence_cy == pytest.approx(2 * OPERATION + LOAD + OPERATION)
    assert code.vector.width == 1


def test_a_table_lookup_by_elements_alone_waits_for_nothing() -> None:
    code = code_of(looping(TABLE, "unsigned c = 0;", "c = t[a[i] & 255] ^ (c >> 8);", "c"))
    assert code.recurrence_cy == pytest.approx(2 * OPERATION)


def test_a_second_lookup_in_a_sum_is_not_on_the_first_ones_way() -> None:
    step = "c = t[c & 255] ^ t[a[i]];"
    code = code_of(looping(TABLE, "unsigned c = 0;", step, "c"))
    assert code.recurrence_cy == pytest.approx(OPERATION + LOAD + OPERATION)


def test_a_lookup_of_a_lookup_waits_twice() -> None:
    code = code_of(looping("const unsigned *t", "unsigned c = 0;", "c = t[t[c & 255] & 255];", "c"))
    assert code.recurrence_cy == pytest.approx(2 * (OPERATION + LOAD))


def test_a_state_is_the_address_of_the_next() -> None:
    code = code_of(looping("const int *t", "int at = 0;", "at = t[at];", "at"))
    assert code.recurrence_cy == pytest.approx(LOAD)


def test_a_scalar_that_the_iteration_sets_itself_is_no_chain() -> None:
    step = "int at = k[i]; s += t[at];"
    code = code_of(looping("const int *t, const int *k", "long s = 0;", step, "s"))
    assert code.recurrence_cy <= OPERATION


def test_a_row_of_states_is_chosen_by_a_shift() -> None:
    # rows of 256 integers are 1024 B apart, which no addressing mode multiplies by
    head = "const int (*t)[256], const unsigned char *a"
    code = code_of(looping(head, "int at = 0;", "at = t[at][a[i]];", "at"))
    assert code.recurrence_cy == pytest.approx(OPERATION + LOAD)


NODE = "struct node { struct node *next, *other; double v; };"


@pytest.mark.parametrize(
    ("step", "cycles"),
    [
        ("p = p->next;", LOAD),
        ("q = p->next;", 0),
    ],
)
def test_a_list_waits_for_the_pointer_of_the_node_before(step: str, cycles: int) -> None:
    head = "const struct node *p, const struct node *q, double *r"
    text = looping(head, "double s = 0;", f"r[i] = p->v; {step}", "p == q")
    assert code_of(NODE + text).recurrence_cy == pytest.approx(cycles)
