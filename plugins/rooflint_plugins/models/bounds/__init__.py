"""The generalized roofline: issue, latency, stall and overlap bounds of a scheduled loop."""

from rooflint.plugin_api.hookspecs import Model, hookimpl

from rooflint_plugins.models.bounds.model import Bounds


@hookimpl
def rooflint_models() -> list[Model]:
    """The model."""
    return [Bounds()]
