"""Answers that go with a part of the IR."""

from types import ModuleType

from msgspec import msgpack
from msgspec.structs import replace
from rooflint.ir import Branch, Function, Loop
from rooflint.ir.identity import kept_with_part


def test_an_answer_is_computed_once_a_part(build: ModuleType) -> None:
    asked: list[str] = []

    @kept_with_part
    def name(function: Function) -> str:
        asked.append(function.name)
        return function.name

    one = build.function("f", [])
    assert [name(one), name(one)] == ["f", "f"]
    # an equal function is another part, and so is a changed one
    assert name(build.function("f", [])) == "f"
    assert name(replace(one, name="g")) == "g"
    assert asked == ["f", "f", "g"]


def test_an_answer_is_no_part_of_the_function(build: ModuleType) -> None:
    one, other = build.function("f", []), build.function("f", [])
    kept_with_part(lambda _: 1)(one)
    assert one == other
    assert hash(one) == hash(other)
    assert msgpack.encode(one) == msgpack.encode(other)


def test_nodes_with_bodies_hash_as_their_contents(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    one, same, other = (build.loop("i", 0, n, a["i"].set(a["i"] * 2.0)) for n in (8, 8, 9))
    assert isinstance(one, Loop)
    assert (hash(one), one) == (hash(same), same)
    assert hash(one) == hash(replace(one, origin=7))
    assert hash(one) != hash(other)
    branch = Branch(condition=build.condition(build.scalar("x")), then=(one,))
    assert hash(branch) == hash(replace(branch, then=(same,)))
    assert hash(branch) != hash(replace(branch, then=(other,)))
