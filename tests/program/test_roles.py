"""Roles of sizes by name and of loops by pattern, and the order of their ranges."""

import pytest
from rooflint.program.roles import NamedKind, SizeRole, role_of_loop, role_of_name

NAMES: list[tuple[str, NamedKind, SizeRole]] = [
    ("n", "parameter", SizeRole.LENGTH_PARAMETER),
    ("numElemReg", "parameter", SizeRole.LENGTH_PARAMETER),
    ("buf_len", "parameter", SizeRole.LENGTH_PARAMETER),
    ("k", "parameter", SizeRole.PARAMETER),
    ("n", "local", SizeRole.LOCAL),
    ("n", "global", SizeRole.GLOBAL),
    ("m_numElem", "member", SizeRole.MEMBER),
    ("d", "element", SizeRole.ELEMENT),
    ("niter", "parameter", SizeRole.TIME_STEPS),
    ("maxIterations", "member", SizeRole.TIME_STEPS),
    ("time_steps", "local", SizeRole.TIME_STEPS),
    ("numRows", "member", SizeRole.EXTENT),
    ("imageWidth", "local", SizeRole.EXTENT),
    ("nonzerosInRow", "element", SizeRole.ELEMENT),
    ("n_dims", "parameter", SizeRole.CHANNELS),
    ("incX", "parameter", SizeRole.STRIDE),
    ("row_stride", "parameter", SizeRole.STRIDE),
    ("size", "result", SizeRole.CONTAINER),
    ("size", "local", SizeRole.LOCAL),
]


@pytest.mark.parametrize(("name", "kind", "role"), NAMES)
def test_role_of_a_name(name: str, kind: NamedKind, role: SizeRole) -> None:
    assert role_of_name(name, kind) is role


def test_role_of_a_loop() -> None:
    assert role_of_loop("text") is SizeRole.TEXT
    assert role_of_loop("other") is SizeRole.CONDITION


@pytest.mark.parametrize("role", SizeRole)
def test_ranges_are_ordered(role: SizeRole) -> None:
    assert 1 <= role.range.low <= role.range.typical <= role.range.high
