"""One function's syntax tree to the IR."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from rooflint.frontend.lower.objects.declared import declarations
from rooflint.frontend.lower.objects.exposure import (
    declared_variables,
    exposed_anywhere,
    exposed_variables,
)
from rooflint.frontend.lower.objects.memory import note_cell
from rooflint.frontend.lower.objects.places import STORAGE_STATIC, provenance_of, storage_of
from rooflint.frontend.lower.state.context import Context
from rooflint.frontend.lower.state.shared import Decl, Shared
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.lower.statements import block, parameter_extents
from rooflint.frontend.lower.targets import target_of
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import Tree, has_loop, visit
from rooflint.ir import Array, Function, Loop, Parameter, SourceFunction, Variable, walk
from rooflint.ir.unit import VariableScope

_CLASSES: Final = frozenset(
    (kinds.STRUCT, kinds.CLASS, kinds.CLASS_TEMPLATE, kinds.CLASS_PARTIAL, kinds.UNION)
)


def lower_function(context: Context, cursor: Cursor, dependent: bool) -> SourceFunction | None:
    """The function with its loops; None when it turns out to have none, and that matters.

    ``dependent``: a template's pattern, whose type parameters are taken as double.
    """
    shared = context.unit
    tree = shared.tree(cursor)
    below = tree[2]
    parameters = [child for child in below if child[0] == kinds.PARAMETER]
    body = below[-1] if below and below[-1][0] == kinds.COMPOUND else None
    body = body or next((child for child in reversed(below) if child[0] == kinds.COMPOUND), None)
    if body is None:
        return None
    if dependent:
        context.assume(
            "the template is not instantiated in this file: its type parameters are taken as double"
        )
    context.root = cursor.d0
    context.tree = tree
    result = shared.types.of(shared.clang.getCursorResultType(cursor))
    context.returns = result.ir if result.shape == "scalar" else ""
    origin = context.origin(cursor)
    declared = [shared.declared(parameter[1]) for parameter in parameters]
    for decl in declared:
        context.name(decl)
    for parameter in parameters:
        parameter_extents(context, parameter)
    nodes = block(context, [body])
    for unused in context.lambdas:
        if _is_lowered(context, unused):
            continue
        nodes = (*nodes, *block(context, unused[2][-1:]))
    if not (shared.straight or any(isinstance(node, Loop) for node in chain(nodes, walk(nodes)))):
        return None
    arrays, cells = _memory(context, tree)
    function = Function(
        qualified_name(shared, cursor),
        tuple(Parameter(decl.name, type_text(decl.ctype)) for decl in declared),
        tuple(array for name, array in sorted(arrays.items()) if name in context.used),
        nodes,
        tuple(context.assumptions),
        target_of(shared, cursor),
        tuple(cell for _, cell in sorted(cells.items())),
        shared.aliasing,
    )
    spans = context.span_table()
    variables = _variables(context, tree)
    return SourceFunction(function, spans[origin], spans, variables, is_c=shared.is_c)


def _memory(context: Context, tree: Tree) -> tuple[dict[str, Array], dict[str, Array]]:
    """The arrays, and the scalars that lie in memory, with what the whole function says of them."""
    exposed = exposed_variables(context.unit, tree)
    declared = declared_variables(context.unit, tree)
    hidden: set[str] = set()
    for (name, key), decl in context.named.items():
        storage, ctype = storage_of(context, decl), decl.ctype
        if key in declared and key not in exposed and not ctype.reference:
            hidden.add(name)
            continue
        if storage == "global" and _has_private_rows(context, decl):
            hidden.add(name)
        seen = storage == "global" or ctype.reference or key in exposed
        if ctype.shape == "scalar" and seen and (ctype.reference or not ctype.const):
            note_cell(context, name, ctype, storage, provenance_of(context, decl))

    def known(array: Array) -> Array:
        held = array.provenance
        if (held.within or array.name) not in hidden or held.reach == "pointer":
            return array
        return array._replace(provenance=held._replace(exposed=False))

    arrays = {name: known(array) for name, array in context.arrays.items()}
    return arrays, {name: known(cell) for name, cell in context.cells.items()}


def _has_private_rows(context: Context, decl: Decl) -> bool:
    """Whether nothing but subscripts uses a table that only this file knows by its name."""
    shared, element = context.unit, decl.ctype.element
    if decl.ctype.shape != "array" or element is None or element.shape != "array":
        return False
    clang = shared.clang
    static = clang.Cursor_getStorageClass(decl.cursor) == STORAGE_STATIC
    scope = clang.getCursorSemanticParent(decl.cursor).kind
    if not static or scope in _CLASSES or not shared.source.is_here(decl.cursor):
        return False
    return not exposed_anywhere(shared).may_hold(decl.key)


def _variables(context: Context, tree: Tree) -> tuple[Variable, ...]:
    """The variables that the IR names, and all others that the function's text declares."""
    extent = context.unit.source.extent
    begin, end = extent(tree[1])
    declared = declarations(context, tree)
    names = {key: name for name, key in context.named}
    found: list[Variable] = []
    for (name, key), decl in context.named.items():
        storage = storage_of(context, decl)
        scope: VariableScope
        if storage == "global" or decl.ctype.reference:
            scope = "file"
        elif storage != "member":
            scope = "own" if begin <= extent(decl.cursor)[0] < end else "inlined"
        else:
            continue
        declaration = declared.pop(key, None) if names[key] == name else None
        found.append(Variable(name, type_text(decl.ctype), scope, declaration))
    found += [Variable(names.get(key, ""), "", "own", each) for key, each in declared.items()]
    return tuple(sorted(set(found), key=_order))


def _order(variable: Variable) -> tuple[str, str, str, tuple[int, ...]]:
    declaration = variable.declaration
    return variable.name, variable.type, variable.scope, declaration.span if declaration else ()


def _is_lowered(context: Context, tree: Tree) -> bool:
    """Whether the first loop below has been lowered already, or is another file's."""
    for child in tree[2]:
        if child[0] in kinds.LOOPS:
            begin = context.unit.source.extent(child[1])[0]
            return begin < 0 or begin in context.loops_seen
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


def qualified_name(shared: Shared, cursor: Cursor) -> str:
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
        types = [type_text(shared.declared(c[1]).ctype) for c in tree[2] if c[0] == kinds.PARAMETER]
        name += f"({', '.join(types)})"
    return name


def called_below(shared: Shared, cursors: list[Cursor]) -> list[Cursor]:
    """Declarations of everything called in these functions and in what they instantiate."""
    found: dict[int, Cursor] = {}
    waiting = list(cursors)
    while waiting:
        for call in _calls(shared.tree(waiting.pop())):
            callee = shared.target(call)
            if callee.d0 and callee.d0 not in found:
                found[callee.d0] = callee
                if shared.clang.getSpecializedCursorTemplate(callee).d0 and shared.source.is_here(
                    callee
                ):
                    waiting.append(callee)
    return list(found.values())


def _calls(tree: Tree) -> Iterator[Cursor]:
    stack = [tree]
    while stack:
        kind, cursor, below = stack.pop()
        if kind == kinds.CALL:
            yield cursor
        if below:
            stack.extend(reversed(below))


def has_body(shared: Shared, cursor: Cursor) -> bool:
    """Whether the cursor is a definition."""
    found: list[int] = []

    def callback(child: Cursor, parent: Cursor) -> int:
        del parent
        if child.kind == kinds.COMPOUND:
            found.append(1)
        return CONTINUE

    visit(shared.clang, cursor, callback)
    return bool(found)
