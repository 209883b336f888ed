from collections.abc import Iterator, Sequence
from functools import partial

from rooflint.facts import KernelFacts, Stream
from rooflint.ir import Array
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RuleContext,
    UnitContext,
    UnitMatch,
)
from rooflint.rule_kit.cache_fit import array_bytes
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.transform.layout import split_fields
from rooflint.transform.result import ChangedFunction

MOSTLY_USED = 0.75
"""From this share of a structure on, its fields count as used together."""


def _together(match: Match, context: RuleContext) -> str:
    shares = [
        (_used(facts, array), array.element_bytes)
        for array in _records(context)
        if array.name == match.names[0]
        for facts in context.facts
        if _streams(facts, array.name)
    ]
    most = max(shares, default=(0, 1))
    if most[0] < MOSTLY_USED * most[1]:
        return ""
    return f"another loop uses {most[0]} of the {most[1]} B together"


def _used_elsewhere(match: Match, context: RuleContext) -> str:
    if not match.variant:
        return ""
    return f"{match.variant} uses most fields, or bit fields, of such structures"


def _bit_fields(match: Match, context: RuleContext) -> str:
    name = match.names[0]
    packed = any(_has_bit_fields(facts, name) for facts in context.facts)
    return f"fields of {name} share bytes" if packed else ""


def _one_line(match: Match, context: RuleContext) -> str:
    line = context.machine.line_bytes
    sizes = [
        array_bytes(context, f, match.names[0])
        for f in context.facts
        if _streams(f, match.names[0])
    ]
    return f"all of {match.names[0]} is one line" if max(sizes, default=0) <= line else ""


class ColdFields(RuleDefaults):
    code = "RL106"
    slug = "cold-fields"
    summary = "loops over an array of structures use few of the fields"
    aliases = ("PWR016",)
    guards = (
        Guard(
            "used-together", "a loop of the function uses most fields of each structure", _together
        ),
        Guard(
            "used-elsewhere",
            "another function of the file uses most fields of structures of this size, or a bit"
            " field",
            _used_elsewhere,
        ),
        Guard("bit-field", "the loops use bit fields, which share bytes", _bit_fields),
        Guard("one-line", "the whole array is one line", _one_line),
    )

    def match_unit(self, unit: UnitContext) -> Iterator[UnitMatch]:
        """Arrays of structures, function by function; others of the file are a doubt."""
        uses = [
            _RecordUse(context, array) for context in unit.functions for array in _records(context)
        ]
        whole = [use for use in uses if use.is_whole]
        for use in uses:
            if use.in_part:
                yield UnitMatch(use.context, _match(use, _elsewhere(use, whole)))


RULE = ColdFields()


def _records(context: RuleContext) -> Iterator[Array]:
    for array in context.function.arrays:
        if array.type == "record" and array.element_bytes:  # none where it is only declared
            yield array


class _RecordUse:
    """The loops of one function that use an array of structures."""

    def __init__(self, context: RuleContext, array: Array) -> None:
        self.context = context
        self.array = array
        used = [(facts, _used(facts, array)) for facts in context.facts]
        self.most = max([size for _, size in used], default=0)
        """The most bytes of a structure that a loop uses."""
        packed = any(_has_bit_fields(facts, array.name) for facts in context.facts)
        self.is_whole = packed or self.most >= MOSTLY_USED * array.element_bytes
        """Whether loops use the structure as one: most of its fields, or some that share bytes."""
        self.in_part = [facts for facts, size in used if 0 < size < array.element_bytes]
        """The loops that use some of its fields."""


def _streams(facts: KernelFacts, array: str) -> list[Stream]:
    return [s for s in facts.streams if s.array == array and s.pattern != "invariant"]


def _has_bit_fields(facts: KernelFacts, array: str) -> bool:
    accesses = [a for s in facts.kernel.statements for a in s.accesses if a.array == array]
    return any(access.bits for access in accesses)


def _used(facts: KernelFacts, array: Array) -> int:
    fields: dict[int, int] = {}
    for stream in _streams(facts, array.name):
        for reference in stream.references:
            place = reference.displacement.terms.get((), 0) % array.element_bytes
            fields[place] = max(fields.get(place, 0), stream.element_bytes)
    return sum(fields.values())


def _elsewhere(here: _RecordUse, whole: Sequence[_RecordUse]) -> str:
    """A function of the file that uses structures of this size as one; else ``""``.

    Arrays of one type have other names in other functions, and the IR does not name types.
    """
    others = (
        use.context.function.name
        for use in whole
        if use.context is not here.context and use.array.element_bytes == here.array.element_bytes
    )
    return next(others, "")


def _match(use: _RecordUse, elsewhere: str) -> Match:
    context, kernels, array = use.context, use.in_part, use.array
    heaviest = max(kernels, key=lambda f: array_bytes(context, f, array.name))
    place = next(
        name for name, site in context.sites.items() if site.loop is heaviest.kernel.loops[-1]
    )
    said, used = array.name.lstrip("*"), _used(heaviest, array)
    seen = array.storage in ("local", "heap")
    doubts = () if seen else (f"other uses of {said} are not visible",)
    return Match(
        place,
        f"loops use {used} of the {array.element_bytes} B of each {said}[]",
        (
            Change(
                "an array for each field",
                partial(split_fields, array=array.name),
                fix=partial(_fix, said),
                action=Action(ActionKind.OTHER, f"{said} by fields"),
            ),
        ),
        names=(array.name,),
        variant=elsewhere,
        doubts=doubts,
    )


def _fix(array: str, result: ChangedFunction) -> Fix:
    old = {a.name for a in result.function.arrays}
    fields = [name for name in sorted(old) if name.startswith(f"{array}_")]
    return Fix(
        "sketch",
        f"split {array} into an array for each field",
        sketch=f"arrays {', '.join(fields)} (named by the byte of the field) in place of {array}",
    )
