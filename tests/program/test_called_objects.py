"""Functions that run through lambdas, functors and std::function are part of the program."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import facts_of
from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES
from rooflint.frontend.equations.extraction import extracted_file, file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.program.linking import link_files
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips
from rooflint.program.weights import program_weights
from rooflint.scenario.call_costs import with_call_costs

from tests.program.test_call_costs import work

WORK = "double work(int n) { double s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n"


def equations(text: str) -> Equations:
    return file_equations(Request("/a.cpp", Flags("c++"), text.encode()))


def executions_of_work(text: str) -> float:
    """How often a run calls the function ``work``."""
    found = program_weights(link_files([equations(WORK + text)])).functions
    return {each.function.name: each.weight.executions for each in found}["work"]


APPLY = (
    "template <class F> double apply(F f) { double s = 0;"
    " for (int k = 0; k < 7; k++) s += f(k); return s; }"
)
PASS_ON = "template <class F> double pass(F &&f) { return apply(f); }"
FUNCTOR = "struct Functor { double operator()(int n) const { return work(n); } };"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("int main() { auto f = [](int n) { return work(n); }; return f(3) + f(4); }", 2),
        ("int main() { double s = 0; auto f = [&] { s += work(3); }; f(); return s; }", 1),
        ("int main() { return [] { return work(3); }(); }", 1),
        ("int main() { auto f = [](auto n) { return work(n); }; return f(3) + f(4L); }", 2),
        (f"{APPLY} int main() {{ return apply([](int k) {{ return work(k); }}); }}", 7),
        (f"{APPLY} int main() {{ auto f = [](int k) {{ return work(k); }}; return apply(f); }}", 7),
        (f"{APPLY}{PASS_ON} int main() {{ return pass([](int k) {{ return work(k); }}); }}", 7),
        (f"{FUNCTOR}{APPLY} int main() {{ return apply(Functor()); }}", 7),
        (f"{APPLY} int main() {{ return apply(work); }}", 7),
        (f"{APPLY} int main() {{ return apply(&work); }}", 7),
        # a lambda inside of another
        ("int main() { auto f = [] { auto g = [] { return work(3); }; return g() + g(); };"
         " return f(); }", 2),
        # a function of the library calls it
        ("#include <thread>\nint main() { std::thread t([&] { work(3); }); t.join(); }", 1),
    ],
)  # fmt: skip
def test_what_an_object_calls_is_called(text: str, calls: float) -> None:
    assert executions_of_work(text) == calls


def test_a_function_of_the_library_runs_what_it_holds() -> None:
    text = "#include <functional>\n"
    text += "double run(std::function<double(int)> f) { return f(3) + f(4); }\n"
    assert (
        executions_of_work(text + "int main() { return run([](int n) { return work(n); }); }") == 2
    )
    member = "struct Task { std::function<double(int)> run; };\n"
    member += "int main() { Task t; t.run = [](int n) { return work(n); }; return t.run(3); }"
    assert executions_of_work("#include <functional>\n" + member) == 1


def test_of_two_lambdas_a_template_runs_each_in_half_of_its_calls() -> None:
    text = f"{APPLY} int main() {{ apply([](int k) {{ return work(k); }});"
    assert executions_of_work(f"{text} return apply([](int k) {{ return 1.0 * k; }}); }}") == 7


def test_lambdas_that_nothing_calls_run_never() -> None:
    assert (
        executions_of_work("int main() { auto f = [](int n) { return work(n); }; return 0; }") == 0
    )


def test_values_reach_the_parameters_of_a_lambda() -> None:
    text = "int main() { auto f = [](int n) { return work(n); }; return f(500); }"
    program = link_files([equations(WORK + text)])
    assert typical_trips(program, ProgramSolver(program)).trips() == [500]


@pytest.mark.parametrize("given", ["heavy", "[](int k) { return heavy(k); }"])
def test_an_instance_knows_the_cost_of_what_it_is_given(given: str) -> None:
    heavy = f"double heavy(int k) {{ {work(20)} if (k) return 1; return 2; }}"
    template = "template <class F> void fill(double *a, F f) {"
    template += " for (int i = 0; i < 100; i++) a[i] = f(i); }"
    text = f"__attribute__((noinline)) {heavy}{template} void g(double *b) {{ fill(b, {given}); }}"
    file = extracted_file(Request("/a.cpp", Flags("c++"), text.encode()))
    scenario = ProgramScenario([file.equations]).of_file("/a.cpp")
    unit = with_call_costs(file.unit, scenario.calls)
    (source,) = [each for each in unit.functions if each.function.name.startswith("fill")]
    (facts,) = facts_of(source.function)
    assert [call.cycles for call in facts.kernel.priced] == [10 + UNKNOWN_CALL_CYCLES]
    assert facts.not_covered == ()
