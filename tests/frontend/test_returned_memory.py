"""Memory that calls return: by the variable that receives it, or by the call."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, Statement, walk

HEAD = """
void *get(unsigned long, int);
template<class T> struct Held {
    T *p;
    Held(T *q) : p(q) {}
    operator T *() { return p; }
};
"""


def arrays_of(body: str) -> list[str]:
    """The arrays that the loops of a function access, in order."""
    text = f"{HEAD}void f(int n, double *out, double **rows) {{ {body} }}"
    unit = extract(Request("/nowhere/a", Flags("c++"), text.encode()))
    assert unit.refusals == ()
    (source,) = unit.functions
    names = {each.name for each in source.function.arrays}
    loops = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    statements = [n for loop in loops for n in walk(loop.body) if isinstance(n, Statement)]
    found = [access.array for each in statements for access in each.accesses]
    assert names.issuperset(found)
    return found


def test_memory_that_a_member_holds_keeps_its_name() -> None:
    body = (
        "Held<double> a((double *)get(n, 1)); double *q = a;"
        "for (int i = 0; i < n; i++) { q[i] = 1; out[i] = a[i]; }"
    )
    assert arrays_of(body) == ["get()", "get()", "out"]


def test_memory_that_was_accessed_keeps_its_name() -> None:
    body = (
        "for (int i = 0; i < n; i++) ((double *)get(n, 1))[i] = 1;"
        "double *q = (double *)get(n, 1); for (int i = 0; i < n; i++) q[i] = 2;"
    )
    assert arrays_of(body) == ["get()", "get()"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(double *)get(n, 1)", "(double *)get(n, 2)", False),
        ("(double *)get(n, 1)", "(double *)get(n, 1)", True),
        ("new double[n]", "new double[n]", False),
    ],
)
def test_calls_return_the_same_memory_if_they_are_the_same(
    one: str, other: str, same: bool
) -> None:
    loop = f"for (int i = 0; i < n; i++) ({one})[i] = ({other})[i];"
    first, second = arrays_of(loop)
    assert (first == second) == same


def test_memory_is_named_after_the_variable_that_receives_it() -> None:
    body = (
        "double *p = (double *)get(n, 1), *q = (double *)get(n, 1);"
        "for (int i = 0; i < n; i++) p[i] = q[i];"
    )
    assert arrays_of(body) == ["q", "p"]


def test_two_objects_hold_different_memory() -> None:
    body = (
        "Held<double> a((double *)get(n, 1)), b((double *)get(2 * n, 1));"
        "if (!a || !b) return; for (int i = 0; i < n; i++) a[i] = b[i];"
    )
    first, second = arrays_of(body)
    assert first != second
