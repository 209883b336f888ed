from collections.abc import Iterator

from rooflint.ir import Region
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.cache_fit import array_bytes
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.offload import data_region, region_around
from rooflint.rule_kit.queries import accesses_of, bytes_words, kernel_of, kernels_in, time_words

BACK = frozenset(("from", "tofrom"))


class _Needless(NamedTuple):
    array: str
    kind: str
    what: str
    used: bool


def _resident(match: Match, context: RuleContext) -> str:
    region = data_region(kernel_of(match, context))
    if region is None:
        return ""
    return f"omp {region.kind} around it keeps the data on the coprocessor"


class NeedlessTransfer(RuleDefaults):
    code = "RL503"
    slug = "needless-transfer"
    summary = "a map clause transfers an array in a direction that is not needed"
    aliases = ("PWR013",)
    status = "preview"
    models = ("hybrid",)
    needs = ("coprocessors",)
    guards = (Guard("resident", "a target data region moves the data", _resident, structural=True),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Arrays of map clauses, against what the region does with them."""
        for site in context.sites.values():
            region = None if site.outer else region_around(context, site.name)
            if region is None or not kernels_in(context, site.name):
                continue
            for needless in _needless(context, site.name, region):
                yield _match(context, site.name, needless)


RULE = NeedlessTransfer()


def _needless(context: RuleContext, place: str, region: Region) -> Iterator[_Needless]:
    accesses = [access for access, _ in accesses_of(context.sites[place].loop)]
    read = {access.array.lstrip("*") for access in accesses if not access.write}
    written = {access.array.lstrip("*") for access in accesses if access.write}
    for name, kind in _mapped(region):
        if name not in read | written:
            yield _Needless(array=name, kind=kind, what="is not used in the region", used=False)
        elif name not in written and kind in BACK:
            yield _Needless(array=name, kind=kind, what="brings it back unchanged", used=True)


def _mapped(region: Region) -> Iterator[tuple[str, str]]:
    for clause in region.clauses:
        for name in clause.variables if clause.name == "map" else ():
            yield name, clause.modifier or "tofrom"


def _match(context: RuleContext, place: str, needless: _Needless) -> Match:
    name, kind, what, used = needless
    said = f"map({kind}: {name}) {what}"
    facts = kernels_in(context, place)[0]
    coprocessors = context.machine.coprocessors
    size = array_bytes(context, facts, name) if used else 0.0
    if size and coprocessors is not None:
        rate = coprocessors.channels["main"].bandwidth_gb_s * 1e9
        said += f": {bytes_words(size)}, {time_words(size / rate)} over the link"
    return Match(place, said, names=(name,))
