from collections.abc import Iterator
from functools import partial

from rooflint.facts import as_written
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.offload import estimate_of, on_coprocessors, region_around
from rooflint.rule_kit.openmp import directive_fix, pragma_line
from rooflint.rule_kit.queries import kernels_in, time_words
from rooflint.transform.annotations import offload
from rooflint.transform.result import ChangedFunction


def _mapped(match: Match, context: RuleContext) -> str:
    region = region_around(context, match.place)
    return f"omp {region.kind} already transfers it" if region is not None else ""


def _not_provable(match: Match, context: RuleContext) -> str:
    if estimate_of(context, match.place) is not None:
        return ""
    return "the arrays to transfer are unknown"


def _never_pays(match: Match, context: RuleContext) -> str:
    estimate = estimate_of(context, match.place)
    if estimate is None or estimate.speedup >= 1:
        return ""
    return (
        f"the host's {estimate.host_cores} cores are {1 / estimate.speedup:.2g} times as fast;"
        f" pays {estimate.pays}"
    )


class OffloadPays(RuleDefaults):
    code = "RL501"
    slug = "offload-pays"
    summary = "coprocessors would finish the nest sooner than the host, transfers included"
    aliases = ("PWR055", "PWR056")
    models = ("hybrid",)
    needs = ("coprocessors",)
    guards = (
        Guard("already-mapped", "a target region offloads the nest already", _mapped,
              structural=True),
        Guard("transfers-unknown", "the source does not show which arrays to transfer",
              _not_provable),
        Guard("crossover", "at these sizes the host is faster", _never_pays),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Nests that compute something."""
        for site in context.sites.values():
            if not site.outer and any(f.work.flops for f in kernels_in(context, site.name)):
                yield _match(context, site.name)


RULE = OffloadPays()


def _match(context: RuleContext, place: str) -> Match:
    index = as_written(context.sites[place].loop.index)
    estimate = estimate_of(context, place)
    if estimate is None:
        evidence = (
            f"the coprocessors of {context.machine.name} are idle during the loops of {index}"
        )
    else:
        evidence = (
            f"{on_coprocessors(estimate)}, the host's {estimate.host_cores} cores"
            f" {time_words(estimate.host_s)}, pays {estimate.pays}"
        )
    return Match(
        place,
        evidence.rstrip(", "),
        (
            Change(
                f"offloading {index}",
                partial(offload, loop=place),
                fix=partial(_fix, context, place),
                seconds=lambda: {} if estimate is None else estimate.gained,
                action=Action(ActionKind.OTHER, "offloading"),
            ),
        ),
    )


def _fix(context: RuleContext, place: str, result: ChangedFunction) -> Fix:
    """The directive above the loop; a sketch where arrays need lengths that their types lack."""
    loop = context.sites[place].loop
    open_ended = [a.name for a in context.function.arrays if None in a.extents or not a.extents]
    fix = None if open_ended else directive_fix(context, loop, result)
    if fix is not None:
        return fix
    region = region_around(context, place, result.function)
    assert region is not None
    line = pragma_line(region.kind, region.clauses)
    note = f"// give {', '.join(open_ended)} their lengths: name[0:n]\n" if open_ended else ""
    return Fix("sketch", f"offload {as_written(loop.index)}", sketch=note + line)
