"""Statements: declarations, branches, exits. A block's nodes come in program order."""

from rooflint.frontend.lower import openmp
from rooflint.frontend.lower.control.branches import branch_pattern, case_pattern
from rooflint.frontend.lower.control.jumps import without_forward_jumps
from rooflint.frontend.lower.control.no_return import label_of
from rooflint.frontend.lower.declarations import declare
from rooflint.frontend.lower.expressions import Sides, compare, comparison
from rooflint.frontend.lower.lost import note_lost
from rooflint.frontend.lower.objects import extents
from rooflint.frontend.lower.state.choices import choice
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import brief, executes, operand, statement, value
from rooflint.frontend.lower.state.numbers import convert_value, materialise
from rooflint.frontend.lower.state.operands import Environment, Pointer
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Branch, Call, Exit, Loop, Node, Opaque, Poly, Reason, Statement, walk
from rooflint.ir.control_flow import BranchPattern


def block(context: LoweringContext, trees: list[SyntaxTree]) -> tuple[Node, ...]:
    """The nodes of statements lowered on their own, in order."""
    outer = context.begin_block()
    mark = context.variables.mark()
    pending = context.begin_statement() if context.statement.values else None
    lower = openmp.lower_with_pragmas if context.unit.source.pragmas_before else statement
    for tree in trees:
        lower(context, tree)
    nodes = context.end_block(outer)
    if pending is not None:
        context.resume_statement(pending)
    elif context.statement.values:
        context.statement.discard()
    context.variables.release(mark)
    return nodes


@executes(kinds.COMPOUND)
def _compound(context: LoweringContext, tree: SyntaxTree) -> None:
    mark = context.variables.mark()
    unit = context.unit
    if context.flow.loop is not None and unit.is_broken(tree.cursor):
        _broken_compound(context, tree)
    else:
        structured = without_forward_jumps(tree, lambda each: label_of(unit, each.cursor))
        if structured is not None:
            tree = structured
            context.flow.exit_loop("jump")
        lower = openmp.lower_with_pragmas if unit.source.pragmas_before else statement
        for leads_out, children in context.flow.by_exit_path(tree):
            if leads_out:
                _exit_path(context, children)
            else:
                for child in children:
                    lower(context, child)
    context.variables.release(mark)


def _exit_path(context: LoweringContext, trees: list[SyntaxTree]) -> None:
    """Statements behind a jump, or a label, that only lead out of the loop."""
    before = dict(context.env)
    nodes = _arm(context, trees)
    context.switch_environment(before)
    if all(isinstance(node, Exit) for node in nodes):
        context.append(*nodes)
        return
    origin = context.origins.origin(trees[0].cursor)
    always = Statement((), (), origin)
    context.append(Branch(condition=always, then=nodes, exit_paths=(True, False), origin=origin))


def _broken_compound(context: LoweringContext, tree: SyntaxTree) -> None:
    lost = note_lost(context, tree)
    for position, child in enumerate(tree.children):
        context.append(*lost.get(position, ()))
        openmp.lower_with_pragmas(context, child)
    context.append(*lost.get(len(tree.children), ()))


@executes(kinds.DECL_STMT)
def _declarations(context: LoweringContext, tree: SyntaxTree) -> None:
    for child in tree.children:
        if child.kind == kinds.VARIABLE:
            declare(context, child)
            context.finish_statement(child.cursor)
        elif child.kind in (kinds.TYPEDEF, kinds.TYPE_ALIAS):
            extents.remember(context, child)
        elif child.kind in (kinds.STRUCT, kinds.CLASS):
            context.unit.local_methods += [
                c.cursor for c in child.children if c.kind in kinds.METHODS
            ]


def _lower_if_init(context: LoweringContext, tree: SyntaxTree) -> list[SyntaxTree]:
    """Lowers what ``if (int n = f(); n > 0)`` declares; returns condition and arms."""
    parts = list(tree.children)
    while len(parts) > 2 and parts[0].kind in (kinds.DECL_STMT, kinds.VARIABLE):
        first = parts.pop(0)
        if first.kind == kinds.VARIABLE:
            declare(context, first)
        else:
            statement(context, first)
    return parts


def _pattern(
    context: LoweringContext, parts: list[SyntaxTree], nodes: tuple[Node, ...]
) -> BranchPattern | None:
    """The form of a branch that decides on loops, or in a loop on calls."""
    decides_on = (Loop,) if context.flow.loop is None else (Loop, Call)
    if not any(isinstance(node, decides_on) for node in walk(nodes)):
        return None
    return branch_pattern(context.unit, parts)


@executes(kinds.IF)
def _if(context: LoweringContext, tree: SyntaxTree) -> None:
    parts = _lower_if_init(context, tree)
    # the condition is lost in an error
    if len(parts) < 2 or parts[0].kind >= kinds.UNEXPOSED_STMT:
        reason = Reason("if", (brief(context, tree),))
        context.append(Opaque(reason, context.origins.origin(tree.cursor)))
        context.append(*block(context, parts))
        return
    origin = context.origins.origin(tree.cursor)
    relation = None
    sides = comparison(context, parts[0])
    if sides is None:
        value(context, parts[0])
    else:
        relation = closed_relation(sides)
        compare(context, *(relation or sides))
    condition = context.take_statement(origin)
    before, begun = dict(context.env), len(context.flow.definitions.made)
    then = _arm(context, parts[1:2])
    after_then = context.switch_environment(before)
    orelse = _arm(context, parts[2:3])
    behind = _merged(context, relation, (after_then, then), (context.env, orelse))
    context.switch_environment(behind)
    if then or orelse:
        exit_paths = _are_exit_paths(context, parts[1:2]), _are_exit_paths(context, parts[2:3])
        context.append(
            Branch(
                condition=condition,
                then=then,
                orelse=orelse,
                exit_paths=exit_paths,
                pattern=_pattern(context, parts, (*then, *orelse)),
                origin=origin,
            )
        )
    elif any(value.op == "load" for value in condition.values):
        context.append(condition)  # only variables in closed form change in the arms
    else:
        context.flow.definitions.hide_condition(begun)


def _arm(context: LoweringContext, trees: list[SyntaxTree]) -> tuple[Node, ...]:
    definitions = context.flow.definitions
    definitions.arms += 1
    nodes = block(context, trees)
    definitions.arms -= 1
    return nodes


def _are_exit_paths(context: LoweringContext, arm: list[SyntaxTree]) -> bool:
    """Whether the statements of an arm only lead out of the innermost loop."""
    return bool(arm) and context.flow.on_exit_path(arm[0])


Relation = tuple[str, Poly, Poly]


def closed_relation(sides: Sides) -> Relation | None:
    """A comparison of two closed forms, which pointers into one array are too."""
    name, left, right = sides
    if isinstance(left, Pointer) and isinstance(right, Pointer) and left.array == right.array:
        return name, left.offset, right.offset
    if isinstance(left, Poly) and isinstance(right, Poly):
        return name, left, right
    return None


Arm = tuple[Environment, tuple[Node, ...]]


def _merged(
    context: LoweringContext, relation: Relation | None, then: Arm, orelse: Arm
) -> Environment:
    """The environment behind a branch: what both arms agree on, min/max where they clamp."""
    if _leaves(then[1]):
        return orelse[0]
    if _leaves(orelse[1]):
        return then[0]
    return merge_environments(context, then[0], orelse[0], relation)


def merge_environments(
    context: LoweringContext,
    left: Environment,
    right: Environment,
    relation: Relation | None = None,
) -> Environment:
    """Two environments as one; a variable they disagree on has no closed form."""
    result = dict(right)
    for key, a in left.items():
        b = right.get(key)
        if a is b or a == b:
            continue
        if b is None:
            result[key] = a
        elif isinstance(a, Poly) and isinstance(b, Poly):
            result[key] = _chosen(context, key, relation, a, b)
        elif isinstance(a, Pointer) and isinstance(b, Pointer) and a.array == b.array:
            offset = _either(context, key, a.offset, b.offset)
            result[key] = a._replace(offset=offset, subscripts=None)
    return result


def _chosen(
    context: LoweringContext, key: int, relation: Relation | None, then: Poly, orelse: Poly
) -> Poly:
    """The value that a branch chooses, as ``if (n > m) n = m`` does; else either of the two."""
    clamp = None
    if relation is not None:
        clamp = choice(*relation, then, orelse, context.symbols.active)
    return clamp if clamp is not None else _either(context, key, then, orelse)


def _either(context: LoweringContext, key: int, then: Poly, orelse: Poly) -> Poly:
    name = context.variables.name_of(key)
    chosen = context.symbols.variable(name, Reason("set-in-branch", (name,)))
    context.symbols.note_choice(chosen, then, orelse)
    return chosen


def _leaves(nodes: tuple[Node, ...]) -> bool:
    return bool(nodes) and isinstance(nodes[-1], Exit)


@executes(kinds.SWITCH)
def _switch(context: LoweringContext, tree: SyntaxTree) -> None:
    if len(tree.children) < 2:
        return
    origin = context.origins.origin(tree.cursor)
    value(context, tree.children[0])
    condition = context.take_statement(origin)
    before = context.env
    arms: list[tuple[bool, tuple[Node, ...]]] = []
    envs: list[Environment] = []
    begun = len(context.flow.definitions.made)
    context.flow.enter_switch()
    sources = _arms(tree.children[-1])
    for arm in sources:
        context.switch_environment(dict(before))
        nodes = _arm(context, arm)
        arms.append((_are_exit_paths(context, arm), nodes))
        if not _leaves(nodes):
            envs.append(context.env)
    context.flow.leave_switch()
    for env in envs:
        before = merge_environments(context, before, env)
    context.switch_environment(before)
    node: tuple[Node, ...] = ()
    for number, (leads_out, arm_nodes) in reversed(list(enumerate(arms))):
        if arm_nodes or node:
            first = condition if number == 0 else Statement((), (), origin)
            node = (
                Branch(
                    condition=first,
                    then=arm_nodes,
                    orelse=node,
                    exit_paths=(leads_out, False),
                    pattern=case_pattern(context.unit, sources[number], len(arms) - number),
                    origin=origin,
                ),
            )
    context.append(*node)
    if not node:
        context.flow.definitions.hide_condition(begun)


def _arms(body: SyntaxTree) -> list[list[SyntaxTree]]:
    arms: list[list[SyntaxTree]] = []
    for child in body.children if body.kind == kinds.COMPOUND else [body]:
        labelled = child
        if labelled.kind in (kinds.CASE, kinds.DEFAULT):
            arms.append([])
            while labelled.kind in (kinds.CASE, kinds.DEFAULT) and labelled.children:
                labelled = labelled.children[-1]
        if arms and labelled.kind not in (kinds.CASE, kinds.DEFAULT):
            arms[-1].append(labelled)
    return arms


@executes(kinds.LABEL)
def _label(context: LoweringContext, tree: SyntaxTree) -> None:
    context.flow.label(context.unit.source.text(tree.cursor).split(":")[0].strip())
    for child in tree.children:
        openmp.lower_with_pragmas(context, child)


@executes(kinds.BREAK, kinds.CONTINUE, kinds.GOTO, kinds.INDIRECT_GOTO)
def _jump(context: LoweringContext, tree: SyntaxTree) -> None:
    if tree.kind == kinds.GOTO:
        label = context.unit.source.text(tree.cursor).removeprefix("goto").strip()
        context.flow.jump(label, context.unit.source.extent(tree.cursor)[0])
    kind = {kinds.BREAK: "break", kinds.CONTINUE: "continue"}.get(tree.kind, "goto")
    if kind == "break" and context.flow.break_ends_switch():
        return
    context.flow.exit_loop(kind)
    if kind == "continue":
        context.flow.note_continue(context.env)
    context.append(Exit(kind, origin=context.origins.origin(tree.cursor)))


@executes(kinds.RETURN)
def _return(context: LoweringContext, tree: SyntaxTree) -> None:
    if context.inlining.callees:
        result = operand(context, tree.children[0]) if tree.children else None
        common = context.inlining.common_type
        if common is not None and result is not None:
            result = convert_value(context, materialise(context, result), common)
        context.give_result(result, tree.cursor)
        return
    returned = None
    if tree.children:
        result = operand(context, tree.children[0])
        if isinstance(result, int) and context.function.returns:
            convert_value(context, result, context.function.returns)
        context.finish_statement(tree.cursor)
        returned = result if isinstance(result, Poly) else None
    _leave(context, "return", tree, returned)


@executes(kinds.THROW)
def _throw(context: LoweringContext, tree: SyntaxTree) -> None:
    _leave(context, "throw", tree)


def _leave(
    context: LoweringContext, kind: str, tree: SyntaxTree, value: Poly | None = None
) -> None:
    context.flow.exit_function(kind)
    context.append(Exit(kind, value, context.origins.origin(tree.cursor)))


@executes(kinds.ASM, kinds.MS_ASM)
def _assembly(context: LoweringContext, tree: SyntaxTree) -> None:
    context.append(Opaque(Reason("inline-assembly"), context.origins.origin(tree.cursor)))


@executes(kinds.NULL)
def _nothing(context: LoweringContext, tree: SyntaxTree) -> None:
    del context, tree


@executes(kinds.VARIABLE)
def _variable(context: LoweringContext, tree: SyntaxTree) -> None:
    declare(context, tree)
    context.finish_statement(tree.cursor)
