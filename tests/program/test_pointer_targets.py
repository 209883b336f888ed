"""The functions that calls through pointers run: those that flow to them, or all of their type."""

from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.weights import program_weights


def executions(text: str) -> dict[str, float]:
    file = file_equations(Request("/a.c", Flags("c"), text.encode()))
    found = program_weights(link_files([file])).functions
    return {each.function.name: each.weight.executions for each in found}


def test_pointer_leads_to_functions_of_its_type_in_equal_parts() -> None:
    text = (
        "int s(int k) { return k * k * k * k * k; } int t(int k) { return k; } int u(int k) {"
        " return k; } int v(long k) { return 0; }"
        "int (*table[])(int) = {s, t}; int (*w)(long) = v;"
        "int main(int c, char **a) { for (int i = 0; i < 10; i++) table[c](i); }"
    )
    assert executions(text) == {"s": 5, "t": 5, "u": 0, "v": 0, "main": 1}


HANDED = """
typedef int (*step)(void *); struct solver { step setup, solve; }; struct matrix { int n; };
int first(struct matrix *m) { return m->n; } int second(struct matrix *m) { return m->n; }
int third(void *m) { return 0; }
void enter(struct solver *s, step a, step b) { s->setup = a; s->solve = b; }
void run(struct solver *s, void *m) {
    step solve = s->solve; s->setup(m); for (int i = 0; i < 9; i++) (*solve)(m); }
int main(void) {
    struct solver s; struct matrix m; step other = third;
    enter(&s, (step)first, (step)second); run(&s, &m); return 0; }
"""


def test_pointer_leads_to_what_flows_to_it() -> None:
    """Through casts, arguments, members and copies; not to others of its type."""
    found = executions(HANDED)
    assert [found[each] for each in ("first", "second", "third")] == [1, 9, 0]
