"""A sidecar bound to a function: what it states completes and overrides what source gives."""

from collections.abc import Mapping, Sequence

from rooflint.errors import ConfigurationError, UsageError, near_miss
from rooflint.facts import KernelFacts, facts_of
from rooflint.hybrid.choice import Choice, choose, reasons
from rooflint.hybrid.estimate import given_system, number
from rooflint.hybrid.pages import cut
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.system import System
from rooflint.ir import Function
from rooflint.sizes import Given, resolve

REMEDY = "see docs/procedure-files.md"


def bound(
    sidecar: Procedure, functions: Sequence[Function], system: System, values: Mapping[str, float]
) -> Choice:
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
    values = dict(values)
    system = given_system(system, values)
    symbols = system.symbols
    for name, text in sidecar.params.items():
        symbols[name] = values[name] if name in values else number(text, symbols)
    for name, text in sidecar.let.items():
        symbols[name] = number(text, symbols)
    elements = {_renamed(sidecar, n): number(t, symbols) for n, t in sidecar.elements.items()}
    nest = _heaviest(facts, sidecar)
    arrays = {array.name: array for array in function.arrays}
    averages = {n: number(t, symbols) for n, t in sidecar.sizes.items()} | values
    given = {n: round(v) for n, v in (symbols | averages).items()}
    sizes = resolve(nest, arrays, (Given("command line", given),), 0, 64)
    align = system.channels["main"].align_bytes
    found = cut(nest, sizes.values, arrays, elements, align, averages)
    if found.refused:
        raise ConfigurationError(f"{function.name} cannot be cut into pages: {found.refused}")
    missing = [str(lack) for pages in found.pages for lack in pages.missing]
    if missing:
        raise ConfigurationError(f"{sidecar.file}: {function.name}: {'; '.join(missing)}; {REMEDY}")
    choice = choose(sidecar.name, found, system, sidecar, values)
    if choice.best is None:
        why = "; ".join(reasons(choice.others))
        raise ConfigurationError(f"{function.name} does not fit {system.name}: {why}")
    return choice


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
    raise UsageError(f"no function '{wanted}' to bind to, there are {', '.join(names)}{hint}")


def _heaviest(facts: Sequence[KernelFacts], sidecar: Procedure) -> tuple[KernelFacts, ...]:
    """The nest with most work in one iteration, or that of the loop a sidecar names by index."""
    loops = sidecar.bind.loops if sidecar.bind else ()
    nests: dict[int, list[KernelFacts]] = {}
    for each in facts:
        nests.setdefault(id(each.kernel.loops[0]), []).append(each)
    for nest in nests.values():
        if nest[0].kernel.loops[0].index in loops:
            return tuple(nest)
    return tuple(max(nests.values(), key=lambda nest: max(f.work.flops for f in nest)))
