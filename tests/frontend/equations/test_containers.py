"""Lengths and elements of containers of the C++ library: each container has its own."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips
from rooflint.program.typical_value import TypicalValue
from rooflint.scenario.roles import SizeRole

HEADER = """
#include <array>
#include <vector>
struct Mesh { std::vector<int> first, last; std::vector<double> x, y; };
Mesh mesh;
template <class T> struct List {
    T *items; int used, room;
    int size() const { return used; }
    void reserve(int n) { room = n; }
    void push_back(const T &v) { items[used++] = v; }
    T &operator[](int i) { return items[i]; }
};
struct Node { List<int> links; List<double> weights; };
Node node;
struct Row { double *items; int n; int size() const { return n; } };
int unknown();
double sum;
"""


def trips(code: str) -> list[TypicalValue]:
    """Of all loops, in the order of the source."""
    text = f"{HEADER}{code}".encode()
    program = link_files([file_equations(Request("/a.cc", Flags("c++"), text))])
    typical = typical_trips(program, ProgramSolver(program))
    return [typical.of(loop) for loop in program.loops]


OVER_X = "for (std::size_t i = 0; i < mesh.x.size(); i++) sum += mesh.x[i];"
LENGTHS = [
    ("resized", f"int main() {{ mesh.x.resize(50); {OVER_X} }}", 50),
    ("assigned", f"int main() {{ mesh.x.assign(50, 1.0); {OVER_X} }}", 50),
    ("range", "int main() { mesh.x.resize(50); for (double v : mesh.x) sum += v; }", 50),
    ("another one is resized", f"int main() {{ mesh.y.resize(50); {OVER_X} }}", None),
    ("assigned from iterators",
     f"int main() {{ mesh.x.assign(mesh.y.begin(), mesh.y.end()); {OVER_X} }}", None),
    ("constructed", "int main() { std::vector<double> v(70); for (double d : v) sum += d; }", 70),
    ("by a list", "int main() { std::vector<double> v{1, 2, 3}; for (double d : v) sum += d; }", 3),
    ("by a copy", "int main() { std::vector<double> v(70); std::vector<double> w = v;"
     " for (double d : w) sum += d; }", 70),
    ("member of a constructor", "struct S { std::vector<double> v; S(int n) : v(n) {} };"
     " int main() { S s(40); for (double d : s.v) sum += d; }", 40),
    ("passed", "void add(const std::vector<double> &v) { for (double d : v) sum += d; }"
     " int main() { std::vector<double> w(60); add(w); }", 60),
    ("resized by a callee", "void make(std::vector<double> &v) { v.resize(80); }"
     " int main() { std::vector<double> w; make(w); for (double d : w) sum += d; }", 80),
    ("a callee that cannot resize it", "void take(std::vector<double> v) { v.resize(80); }"
     " int main() { std::vector<double> w; take(w); for (double d : w) sum += d; }", None),
    ("reserved", f"int main() {{ mesh.x.reserve(50); {OVER_X} }}", 50),
    ("a project's own", "int main() { node.links.reserve(9); node.weights.reserve(230);"
     " for (int i = 0; i < node.links.size(); i++) sum += node.links[i]; }", 9),
    ("a project's own that is filled", "int main() { List<int> l{};"
     " for (int i = 0; i < 70; i++) l.push_back(i);"
     " for (int i = 0; i < l.size(); i++) sum += l[i]; }", None),
    ("no container, but a class that tells a size", "int main() { Row r; r.n = 12;"
     " for (int i = 0; i < r.size(); i++) sum += r.items[i]; }", 12),
    ("array", "int main() { std::array<double, 12> a{}; for (double d : a) sum += d; }", 12),
    ("size of an array", "int main() { std::array<double, 12> a{};"
     " for (std::size_t i = 0; i < a.size(); i++) sum += a[i]; }", 12),
    ("array of C", "int main() { double a[9] = {}; for (double d : a) sum += d; }", 9),
    ("reached by an index", "int main() { std::vector<std::vector<double>> v(5);"
     " for (double d : v[2]) sum += d; }", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), [each[1:] for each in LENGTHS], ids=[
    each[0] for each in LENGTHS
])  # fmt: skip
def test_length(code: str, expected: int | None) -> None:
    last = trips(code)[-1]
    if expected is None:
        assert (last.role, last.value) == (SizeRole.CONTAINER, 64)
    else:
        assert (last.decided, last.value) == (True, expected)


def test_what_a_loop_pushes_back_is_its_trips() -> None:
    push = "v.clear(); for (int i = 0; i < 90; i++) v.push_back(i);"
    fill = f"void fill(std::vector<int> &v) {{ {push} }}"
    assert [each.value for each in trips(f"{fill} int main() {{ fill(mesh.first); }}")] == [90]
    both = f"{push} for (int k : v) sum += k;"
    local = f"int main() {{ std::vector<int> v; {both} }}"
    assert [each.value for each in trips(local)] == [90, 90]


def test_elements_are_those_of_their_container() -> None:
    set_up = "mesh.first.push_back(10); mesh.last.push_back(300);"
    loop = "for (int i = mesh.first[0]; i < mesh.last[0]; i++) sum += mesh.x[i];"
    assert [each.value for each in trips(f"int main() {{ {set_up} {loop} }}")] == [290]
    other = loop.replace("last[0]", "last[unknown()]").replace("first[0]", "first.front()")
    assert [each.value for each in trips(f"int main() {{ {set_up} {other} }}")] == [290]


@pytest.mark.parametrize(("count", "known"), [(64, True), (65, False), (100_000, False)])
def test_a_table_of_data_holds_no_sizes(count: int, known: bool) -> None:
    table = f"static const int t[] = {{ {', '.join(['30'] * count)} }};"
    loop = "int main() { for (int i = 0; i < t[3]; i++) sum += i; }"
    text = f"double sum; {table} {loop}"
    equations = file_equations(Request("/a.cc", Flags("c++"), text.encode()))
    program = link_files([equations])
    (size,) = [typical_trips(program, ProgramSolver(program)).of(each) for each in program.loops]
    assert size.decided is known
    assert (size.value == 30) is known
    assert len(equations.quantities) < 100


def test_an_element_that_is_set_is_not_the_others() -> None:
    code = "int n[4]; int main() { n[0] = 7; n[unknown()] = 400; LOOP }"
    loop = "for (int i = 0; i < n[0]; i++) sum += i;"
    (first,) = trips(code.replace("LOOP", loop))
    assert first.value in (7, 400)  # the varying index may be 0
    (other,) = trips(code.replace("LOOP", loop.replace("n[0]", "n[1]")))
    assert other.value == 400


ADVANCING = """
int main() {{
    int begin = 0, end = 0;
    while (end < {n}) {{
        begin = end;
        end = {step};
        for (int i = begin; i < end; i++) sum += i;
    }}
}}
"""


@pytest.mark.parametrize("step", ["std::min(end + unknown(), 700)", "std::min(700, end + 9)"])
def test_a_position_that_steps_to_an_end_comes_to_it(step: str) -> None:
    code = "#include <algorithm>" + ADVANCING.format(n=700, step=step)
    assert trips(code)[-1].value == 700
