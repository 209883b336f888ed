"""Indices and pointers that branches move: streams of their largest step, and no gap."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request


def innermost(body: str) -> KernelFacts:
    """The loop of ``f`` with the body; ``x`` decides, and ``k`` walks ``y``."""
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    text = f"void f(int n, int k, const int *x, int *y) {{ {loop} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    *_, facts = facts_of(source.function)
    return facts


def stride_of(facts: KernelFacts, array: str) -> int | None:
    """Bytes an iteration of the own loop."""
    (stream,) = [each for each in facts.streams if each.array == array]
    own = stream.strides[-1]
    return None if own is None or stream.reason else own.value


@pytest.mark.parametrize(
    ("body", "stride"),
    [
        ("if (x[i]) y[k++] = 1;", 4),
        ("if (x[i]) y[k--] = 1;", -4),
        ("y[k] = 1; if (x[i]) k += 2; else k++;", 8),
        ("y[k] = 1; if (x[i]) k += 2; if (x[i] > 3) k++;", 12),
        ("y[k] = 1; if (x[i]) { if (x[i] > 3) k += 5; else k += 2; }", 20),
        ("y[k] = 1; if (x[i] > 9) continue; k++;", 4),
        ("switch (x[i]) { case 1: y[k] = 1; k++; break; case 2: k += 3; break; }", 12),
    ],
)
def test_the_largest_step_counts(body: str, stride: int) -> None:
    facts = innermost(body)
    assert stride_of(facts, "y") == stride
    assert facts.not_covered == ()
    assert "k moves by its largest step in each iteration" in facts.kernel.assumptions


@pytest.mark.parametrize(
    "body",
    [
        "y[k] = 1; if (x[i]) k++; else k--;",  # to and fro
        "y[k] = 1; if (x[i]) k = x[i];",
        "y[k] = 1; if (x[i]) k *= 2;",
        "y[k] = 1; if (x[i]) k = 0; else k++;",
    ],
)
def test_what_no_step_bounds_stays_unknown(body: str) -> None:
    facts = innermost(body)
    gaps = [gap.reason.kind for gap in facts.not_covered]
    assert "changes-irregularly" in gaps


def test_pointers_move_in_bytes_of_what_they_point_to() -> None:
    facts = innermost("*y = 1; if (x[i]) y++;")
    assert stride_of(facts, "y") == 4
    assert facts.not_covered == ()


def test_steps_of_one_loop_say_nothing_of_the_next() -> None:
    text = """
    void f(int n, const int *x, int *y, int *z) {
        int k = 0;
        for (int i = 0; i < n; i++) if (x[i]) { y[k] = 1; k += 7; }
        k = 0;
        for (int i = 0; i < n; i++) if (x[i]) z[k++] = 1;
    }"""
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    first, second = facts_of(source.function)
    assert (stride_of(first, "y"), stride_of(second, "z")) == (28, 4)


def test_an_outer_loop_keeps_its_own_stride() -> None:
    text = """
    void f(int n, const int *x, int (*y)[100]) {
        for (int j = 0; j < n; j++) {
            int k = 0;
            for (int i = 0; i < 100; i++) if (x[i]) y[j][k++] = 1;
        }
    }"""
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    *_, facts = facts_of(source.function)
    (stream,) = [each for each in facts.streams if each.array == "y"]
    assert [stride.value for stride in stream.strides if stride is not None] == [400, 4]
    assert stream.reason is None
