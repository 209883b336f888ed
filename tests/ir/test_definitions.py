"""Integer assignments beside the bodies that execute them: in print, over JSON and the wire."""

import json
from types import ModuleType
from typing import Literal

import pytest
from msgspec.structs import replace
from rooflint.ir import Definition, Exit, Function, Loop, Poly, Reason, SourceName, Unknown
from rooflint.ir.definitions import (
    changed_integers,
    integers_read,
    lasting_integers,
    own_integers,
)
from rooflint.ir.serial import from_json, to_json
from rooflint.ir.text import definition_text, print_function
from rooflint.workers.wire import Codec

Condition = Literal["none", "branch", "unstated"]
I = Poly.symbol("i")  # noqa: E741 - the index of every loop here
OPEN = Poly.symbol(Unknown((SourceName("k"),), Reason("set-in-branch", ("k",)), ("i",)))


def definition(
    variable: str, value: Poly | None, *, own: bool = False, condition: Condition = "none"
) -> Definition:
    return Definition(
        variable=variable, type="i32", value=value, own=own, condition=condition, origin=3
    )


def loop_with(build: ModuleType, *made: Definition) -> Loop:
    loop: Loop = build.loop("i", 0, "n")
    return replace(loop, definitions=made)


@pytest.mark.parametrize(
    ("made", "text", "closes"),
    [
        (definition("k", I * 2 + 1), "set k: i32 = 2*i + 1", True),
        (definition("k", I, own=True), "let k: i32 = i", True),
        (definition("k", None, own=True), "let k: i32", False),
        (definition("k", I, condition="branch"), "set k: i32 = i in a branch", True),
        (definition("k", I, condition="unstated"), "set k: i32 = i on a condition", True),
        (definition("m", OPEN + 1), "set m: i32 = ?k + 1 (k is set in a branch)", False),
    ],
)
def test_a_definition_says_which_variable_holds_what(
    made: Definition, text: str, closes: bool
) -> None:
    assert definition_text(made) == text
    assert (made.closed_form is not None) == closes
    assert (made.reason is not None) == (" (" in text)


def test_definitions_are_printed_and_carried(build: ModuleType) -> None:
    loop = loop_with(build, definition("k", I * 2 + 1), definition("m", OPEN, own=True))
    leave = Exit("return", Poly.symbol("k"))
    function: Function = replace(
        build.function("f", [], loop, leave), definitions=(definition("k", None, own=True),)
    )
    assert print_function(function) == (
        "function f()\n"
        "  let k: i32\n"
        "  loop i in [0, n) step 1\n"
        "    set k: i32 = 2*i + 1\n"
        "    let m: i32 = ?k (k is set in a branch)\n"
        "  return k\n"
    )
    codec: Codec[Function] = Codec(Function)
    for back in (
        from_json(json.loads(json.dumps(to_json(function)))),
        codec.decode(codec.encode(function)),
    ):
        assert back == function
        again = back.body[0]
        assert isinstance(again, Loop)
        assert [each.origin for each in again.definitions] == [3, 3]


def test_definitions_count_in_equality_and_their_places_do_not(build: ModuleType) -> None:
    made = definition("k", I)
    assert loop_with(build, made) == loop_with(build, replace(made, origin=8))
    assert loop_with(build, made) != loop_with(build, replace(made, value=I + 1))
    assert loop_with(build, made) != loop_with(build)


def test_what_a_body_declares_does_not_outlive_it(build: ModuleType) -> None:
    inner = replace(build.loop("j", 0, "n"), definitions=(definition("t", I),))
    pointer = Definition(variable="p", type="ptr", value=None)
    outer = replace(
        build.loop("i", 0, "n", inner),
        definitions=(definition("t", None, own=True), definition("k", I), pointer),
    )
    assert own_integers((outer,)) == {"t"}
    assert changed_integers((outer,)) == {"k": (definition("k", I),)}
    # of the inner loop alone, t is another's
    assert list(changed_integers((inner,))) == ["t"]


def test_a_counter_is_told_by_its_first_value(build: ModuleType) -> None:
    counted = definition("k", Poly.symbol("k") + I * 3)
    assert lasting_integers((loop_with(build, counted),)) == ()
    assert lasting_integers((loop_with(build, definition("k", I * 3)),)) == ("k",)
    # the index of a loop has the name of the variable whose iterations it counts
    itself = definition("i", I * 2)
    assert lasting_integers((loop_with(build, itself),)) == ("i",)


def test_reads_are_told_apart_by_whether_they_close(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = a.at((OPEN + Poly.symbol("m")) * 8).set(build.index("i + 1"))
    read = integers_read((build.loop("i", "low", "n", body), Exit("return", Poly.symbol("r"))))
    assert read.named == {"low", "n", "m", "r"}
    assert read.unknown == {"k"}
    # a size that the data decides speaks of the variables in its text
    rows = build.loop("i", 0, build.data_size("row[j+1]-row[j]"))
    assert integers_read((rows,)).unknown == {"j"}
    assert integers_read((build.loop("j", 0, "n", rows),)).unknown == set()
