"""Tokens of statements, found by the name that they lead to."""

import pytest
from rooflint.source_edit.tokens import words_before


@pytest.mark.parametrize(
    ("code", "before"),
    [
        ("static int f(int n) {}", [["static", "int"]]),
        ("int g; static\nvoid f  \n (void);", [["static", "void"]]),
        ("static int g; int f(int n) {}", [["int"]]),
        ("static int g(void) { return 1; }\nint f() {}", [["int"]]),
        (
            "static int h() { return f(1) + f(2); }",
            [["return"], ["return", "f", "(", "1", ")", "+"]],
        ),
        ("static int of(int n); static int f_(int); static int f;", []),
        ("f(x)", [[]]),
        ("int f", []),
        ("", []),
    ],
)
def test_words_before_a_call_or_declaration(code: str, before: list[list[str]]) -> None:
    assert [[word.text for word in words] for words in words_before(code, "f")] == before
