"""The ECM model, its two halves, and Roofline with the core's own roof, as plugins."""

from rooflint.plugin_api.hookspecs import Model, hookimpl

from rooflint_plugins.models.ecm.model import Ecm, EcmCpu, EcmData
from rooflint_plugins.models.ecm.roofline_core import RooflineCore


@hookimpl
def rooflint_models() -> list[Model]:
    """The model, its two halves, and Roofline with the core's own roof."""
    return [Ecm(), EcmData(), EcmCpu(), RooflineCore()]
