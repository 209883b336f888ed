"""Answers of ``rooflint estimate`` as text, and their procedures as a file."""

from collections.abc import Iterable, Iterator, Sequence

from rooflint.machine.quantities import format_duration

from rooflint_plugins.models.hybrid.answers import ProcedureAnswer
from rooflint_plugins.models.hybrid.derive.choice import reasons
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison
from rooflint_plugins.models.hybrid.procedure.writer import procedure_yaml
from rooflint_plugins.models.hybrid.text.text_estimate import estimate_lines
from rooflint_plugins.models.hybrid.text.text_host import host_words, transfer_lines


def answer_lines(answer: ProcedureAnswer) -> Iterator[str]:
    """The whole answer, none of the lines wrapped."""
    head, *rest = estimate_lines(answer.estimate, answer.balanced, answer.changes)
    yield head
    if answer.compared is None:
        yield from rest
    else:
        yield from [f"  host      {words}" for words in host_words(answer.compared)]
        yield from rest
        yield from _nest_lines(answer, answer.compared)
    if answer.formula:
        yield f"  formula   {answer.formula}"


def _nest_lines(answer: ProcedureAnswer, compared: HostComparison) -> Iterator[str]:
    sizes = answer.sizes.by_name
    if sizes:
        known = [f"{name} = {size.value} ({size.origin})" for name, size in sizes.items()]
        yield f"  with      {', '.join(known)}"
    if len(compared.devices) > 1:
        yield f"  devices   {'; '.join(device_words(compared))}"
    yield f"  channel   busy {100 * compared.transfer_share:.0f} % of the time"
    yield from [f"  array     {line}" for line in transfer_lines(compared)]
    yield from [f"  maps      {line}" for line in compared.contradictions]
    yield from [f"  beside    {line}" for line in answer.beside]
    yield from [f"  rejected  {line}" for line in reasons(compared.choice.others)]
    yield "  procedure '--format yaml' prints it, to edit and estimate again"


def device_words(compared: HostComparison) -> Iterator[str]:
    """Every number of coprocessors that was tried: ``2: 8 ms, 1.9 times the host``."""
    for each in compared.devices:
        if each.best is None:
            yield f"{each.coprocessors}: does not fit"
            continue
        times = ""
        if compared.host is not None:
            times = f", {compared.host.seconds / each.best.seconds:.3g} times as fast as the host"
        yield f"{each.coprocessors}: {format_duration(each.best.seconds)}{times}"


def answers_text(answers: Iterable[ProcedureAnswer]) -> str:
    """All answers as text, an empty line between them."""
    return "\n".join("".join(f"{line}\n" for line in answer_lines(answer)) for answer in answers)


def procedure_text(answer: ProcedureAnswer) -> str:
    """The procedure as a file."""
    notes = []
    if answer.compared is not None:
        notes.append(f"derived from function {answer.function} for {answer.estimate.system.name}")
    if answer.sizes.by_name:
        values = ", ".join(f"{name} = {v.value}" for name, v in answer.sizes.by_name.items())
        notes.append(f"with {values}")
    return procedure_yaml(answer.estimate.procedure, notes, answer.function)


def answers_yaml(answers: Sequence[ProcedureAnswer]) -> str:
    """The procedures as one file."""
    if len(answers) == 1:
        return procedure_text(answers[0])
    blocks = []
    for answer in answers:
        first, *others = [line for line in procedure_text(answer).splitlines() if line[0] != "#"]
        notes = [line for line in procedure_text(answer).splitlines() if line[0] == "#"]
        blocks += [*notes, f"- {first}", *[f"  {line}" for line in others]]
    return "".join(f"{line}\n" for line in blocks)
