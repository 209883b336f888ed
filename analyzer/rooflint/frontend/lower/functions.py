"""One function's syntax tree to the IR."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from rooflint.frontend.lower.control.bodies import keep_function_graph
from rooflint.frontend.lower.declarations import parameter_extents
from rooflint.frontend.lower.objects.declared import declarations
from rooflint.frontend.lower.objects.exposure import (
    declared_variables,
    exposed_variables,
    is_exposed_anywhere,
)
from rooflint.frontend.lower.objects.places import provenance_of
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.lower.statements import block
from rooflint.frontend.lower.targets import target_of
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import SyntaxTree, has_loop, visit
from rooflint.ir import Array, Function, Loop, Node, Parameter, SourceFunction, Variable, walk
from rooflint.ir.unit import VariableScope

_CLASSES: Final = frozenset(
    (kinds.STRUCT, kinds.CLASS, kinds.CLASS_TEMPLATE, kinds.CLASS_PARTIAL, kinds.UNION)
)


def lower_function(
    context: LoweringContext, cursor: Cursor, dependent: bool
) -> SourceFunction | None:
    """The function with its loops; None when it turns out to have none, and that matters.

    ``dependent``: a template's pattern, whose type parameters are taken as double.
    """
    shared = context.unit
    tree = shared.tree(cursor)
    body = next((child for child in reversed(tree.children) if child.kind == kinds.COMPOUND), None)
    if body is None:
        return None
    if dependent:
        context.assume(
            "the template is not instantiated in this file: type parameters assumed to be double"
        )
    result = shared.types.of(shared.clang.getCursorResultType(cursor))
    context.function.begin(tree, result)
    origin = context.origins.origin(cursor)
    parameters = _enter_parameters(context, tree)
    nodes = _lower_body(context, body)
    if not (shared.traits.straight or _has_loop(nodes)):
        return None
    arrays, cells = _memory(context, tree)
    function = Function(
        qualified_name(shared, cursor),
        parameters,
        tuple(array for name, array in sorted(arrays.items()) if name in context.memory.used),
        nodes,
        tuple(context.function.assumptions),
        target_of(shared, cursor),
        tuple(cell for _, cell in sorted(cells.items())),
        shared.traits.aliasing,
        tuple(context.flow.function_definitions.made),
        tuple(context.flow.graphs),
    )
    spans = context.origins.span_table()
    variables = _variables(context, tree)
    return SourceFunction(function, spans[origin], spans, variables, is_c=shared.is_c)


def _enter_parameters(context: LoweringContext, tree: SyntaxTree) -> tuple[Parameter, ...]:
    """Names every parameter before any, so that the first keep their names, then enters arrays."""
    trees = [child for child in tree.children if child.kind == kinds.PARAMETER]
    declared = [context.unit.declared(parameter.cursor) for parameter in trees]
    for decl in declared:
        context.variables.name(decl)
    for parameter in trees:
        parameter_extents(context, parameter)
    return tuple(Parameter(decl.name, type_text(decl.ctype)) for decl in declared)


def _lower_body(context: LoweringContext, body: SyntaxTree) -> tuple[Node, ...]:
    """The nodes of the body, and of the lambdas in it that nothing calls."""
    keep_function_graph(context, body)
    nodes = block(context, [body])
    for unused in context.function.lambdas:
        if not _is_lowered(context, unused):
            nodes = (*nodes, *block(context, unused.children[-1:]))
    return nodes


def _has_loop(nodes: tuple[Node, ...]) -> bool:
    return any(isinstance(node, Loop) for node in chain(nodes, walk(nodes)))


def _memory(
    context: LoweringContext, tree: SyntaxTree
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The arrays, and the scalars that lie in memory, with what the whole function says of them."""
    exposed = exposed_variables(context.unit, tree)
    declared = declared_variables(context.unit, tree)
    hidden: set[str] = set()
    for (name, key), decl in context.variables.named.items():
        own = key in declared and key not in exposed and not decl.ctype.reference
        if own or _has_private_rows(context, decl):
            hidden.add(name)
        elif _lies_in_memory(context, decl, exposed):
            storage = context.unit.storage_of(decl)
            context.memory.note_cell(name, decl.ctype, storage, provenance_of(context, decl))

    def with_exposure(array: Array) -> Array:
        held = array.provenance
        if (held.within or array.name) not in hidden or held.reach == "pointer":
            return array
        return array._replace(provenance=held._replace(exposed=False))

    arrays = {name: with_exposure(array) for name, array in context.memory.arrays.items()}
    return arrays, {name: with_exposure(cell) for name, cell in context.memory.cells.items()}


def _lies_in_memory(context: LoweringContext, decl: Decl, exposed: frozenset[int]) -> bool:
    """Whether a scalar may be read or set by more than its own name."""
    ctype = decl.ctype
    if ctype.shape != "scalar" or (ctype.const and not ctype.reference):
        return False
    is_global = context.unit.storage_of(decl) == "global"
    return is_global or ctype.reference or decl.key in exposed


def _has_private_rows(context: LoweringContext, decl: Decl) -> bool:
    """Whether nothing but subscripts uses a table that only this file knows by its name."""
    shared, element = context.unit, decl.ctype.element
    if decl.ctype.shape != "array" or element is None or element.shape != "array":
        return False
    if shared.storage_of(decl) != "global":
        return False
    clang = shared.clang
    static = shared.is_static(decl.cursor)
    scope = clang.getCursorSemanticParent(decl.cursor).kind
    if not static or scope in _CLASSES or not shared.source.is_here(decl.cursor):
        return False
    return not is_exposed_anywhere(shared, decl.key)


def _variables(context: LoweringContext, tree: SyntaxTree) -> tuple[Variable, ...]:
    """The variables that the IR names, and all others that the function's text declares."""
    text = context.unit.source.extent(tree.cursor)
    declared = declarations(context, tree)
    names = {key: name for name, key in context.variables.named}
    found: list[Variable] = []
    for (name, key), decl in context.variables.named.items():
        scope = _scope_of(context, decl, text)
        if scope is not None:
            declaration = declared.pop(key, None) if names[key] == name else None
            found.append(Variable(name, type_text(decl.ctype), scope, declaration))
    found += [Variable(names.get(key, ""), "", "own", each) for key, each in declared.items()]
    return tuple(sorted(set(found), key=_order))


def _scope_of(
    context: LoweringContext, decl: Decl, function: tuple[int, int]
) -> VariableScope | None:
    """The scope of a variable for the function with this text; None of a member."""
    storage = context.unit.storage_of(decl)
    if storage == "global" and context.unit.is_of_thread(decl.cursor):
        return "thread"
    if storage == "global" or decl.ctype.reference:
        return "file"
    if storage == "member":
        return None
    begin, end = function
    return "own" if begin <= context.unit.source.extent(decl.cursor)[0] < end else "inlined"


def _order(variable: Variable) -> tuple[str, str, str, tuple[int, ...]]:
    declaration = variable.declaration
    return variable.name, variable.type, variable.scope, declaration.span if declaration else ()


def _is_lowered(context: LoweringContext, tree: SyntaxTree) -> bool:
    """Whether the first loop below has been lowered already, or is another file's."""
    for child in tree.children:
        if child.kind in kinds.LOOPS:
            begin = context.unit.source.extent(child.cursor)[0]
            return begin < 0 or begin in context.origins.loops_seen
        if has_loop(child):
            return _is_lowered(context, child)
    return False


def type_text(ctype: CType) -> str:
    """A type as the IR's print names it: ``f64``, ``f64*``, ``f64[100]``, a record's name."""
    if ctype.shape == "pointer" and ctype.element is not None:
        return f"{type_text(ctype.element)}*"
    if ctype.shape == "array" and ctype.element is not None:
        extent = ctype.extent if ctype.extent >= 0 else ""
        return f"[{extent}]{type_text(ctype.element)}"
    return ctype.ir if ctype.shape == "scalar" else ctype.name or ctype.shape


def qualified_name(shared: TranslationUnitContext, cursor: Cursor) -> str:
    """``namespace::Class::function``, with the types a template's instance was made for."""
    names = [shared.clang.spelling(cursor)]
    if shared.is_c:
        return names[0]
    parent = shared.clang.getCursorSemanticParent(cursor)
    while parent.d0 and parent.kind in (
        kinds.NAMESPACE, kinds.STRUCT, kinds.CLASS, kinds.CLASS_TEMPLATE, kinds.CLASS_PARTIAL,
    ):  # fmt: skip
        name = shared.clang.spelling(parent)
        if name and not name.startswith("("):
            names.append(name)
        parent = shared.clang.getCursorSemanticParent(parent)
    name = "::".join(reversed(names))
    if shared.clang.getSpecializedCursorTemplate(cursor).d0:
        tree = shared.tree(cursor)
        types = [
            type_text(shared.declared(c.cursor).ctype)
            for c in tree.children
            if c.kind == kinds.PARAMETER
        ]
        name += f"({', '.join(types)})"
    return name


def called_below(shared: TranslationUnitContext, cursors: list[Cursor]) -> list[Cursor]:
    """Declarations of everything called in these functions and in what they instantiate."""
    found: dict[int, Cursor] = {}
    waiting = list(cursors)
    while waiting:
        for call in _calls(shared.tree(waiting.pop())):
            callee = shared.clang.getCursorReferenced(call)
            if callee.d0 and callee.d0 not in found:
                found[callee.d0] = callee
                if shared.clang.getSpecializedCursorTemplate(callee).d0 and shared.source.is_here(
                    callee
                ):
                    waiting.append(callee)
    return list(found.values())


def _calls(tree: SyntaxTree) -> Iterator[Cursor]:
    stack = [tree]
    while stack:
        tree = stack.pop()
        kind, cursor, below = tree.kind, tree.cursor, tree.children
        if kind == kinds.CALL:
            yield cursor
        if below:
            stack.extend(reversed(below))


def has_body(shared: TranslationUnitContext, cursor: Cursor) -> bool:
    """Whether the cursor is a definition."""
    found: list[int] = []

    def callback(child: Cursor, parent: Cursor) -> int:
        del parent
        if child.kind == kinds.COMPOUND:
            found.append(1)
        return CONTINUE

    visit(shared.clang, cursor, callback)
    return bool(found)
