"""A model that another distribution brings: one cycle per access."""

from rooflint.facts import Kernel
from rooflint.hookspecs import Context, Model, Needs, hookimpl
from rooflint.prediction import NotApplicable, Prediction


class OneAccessPerCycle:
    """A core that does one load or store a cycle and everything else for nothing."""

    name = "one-access"
    needs = Needs(models=("roofline",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The number of accesses; reads the Roofline's answer to show that it can."""
        cycles = float(context.facts.work.loads + context.facts.work.stores)
        roofline = context.results["roofline"].headline
        return Prediction(
            self.name,
            "accesses",
            f"{cycles:g} accesses take {cycles:g} cycles; the Roofline allows {roofline}",
            f"{cycles:g} cy",
            cycles,
            data={"accesses": cycles},
        )


@hookimpl
def rooflint_models() -> list[Model]:
    """The model of this distribution."""
    return [OneAccessPerCycle()]
