"""Strip-mining and tiling: loops cut into blocks, and the loops over blocks moved outwards."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from rooflint.facts.directions import Vector
from rooflint.ir import Function, Loop, Node, Poly
from rooflint.ir.poly import function as poly_function
from rooflint.records import NamedTuple
from rooflint.transform.nest import legality
from rooflint.transform.nest.rewrite import fresh
from rooflint.transform.nest.tree import free_site, perfect_chain, replace_nodes
from rooflint.transform.order import nest_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def strip_mine(function: Function, loop: str, size: int) -> ChangedFunction:
    """A loop over blocks of ``size`` iterations and one within a block."""
    site = free_site(function, loop)
    if size < 1:
        raise RefusalError(f"blocks of {size} iterations")
    early = legality.breaks_off(site.loop)
    if early:
        raise RefusalError(f"{early} would leave its block only")
    blocks, within = _strips(site.loop, size, fresh(function, f"{site.loop.index}_block"))
    new = replace_nodes(function, site.path, nest_of([blocks, within], site.loop.body))
    return done(new, "strip_mine", loop, assumes=legality.steady(function, site.loop), size=size)


def _strips(loop: Loop, size: int, name: str) -> tuple[Loop, Loop]:
    start = Poly.symbol(name)
    step = loop.step.value
    end = start + loop.step * size
    kind = "max" if step is not None and step < 0 else "min"
    whole = (loop.upper - loop.lower).value
    if whole is None or not step or whole % (step * size):
        end = poly_function("min" if kind == "min" else "max", end, loop.upper)
    blocks = replace(loop, index=name, step=loop.step * size, pragmas=(), definitions=())
    return blocks, replace(loop, lower=start, upper=end)


class WholeBlocks(NamedTuple):
    """A loop over whole blocks of iterations, one within a block, and one of what is left over."""

    blocks: Loop
    within: Loop
    rest: Loop


def whole_blocks(loop: Loop, size: int, name: str) -> WholeBlocks:
    """``loop`` in whole blocks of ``size`` iterations; ``name`` is the index of the blocks."""
    start = Poly.symbol(name)
    blocks, within = _strips(loop, size, name)
    block = loop.step * size
    last = poly_function("floordiv", loop.upper - loop.lower, block)
    return WholeBlocks(
        blocks=replace(blocks, upper=loop.upper - loop.step * (size - 1)),
        within=replace(within, upper=start + block),
        rest=replace(loop, lower=loop.lower + last * block),
    )


@change
def tile(
    function: Function, loop: str, sizes: Mapping[str, int] | tuple[str, ...]
) -> ChangedFunction:
    """Loops of the perfect nest at ``loop`` in blocks, all loops over blocks outside at ``loop``.

    ``sizes`` is iterations by index, or texts ``"j=64"``. Legal when the loops from the first to
    the last blocked one may run in any order relative to each other (fully permutable).
    """
    site = free_site(function, loop)
    wanted = dict(sizes) if isinstance(sizes, Mapping) else _read(sizes)
    chain = perfect_chain(site.loop)
    indices = [each.index for each in chain]
    missing = [index for index in wanted if index not in indices]
    if missing or not wanted:
        raise RefusalError(
            f"{', '.join(missing) or 'nothing'} is no loop of a perfect nest at {loop}"
        )
    depth = max(map(indices.index, wanted)) + 1
    legality.require_reorderable((site.loop,), "the nest")
    reorders = legality.require_free_order(function, site, chain[-1].body)
    _require_fixed_bounds(chain[:depth], wanted)
    found = legality.of_nest(function, (site.loop,), site.outer)
    for dependence in found.found:
        if not _is_permutable(dependence.vector[:depth], depth):
            raise RefusalError(f"blocks would reverse {legality.vector_text(dependence)}")
    new = replace_nodes(function, site.path, _tiled(function, chain, wanted))
    texts = tuple([f"{index}={size}" for index, size in wanted.items()])
    return done(new, "tile", loop, assumes=found.assumes, exact=not reorders, sizes=texts)


def _require_fixed_bounds(chain: list[Loop], wanted: Iterable[str]) -> None:
    around: set[str] = set()
    for each in chain:
        tied = (each.lower.mentions() | each.upper.mentions()) & around
        if tied and each.index in wanted:
            raise RefusalError(f"the bounds of {each.index} depend on {min(tied)}")
        around.add(each.index)


def _is_permutable(inner: Vector, depth: int) -> bool:
    return len(inner) == depth and all(map(legality.forward, inner)) and legality.comes_first(inner)


def _tiled(function: Function, chain: list[Loop], wanted: Mapping[str, int]) -> Node:
    blocks: list[Loop] = []
    within: list[Loop] = []
    taken: list[str] = []
    for each in chain:
        if each.index not in wanted:
            within.append(each)
            continue
        name = fresh(function, f"{each.index}_block", taken)
        taken.append(name)
        over, inside = _strips(each, wanted[each.index], name)
        blocks.append(over)
        within.append(inside)
    return nest_of([*blocks, *within], chain[-1].body)


def _read(texts: tuple[str, ...]) -> dict[str, int]:
    return {text.partition("=")[0]: int(text.partition("=")[2]) for text in texts}
