"""Verdicts by loop and machine, for doors that go through loops."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from rooflint.plugin_api.verdict import Verdict

VerdictsByLoop: TypeAlias = Mapping[tuple[str, str], Verdict]
"""By the identifier of the loop and the machine."""
NO_VERDICTS: Final[VerdictsByLoop] = MappingProxyType({})


def by_loop(verdicts: Iterable[Verdict]) -> VerdictsByLoop:
    """The verdicts of a report, to be looked up."""
    return {(each.id, each.machine): each for each in verdicts}
