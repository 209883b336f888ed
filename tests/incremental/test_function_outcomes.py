"""An edit of a file costs the functions that it changed, wherever they stand now."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.request import Request
from rooflint.incremental.function_outcomes import OUTCOMES
from rooflint.pipeline import Options, SetupResolver
from rooflint.pipeline.in_child import Analyst, Answer, Question
from rooflint.registry import load_registry
from rooflint.workers.storage import decompress

SCALE = "void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
COPY = "void copy(double *a, double *b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }\n"


class Edited:
    """A file that is analysed again and again."""

    def __init__(self, path: Path) -> None:
        registry = load_registry()
        options = Options(machines=("generic-2level",))
        self.resolver = SetupResolver(options, registry)
        self.answer = Analyst(registry.models).start()
        self.path = path

    def __call__(self, text: str, functions: bytes = b"") -> Answer:
        self.path.write_text(text)
        request = Request(str(self.path), Flags("c", "c17", ()))
        packed = self.resolver.packed(str(self.path))
        compiler = self.resolver.setup_for(str(self.path)).compiler
        return self.answer(Question(request, packed, compiler, traced=True, functions=functions))


@pytest.fixture
def analysed(tmp_path: Path) -> Edited:
    return Edited(tmp_path / "a.c")


def names(functions: bytes) -> set[str]:
    return set(decompress(OUTCOMES, functions) if functions else ())


@pytest.mark.parametrize(
    "edited",
    [
        "/* a word\n about it */\n" + SCALE + COPY,
        COPY + SCALE,
        SCALE.replace("; ", ";\n\n   "),
        "#include <math.h>\n#define UNUSED 1\n" + SCALE + "\n" + COPY,
    ],
    ids=["a comment above", "another order", "other lines and one less", "an include"],
)
def test_what_has_only_moved_is_not_analysed(analysed: Edited, edited: str) -> None:
    first = analysed(SCALE + COPY)
    assert len(names(first.functions)) == 2
    again = analysed(edited, first.functions)
    assert again.functions == b""  # nothing is new
    assert again.result == analysed(edited).result


def test_what_has_changed_is_analysed_alone(analysed: Edited) -> None:
    first = analysed(SCALE + COPY)
    edited = "\n" + SCALE + COPY.replace("b[i]", "b[i] + a[i]")
    again = analysed(edited, first.functions)
    # scale's and the new copy's: the old copy's is gone
    assert len(names(again.functions) & names(first.functions)) == 1
    assert len(names(again.functions)) == 2
    assert again.result == analysed(edited).result


@pytest.mark.parametrize("comment", ["// rooflint: n=77\n", "// rooflint: threads(4)\n"])
def test_a_comment_that_sets_something_counts(analysed: Edited, comment: str) -> None:
    first = analysed(SCALE)
    again = analysed(comment + SCALE, first.functions)
    assert again.functions
    assert again.result == analysed(comment + SCALE).result
    assert again.result != first.result


@pytest.mark.parametrize("damage", [b"x", b"\x80\x04N.", b""])
def test_damage_costs_time_only(analysed: Edited, damage: bytes) -> None:
    first = analysed(SCALE)
    assert analysed(SCALE, damage) == first
