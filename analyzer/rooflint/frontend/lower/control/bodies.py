"""Bodies being lowered: their graphs, and which of their statements only lead out of them."""

from collections.abc import Sequence

from rooflint.frontend.lower.control.graphs import body_flow, has_jumps
from rooflint.frontend.lower.control.no_return import source_queries
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ControlFlowGraph
from rooflint.ir.control_flow import BodyForm


def enter_body(
    context: LoweringContext, form: BodyForm, statements: Sequence[SyntaxTree]
) -> ControlFlowGraph | None:
    """The graph of a body that is lowered next; None where it is a tree of branches and loops.

    Notes for the innermost loop which statements only lead out of it.
    """
    queries = source_queries(context.unit, context.origins.origin)
    ends_in_return = form == "function" and statements and statements[-1].kind == kinds.RETURN
    jumping = statements[:-1] if ends_in_return else statements
    if not any(has_jumps(each, queries, context.unit.jumping) for each in jumping):
        return None
    flow = body_flow(form, statements, queries)
    context.flow.note_exit_paths(flow.exit_paths())
    return flow.graph


def keep_function_graph(context: LoweringContext, body: SyntaxTree) -> None:
    """Keeps the graph of a function that is more than a tree of branches and loops."""
    graph = enter_body(context, "function", body.children)
    if graph is not None:
        context.flow.keep_graph(graph)


def keep_loop_graph(context: LoweringContext, graph: ControlFlowGraph | None, index: str) -> None:
    """Keeps the graph of a loop's body, if it has one, under the loop's index."""
    if graph is not None:
        context.flow.keep_graph(graph._replace(loop=index))
