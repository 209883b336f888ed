"""A ``goto`` to a label further down in its block is a branch; others leave or make loops."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.lower.control.jumps import MAX_LABELS
from rooflint.frontend.request import Request
from rooflint.ir import Branch, Exit, Function, Loop, Node, Statement, walk


def lowered(body: str) -> Function:
    text = (
        "void f(int *restrict a, const int *restrict b, long n)\n"
        f"{{ for (long i = 0; i < n; i++) {{ {body} }} out: ; }}"
    )
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    return source.function


def loop_of(function: Function) -> Loop:
    return next(node for node in walk(function.body) if isinstance(node, Loop))


def shape(nodes: tuple[Node, ...]) -> str:
    """Branches as ``(then|else)``, stores as ``s``, exits as ``x``."""
    found = ""
    for node in nodes:
        if isinstance(node, Branch):
            found += f"({shape(node.then)}|{shape(node.orelse)})"
        elif isinstance(node, Exit):
            found += "x"
        elif isinstance(node, Statement) and any(access.write for access in node.accesses):
            found += "s"
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (b[i] < 0) goto end; a[i] = 1; end: ;", "(|s)"),
        ("if (b[i] < 0) { a[i] = 2; goto end; } a[i] = 1; end: a[i] += 1;", "(s|s)s"),
        # if and else, with the else further down
        ("if (b[i] < 0) goto no; a[i] = 1; goto end; no: a[i] = 2; end: a[i] += 1;", "(s|s)s"),
        # two tests that skip to one label, and a chain
        ("if (b[i] < 0) goto end; if (b[i] > 9) goto end; a[i] = 1; end: ;", "(|(|s))"),
        (
            "if (b[i] < 0) goto no; a[i] = 1; goto end;"
            "no: if (b[i] < -9) goto low; a[i] = 2; goto end; low: a[i] = 3; end: ;",
            "((s|s)|s)",
        ),
        ("if (b[i] < 0) goto end; else a[i] = 1; end: a[i] += 1;", "(|s)s"),
        ("if (b[i] < 0) a[i] = 1; else goto end; a[i] += 2; end: a[i] += 1;", "(ss|)s"),
        (
            "if (b[i] < 0) goto no; else goto yes; no: a[i] = 1; goto end;"
            "yes: a[i] = 2; end: a[i] += 1;",
            "(s|s)s",
        ),
        ("if (b[i] < 0) goto no; a[i] = 1; continue; no: a[i] = 2;", "(|sx)s"),
    ],
)
def test_forward_jumps_are_branches(body: str, expected: str) -> None:
    loop = loop_of(lowered(body))
    assert shape(loop.body) == expected
    assert "goto" not in loop.exits
    assert "jump" in loop.exits


@pytest.mark.parametrize(
    "body",
    [
        "if (b[i] < 0) goto out; a[i] = 1;",
        "if (b[i] < 0) goto out; if (b[i] > 9) goto out; a[i] = 1; end: ;",
        "again: if (b[i] < 0) goto again; a[i] = 1;",
        # the code behind the inner branch would be needed twice
        "if (b[i] < 0) { if (b[i] < -5) goto end; a[i] = 3; } a[i] += 2; end: a[i] += 1;",
        "switch (b[i]) { case 1: goto end; default: a[i] = 1; } a[i] = 2; end: ;",
    ],
)
def test_other_jumps_stay(body: str) -> None:
    loop = loop_of(lowered(body))
    assert "goto" in loop.exits
    assert "jump" not in loop.exits


@pytest.mark.parametrize(("labels", "expected"), [(MAX_LABELS, "jump"), (MAX_LABELS + 1, "goto")])
def test_blocks_of_many_labels_stay(labels: int, expected: str) -> None:
    skips = "".join([f"if (b[i] < {k}) goto l{k}; a[i] = {k}; l{k}: ;" for k in range(labels)])
    assert loop_of(lowered(skips)).exits == (expected,)


def test_what_is_skipped_has_no_closed_form_behind() -> None:
    loop = loop_of(lowered("int k = 0; if (b[i] < 0) goto end; k = 4; end: a[i + k] = 1;"))
    (store,) = [
        access
        for node in walk(loop.body)
        if isinstance(node, Statement)
        for access in node.accesses
        if access.write
    ]
    assert store.offset.unknowns()
