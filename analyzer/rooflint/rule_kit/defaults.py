"""The defaults of a lint rule."""

from rooflint.plugin_api.hookspecs import RuleStatus
from rooflint.plugin_api.rule import Guard
from rooflint.rule_kit.features import CodeFeature


class RuleDefaults:
    """Fields of ``hookspecs.Rule`` that most rules share; a rule names itself."""

    aliases: tuple[str, ...] = ()
    status: RuleStatus = "stable"
    models: tuple[str, ...] = ("ecm", "roofline")
    needs: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    defects: bool = False
    requires: tuple[CodeFeature, ...] = ()
    """Features of code without all of which there is no match: it is not asked there."""
