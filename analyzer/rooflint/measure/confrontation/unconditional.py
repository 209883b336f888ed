"""The part of a function that runs whatever its data are: the least that a call touches."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from rooflint import ir


def without_choices(function: ir.Function) -> ir.Function:
    """The function with conditions in place of the branches that choose between statements, and
    without the statements that such a branch may jump over.

    A branch with a loop in it stays: it chooses whether the loop is there at all, and a loop that
    did not run is no measurement of one.
    """
    return replace(function, body=_certain(function.body))


def _certain(nodes: Iterable[ir.Node]) -> tuple[ir.Node, ...]:
    return tuple(_kept(nodes))


def _kept(nodes: Iterable[ir.Node]) -> Iterator[ir.Node]:
    is_jumped_over = False
    for node in nodes:
        if isinstance(node, ir.Loop | ir.Region):
            yield replace(node, body=_certain(node.body))
        elif isinstance(node, ir.Branch) and any(map(_has_loop, node.then + node.orelse)):
            yield replace(node, then=_certain(node.then), orelse=_certain(node.orelse))
        elif not is_jumped_over:
            yield node.condition if isinstance(node, ir.Branch) else node
        is_jumped_over = is_jumped_over or (isinstance(node, ir.Branch) and _jumps(node))


def _jumps(branch: ir.Branch) -> bool:
    """Whether an arm leads on to the next iteration, or to a label before it."""
    arms = zip((branch.then, branch.orelse), branch.exit_paths, strict=True)
    return any(not leads_out and any(map(_exits, arm)) for arm, leads_out in arms)


def _exits(node: ir.Node) -> bool:
    """Whether it leaves what is around it, inner loops aside: they are left by their own exits."""
    return isinstance(node, ir.Exit) or any(map(_exits, _arms(node)))


def _has_loop(node: ir.Node) -> bool:
    return isinstance(node, ir.Loop) or any(map(_has_loop, _arms(node)))


def _arms(node: ir.Node) -> tuple[ir.Node, ...]:
    if isinstance(node, ir.Branch):
        return node.then + node.orelse
    return node.body if isinstance(node, ir.Region) else ()
