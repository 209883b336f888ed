"""The IR in print, one fact a line: what golden tests compare and ``rooflint dump`` shows.

The text holds everything that analysis depends on and no source position, so its hash identifies
a nest whatever lines it stands on.
"""

from collections.abc import Iterator
from typing import Final

from rooflint.ir.control_flow import ControlFlowGraph
from rooflint.ir.nodes import (
    Access,
    Array,
    Branch,
    Call,
    Definition,
    Exit,
    Function,
    Loop,
    Node,
    Opaque,
    Region,
    Statement,
)
from rooflint.ir.poly_form import plain
from rooflint.ir.values import (
    AddressValue,
    Assignment,
    CallValue,
    CarriedRead,
    Const,
    IndexValue,
    Load,
    OpaqueValue,
    Relation,
    ScalarRead,
    Store,
    Value,
)


def print_function(function: Function) -> str:
    """The function with its arrays and assumptions; ends with a newline."""
    parameters = ", ".join(f"{p.name}: {p.type}" for p in function.parameters)
    lines = [f"function {function.name}({parameters})"]
    lines += [f"  target {function.target}"] if function.target != "host" else []
    lines += [f"  array {array_text(array)}" for array in function.arrays]
    lines += [f"  assume {assumption}" for assumption in function.assumptions]
    lines += [f"  {definition_text(definition)}" for definition in function.definitions]
    for node in function.body:
        lines += _lines(node, 1)
    for graph in function.graphs:
        lines += _graph(graph)
    return "\n".join(lines) + "\n"


def array_text(array: Array) -> str:
    """``A[n][100]: f64 parameter restrict``."""
    extents = "".join(f"[{'' if extent is None else extent}]" for extent in array.extents)
    text = f"{array.name}{extents}: {array.type} {array.storage}"
    text += " restrict" if array.restrict else ""
    text += " const" if array.readonly else ""
    return text + (f" ({array.assumption})" if array.assumption else "")


def access_text(access: Access) -> str:
    """``A[i][j] @ 8*i*n + 8*j``: the source's subscripts, the width of a bit field, then the byte
    offset."""
    subscripts = "".join(f"[{subscript}]" for subscript in access.subscripts)
    width = f":{access.bits}" if access.bits else ""
    return f"{access.array}{subscripts}{width} @ {access.offset}"


def definition_text(definition: Definition) -> str:
    """``let k: i32 = 2*i + 1``; ``set`` for a variable that the body does not declare."""
    text = f"{'let' if definition.own else 'set'} {definition.variable}: {definition.type}"
    text += "" if definition.value is None else f" = {definition.value}"
    text += _CONDITIONS[definition.condition]
    return text if definition.reason is None else f"{text} ({definition.reason})"


_CONDITIONS: Final = {"none": "", "branch": " in a branch", "unstated": " on a condition"}


def detail_text(value: Value) -> str:
    """The parts of a value besides its operation, type and operands; empty if there are none."""
    match value:
        case ScalarRead(name=name) | CarriedRead(name=name) | Assignment(name=name):
            return name
        case Const(spelling=spelling):
            return spelling
        case IndexValue(poly=poly):
            return str(poly)
        case AddressValue(target=target):
            return f"&{target}"
        case Relation(operator=operator):
            return operator
        case CallValue(callee=callee):
            return callee
        case OpaqueValue(reason=reason):
            return str(reason)
        case Store(nontemporal=True):
            return "nontemporal"
    return ""


def plain_detail(value: Value) -> str:
    """``detail_text`` without the marks of values that have no closed form."""
    return plain(value.poly) if isinstance(value, IndexValue) else detail_text(value)


def _lines(node: Node, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(node, Loop):
        yield from (f"{pad}pragma {pragma}" for pragma in node.pragmas)
        yield pad + _loop_line(node)
        yield from (f"{pad}  {definition_text(each)}" for each in node.definitions)
        yield from _block(node.body, depth + 1)
    elif isinstance(node, Statement):
        yield f"{pad}statement"
        yield from (f"{pad}  {line}" for line in _values(node))
    elif isinstance(node, Branch):
        yield f"{pad}if"
        yield from (f"{pad}  {line}" for line in _values(node.condition))
        marks = ["" if not leads_out else " (exit path)" for leads_out in node.exit_paths]
        yield f"{pad}then{marks[0]}"
        yield from _block(node.then, depth + 1)
        if node.orelse:
            yield f"{pad}else{marks[1]}"
            yield from _block(node.orelse, depth + 1)
    elif isinstance(node, Region):
        clauses = "".join(
            f" {c.name}({c.value})" if c.value else f" {c.name}" for c in node.clauses
        )
        yield f"{pad}omp {node.kind}{clauses}"
        yield from _block(node.body, depth + 1)
    elif isinstance(node, Call):
        handed = ", ".join([*node.arrays, *map(str, node.integers)])
        yield f"{pad}call {node.name}({handed}) effects {node.effects}"
    elif isinstance(node, Exit):
        yield f"{pad}{node.kind}" + ("" if node.value is None else f" {node.value}")
    elif isinstance(node, Opaque):
        yield f"{pad}opaque {node.reason}"


def _loop_line(loop: Loop) -> str:
    """``loop i in [0, n) step 1``, with its form, its exits and what else it counts."""
    kind = "" if loop.form == "for" else f" ({loop.form})"
    exits = f" exits {', '.join(loop.exits)}" if loop.exits else ""
    extra = ", ".join(map(str, loop.extra_inductions))
    exits += f" along {extra}" if extra else ""
    return f"loop {loop.index} in [{loop.lower}, {loop.upper}) step {loop.step}{kind}{exits}"


def _graph(graph: ControlFlowGraph) -> Iterator[str]:
    """``b0 always: true b1, false b2``, with the exits of the blocks that leave the body."""
    yield f"  flow of {graph.form}{graph.loop and f' {graph.loop}'}"
    ways: list[list[str]] = [[block.exit] if block.exit else [] for block in graph.blocks]
    for edge in graph.edges:
        ways[edge.source].append(f"{edge.kind} b{edge.target}")
    for number, role in enumerate(graph.roles()):
        yield f"    b{number} {role}: {', '.join(ways[number]) or 'nothing'}"


def _block(nodes: tuple[Node, ...], depth: int) -> Iterator[str]:
    for node in nodes:
        yield from _lines(node, depth)


def _values(statement: Statement) -> Iterator[str]:
    for number, value in enumerate(statement.values):
        yield f"%{number} = {_value(value, statement)}"


def _value(value: Value, statement: Statement) -> str:
    words = [f"{value.op}.{value.type}", *(f"%{argument}" for argument in value.args)]
    words += filter(None, [detail_text(value)])
    if isinstance(value, Load | Store):
        words.append(access_text(statement.accesses[value.access]))
    return " ".join(words)
