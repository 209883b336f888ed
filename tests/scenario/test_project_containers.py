"""Lengths of containers that a project writes itself: each of its variables and members has one."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.registry import load_registry

TEXT = """
template <class T> class List {
public:
    List() : items(0), used(0) {}
    void push_back(const T &v) { items[used++] = v; }
    void reserve(int n) { items = new T[n]; }
    int size() const { return used; }
    T &operator[](int i) { return items[i]; }
private:
    T *items; int used;
};
struct Grid { int used; };
struct Node { List<int> links; List<double> weights; Grid grid; };
double sum(Node &node) {
    double s = 0;
    for (int i = 0; i < node.weights.size(); i++) s += node.weights[i];
    return s;
}
int count(Node &node) {
    int s = 0;
    for (int i = 0; i < node.links.size(); i++) s += node.links[i];
    return s;
}
int columns(Node &node, const int *a) {
    int s = 0;
    for (int i = 0; i < node.grid.used; i++) s += a[i];
    return s;
}
int main() {
    Node node;
    int a[1000] = {0};
    node.grid.used = 1000;
    node.links.reserve(9);
    node.weights.reserve(230);
    return sum(node) + count(node) + columns(node, a);
}
"""


@pytest.mark.parametrize(
    ("function", "size", "value"),
    [
        ("sum", "node.weights.size()", 230),
        ("count", "node.links.size()", 9),
        ("columns", "node.grid.used", 1000),
    ],
)
def test_the_length_of_a_container_is_its_own(
    tmp_path: Path, function: str, size: str, value: int
) -> None:
    (tmp_path / "a.cpp").write_text(TEXT, encoding="utf-8")
    options = Options(machines=("skylake-sp-6148",), models=("roofline",))
    (file,) = analyse([Source(str(tmp_path / "a.cpp"))], options, load_registry()).files
    (found,) = [each for each in file.functions if each.name == function]
    (kernel,) = [kernel for nest in found.nests for kernel in nest.kernels]
    sizes = {name: each.value for name, each in kernel.results[0].sizes.items()}
    assert sizes == {size: value}
