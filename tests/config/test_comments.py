import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.config.comments import Directives, parse_comments
from rooflint.ir import Comment, Span


def parse(*comments: tuple[int, str]) -> Directives:
    return parse_comments(Comment(line, text) for line, text in comments)


def test_every_form() -> None:
    directives = parse(
        (2, "N=4096"),
        (3, "nx = 100, ny=1e3"),
        (4, "trip(n=1e6)"),
        (5, "noalias(a, b)"),
        (6, "threads(8)"),
        (7, "allow(RL101, RL2) rows are short"),
        (8, "row[i + 1]-row[i]=27, trips(p != end, q) = 0x10, v.size()=2.0, (m)=-3"),
    )
    assert directives.diagnostics == ()
    scope = directives.scope(Span(1, 1, 20, 1))
    assert scope.sizes == {
        **{"N": 4096, "nx": 100, "ny": 1000},
        **{"row[i+1]-row[i]": 27, "trips(p!=end,q)": 16, "v.size()": 2, "(m)": -3},
    }
    assert scope.trips == {"n": 1_000_000}
    assert scope.noalias == (("a", "b"),)
    assert scope.threads == 8
    (allow,) = directives.allows
    assert (allow.line, allow.codes, allow.reason) == (7, ("RL101", "RL2"), "rows are short")


def test_a_whole_file_is_allowed_from_any_line() -> None:
    (allow,) = parse((40, "file-allow(RL101, RL2) generated")).allows
    assert (allow.line, allow.codes, allow.reason) == (40, ("RL101", "RL2"), "generated")
    assert allow.lines is not None
    assert (1 in allow.lines, 10**9 in allow.lines) == (True, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thread(8)", "did you mean 'threads'?"),
        ("noalais(a, b)", "did you mean 'noalias'?"),
        ("of", "did you mean 'off'?"),
        ("N", "expected one of N=4096"),
        ("N==4", "expected NAME=number"),
        ("N=", "expected NAME=number"),
        ("N=many", "N=many: 'many' is no whole number"),
        ("N=1.5", "N=1.5: '1.5' is no whole number"),
        ("N=1, =2", "'=2': expected NAME=number"),
        ("N=4 096", "expected NAME=number"),
        ("N=inf", "'inf' is no whole number"),
        ("N=__import__", "'__import__' is no whole number"),
        ("tripp(n=1e6)", "did you mean 'trip'?"),
        ("trip(1e6)", "'1e6': expected NAME=number"),
        ("threads(0)", "expected a number above 0"),
        ("threads(8) please", "'please' after threads(...) is not understood"),
        ("noalias(a)", "expected two names or more"),
        ("allow(RL101)", "needs a reason"),
        ("allow(strided) slow", "expected rule codes"),
        ("file-allow(RL101)", "file-allow(...) needs a reason"),
        ("file-allow(ALL) generated", "file-allow(ALL): expected rule codes"),
        ("file-allow RL101", "expected one of"),
        ("file_allow(RL101) generated", "did you mean 'file-allow'?"),
        ("fileallow(RL101) generated", "did you mean 'file-allow'?"),
        ("expect(RL101) soon", "expected one of"),
    ],
)
def test_a_mistake_is_a_warning_with_a_near_miss(text: str, message: str) -> None:
    (diagnostic,) = parse((7, text)).diagnostics
    assert (diagnostic.line, diagnostic.severity) == (7, "warning")
    assert message in diagnostic.message


def test_scopes() -> None:
    # 1: the file; 4, 5: directly above the function on 6..10; 8: inside it; 12: the file again
    directives = parse((1, "N=1"), (4, "M=4"), (5, "K=5"), (8, "N=8"), (12, "L=12"))
    first, second = Span(6, 1, 10, 2), Span(20, 1, 30, 2)
    spans = [first, second]
    assert directives.scope(first, spans).sizes == {"N": 8, "L": 12, "M": 4, "K": 5}
    assert directives.scope(second, spans).sizes == {"N": 1, "L": 12}


def test_off_and_on() -> None:
    directives = parse((3, "off"), (6, "on"), (10, "off"))
    assert [line for line in range(1, 13) if directives.is_off(line)] == [3, 4, 5, 6, 10, 11, 12]
    assert parse((6, "on")).diagnostics[0].message.endswith("'on' without an earlier 'off'")
    assert len(parse((1, "off"), (2, "off")).diagnostics) == 1


def accepted(*comments: tuple[int, str]) -> list[tuple[int, tuple[str, ...], int | None]]:
    directives = parse(*comments)
    assert directives.diagnostics == ()
    return [(a.line, a.codes, a.lines[-1] if a.lines else None) for a in directives.allows]


def test_nolint_is_shared_with_other_tools() -> None:
    assert accepted(
        (2, "NOLINT(bugprone-x, RL101)"),
        (3, "NOLINTNEXTLINE(RL2)"),
        (4, "NOLINT(y)"),
        (5, "NOLINT(bugprone-*)"),
        (6, "NOLINT(RL3*, RL2*,google*)"),
        (7, "NOLINT()"),
        (8, "NOLINT(RL*)"),
    ) == [(2, ("RL101",), None), (4, ("RL2",), None), (6, ("RL3", "RL2"), None), (8, ("RL",), None)]


def test_a_mark_without_names_is_for_everything_on_its_line() -> None:
    assert accepted((1, "NOLINT"), (2, "NOLINTNEXTLINE"), (9, "NOLINT(*)")) == [
        (1, ("",), 1),
        (3, ("",), 3),
        (9, ("",), 9),
    ]


def test_blocks_end_where_the_same_names_do() -> None:
    assert accepted(
        (1, "NOLINTBEGIN"),
        (2, "NOLINTBEGIN(RL101)"),
        (3, "NOLINTBEGIN(bugprone-*)"),
        (4, "NOLINTEND(RL102)"),
        (5, "NOLINTEND(RL101)"),
        (6, "NOLINTEND(bugprone-*)"),
        (7, "NOLINTEND"),
        (8, "NOLINTEND"),
        (9, "NOLINTBEGIN(RL2)"),
    ) == [(2, ("RL101",), 5), (1, ("",), 7)]


@given(st.text(max_size=40))
def test_any_text_is_understood_or_warned_about(text: str) -> None:
    directives = parse((1, text))
    understood = (*directives.settings, *directives.allows, *directives.off)
    if not text.startswith("NOLINT"):
        assert len(understood) + len(directives.diagnostics) >= 1
    assert all("\n" not in d.message or "\n" in text for d in directives.diagnostics)


def test_one_scope_has_one_value_for_a_name() -> None:
    first, second = Span(10, 1, 20, 1), Span(30, 1, 40, 1)
    directives = parse((2, "n=1"), (12, "n=2, p->m=3"), (15, "n=2"), (16, "p.m=4"), (32, "n=5"))
    (found,) = directives.contradictions([first, second])
    assert (found.line, found.severity) == (16, "warning")
    assert found.message == (
        "rooflint comment: p.m=4 contradicts p.m=3 of line 12; keep one of the two"
    )
    (found,) = parse((2, "n=1"), (3, "n=2")).contradictions([first])
    assert found.line == 3
    assert not list(parse((2, "n=1"), (12, "n=2")).contradictions([first]))
