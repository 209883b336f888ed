"""Accesses beside each other, against a comparison of each with all others."""

from hypothesis import given
from hypothesis import strategies as st
from rooflint.core.graph.values import AccessPlace, GraphNode
from rooflint.core.issue.body_shape import AccessGroups
from rooflint.ir import Access, Poly

NODES = st.lists(
    st.builds(
        lambda op, array, walk, place, stride, size: GraphNode(
            op,
            "f64",
            access=Access(
                array=array,
                offset=Poly.constant(place),
                type="f64",
                bytes=size,
                write=op == "store",
            ),
            stride=stride,
            place=AccessPlace(array, walk, place),
        ),
        st.sampled_from(("load", "store")),
        st.sampled_from("ab"),
        st.integers(0, 1),
        st.integers(-3, 3).map(lambda number: 8 * number),
        st.sampled_from((-16, 8, 16, 24, None)),
        st.sampled_from((4, 8)),
    ),
    max_size=8,
)


@given(NODES)
def test_beside_as_found_by_comparing_all(nodes: list[GraphNode]) -> None:
    groups = AccessGroups(nodes)
    for node in nodes:
        assert groups.beside(node) == [
            other
            for other in nodes
            if (other.op, other.stride) == (node.op, node.stride)
            and _size(other) == _size(node)
            and isinstance(node.stride, int)
            and _apart(node, other) < abs(node.stride)
        ]


@given(NODES)
def test_near_as_found_by_comparing_all(nodes: list[GraphNode]) -> None:
    groups = AccessGroups(nodes)
    for node in nodes:
        if not isinstance(node.stride, int):
            assert groups.near(node) == 1
        else:
            step = abs(node.stride)
            near = [n for n in nodes if n.op == node.op and _apart(node, n) < step]
            assert groups.near(node) == len(near)


def test_an_access_one_step_away_is_not_beside() -> None:
    one, next_one = (
        GraphNode(
            "load",
            "f64",
            access=Access(array="a", offset=Poly.constant(place), type="f64", bytes=8, write=False),
            stride=16,
            place=AccessPlace("a", 0, place),
        )
        for place in (0, 16)
    )
    groups = AccessGroups([one, next_one])
    assert groups.beside(one) == [one]
    assert groups.near(one) == 1


def test_without_a_place_nothing_is_beside() -> None:
    node = GraphNode("load", "f64", stride=8)
    assert AccessGroups([node]).beside(node) == []
    assert AccessGroups([node]).near(node) == 1


def _apart(node: GraphNode, other: GraphNode) -> float:
    assert node.place is not None
    assert other.place is not None
    distance = node.place.distance(other.place)
    return float("inf") if distance is None else abs(distance)


def _size(node: GraphNode) -> int:
    assert node.access is not None
    return node.access.bytes
