"""Threads stand behind what one core can have."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from rooflint.ir import Span
from rooflint.lint.agreement import settle_threads
from rooflint.plugin_api.advice import Advice, Gain, Numbers, threads_last
from rooflint.plugin_api.verdict import Action, ActionKind

Lint = Callable[..., tuple[int, list[str], str]]
SPAN = Span(line=1, column=1, end_line=1, end_column=9)


def advice(code: str, gain: float, saved: float, loop: str = "i.j", function: str = "f") -> Advice:
    """``saved`` seconds of a call, at a gain; of RL401 by threads."""
    kind = ActionKind.THREADS if code == "RL401" else ActionKind.OTHER
    return Advice(
        code=code,
        slug="",
        message=f"{code} says so",
        severity="note",
        span=SPAN,
        function=function,
        loop=loop,
        fingerprint="",
        gain=Gain(gain, gain),
        numbers=Numbers("verdict", 1.0, 1.0, "us", saved_seconds=saved, share=0.5),
        action=Action(kind, ""),
    )


def codes(*found: Advice) -> list[str]:
    return [each.code for each in settle_threads(found).findings]


def test_a_nest_twice_as_fast_on_one_core_names_threads_as_its_next_step() -> None:
    # of 10 s, threads save 9 (10 times) and the other change 5 (twice)
    threads, swap = advice("RL401", 10.0, 9.0, "i"), advice("RL102", 2.0, 5.0)
    settled = settle_threads((threads, swap))
    assert [each.message for each in settled.findings] == ["RL102 says so; next: threads (RL401)"]
    [silence] = settled.behind
    assert (silence.code, silence.guard) == ("RL401", "serial-first")
    assert silence.reason == "RL102 comes first: 2.0× on one core"


@pytest.mark.parametrize(
    "other",
    [
        advice("RL102", 1.9, 5.0),  # less than twice
        advice("RL102", 2.0, 4.9),  # twice, but of a part of the nest alone
        advice("RL102", 2.0, 5.0, loop="k.j"),  # another nest
    ],
)
def test_threads_stay_beside_smaller_changes(other: Advice) -> None:
    assert codes(advice("RL401", 10.0, 9.0, "i"), other) == ["RL401", "RL102"]


def test_a_long_message_has_no_room_for_the_next_step() -> None:
    long = advice("RL102", 4.0, 7.5)._replace(message="x" * 190)
    settled = settle_threads((advice("RL401", 10.0, 9.0, "i"), long))
    assert [each.message for each in settled.findings] == ["x" * 190]


def test_threads_are_named_behind_the_changes_of_their_function() -> None:
    found = [
        advice("RL401", 6.0, 9.0),
        advice("RL401", 6.0, 8.0, function="g"),
        advice("RL105", 1.2, 2.0),
        advice("RL104", 1.3, 1.0),
        advice("RL105", 1.2, 0.5, function="h"),
    ]
    ordered = threads_last(found, lambda each: each, lambda each: each.function)
    assert [(each.code, each.function) for each in ordered] == [
        ("RL401", "g"),  # nothing else in g
        ("RL105", "f"),
        ("RL104", "f"),
        ("RL401", "f"),
        ("RL105", "h"),
    ]


FUSED = """void k(int n, double al, const double *restrict p, double *restrict x,
       double *restrict r) {
  for (int i = 0; i < n; i++) x[i] += al * p[i];
  for (int i = 0; i < n; i++) r[i] = x[i] * al - p[i];
}
"""


def test_a_fusion_comes_before_threads(lint: Lint) -> None:
    rules = ("--select", "RL104,RL401", "-D", "n=60000000")
    _, lines, _ = lint("--format", "json", *rules, text=FUSED)
    (file,) = json.loads("\n".join(lines))["files"]
    assert [each["code"] for each in file["findings"]] == ["RL104", "RL401", "RL401"]


HELPER = """struct bank {{ int channels, steps; double *x, *y; }};
static void smooth(const double *x, double *y, int steps, int pitch, double a) {{
  double s = 0;
  for (int t = 0; t < steps; t++) {{
    s += a * (x[t * pitch] - s);
    y[t * pitch] = s;
  }}
}}
void k(const struct bank *b, double a) {{
  for (int c = 0; c < b->channels; c++)
    {call}
}}
"""
CALL = "smooth(b->x + c, b->y + c, b->steps, b->channels, a);"


def found_in(lint: Lint, text: str) -> list[dict[str, Any]]:
    sizes = ("-D", "channels=32", "-D", "steps=1250")
    _, lines, _ = lint("--format", "json", "--select", "RL102", *sizes, text=text)
    (file,) = json.loads("\n".join(lines))["files"]
    return list(file["findings"])


def test_a_loop_around_a_helper_has_the_share_of_its_copy(lint: Lint) -> None:
    # what the helper takes is the helper's time; in k, its copy can change places with k's loop
    [finding] = found_in(lint, HELPER.format(call=CALL))
    assert (finding["function"], finding["line"]) == ("k", 10)
    assert finding["numbers"]["run_share"] > 0.8


def test_a_loop_around_nothing_has_no_share(lint: Lint) -> None:
    cold = HELPER.format(call="b->y[c] = 0;") + "void l(struct bank *b) {\n"
    cold += "  for (int i = 0; i < 2000000; i++) smooth(b->x, b->y, 1000, 1, 0.5);\n}\n"
    assert found_in(lint, cold) == []
