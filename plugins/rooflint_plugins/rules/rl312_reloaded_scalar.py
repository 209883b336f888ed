from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.ir import Array, Function, Loop
from rooflint.plugin_api.advice import Edit
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.copies import LocalCopy, copy_edits
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import accesses_of, innermost, kernel_of
from rooflint.source_edit.c_writer.words import TYPES as C_TYPES
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.tokens import tokens_of
from rooflint.transform.hoisting import changeable_scalars, copy_scalars
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

RELOADING: Final = ("changing-bound", "changing-pointer")
"""Why a compiler leaves a loop scalar that reads something again."""


def _counted(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    reason = plan.code.vector.reason if plan is not None else None
    if reason is None or reason.kind not in RELOADING:
        return "neither iterations nor addresses depend on them: they are read from the L1 cache"
    return ""


class ReloadedScalar(RuleDefaults):
    code = "RL312"
    slug = "reloaded-scalar"
    requires = (CodeFeature.CELLS,)
    summary = "a loop reads its bound, or the pointer to its data, again: a store may change it"
    needs = ("core",)
    guards = (Guard("counted", "no bound or pointer is among what a store may change", _counted),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops whose stores may change a scalar in memory that they read."""
        for site, _ in innermost(context) if context.function.cells else ():
            found = changeable_scalars(context.function, site.loop)
            inside = context.source.declared_in(context.source.spans[site.loop.origin])
            own = {declaration.spelling for _, declaration in inside}
            stored = _stored_in(site.loop)
            names = tuple(
                [
                    name
                    for name in found
                    if _variable_of(name) not in own and not _is_part_of(name, stored)
                ]
            )
            if names:
                yield _match(site, names, context)


def _stored_in(loop: Loop) -> set[str]:
    """The arrays, and records as a whole, that a loop stores to."""
    return {access.array for access, _ in accesses_of(loop) if access.write}


def _is_part_of(name: str, stored: set[str]) -> bool:
    """Whether a member is of a record that a loop sets as a whole: ``m.n`` by ``m = next()``."""
    record = _variable_of(name)
    return name != record and record in stored


def _variable_of(name: str) -> str:
    """The variable that an expression begins with: ``l`` of ``l.type``, ``p`` of ``p->n``."""
    tokens = tokens_of(name)
    return next((token.text for token in tokens if token.is_name), name)


POINTED: Final = frozenset(("u8", "i16", "u16", "i32", "u32", "f32", "f64"))
"""Types that have one name in C, so that a pointer to one is declared without doubt."""
RULE = ReloadedScalar()


def _match(site: Site, names: tuple[str, ...], context: RuleContext) -> Match:
    said = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    verb, them = ("are", "them") if len(names) > 1 else ("is", "it")
    return Match(
        site.name,
        f"{said} {verb} read again in every iteration, because a store of the loop may change"
        f" {them}",
        (
            Change(
                f"copying {them} before the loop",
                partial(copy_scalars, loop=site.name),
                fix=partial(_fix, context, site.loop, names),
                action=Action(ActionKind.HOIST, names[0]),
                enables=True,
            ),
        ),
        names=names,
    )


def _fix(context: RuleContext, loop: Loop, names: tuple[str, ...], _: ChangedFunction) -> Fix:
    copies = [_copy(context.function, loop, name) for name in names]
    whole = [copy for copy in copies if copy.type]
    text = EditableSource(context.text)
    edits: tuple[Edit, ...] = ()
    if len(whole) == len(copies):
        edits = copy_edits(text, context.source.spans[loop.origin], whole)
    lines = [f"local = {copy.expression};" for copy in copies]
    sketch = "\n".join(["// before the loop, each with its type", *lines])
    return Fix(
        safety="unsafe", title="copy before the loop", edits=edits, sketch="" if edits else sketch
    )


def _copy(function: Function, loop: Loop, name: str) -> LocalCopy:
    """The copy of a scalar in memory; without a type where the IR does not know it whole."""
    declared = {each.name: each for each in (*function.cells, *function.arrays)}[name]
    is_pointer = any(array is declared for array in function.arrays)
    words = C_TYPES.get(declared.type, "")
    if is_pointer and not _points_to_scalars(declared, loop):
        words = ""
    if words and (declared.readonly or not is_pointer):
        words = f"const {words}"
    return LocalCopy(expression=name, type=f"{words} *" if words and is_pointer else words)


def _points_to_scalars(array: Array, loop: Loop) -> bool:
    """Whether the pointer's type is surely that of its elements, and not of rows of them, or of
    pointers to rows."""
    found = [access for access, _ in accesses_of(loop) if access.array == array.name]
    plain = all(len(each.subscripts) == 1 and each.type == array.type for each in found)
    return array.type in POINTED and bool(found) and plain
