"""Steps by name: what was done to one function can be written down and done again."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from rooflint.ir import Function
from rooflint.transform.annotations import (
    offload,
    parallelise,
    promise_restrict,
    serialise,
    store_past_caches,
    vectorise,
)
from rooflint.transform.arithmetic.carried_terms import add_carried_last
from rooflint.transform.arithmetic.integer_division import integer_reciprocal
from rooflint.transform.arithmetic.narrow_sums import sum_narrowly
from rooflint.transform.arithmetic.operations import (
    contract,
    expand_powers,
    merge_divisions,
    reciprocal,
)
from rooflint.transform.arithmetic.widening import widen_subscripts
from rooflint.transform.bodies import fission, fuse
from rooflint.transform.branches.packing import store_always
from rooflint.transform.branches.selecting import store_selected
from rooflint.transform.expand import (
    contract_array,
    expand_scalar,
    in_local,
    in_register,
    sum_in_place,
)
from rooflint.transform.hoisting import copy_scalars, hoist
from rooflint.transform.jam import unroll_and_jam
from rooflint.transform.layout import narrow_elements, pad, split_fields
from rooflint.transform.loading import load_first
from rooflint.transform.narrowing import narrow
from rooflint.transform.order import interchange
from rooflint.transform.peeling import peel, unswitch
from rooflint.transform.repeated_calls import allocate_once, count_once
from rooflint.transform.result import (
    Argument,
    ChangedFunction,
    ChangeRefusal,
    Result,
    TransformStep,
)
from rooflint.transform.splitting import split_index
from rooflint.transform.strips import strip_mine, tile
from rooflint.transform.unrolling import unroll

CHANGES: Final[dict[str, Callable[..., Result]]] = {
    change.__name__: change
    for change in (
        add_carried_last, allocate_once, contract, contract_array, copy_scalars, count_once,
        expand_powers, expand_scalar, fission, fuse, hoist, in_local, in_register,
        integer_reciprocal, interchange, load_first, merge_divisions, narrow, narrow_elements,
        offload, pad,
        parallelise, peel, promise_restrict, reciprocal, serialise, split_fields, split_index,
        store_always, store_past_caches, store_selected, strip_mine, sum_in_place, sum_narrowly,
        tile, unroll, unroll_and_jam, unswitch, vectorise, widen_subscripts,
    )
}  # fmt: skip
"""Every change by the kind of its step, of those that give a whole function: what a step leaves out
is told in words.
"""


def apply(function: Function, steps: Iterable[TransformStep]) -> Result:
    """``function`` after all steps, or why one of them is refused."""
    result: Result = ChangedFunction(function, ())
    for step in steps:
        change = CHANGES.get(step.kind)
        if change is None:
            return ChangeRefusal(f"there is no change called {step.kind}")
        assert isinstance(result, ChangedFunction)
        result = result.then(lambda f, c=change, s=step: _apply(c, f, s))  # type: ignore[misc]
        if isinstance(result, ChangeRefusal):
            return ChangeRefusal(f"{step}: {result.reason}")
    return result


def _apply(change: Callable[..., Result], function: Function, step: TransformStep) -> Result:
    place = (step.loop,) if step.loop else ()
    return change(function, *place, **dict(step.arguments))


def to_json(steps: Iterable[TransformStep]) -> list[dict[str, Any]]:
    """Steps as JSON values."""
    return [
        {
            "kind": step.kind,
            "loop": step.loop,
            "arguments": {n: list(v) if isinstance(v, tuple) else v for n, v in step.arguments},
        }
        for step in steps
    ]


def from_json(values: Iterable[dict[str, Any]]) -> tuple[TransformStep, ...]:
    """The steps that ``to_json`` turned into ``values``."""
    return tuple([TransformStep(v["kind"], v["loop"], _arguments(v["arguments"])) for v in values])


def _arguments(values: dict[str, Any]) -> tuple[tuple[str, Argument], ...]:
    return tuple([(n, tuple(v) if isinstance(v, list) else v) for n, v in values.items()])
