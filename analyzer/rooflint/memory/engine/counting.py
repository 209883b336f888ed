"""The program of a function's nests, and what a replay of it counts."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from rooflint.facts import KernelFacts
from rooflint.ir import Function, IdentityKey, Loop, Node, children
from rooflint.memory.engine.budget import ClosedFormReason, ReplayRefusal, WorkLimits
from rooflint.memory.engine.lines import LineSums
from rooflint.memory.engine.samples import CallSequence, SetSamples, set_samples
from rooflint.memory.line_counts import CountedLines
from rooflint.records import NamedTuple
from rooflint.replay import AccessProgram, ProgramReference, ReplayLevel, RowPadding
from rooflint.replay.lowering import IncompleteProgramError, lower_function
from rooflint.replay.placement import lay_out
from rooflint.replay.progressions import unplaced_array, unplaced_words


class NestProgram(NamedTuple):
    """All accesses of some nests; ``kernels``: the number of each reference's, of ``number``."""

    program: AccessProgram
    kernels: tuple[int | None, ...]
    number: int

    def counted(
        self,
        known: dict[object, SetSamples | ReplayRefusal],
        levels: tuple[ReplayLevel, ...],
        line_bytes: int,
        calls: CallSequence,
        limits: WorkLimits,
    ) -> CountedLines | ClosedFormReason:
        """Lines that each level misses in the last call, or in the first, if that one is meant.

        ``known``: of programs replayed before, which gets this one.
        """
        references = tuple([(each.kind, each.bytes) for each in self.program.references])
        code = array("q", self.program.code).tobytes()
        runs = calls._replace(cold=False)
        key = (
            code,
            self.program.root,
            self.program.data_bytes,
            references,
            levels,
            line_bytes,
            runs,
            limits,
        )
        samples = known.get(key)
        if samples is None:
            samples = set_samples(self.program, levels, line_bytes, calls, limits)
            known[key] = samples
        if isinstance(samples, ReplayRefusal):
            return ClosedFormReason(samples.value)
        run = 0 if calls.cold else calls.runs - 1
        return LineSums(self.program, self.kernels, self.number, run).counted(samples, len(levels))


def nest_program(
    function: Function,
    facts: Sequence[KernelFacts],
    sizes: Mapping[str, int],
    padding: RowPadding | None = None,
    omitted: frozenset[str] = frozenset(),
) -> NestProgram | ClosedFormReason:
    """The nests of these kernels one after the other; a reason where some of it has no address.

    Arrays ``omitted`` are not accessed.
    """
    function = nests_of(function, facts)
    unplaced = unplaced_array(function)
    if unplaced is not None:  # mostly, and arrays are not laid out for nothing
        return ClosedFormReason(unplaced_words(unplaced))
    layout = lay_out(function, sizes, padding)
    try:
        program = lower_function(
            function, layout.addresses, sizes, padding, completely=True, omitted=omitted
        )
    except IncompleteProgramError as error:
        return ClosedFormReason(str(error))
    if not program.references:
        return ClosedFormReason("it touches no array")
    own = [each.kernel.loops[-1] for each in facts]
    kernels = tuple([_kernel_of(reference, own) for reference in program.references])
    program = program._replace(data_bytes=layout.bytes)
    return NestProgram(program=program, kernels=kernels, number=len(facts))


def _kernel_of(reference: ProgramReference, own: Sequence[Loop]) -> int | None:
    """The one whose own loop is the innermost around it."""
    for loop in reversed(reference.loops):
        for number, each in enumerate(own):
            if each is loop:
                return number
    return None


def nests_of(function: Function, facts: Iterable[KernelFacts]) -> Function:
    """The function with the nests of these kernels alone."""
    outermost = {IdentityKey(each.kernel.loops[0]) for each in facts}
    kept = [node for node in function.body if _has_any(node, outermost)]
    return function if len(kept) == len(function.body) else replace(function, body=tuple(kept))


def _has_any(node: Node, outermost: Collection[IdentityKey]) -> bool:
    if isinstance(node, Loop):
        return IdentityKey(node) in outermost
    return any(_has_any(each, outermost) for each in children(node))
