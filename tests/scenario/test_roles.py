"""Roles of sizes by name and of loops by pattern, and the order of their ranges."""

import pytest
from rooflint.scenario.roles import NamedKind, SizeRole, role_of_loop, role_of_name

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
    ("ftell", "result", SizeRole.FILE_BYTES),
    ("ftell", "parameter", SizeRole.PARAMETER),
    ("tell", "result", SizeRole.LOCAL),
    ("stride_x", "parameter", SizeRole.STRIDE),
    ("lda", "parameter", SizeRole.LEADING_DIMENSION),
    ("ld", "member", SizeRole.LEADING_DIMENSION),
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
    points = role.range.points
    assert list(points) == sorted(points)
    assert points[0] >= (0 if role is SizeRole.LOWER_BOUND else 1)


def test_the_longest_name_of_a_leading_dimension() -> None:
    assert role_of_name("ldab", "parameter") is SizeRole.LEADING_DIMENSION
    assert role_of_name("ldabc", "parameter") is SizeRole.PARAMETER
    assert role_of_name("incx", "parameter") is SizeRole.STRIDE
    assert role_of_name("incxy", "parameter") is SizeRole.PARAMETER
