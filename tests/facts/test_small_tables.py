"""Accesses at unknown places within a small array are no gap: it stays in the nearest cache."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import facts_of
from rooflint.facts.kernel_facts import SMALL_ARRAY_BYTES
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Reason


def gaps(before: str, parameters: str = "") -> list[Reason]:
    """Those of a loop that looks up ``table`` where ``k`` says."""
    loop = "for (int i = 0; i < n; i++) s += table[k[i]];"
    text = f"{before} int f(int n, const int *k{parameters}) {{ int s = 0; {loop} return s; }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    return [gap.reason for gap in facts.not_covered]


@pytest.mark.parametrize(("length", "number"), [(SMALL_ARRAY_BYTES, 0), (SMALL_ARRAY_BYTES + 1, 1)])
def test_the_size_of_the_table_decides(length: int, number: int) -> None:
    assert len(gaps(f"static const unsigned char table[{length}] = {{1}};")) == number


def test_all_extents_count() -> None:
    text = "static int grid[64][{0}]; int f(int n, const int *k) {{ int s = 0;"
    loop = " for (int i = 0; i < n; i++) s += grid[k[i]][0]; return s; }"
    for columns, number in ((16, 0), (17, 1)):  # 64 x 16 x 4 bytes = 4096
        request = Request("/nowhere/a.c", Flags("c"), (text.format(columns) + loop).encode())
        (facts,) = facts_of(extract(request).functions[0].function)
        assert len(facts.not_covered) == number


def test_a_pointer_s_target_may_be_of_any_size() -> None:
    assert len(gaps("", ", const int *table")) == 1
    assert len(gaps("", ", const int table[16]")) == 1


def gap_of(index: str, element: str = "double") -> int:
    """Gaps of a loop that looks ``table`` up, whose elements have the type, at ``index``."""
    text = f"""
    double f(int n, const {element} *table, const unsigned char *b, const signed char *c,
             const unsigned short *w, const unsigned *u, const int *k) {{
        double s = 0;
        for (int i = 0; i < n; i++) s += table[{index}];
        return s;
    }}"""
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    return len(facts.not_covered)


@pytest.mark.parametrize(
    ("index", "number"),
    [
        ("b[i]", 0),  # 256 elements of 8 bytes: 2048
        ("c[i]", 0),
        ("2 * b[i]", 0),  # 4088 bytes
        ("3 * b[i]", 1),
        ("b[i] + b[i + 1]", 0),
        ("b[i] + b[i + 1] + b[i + 2]", 1),
        ("w[i]", 1),
        ("k[i] & 511", 0),  # 512 elements
        ("k[i] & 512", 1),
        ("w[i] >> 7", 0),
        ("w[i] >> 6", 1),
        ("b[i] | (b[i] << 1)", 0),
        ("b[i] << 2", 1),
        ("u[i] % 512", 0),
        ("u[i] % 513", 1),
        ("k[i] % 512", 1),  # from -511
        ("b[i] < 3", 0),
        ("b[i] + i", 1),
    ],
)
def test_an_index_of_few_values_reaches_few_places(index: str, number: int) -> None:
    assert gap_of(index) == number


def test_elements_count_by_their_size() -> None:
    assert gap_of("k[i] & 4095", "char") == 0
    assert gap_of("k[i] & 4095", "short") == 1
