"""The defaults of a lint rule, and guards that several rules have."""

from rooflint.plugin_api.hookspecs import RuleStatus
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.queries import kernel_of, not_known


class RuleDefaults:
    """Fields of ``hookspecs.Rule`` that most rules share; a rule names itself."""

    aliases: tuple[str, ...] = ()
    status: RuleStatus = "stable"
    models: tuple[str, ...] = ("ecm", "bounds")
    needs: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()


def size_assumed(summary: str, consequence: str) -> Guard:
    """The guard of advice that holds for large data only: sizes that nobody set may be small.

    ``{0}`` of ``consequence`` is the first of the match's names.
    """

    def silences(match: Match, context: RuleContext) -> str:
        return not_known(context, kernel_of(match, context), consequence.format(*match.names))

    return Guard("size-assumed", summary, silences)
