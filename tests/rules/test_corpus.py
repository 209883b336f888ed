"""The loops of real projects in ``benchmarks/gains``: enough of them, measured, and on the page."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gains.md"
LOOPS, PROJECTS = 120, 15
ROW = re.compile(r"^\| (\w+) \| ([^|]+) \| (RL\d+) \| ([^|]+) \| (.*) \|$", re.M)


@pytest.fixture(scope="module")
def corpus() -> ModuleType:
    """The module that reads the loops."""
    folder = ROOT / "benchmarks"
    spec = importlib.util.spec_from_file_location("corpus_loops", folder / "corpus_loops.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(spec.name, None)
        sys.modules.pop("pair_times", None)
    return module


def test_there_are_enough_loops_of_enough_projects(corpus: ModuleType) -> None:
    loops = list(corpus.corpus())
    assert len({loop.name for loop in loops}) == len(loops) >= LOOPS
    assert len({loop.source[0] for loop in loops}) >= PROJECTS


def test_each_loop_has_both_functions(corpus: ModuleType) -> None:
    for loop in corpus.corpus():
        assert " before(" in loop.before and " after(" not in loop.before, loop.name
        assert " after(" in loop.after and " before(" not in loop.after, loop.name


def test_each_loop_was_measured_at_each_size_with_each_compiler(corpus: ModuleType) -> None:
    recorded = corpus.recorded()
    assert recorded == {
        loop.name: {data: recorded[loop.name][data] for data, _ in loop.sizes}
        for loop in corpus.corpus()
    }
    for sizes in recorded.values():
        for times in sizes.values():
            assert times.keys() == corpus.FLAGS.keys()


def test_the_page_shows_what_was_measured(corpus: ModuleType) -> None:
    _, _, table = PAGE.read_text(encoding="utf-8").partition("<!-- corpus -->")
    shown = {}
    for name, project, rule, data, cells in ROW.findall(table):
        gains = [cell.partition(" / ")[0] for cell in cells.split(" | ")]
        shown[name, project, rule, data] = gains
    recorded = corpus.recorded()
    assert shown == {
        (loop.name, loop.source[0], loop.rule, data): [
            f"{before / after:.2f}" for before, after in recorded[loop.name][data].values()
        ]
        for loop in corpus.corpus()
        for data, _ in loop.sizes
    }
