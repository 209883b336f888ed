"""A function's nest on coprocessors; what a sidecar states completes and overrides the source."""

from collections.abc import Mapping, Sequence

from rooflint.errors import ConfigurationError, UsageError, near_miss
from rooflint.facts import KernelFacts, facts_of, space_of
from rooflint.ir import Function
from rooflint.machine import Machine
from rooflint.records import NamedTuple
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer, Sizes

from rooflint_plugins.models.hybrid.derive.choice import Choice, reasons
from rooflint_plugins.models.hybrid.derive.cutting import by_loop
from rooflint_plugins.models.hybrid.derive.host_only import HostRoofline, host_alone
from rooflint_plugins.models.hybrid.derive.offload import Offload
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.evaluate import evaluator
from rooflint_plugins.models.hybrid.evaluate.system import system_of
from rooflint_plugins.models.hybrid.procedure.records import Bind, Procedure

REMEDY = "see docs/procedure-files.md"
NOTABLE = 0.05
"""A nest with less of the function's operations is not worth a word."""


class BoundNest(NamedTuple):
    """A nest with numbers: what was asked, its page loops, the classes that were tried.

    ``beside`` are sentences about other nests of the function with a notable part of its work.
    """

    offload: Offload
    sizes: Sizes
    found: PagedNest
    choice: Choice
    host: HostRoofline
    beside: tuple[str, ...]

    @property
    def names(self) -> set[str]:
        """Names that a value on the command line may have."""
        best, sidecar = self.choice.best, self.offload.sidecar
        kernels = best.procedure.kernels if best else ()
        return {
            *self.sizes.by_name,
            *(sidecar.params if sidecar else ()),
            *[f"{evaluator.PERF}{name}" for name in kernels],
        }


def bound(
    sidecar: Procedure,
    functions: Sequence[Function],
    machine: Machine,
    values: Mapping[str, float],
    options: evaluator.EstimateOptions = evaluator.PLAIN,
) -> BoundNest:
    """The fastest class of the function a sidecar names, with the sidecar's statements.

    ``values`` set sizes of the source and parameters of the sidecar. Raises UsageError where the
    function is not there, ConfigurationError with what is missing or where nothing fits.
    """
    function = _named(sidecar, functions)
    facts = facts_of(function)
    if not facts:
        raise UsageError(
            f"function '{function.name}' has no loop with arithmetic or array accesses"
        )
    offload, told = _stated(sidecar, facts, function, machine, values, options)
    arrays = {array.name: array for array in function.arrays}
    sizes = resolve(facts, function, told)
    offload = offload._replace(values=sizes.values)
    offload, found, beside = _base_operation(offload, sizes)
    if found.refused:
        raise ConfigurationError(
            f"{function.name} cannot be cut into pages: {found.refused}; a procedure file can state"
            f" its stages, {REMEDY}"
        )
    if found.missing:
        lacks = "; ".join(found.missing)
        raise ConfigurationError(f"{sidecar.file}: {function.name}: {lacks}; {REMEDY}")
    if not found.computes:
        raise ConfigurationError(f"{function.name} has no floating-point operations at these sizes")
    choice = offload.choose(found)
    if choice.best is None:
        why = "; ".join(reasons(choice.others))
        raise ConfigurationError(f"{function.name} does not fit {offload.system.name}: {why}")
    return BoundNest(
        offload=offload,
        sizes=sizes,
        found=found,
        choice=choice,
        host=host_alone(machine, offload.facts, arrays, sizes),
        beside=beside,
    )


def _base_operation(offload: Offload, sizes: Sizes) -> tuple[Offload, PagedNest, tuple[str, ...]]:
    """The whole function where that can be cut, else the named or the heaviest nest of it.

    Also returns a sentence on every other nest with a notable part of the work.
    """
    found = offload.cut()
    bind = offload.sidecar.bind if offload.sidecar else None
    loops = bind.loops if bind else ()
    if not (loops or found.refused or found.missing):
        return offload, found, ()
    nests = by_loop(offload.facts, depth=0)
    work = [_work(nest, sizes) for nest in nests]
    named = [n for n, nest in enumerate(nests) if nest[0].kernel.loops[0].index in loops]
    position = named[0] if named else work.index(max(work))
    offload = offload._replace(facts=nests[position])
    return offload, offload.cut(), tuple(_overhead(nests, work, position))


def _stated(
    sidecar: Procedure,
    facts: tuple[KernelFacts, ...],
    function: Function,
    machine: Machine,
    values: Mapping[str, float],
    options: evaluator.EstimateOptions,
) -> tuple[Offload, tuple[SizeLayer, SizeLayer]]:
    """The whole function with what was stated, and what that says of its sizes."""
    sizes = {name for f in facts for name in (*f.names, *dict(f.run_time))}
    # a size of the source may be called K or F, as symbols of the machine are
    own = {name: value for name, value in values.items() if name in sizes}
    rest = {name: value for name, value in values.items() if name not in sizes}
    system = evaluator.given_system(system_of(machine), rest)
    symbols = evaluator.symbols_of(sidecar, system, values)
    stated = {name: symbols[name] for name in (*sidecar.params, *sidecar.let)}
    averages = {n: evaluator.number(t, symbols) for n, t in sidecar.sizes.items()} | own
    given = (
        SizeLayer("command line", _whole(own)),
        SizeLayer("sidecar", _whole(stated | averages)),
    )
    offload = Offload(
        name=sidecar.name,
        facts=facts,
        function=function,
        values={},
        system=system,
        elements={
            _renamed(sidecar, n): evaluator.number(t, symbols) for n, t in sidecar.elements.items()
        },
        averages=averages,
        sidecar=sidecar,
        params=rest | {name: value for name, value in own.items() if name in sidecar.params},
        options=options,
        blocks={},
    )
    return offload, given


def _whole(values: Mapping[str, float]) -> dict[str, int]:
    return {name: round(value) for name, value in values.items()}


def plain_sidecar(function: str, file: str) -> Procedure:
    """Says nothing but which function is meant: all of its procedure is derived."""
    return Procedure(
        name=function,
        file=file,
        params={},
        let={},
        ops_total=None,
        kernels={},
        stages=(),
        bind=Bind(function=function),
    )


def _renamed(sidecar: Procedure, name: str) -> str:
    """``bind.arrays`` gives the sidecar's own name of an array of the source."""
    arrays = sidecar.bind.arrays if sidecar.bind else {}
    return next((source for source, own in arrays.items() if own == name), name)


def _named(sidecar: Procedure, functions: Sequence[Function]) -> Function:
    wanted = sidecar.bind.function if sidecar.bind else ""
    if not wanted and len(functions) == 1:
        return functions[0]
    for function in functions:
        if function.name == wanted:
            return function
    names = [function.name for function in functions]
    hint = near_miss(wanted, names)
    raise UsageError(f"no function '{wanted}' to bind to; the file has {', '.join(names)}{hint}")


def _work(nest: Sequence[KernelFacts], sizes: Sizes) -> float:
    spaces = [space_of(f.kernel.loops, sizes.values) for f in nest]
    return sum([f.work.flops * float(s.executions) for f, s in zip(nest, spaces, strict=True)])


def _overhead(
    nests: Sequence[Sequence[KernelFacts]], work: Sequence[float], taken: int
) -> list[str]:
    whole = sum(work) or 1.0
    return [
        f"loop {nest[0].kernel.loops[0].index} beside it has {100 * each / whole:.0f} % of the"
        " function's operations and is not estimated"
        for place, (nest, each) in enumerate(zip(nests, work, strict=True))
        if place != taken and each >= NOTABLE * whole
    ]
