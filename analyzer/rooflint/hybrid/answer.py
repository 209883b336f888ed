"""What ``rooflint estimate`` says of one procedure on one machine, as lines and as JSON values."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from rooflint.escaping import json_text
from rooflint.hybrid.balance import Balance, Change, balance, best_count, what_if
from rooflint.hybrid.bound import BoundNest
from rooflint.hybrid.choice import reasons
from rooflint.hybrid.data import estimate_data
from rooflint.hybrid.estimate import PERF, PLAIN, Options, estimate
from rooflint.hybrid.offload import NOTABLE, changes_again
from rooflint.hybrid.printed import printed
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.system import System
from rooflint.hybrid.verdict import Verdict, host_words, role_lines, verdict, verdict_data
from rooflint.hybrid.words import estimate_lines, seconds
from rooflint.plugin_api.prediction import Json
from rooflint.scenario.sizes import NO_SIZES, Sizes

Formula: TypeAlias = Callable[[Estimate], str]
"""What writes the formula that balances an estimate; a parameter, because it needs sympy."""


class Answer(NamedTuple):
    """One procedure on one machine.

    values    parameters that were set for it, by name
    formula   of the symbol that was to balance it; empty where nobody asked
    said      what there is to say of a nest of the source; ``function`` and ``sizes`` are its
    nest      the nest, to be derived again for another number of coprocessors
    """

    found: Estimate
    balanced: Balance
    changes: tuple[Change, ...]
    values: Mapping[str, float]
    options: Options = PLAIN
    formula: str = ""
    said: Verdict | None = None
    function: str = ""
    sizes: Sizes = NO_SIZES
    beside: tuple[str, ...] = ()
    nest: BoundNest | None = None

    @property
    def perf_at(self) -> Callable[[float], float] | None:
        """PERF by the number of coprocessors where that makes another procedure; else None."""
        nest = self.nest
        if nest is None:
            return None

        def perf(count: float) -> float:
            best = nest.offload.with_count(count).choose(nest.found).best
            return 0.0 if best is None else best.perf_op_s

        return perf

    @property
    def text(self) -> str:
        """The procedure as a file."""
        notes = []
        if self.said is not None:
            notes.append(f"derived from function {self.function} for {self.found.system.name}")
        if self.sizes.by_name:
            values = ", ".join(f"{name} = {v.value}" for name, v in self.sizes.by_name.items())
            notes.append(f"with {values}")
        return printed(self.found.procedure, notes, self.function)


def answer_of(
    procedure: Procedure,
    system: System,
    values: Mapping[str, float],
    options: Options = PLAIN,
    formula: Formula | None = None,
) -> Answer:
    """The answer to a procedure file, with ``formula`` if one is asked for."""
    answer = _answer(estimate(procedure, system, values, options), values, options, formula)
    return answer._replace(changes=(*answer.changes, *_fewer(answer)))


def _fewer(answer: Answer) -> Iterator[Change]:
    """Where what goes to every coprocessor costs more than the last ones gain (C3)."""
    found = answer.found
    most = round(found.system.coprocessors)
    count = best_count(found, answer.values, most)
    fewer = {**answer.values, "K": float(count)}
    perf = estimate(found.procedure, found.system, fewer, answer.options).perf_op_s
    gain = perf / found.perf_op_s
    if count < most and gain > NOTABLE:
        yield Change("K", f"only {count} coprocessors", perf, gain)


def answer_of_nest(
    nest: BoundNest, options: Options = PLAIN, formula: Formula | None = None
) -> Answer:
    """The answer to a nest of the source."""
    best = nest.choice.best
    if best is None:
        raise ValueError("nothing fits")
    values = own_values(best.procedure, nest.offload.params)
    answer = _answer(best, values, options, formula)
    said = verdict(nest.offload, nest.found, nest.choice, nest.host)
    again = changes_again(nest.offload, nest.found, best)
    return answer._replace(
        changes=tuple(sorted((*answer.changes, *again), key=lambda change: -change.gain)),
        said=said,
        function=nest.offload.function.name,
        sizes=nest.sizes,
        beside=nest.beside,
        nest=nest,
    )


def own_values(procedure: Procedure, values: Mapping[str, float]) -> dict[str, float]:
    """Those of ``values`` that are parameters of the procedure or speeds of its kernels."""
    own = {*procedure.params, *[f"{PERF}{name}" for name in procedure.kernels]}
    return {name: value for name, value in values.items() if name in own}


def _answer(
    found: Estimate, values: Mapping[str, float], options: Options, formula: Formula | None
) -> Answer:
    return Answer(
        found,
        balance(found, values, options),
        what_if(found, values, options),
        values,
        options,
        formula(found) if formula else "",
    )


def answer_lines(answer: Answer) -> Iterator[str]:
    """The whole answer, none of the lines wrapped."""
    head, *rest = estimate_lines(answer.found, answer.balanced, answer.changes)
    yield head
    if answer.said is None:
        yield from rest
    else:
        yield from [f"  host      {words}" for words in host_words(answer.said)]
        yield from rest
        yield from _verdict_lines(answer, answer.said)
    if answer.formula:
        yield f"  formula   {answer.formula}"


def _verdict_lines(answer: Answer, said: Verdict) -> Iterator[str]:
    sizes = answer.sizes.by_name
    if sizes:
        known = [f"{name} = {size.value} ({size.origin})" for name, size in sizes.items()]
        yield f"  with      {', '.join(known)}"
    if len(said.devices) > 1:
        yield f"  devices   {'; '.join(device_words(said))}"
    yield f"  channel   busy {100 * said.transfer_share:.0f} % of the time"
    yield from [f"  array     {line}" for line in role_lines(said)]
    yield from [f"  maps      {line}" for line in said.contradictions]
    yield from [f"  beside    {line}" for line in answer.beside]
    yield from [f"  not taken {line}" for line in reasons(said.choice.others)]
    yield "  procedure '--format yaml' prints it, to edit and to estimate again"


def device_words(said: Verdict) -> Iterator[str]:
    """Every number of coprocessors that was tried: ``2: 8 ms, 1.9 times the host``."""
    for each in said.devices:
        if each.best is None:
            yield f"{each.coprocessors}: does not fit"
            continue
        times = ""
        if said.host is not None:
            times = f", {said.host.seconds / each.best.seconds:.3g} times as fast as the host"
        yield f"{each.coprocessors}: {seconds(each.best.seconds)}{times}"


def answers_text(answers: Iterable[Answer]) -> str:
    """All answers as text, an empty line between them."""
    return "\n".join("".join(f"{line}\n" for line in answer_lines(answer)) for answer in answers)


def answers_yaml(answers: Sequence[Answer]) -> str:
    """The procedures as one file."""
    if len(answers) == 1:
        return answers[0].text
    blocks = []
    for answer in answers:
        first, *others = [line for line in answer.text.splitlines() if line[0] != "#"]
        notes = [line for line in answer.text.splitlines() if line[0] == "#"]
        blocks += [*notes, f"- {first}", *[f"  {line}" for line in others]]
    return "".join(f"{line}\n" for line in blocks)


def answers_json(answers: Iterable[Answer]) -> str:
    """All answers as the document of ``rooflint estimate --format json``."""
    document = {"schema_version": 1, "estimates": [_data(answer) for answer in answers]}
    return json_text(document) + "\n"


def _data(answer: Answer) -> dict[str, Json]:
    entry = estimate_data(answer.found, answer.balanced, answer.changes)
    entry["formula"] = answer.formula or None
    if answer.said is not None:
        entry["function"] = answer.function
        entry["sizes"] = {
            name: {"value": size.value, "origin": size.origin}
            for name, size in answer.sizes.by_name.items()
        }
        entry["beside"] = list(answer.beside)
        entry |= verdict_data(answer.said, answer.function)
    return entry
