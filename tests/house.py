"""Counts of habits that the code is giving up; ``python tests/house.py`` prints them.

Each count has a limit in ``LIMITS`` and a goal. A change may lower a limit and never raises one.
"""

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeGuard

from radon.visitors import ComplexityVisitor

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    ROOT / "analyzer" / "rooflint",
    ROOT / "plugins" / "rooflint_plugins",
    ROOT / "lsp" / "rooflint_lsp",
)
CORE = "rooflint"
TEXT_FOLDERS = (
    "rooflint/frontend",
    "rooflint/compile_flags",
    "rooflint/config",
    "rooflint/source_edit",
    "rooflint/core/external",
)
"""Where text is all there is: source, compile commands, configuration, edits of source, and the
assembly and tables that other tools print."""
COMPILER_FOLDERS = (
    "rooflint/core/compiler",
    "rooflint/core/vectorize",
    "rooflint/core/external",
    "rooflint/compile_flags",
)
"""Where compilers are described; everything else asks for their traits."""
COMPILERS = frozenset(("gcc", "clang"))
PROSE = frozenset(
    "reason message sentence evidence headline detail obstacle why problem assumption title".split()
)
"""Names of variables and fields that hold what a person reads."""
TESTS_OF_TEXT = frozenset("startswith endswith partition removeprefix removesuffix split".split())
PARSERS_OF_PRINT = frozenset(("poly_of",))
"""Functions that read back what this program has printed."""
PARTICIPLES = frozenset(
    "found said told kept known seen made met grown drawn shown held given taken told read".split()
)
NOUNS_IN_ED = frozenset("speed need seed".split())
POSITIONAL = 3
"""Fields that a record may take by position."""
COMPLEX = 10
VERY_COMPLEX = 20


@dataclass(frozen=True, eq=False)
class Source:
    """A module of the product: ``name`` is ``rooflint/facts/space.py``."""

    name: str
    text: str
    tree: ast.Module


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A habit and how often the product has it; ``cases`` name the places."""

    name: str
    limit: int
    goal: int
    cases: Callable[[list[Source]], list[str]]


@cache
def sources() -> list[Source]:
    """Every module of the product, in a stable order."""
    paths = [
        (package.parent, path) for package in PACKAGES for path in sorted(package.rglob("*.py"))
    ]
    texts = [(path.relative_to(base).as_posix(), path.read_text("utf-8")) for base, path in paths]
    return [Source(name, text, ast.parse(text, name)) for name, text in texts]


def _calls(source: Source) -> Iterator[ast.Call]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.Call))


def _last_name(node: ast.expr) -> str:
    """``b`` of ``a.b`` and of ``b``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def parsed_print(modules: list[Source]) -> list[str]:
    """Calls of functions that parse printed polynomials."""
    return [
        f"{source.name}:{call.lineno}"
        for source in modules
        for call in _calls(source)
        if _last_name(call.func) in PARSERS_OF_PRINT
    ]


def text_branches(modules: list[Source]) -> list[str]:
    """Tests of the wording of a reason or message: ``reason.startswith(…)``, ``"…" in message``."""
    cases = []
    for source in modules:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                about_text = node.func.attr in TESTS_OF_TEXT and _is_prose(node.func.value)
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                constant = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
                named = _last_name(node.left).isupper()
                about_text = (constant or named) and _is_prose(node.comparators[0])
            else:
                continue
            if about_text:
                cases.append(f"{source.name}:{node.lineno}")
    return cases


def _is_prose(node: ast.expr) -> bool:
    return any(word in PROSE for word in _last_name(node).lower().split("_"))


def regexes(modules: list[Source]) -> list[str]:
    """Uses of ``re`` where structure is known: outside of the folders whose input is text."""
    return [
        f"{source.name}:{call.lineno}"
        for source in modules
        if not source.name.startswith(TEXT_FOLDERS)
        for call in _calls(source)
        if isinstance(call.func, ast.Attribute) and _last_name(call.func.value) == "re"
    ]


def reused_types(modules: list[Source]) -> list[str]:
    """Names of classes that stand for several types."""
    names = Counter(
        node.name
        for source in modules
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
    )
    return [f"{name}: {count}" for name, count in sorted(names.items()) if count > 1]


def _functions_above(limit: int) -> Callable[[list[Source]], list[str]]:
    def cases(modules: list[Source]) -> list[str]:
        return [
            f"{source.name}:{function.lineno} {function.name}: {function.complexity}"
            for source in modules
            for function in _functions(source)
            if function.complexity > limit
        ]

    return cases


@cache
def _functions(source: Source) -> tuple[ComplexityVisitor, ...]:
    """Functions, methods and those inside them, as radon counts (boolean operators included)."""
    visitor = ComplexityVisitor.from_ast(source.tree)
    waiting = [*visitor.functions, *(m for c in visitor.classes for m in c.methods)]
    functions = []
    while waiting:
        function = waiting.pop()
        waiting += function.closures
        functions.append(function)
    return tuple(functions)


def root_modules(modules: list[Source]) -> list[str]:
    """Modules that stand in the package's root, ``__init__`` and ``__main__`` aside."""
    roots = [s.name for s in modules if s.name.startswith(f"{CORE}/") and s.name.count("/") == 1]
    return [name for name in roots if not Path(name).stem.startswith("__")]


def crowded_folders(modules: list[Source]) -> list[str]:
    """Modules above eighteen in a folder, rules aside: there is one file a rule."""
    sizes = Counter(str(Path(s.name).parent) for s in modules if Path(s.name).stem != "__init__")
    return [
        f"{folder}: {size}"
        for folder, size in sorted(sizes.items())
        if folder != "rooflint_plugins/rules"
        for _ in range(max(0, size - 18))
    ]


def untyped_doors(modules: list[Source]) -> list[str]:
    """Calls of ``import_module`` outside of the registry and the command line."""
    return [
        f"{source.name}:{call.lineno}"
        for source in modules
        if not source.name.startswith(("rooflint/cli", "rooflint/registry"))
        for call in _calls(source)
        if _last_name(call.func) == "import_module"
    ]


def compiler_names(modules: list[Source]) -> list[str]:
    """Tests of a compiler's name: ``compiler.name``, ``… == "gcc"``, ``"clang" in …``."""
    return [
        f"{source.name}:{node.lineno}"
        for source in modules
        if not source.name.startswith(COMPILER_FOLDERS)
        for node in ast.walk(source.tree)
        if _names_a_compiler(node)
    ]


def _names_a_compiler(node: ast.AST) -> TypeGuard[ast.expr | ast.pattern]:
    if isinstance(node, ast.Attribute):
        return node.attr == "name" and "compiler" in _last_name(node.value).lower()
    if not isinstance(node, ast.Compare | ast.MatchValue):
        return False
    return any(isinstance(n, ast.Constant) and n.value in COMPILERS for n in ast.walk(node))


def identity_keys(modules: list[Source]) -> list[str]:
    """Calls of ``id``: an address outlives what it named."""
    return [
        f"{source.name}:{call.lineno}"
        for source in modules
        for call in _calls(source)
        if isinstance(call.func, ast.Name) and call.func.id == "id"
    ]


def participles(modules: list[Source]) -> list[str]:
    """Public functions and types whose whole name is a participle or a word of no field."""
    return [
        f"{source.name}:{node.lineno} {node.name}"
        for source in modules
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and _is_participle(node.name)
    ]


def _is_participle(name: str) -> bool:
    word = name.lower()
    if "_" in word or word in NOUNS_IN_ED:
        return False
    return word in PARTICIPLES or (word.endswith("ed") and not word.endswith("eed"))


def what_docstrings(modules: list[Source]) -> list[str]:
    """Docstrings that begin with a relative clause in place of a noun or a verb."""
    defined = ast.Module | ast.ClassDef | ast.FunctionDef
    return [
        f"{source.name}:{getattr(node, 'lineno', 1)}"
        for source in modules
        for node in ast.walk(source.tree)
        if isinstance(node, defined) and (ast.get_docstring(node) or "").startswith("What ")
    ]


def records(modules: list[Source]) -> dict[str, int]:
    """Fields of each record type by its name; of several of one name, the fewest."""
    sizes: dict[str, int] = {}
    for source in modules:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef) and _is_record(node):
                fields = sum(isinstance(each, ast.AnnAssign) for each in node.body)
                sizes[node.name] = min(fields, sizes.get(node.name, fields))
    return sizes


def _is_record(node: ast.ClassDef) -> bool:
    decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    names = {_last_name(each) for each in (*node.bases, *decorators)}
    return bool(names & {"NamedTuple", "Struct", "Located", "dataclass"})


def positional_records(modules: list[Source]) -> list[str]:
    """Records of which four fields and more are given by position."""
    sizes = records(modules)
    return [
        f"{source.name}:{call.lineno} {_last_name(call.func)}"
        for source in modules
        for call in _calls(source)
        if _last_name(call.func) in sizes and len(call.args) > POSITIONAL
    ]


def splats(modules: list[Source]) -> list[str]:
    """Records made of all fields of another: ``Point(*pair)``."""
    sizes = records(modules)
    return [
        f"{source.name}:{call.lineno} {_last_name(call.func)}"
        for source in modules
        for call in _calls(source)
        if _last_name(call.func) in sizes
        and any(isinstance(argument, ast.Starred) for argument in call.args)
    ]


def measures() -> tuple[Measure, ...]:
    """What is counted, with today's limits."""
    return (
        Measure(name="parsed print", limit=0, goal=0, cases=parsed_print),
        Measure(name="branches on message text", limit=0, goal=0, cases=text_branches),
        Measure(name="regular expressions outside text folders", limit=0, goal=0, cases=regexes),
        Measure(name="reused type names", limit=0, goal=10, cases=reused_types),
        Measure(
            name="functions of complexity over 10",
            limit=113,
            goal=120,
            cases=_functions_above(COMPLEX),
        ),
        Measure(
            name="functions of complexity over 20",
            limit=0,
            goal=0,
            cases=_functions_above(VERY_COMPLEX),
        ),
        Measure(name="modules in the root", limit=4, goal=6, cases=root_modules),
        Measure(name="modules above eighteen in a folder", limit=0, goal=0, cases=crowded_folders),
        Measure(name="import_module below the doors", limit=0, goal=0, cases=untyped_doors),
        Measure(name="tests of a compiler's name", limit=0, goal=0, cases=compiler_names),
        Measure(name="identities as keys", limit=0, goal=0, cases=identity_keys),
        Measure(name="participles as public names", limit=0, goal=0, cases=participles),
        Measure(name="docstrings that begin with What", limit=0, goal=0, cases=what_docstrings),
        Measure(name="records by position", limit=41, goal=0, cases=positional_records),
        Measure(name="records from other records", limit=2, goal=0, cases=splats),
    )


def main() -> None:
    """Print each count beside its limit and goal; with a measure's name, its places."""
    modules = sources()
    for measure in measures():
        cases = measure.cases(modules)
        print(f"{len(cases):5d}  limit {measure.limit:4d}  goal {measure.goal:4d}  {measure.name}")
        if measure.name in sys.argv[1:]:
            print("".join(f"       {case}\n" for case in cases), end="")


if __name__ == "__main__":
    main()
