"""The machine file for a processor: a pure function of its numbers and the files' patterns."""

from collections.abc import Iterable, Sequence
from typing import Final

from rooflint.machine.identity.patterns import MachinePatterns, MatchKind, ProcessorPattern
from rooflint.machine.identity.processor import ProcessorNumbers
from rooflint.records import NamedTuple

_BEST_FIRST: Final = (MatchKind.EXACT, MatchKind.CORE, MatchKind.NEAREST, MatchKind.GENERIC)


class Identification(NamedTuple):
    """How well ``machines`` describe a processor: several where ambiguous, none for ``NONE``."""

    match: MatchKind
    machines: tuple[str, ...] = ()


def identify(processor: ProcessorNumbers, candidates: Iterable[MachinePatterns]) -> Identification:
    """The machines that describe ``processor`` best.

    Numbers decide: the brand alone identifies nothing, because virtual machines change it. Each
    pattern states its architecture, so no x86 machine describes an Arm processor.
    """
    matches = [
        (kind, candidate.machine)
        for candidate in candidates
        for kind in [_best(processor, candidate.patterns)]
        if kind is not None
    ]
    for kind in _BEST_FIRST:
        machines = tuple([machine for found, machine in matches if found is kind])
        if machines:
            return Identification(kind if len(machines) == 1 else MatchKind.AMBIGUOUS, machines)
    return Identification(MatchKind.NONE)


def _best(processor: ProcessorNumbers, patterns: Sequence[ProcessorPattern]) -> MatchKind | None:
    kinds = [_kind(processor, pattern) for pattern in patterns if _fits(processor, pattern)]
    return min(kinds, key=_BEST_FIRST.index, default=None)


def _fits(processor: ProcessorNumbers, pattern: ProcessorPattern) -> bool:
    one_of = (
        (processor.model, pattern.models),
        (processor.stepping, pattern.steppings),
        (processor.implementer, pattern.implementers),
        (processor.part, pattern.parts),
    )
    return (
        processor.arch is pattern.arch
        and pattern.vendor in (None, processor.vendor)
        and pattern.family in (None, processor.family)
        and (not processor.features or processor.features.issuperset(pattern.features))
        and all(not allowed or number in allowed for number, allowed in one_of)
    )


def _kind(processor: ProcessorNumbers, pattern: ProcessorPattern) -> MatchKind:
    is_product = pattern.brand is not None and _has_words(processor.brand, pattern.brand)
    return MatchKind.EXACT if pattern.match is MatchKind.CORE and is_product else pattern.match


def _has_words(text: str, words: str) -> bool:
    """Whether ``words`` stand in ``text`` one after the other, whole."""
    return f" {' '.join(words.split())} " in f" {' '.join(text.split())} "
