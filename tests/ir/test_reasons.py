"""Reasons: what code decides on is their kind; words are made for people, and for nothing else."""

import re
from typing import get_args

import pytest
from rooflint.ir import Opaque, Poly, Reason, ReasonKind, SourceName, Unknown
from rooflint.ir.reasons import TEMPLATES
from rooflint.workers.wire import Codec


def element(array: str, index: str) -> Unknown:
    form = (SourceName(array, "array"), "[", SourceName(index), "]")
    return Unknown(form, Reason("indirect", (array,)), (index,))


def test_every_kind_has_words() -> None:
    assert set(get_args(ReasonKind)) == set(TEMPLATES)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_words_take_as_many_arguments_as_they_show(kind: ReasonKind) -> None:
    names = ("alpha", "{beta}")[: len(set(re.findall(r"\{\d\}", TEMPLATES[kind])))]
    text = str(Reason(kind, names))
    assert all(name in text for name in names)
    assert "{0}" not in text


def test_a_reason_inside_another() -> None:
    cause = Reason("carried-value", ("s",))
    reason = Reason("recurrence", (cause,))
    assert reason.cause == cause
    assert str(reason) == "recurrence: s needs its value from the previous iteration"
    assert (cause.cause, cause.subject, reason.subject) == (None, "s", "")


def test_reasons_survive_json() -> None:
    node = Opaque(Reason("not-analysed", (Reason("access", ("r[i]",)),)), origin=3)
    nodes, polys = Codec[Opaque](Opaque), Codec[Poly](Poly)
    back = nodes.from_json(nodes.to_json(node))
    assert (back, back.origin) == (node, 3)
    poly = Poly.symbol(element("c", "i"))
    assert polys.from_json(polys.to_json(poly)) == poly
