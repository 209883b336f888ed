"""Estimates whether it pays to move a loop nest to the coprocessors of the machine."""

from rooflint.plugin_api.hookspecs import Model, hookimpl

from rooflint_plugins.models.hybrid.model import Hybrid


@hookimpl
def rooflint_models() -> list[Model]:
    """The model of this package."""
    return [Hybrid()]
