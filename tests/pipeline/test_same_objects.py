"""Answers about functions of a buffer, from one text to the next."""

from rooflint.incremental.function_outcomes import AboutFunction
from rooflint.ir import Function, SourceFunction
from rooflint.ir.unit import Span
from rooflint.pipeline.live.same_objects import AnswersOfText
from rooflint.scenario.values import NO_VALUES, FileScenario, FunctionScenario

SPAN = Span(1, 1, 3, 2)


def source(name: str) -> SourceFunction:
    function = Function(name=name, parameters=(), arrays=(), body=())
    return SourceFunction(function=function, span=SPAN, spans=())


class Asked:
    def __init__(self) -> None:
        self.known, self.computed = AnswersOfText(), 0

    def ask(
        self, of: SourceFunction, values: FunctionScenario = NO_VALUES, conditions: object = None
    ) -> int:
        def compute() -> int:
            self.computed += 1
            return self.computed

        return self.known.answer(AboutFunction(of, values, conditions), compute)


def test_the_same_object_keeps_its_answer() -> None:
    asked, one = Asked(), source("f")
    assert [asked.ask(one), asked.ask(one)] == [1, 1]
    asked.known.begin_text()
    assert asked.ask(one) == 1
    assert asked.ask(source("f")) == 2  # equal, but another object


def test_other_values_and_conditions_have_answers_of_their_own() -> None:
    asked, one = Asked(), source("f")
    file = FileScenario(shared={"n": 0})
    alike, other = (
        FunctionScenario(file=each, spans=(), own={})
        for each in (file._replace(matched=frozenset("n")), FileScenario(shared={"n": 0}))
    )
    values = FunctionScenario(file=file, spans=(), own={})
    answers = [asked.ask(one, values), asked.ask(one, alike), asked.ask(one, other)]
    assert answers == [1, 1, 2]
    assert asked.ask(one, values, ("gcc",)) == 3
    assert asked.ask(one, values, ("gcc",)) == 3


def test_what_a_text_does_not_ask_for_is_forgotten() -> None:
    asked, one = Asked(), source("f")
    asked.ask(one)
    asked.known.begin_text()
    asked.known.begin_text()
    assert asked.ask(one) == 2
