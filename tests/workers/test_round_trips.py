"""Every type that is declared for the wire comes back as it went, whatever its fields hold."""

import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from rooflint.core import Compiler
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.frontend.service import Extraction
from rooflint.incremental import function_outcomes as kept
from rooflint.ir import (
    Branch,
    Call,
    Clause,
    DataSize,
    Exit,
    Loop,
    Node,
    Opaque,
    Poly,
    Reason,
    ReasonKind,
    Region,
    Statement,
    Unit,
    Unknown,
)
from rooflint.ir.control_flow import BranchPattern
from rooflint.ir.equations import ChoiceTerm, IntegerTerm, OperationTerm, QuantityTerm, Term
from rooflint.ir.poly import PolyFunction
from rooflint.ir.written import SourceName
from rooflint.lint import lint_file
from rooflint.pipeline import cluster_task, in_child
from rooflint.pipeline import results as cached
from rooflint.pipeline.cluster_task import Task
from rooflint.pipeline.in_child import Answer, Question
from rooflint.pipeline.live import part_keys
from rooflint.pipeline.live import service as live
from rooflint.pipeline.live.service import BufferRequest, BufferResult
from rooflint.pipeline.setup.message import SETUPS
from rooflint.plugin_api.prediction import Json
from rooflint.workers import dialogue
from rooflint.workers.child import ChildTask, Target
from rooflint.workers.child_process import program_of
from rooflint.workers.wire import Codec

SMALL = 2
WORDS = st.sampled_from(["", "i", "row[i+1]", "п", "\udcff.c", "\0"])
NUMBERS = st.sampled_from([0, 1, -1, 2**63, -(2**63) - 1, 2**64, -(10**40)])
SCALARS: dict[object, st.SearchStrategy[Any]] = {
    str: WORDS,
    int: NUMBERS,
    float: st.sampled_from([0.0, -1.5, 1e308, float("inf")]),
    bool: st.booleans(),
    bytes: st.sampled_from([b"", b"\xff\0"]),
    type(None): st.none(),
    None: st.none(),
}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, SCALARS[float], WORDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)


KINDS = st.sampled_from(get_args(ReasonKind))
REASONS = st.recursive(
    st.builds(Reason, KINDS, st.tuples(WORDS)),
    lambda inner: st.builds(Reason, KINDS, st.tuples(inner, WORDS)),
    max_leaves=2,
)


PIECES = WORDS | st.builds(SourceName, WORDS, st.sampled_from(["array", "variable"]))
FORMS = st.lists(PIECES, max_size=SMALL).map(tuple)


def polys() -> st.SearchStrategy[Poly]:
    unknown = st.builds(Unknown, FORMS, REASONS, st.tuples(WORDS))
    size = st.builds(DataSize, FORMS)

    def over(inner: st.SearchStrategy[Poly]) -> st.SearchStrategy[Poly]:
        kinds = st.sampled_from(["floordiv", "mod", "min", "max", "ceillog"])
        function = st.builds(PolyFunction, kinds, st.tuples(inner, inner))
        atoms = st.lists(WORDS | size | unknown | function, max_size=2).map(tuple)
        return st.builds(Poly, st.dictionaries(atoms, NUMBERS, max_size=2))

    return st.recursive(st.builds(Poly, st.just({})), over, max_leaves=2)


POLYS = polys()


def nodes() -> st.SearchStrategy[Any]:
    leaves = st.one_of(*[records(kind) for kind in (Statement, Call, Exit, Opaque)])

    def over(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        body = st.lists(inner, max_size=SMALL).map(tuple)
        loop = st.builds(Loop, WORDS, POLYS, POLYS, POLYS, body, origin=NUMBERS)
        branch = st.builds(
            Branch,
            condition=records(Statement),
            then=body,
            orelse=body,
            exit_paths=of(tuple[bool, bool]),
            pattern=of(BranchPattern | None),
            origin=NUMBERS,
        )
        clauses = st.tuples(records(Clause))
        return loop | branch | st.builds(Region, WORDS, clauses, body, NUMBERS)

    return st.recursive(leaves, over, max_leaves=3)


def terms() -> st.SearchStrategy[Any]:
    leaves = st.builds(IntegerTerm, NUMBERS) | st.builds(QuantityTerm, NUMBERS)

    def over(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        operands = st.lists(inner, min_size=1, max_size=SMALL).map(tuple)
        return st.builds(OperationTerm, st.just("max"), operands) | st.builds(ChoiceTerm, operands)

    return st.recursive(leaves, over, max_leaves=3)


def records(kind: type) -> st.SearchStrategy[Any]:
    fields = getattr(kind, "_fields", None) or getattr(kind, "__struct_fields__", None)
    hints = get_type_hints(kind)
    names = fields or tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    # a default need not be of the type that is declared for it, and it travels too
    defaults = {
        name: st.just(value) for name, value in getattr(kind, "_field_defaults", {}).items()
    }
    drawn = {name: of(hints[name]) for name in names}
    return st.builds(
        kind, **{name: defaults.get(name, each) | each for name, each in drawn.items()}
    )


def of(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - any declared type
    """Values of a declared type."""
    if hint in SCALARS:
        return SCALARS[hint]
    if hint is Poly:
        return POLYS
    if hint is Reason:
        return REASONS
    if hint == Json:
        return JSON
    if hint == Node:
        return nodes()
    if hint == Term:
        return terms()
    parts = get_args(hint)
    match get_origin(hint):
        case None:
            is_enum = isinstance(hint, type) and issubclass(hint, Enum)
            return st.sampled_from(hint) if is_enum else records(hint)
        case origin if origin is Literal:
            return st.sampled_from(parts)
        case origin if origin in (Union, types.UnionType):
            return st.one_of(*map(of, parts))
        case origin if origin is tuple and parts[1:] == (...,):
            return st.lists(of(parts[0]), max_size=SMALL).map(tuple)
        case origin if origin is tuple:
            return st.tuples(*map(of, parts))
        case origin if origin is frozenset:
            return st.frozensets(of(parts[0]), max_size=SMALL)
        case origin if origin in (dict, Mapping):
            return st.dictionaries(of(parts[0]), of(parts[1]), max_size=SMALL)
    raise AssertionError(hint)


DECLARED: dict[str, Codec[Any]] = {
    "request": Codec(Request),
    "unit": Codec(Unit),
    "question": Codec(Question),
    "answer": Codec(Answer),
    "look": Codec(BufferRequest | None),
    "seen": Codec(BufferResult | None),
    "task": Codec(Task),
    "failure": dialogue.FAILURE,
    "limits": cluster_task.LIMITS,
    "bench": SETUPS,
    "entry": cached.ENTRIES,
    "equations": cached.EQUATIONS,
    "contents": in_child.CONTENTS,
    "scenario": in_child.SCENARIOS,
    "functions": kept.OUTCOMES,
    "key": kept.INPUTS,
    "prediction": in_child.PREDICTION,
}


DIGESTED = {"key", "bench", "request"}
# Shrinking a record of this depth takes longer than the whole suite, and names no smaller cause.
WITHOUT_SHRINKING = [phase for phase in Phase if phase is not Phase.shrink]


@pytest.mark.long
@pytest.mark.parametrize("name", DECLARED)
@settings(max_examples=15, phases=WITHOUT_SHRINKING)
@given(data=st.data())
def test_every_declared_type_comes_back_as_it_went(name: str, data: st.DataObject) -> None:
    codec = DECLARED[name]
    value = data.draw(of(codec.kind))
    message = codec.encode(value)
    assert codec.decode(message) == value
    if name in DIGESTED:
        assert codec.canonical(codec.decode(message)) == codec.canonical(value)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (Extraction(), dialogue.Dialogue[Any, Any](Request, Unit)),
        (in_child.Analyst(()), in_child.dialogue()),
        (in_child.Analyst.elsewhere, in_child.dialogue()),
        (cluster_task.ClusterAnalysis(lint_file), cluster_task.dialogue()),
        (live.LiveAnalysis(lint_file), live.live_workers(1, live.LiveAnalysis())._dialogue),
    ],
)
def test_a_child_that_was_not_forked_reads_the_same_types(
    target: ChildTask, said: dialogue.Dialogue[Any, Any]
) -> None:
    known = dialogue.dialogue_of(target.start())
    assert known._questions.schema == said._questions.schema
    assert known._answers.schema == said._answers.schema


@pytest.mark.parametrize(
    "task",
    [
        cluster_task.ClusterAnalysis(None),
        live.LiveAnalysis(lint_file, low_priority=True),
        live.LiveAnalysis(),
        extract,
    ],
)
def test_a_fresh_interpreter_builds_the_same_task(task: Target) -> None:
    names: dict[str, Any] = {}
    load, _, serve = program_of(task).partition("from rooflint.workers.child")
    assert serve == " import main\nmain(load)\n"
    exec(load, names)
    built = names["load"]()
    assert built == task
    assert type(built) is type(task)


def test_what_is_only_digested_can_be_encoded() -> None:
    surroundings = part_keys._Surroundings(text=("\udcff",), comments=(), weighed=())
    assert part_keys.PART_INPUTS.canonical(part_keys._PartInputs((), surroundings))
    assert cached.ASKED_FILES.canonical(cached.AskedFile("\udcff.c", Compiler()))


def test_the_source_form_of_a_size_comes_back() -> None:
    size = DataSize((SourceName("row", "array"), "[", SourceName("k"), "+1]"))
    codec = Codec[Poly](Poly)
    [back] = codec.decode(codec.encode(Poly.symbol(size))).names()
    assert isinstance(back, DataSize)
    assert back.form == size.form
