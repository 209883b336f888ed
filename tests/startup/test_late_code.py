"""Functions whose code waits in a bundle do what they do elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.startup.late_pattern import pattern_of, pattern_program

SOURCE = '''
"""Functions of all kinds."""
from contextlib import contextmanager
from functools import cache, cached_property
from typing import NamedTuple

from rooflint.startup.late_pattern import late_pattern

NUMBER = late_pattern(r"(?P<sign>[+-])?(\\\\d+)", 2)
UNUSED = late_pattern("unused")


def plain(first, /, second=2, *others, third=3, **named):
    return first, second, others, third, sorted(named.items())


def rehearsed(text):
    return NUMBER.match(text).group("sign", 2)


def steps(count: int):
    for number in range(count):
        yield number


def outer(base):
    def inner(number):
        return base + number
    return inner


@contextmanager
def opened(value):
    yield value * 2


@cache
def kept(number):
    return [number]


class Base:
    def name(self):
        return "base"


class Kind(Base):
    def __init__(self, number=1):
        self.number = number

    def name(self):
        return "kind of " + super().name()

    @property
    def double(self):
        return self.number * 2

    @cached_property
    def half(self):
        return self.number / 2

    @classmethod
    def of(cls, number):
        return cls(number)

    @staticmethod
    def shout(text):
        return text.upper()

    class Inner:
        def depth(self):
            return 2


class Pair(NamedTuple):
    left: int
    right: int = 5

    def total(self):
        return self.left + self.right


later = lambda number: number + 1
'''
USE = """
def use(own):
    with own.opened(4) as value:
        opened = value
    kind = own.Kind.of(6)
    return [
        own.plain(1), own.plain(1, 3, 4, third=7, fourth=8), own.rehearsed("-12"),
        list(own.steps(3)), own.outer(2)(3), opened, own.kept(3), own.kept(3) is own.kept(3),
        kind.name(), kind.double, kind.half, kind.half, own.Kind.shout("a"),
        own.Kind.Inner().depth(),
        own.Pair(1).total(), own.later(1), own.plain.__defaults__, own.plain.__kwdefaults__,
        own.plain.__qualname__, own.Kind.Inner.depth.__qualname__, own.steps.__annotations__,
    ]
"""
HEAD = """
import sys
from rooflint.startup.bundle_writing import write_bundle
from rooflint.startup.module_bundle import read_bundle
from rooflint.startup.own_modules import OwnModuleFinder

path = sys.argv[1]
finder = OwnModuleFinder({"own"}, sys.implementation.cache_tag)
sys.meta_path.insert(0, finder)

def load():
    import own.kinds

def rehearse():
    import own.kinds
    own.kinds.rehearsed("+3")
    if len(sys.argv) > 2:
        raise ValueError

def bundled():
    finder.bundle = read_bundle(path)
    finder.bundle.load("all")
    return sys.modules["own.kinds"]
"""


def printed(tree: Path, program: str, *arguments: str) -> str:
    """What the program prints in a process of its own."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + USE + program, str(tree / "bundle"), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout.strip()


WRITE = "\nprint(write_bundle(path, finder, {'all': load}, rehearse))"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module, compiled, and its bundle."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "own").mkdir()
    (folder / "own" / "__init__.py").touch()
    (folder / "own" / "kinds.py").write_text(SOURCE.replace("\\\\", "\\"), encoding="utf-8")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "compileall", "-q", str(folder)]
    subprocess.run(command, check=True, env=environment)
    assert printed(folder, WRITE) == "True"
    return folder


def test_functions_that_wait_do_what_they_do_elsewhere(tree: Path) -> None:
    expected = printed(tree, "\nload()\nprint(use(sys.modules['own.kinds']))")
    assert printed(tree, "\nprint(use(bundled()))") == expected
    twice = "\nown = bundled()\nuse(own)\nprint(use(own))"
    assert printed(tree, twice) == expected


CODES = """
def waits(function):
    return function.__code__.co_varnames[:1] == ("arguments",)

own = bundled()
kinds = vars(own.Kind)
functions = [own.plain, own.steps, own.opened.__wrapped__, own.kept.__wrapped__,
    kinds["double"].fget, kinds["half"].func, kinds["of"].__func__, kinds["shout"].__func__,
    own.Kind.Inner.depth, own.Pair.total]
"""


def test_only_functions_that_a_rehearsal_did_not_call_wait(tree: Path) -> None:
    shown = f"{CODES}\nprint(*map(waits, functions), waits(own.rehearsed), waits(own.Kind.name))"
    # one with a cell has its code, as it cannot be exchanged
    assert printed(tree, shown).split() == ["True"] * 10 + ["False"] * 2
    assert printed(tree, f"{CODES}\nuse(own)\nprint(any(map(waits, functions)))") == "False"


def test_wrong_arguments_are_named_as_ever(tree: Path) -> None:
    wrong = (
        "\ntry: own.Kind.Inner().depth(3)\nexcept TypeError as error: print(error)"
        "\ntry: own.plain()\nexcept TypeError as error: print(error)"
    )
    expected = printed(tree, f"\nload()\nown = sys.modules['own.kinds']{wrong}")
    assert printed(tree, f"\nown = bundled(){wrong}") == expected


def test_a_function_that_is_elsewhere_is_no_other(tree: Path) -> None:
    program = (
        "\nown = bundled()\nfunction, own.plain = own.plain, own.steps\n"
        "try: function(1)\nexcept RuntimeError as error: print(error)"
    )
    assert printed(tree, program) == "own.kinds.plain is not where its module had it"


def test_a_rehearsal_that_fails_leaves_more_to_wait(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "own").symlink_to(tree / "own")
    assert printed(tmp_path, WRITE, "fails") == "True"
    assert printed(tmp_path, "\nprint(use(bundled()))") == printed(tree, "\nprint(use(bundled()))")


def test_a_pattern_of_a_bundle_is_not_compiled_again(tree: Path) -> None:
    program = (
        "\nimport re\nown = bundled()\nre.purge()\nmade = re._compiler.compile\n"
        "def compiled(*words): print('compiled', words[0]); return made(*words)\n"
        "re._compiler.compile = compiled\n"
        "print(own.rehearsed('-7'), own.UNUSED.match('unused').group())"
    )
    assert printed(tree, program).splitlines() == ["compiled unused", "('-', '7') unused"]


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("a", 0),
        (r"(?P<name>[a-z_]\w*)\s*(?:=\s*(?P<value>.+?))?$", re.MULTILINE | re.IGNORECASE),
        (rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)", re.MULTILINE),
        ("[^ -ÿ]|(?<!x)(?=y)z{2,3}?", 0),
        ("(?x) a b # comment", 0),
    ],
)
def test_the_program_of_a_pattern_is_that_pattern(text: str | bytes, flags: int) -> None:
    program = pattern_program(text, flags)
    assert program is not None
    expected = re.compile(text, flags)
    found = pattern_of(program)
    assert found == expected
    assert (found.groups, found.groupindex) == (expected.groups, expected.groupindex)
    assert found.flags == expected.flags
