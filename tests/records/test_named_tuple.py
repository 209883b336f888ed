"""Records behave as those of the standard library; only their definition differs."""

import copy
import pickle
import types
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar, get_type_hints

import msgspec
import pytest
from rooflint import records

Value = TypeVar("Value")


class Point(records.NamedTuple):
    """A place."""

    x: int
    y: "int" = 2
    label: str = ""

    @property
    def total(self) -> int:
        """Both."""
        return self.x + self.y

    def __str__(self) -> str:
        return f"({super().__len__()})"


class Standard(typing.NamedTuple):
    """The same."""

    x: int
    y: "int" = 2
    label: str = ""


class Boxed(records.NamedTuple, Generic[Value]):
    """Of any type."""

    content: Value


class Empty(records.NamedTuple):
    """Nothing."""


def test_fields_are_given_by_position_or_name_and_defaults_fill_the_rest() -> None:
    assert Point(1, label="a") == (1, 2, "a") == Standard(1, label="a")
    assert Point(x=3, y=4).total == 7
    assert str(Point(1)) == "(3)"
    assert hash(Point(1)) == hash(Standard(1)) == hash((1, 2, ""))
    assert Empty() == ()
    assert Boxed(5).content == 5


def test_what_a_class_says_of_its_fields_is_that_of_the_standard_library() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__"):
        assert getattr(Point, name) == getattr(Standard, name), name
    assert get_type_hints(Point) == get_type_hints(Standard)
    assert Point.__doc__ == "A place."
    assert Point.__module__ == __name__
    assert not hasattr(Point(1), "__dict__")


def test_copies_differ_in_what_is_named() -> None:
    assert tuple(Point(1)._replace(y=5)) == tuple(Standard(1)._replace(y=5))
    assert type(Point(1)._replace(y=5)) is Point
    assert Point._make([7, 8, "c"]) == Point(7, 8, "c")
    assert Point(1)._asdict() == Standard(1)._asdict()
    assert copy.deepcopy(Point(1)) == pickle.loads(pickle.dumps(Point(1))) == Point(1)
    assert repr(Point(1)) == repr(Standard(1)).replace("Standard", "Point")
    match Point(1):
        case Point(x, label=label):
            assert (x, label) == (1, "")


MISTAKES: list[Callable[[Any], object]] = [
    lambda kind: kind(),
    lambda kind: kind(1, 2, "", 4),
    lambda kind: kind(1, z=2),
    lambda kind: kind(1, x=2),
    lambda kind: kind._make([1, 2]),
    lambda kind: kind(1)._replace(z=1),
    lambda kind: setattr(kind(1), "x", 2),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_raise_the_errors_of_the_standard_library(number: int) -> None:
    messages = []
    for kind in (Point, Standard):
        with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
            MISTAKES[number](kind)
        messages.append((caught.type, str(caught.value).replace(kind.__name__, "")))
    assert messages[0] == messages[1]


def test_a_field_without_a_default_follows_none_that_has_one() -> None:
    with pytest.raises(TypeError, match="default"):
        types.new_class("Wrong", (records.NamedTuple,), exec_body=_wrong_order)


def _wrong_order(body: dict[str, object]) -> None:
    body |= {"__annotations__": {"a": int, "b": int}, "a": 1}


def test_messages_carry_records() -> None:
    whole = msgspec.msgpack.encode([Point(1), Point(2, 3, "b")])
    assert msgspec.msgpack.decode(whole, type=list[Point]) == [Point(1), Point(2, 3, "b")]
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(whole, type=list[Boxed[int]])
