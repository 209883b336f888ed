"""A procedure: its main loop as stages of loads, kernels and stores, sizes symbolic.

Source: Sudareva, candidate thesis, NIISI RAN 2018, sections 1.3 and 1.5: the ten steps, with kinds
of operations, overlap and the parts of a stage that do not repeat.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.procedure.expression import ParsedExpression

Kind: TypeAlias = Literal["load", "store", "kernel", "host", "peer"]
Per: TypeAlias = Literal["coprocessor", "once", "one"]
PERS: tuple[Per, ...] = get_args(Per)
KINDS: tuple[Kind, ...] = ("load", "store", "kernel", "host", "peer")
Origin: TypeAlias = Literal["derived", "sidecar", "default", "source (map clause)"]


class SourcedExpression(NamedTuple):
    """An expression and where it stands: ``place`` is ``file:line``, ``path`` its dotted key."""

    expression: ParsedExpression
    place: str
    path: str
    origin: Origin = "sidecar"


class TransferPattern(NamedTuple):
    """How a transfer walks system memory: runs of so many bytes, so many bytes apart."""

    run_bytes: SourcedExpression
    stride_bytes: SourcedExpression


class StageOperation(NamedTuple):
    """One operation of a stage.

    bytes      volume of a load, store or peer transfer; of one coprocessor, with ``per`` once of
               all together, with one of the only one that takes part
    kernel     the kernel that a ``kernel`` operation runs on every coprocessor
    seconds    time of a host operation; or ``ops`` at ``perf`` operations a second
    overlap    False: its time adds to the iteration instead of hiding behind the others
    refined    True: only counted where transfers are refined (a twiddle load, say)
    array      the array that moves, where known
    """

    kind: Kind
    place: str
    bytes: SourcedExpression | None = None
    kernel: str = ""
    seconds: SourcedExpression | None = None
    ops: SourcedExpression | None = None
    perf: SourcedExpression | None = None
    per: Per = "coprocessor"
    overlap: bool = True
    channel: str = "main"
    pattern: TransferPattern | None = None
    refined: bool = False
    array: str = ""
    id: str = ""
    after: tuple[str, ...] = ()


class ProcedureKernel(NamedTuple):
    """``ops`` flops of one coprocessor and call; how fast, in falling preference: ``perf`` (op/s),
    ``isa`` (commands a call by pipeline), ``dev_bytes`` (traffic to the coprocessor's memory)."""

    name: str
    ops: SourcedExpression
    perf: SourcedExpression | None = None
    isa: Mapping[str, SourcedExpression] = {}
    dev_bytes: SourcedExpression | None = None
    measured: bool = False


class ProcedureStage(NamedTuple):
    """Operations of one iteration, and those once before and after all iterations."""

    name: str
    place: str
    iterations: SourcedExpression | None
    ops: tuple[StageOperation, ...]
    prologue: tuple[StageOperation, ...] = ()
    epilogue: tuple[StageOperation, ...] = ()
    ceil: bool = False


class CapacityLimit(NamedTuple):
    """A capacity condition: ``bytes`` must not exceed ``le``."""

    bytes: SourcedExpression
    le: SourcedExpression
    why: str


class Bind(NamedTuple):
    """The source that the procedure stands for."""

    file: str = ""
    function: str = ""
    loops: tuple[str, ...] = ()
    arrays: Mapping[str, str] = {}


class Procedure(NamedTuple):
    """``params`` have default values that may be overridden; ``let`` are derived from them.

    ops_total  nominal operations, those of PERF; None in a sidecar that only completes a derivation
    repeat     how often an enclosing loop runs all of it on the same data
    elements   by array of the source, how many it has, where the source does not tell
    sizes      values of the source's size parameters, ``row[i+1]-row[i]`` among them (averages)
    shape      residency class (C1 to C8) where the author or the derivation says it
    one_count  its blocks are those of one number of coprocessors: another needs other blocks
    """

    name: str
    file: str
    params: Mapping[str, SourcedExpression]
    let: Mapping[str, SourcedExpression]
    ops_total: SourcedExpression | None
    kernels: Mapping[str, ProcedureKernel]
    stages: tuple[ProcedureStage, ...]
    fits: tuple[CapacityLimit, ...] = ()
    repeat: SourcedExpression | None = None
    pad_factor: SourcedExpression | None = None
    bind: Bind | None = None
    shape: str = ""
    elements: Mapping[str, SourcedExpression] = {}
    sizes: Mapping[str, SourcedExpression] = {}
    sources: Mapping[str, str] = {}
    description: str = ""
    one_count: bool = False
