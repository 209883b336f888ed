"""Mutants drawn from all modules at random: cosmic-ray's operators at places of a seed's choice.

Its own runner changes the work tree and asks the same tests of every mutant, so only its operators
are used. Left out are those that a type checker answers (exceptions, variables, decorators) and
places inside annotations and docstrings, where a change is none.
"""

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

SOURCES: Final = ("analyzer", "plugins", "lsp")
KINDS: Final = (
    "core/ReplaceBinaryOperator_", "core/ReplaceComparisonOperator_", "core/ReplaceUnaryOperator_",
    "core/AddNot", "core/ReplaceTrue", "core/ReplaceFalse", "core/ReplaceAnd", "core/ReplaceOr",
    "core/ReplaceBreak", "core/ReplaceContinue", "core/NumberReplacer", "core/ZeroIterationForLoop",
)  # fmt: skip
TESTS: Final = {
    "analyzer/rooflint/git": ("tests/git", "tests/trust/test_git_programs.py"),
    "analyzer/rooflint/registry.py": ("tests/test_registry.py",),
    "analyzer/rooflint/escaping.py": ("tests/render/test_hidden_characters.py",),
    "analyzer/rooflint/plugin_api": (
        "tests/plugin_api",
        "tests/lint",
        "tests/models/test_limit_kinds.py",
        "tests/test_third_party_model.py",
        "tests/render/test_findings.py",
    ),
    "plugins/rooflint_plugins/models/hybrid": ("tests/models/hybrid",),
    "plugins/rooflint_plugins/rules": ("tests/rules",),
    "lsp": ("tests/lsp",),
}
"""Where the tests of a package have another name than the package; the longest beginning counts."""


def drawn(root: Path, count: int, seed: int) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Name, file, changed content and tests of so many mutants; the same ones for the same seed."""
    rng = random.Random(seed)
    modules = sorted(path for part in SOURCES for path in (root / part).rglob("*.py"))
    sizes = [path.stat().st_size for path in modules]
    made = 0
    while made < count:
        [path] = rng.choices(modules, sizes)
        content = path.read_text(encoding="utf-8")
        mutant = _mutant(content, rng)
        if mutant is not None:
            made += 1
            name, changed = mutant
            file = path.relative_to(root).as_posix()
            yield f"{file}:{name}", file, changed, tests_of(root, file)


def tests_of(root: Path, file: str) -> tuple[str, ...]:
    """The tests of a module's package; those of the rules for what only rules share."""
    named = max([each for each in TESTS if file.startswith(each)], key=len, default="")
    if named:
        return TESTS[named]
    parts = file.split("/")
    if parts[:3] == ["plugins", "rooflint_plugins", "models"]:
        found = sorted((root / "tests" / "models").glob(f"test_{Path(parts[3]).stem}*.py"))
        shared = "tests/models/test_limit_kinds.py"
        return (*[path.relative_to(root).as_posix() for path in found], shared)
    own = f"tests/{parts[2]}"
    return (own,) if (root / own).is_dir() else ("tests/rules",)


def _mutant(content: str, rng: random.Random) -> tuple[str, str] | None:
    """Line and texts of a change, and the content after it; None where there is none to make."""
    tree = get_ast(content)
    typed = _annotations(content)
    places: list[tuple[str, int]] = []
    for name in operator_names():
        if name.startswith(KINDS):
            operator = get_operator(name)()
            positions = [p for node in ast_nodes(tree) for p in operator.mutation_positions(node)]
            places += [
                (name, occurrence)
                for occurrence, (start, _) in enumerate(positions)
                if not any(begin <= start < end for begin, end in typed)
            ]
    if not places:
        return None
    name, occurrence = rng.choice(places)
    changed = mutate_code(content, get_operator(name)(), occurrence)
    if changed is None or changed == content or not _parses(changed):
        return None
    lines = zip(content.splitlines(), changed.splitlines(), strict=False)
    line, old, new = next((n, a, b) for n, (a, b) in enumerate(lines, 1) if a != b)
    return f"{line}: {old.strip()} -> {new.strip()}", changed


def _parses(content: str) -> bool:
    """Not where the operator of a product replaces the two stars before a mapping."""
    try:
        ast.parse(content)
    except SyntaxError:
        return False
    return True


def _annotations(content: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where types stand: ``int | None`` is no arithmetic, and nobody runs it."""
    types: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            types.append(node.returns)
        elif isinstance(node, ast.arg):
            types.append(node.annotation)
        elif isinstance(node, ast.AnnAssign):
            types.append(node.annotation)
            if "TypeAlias" in ast.unparse(node.annotation):
                types.append(node.value)
    return [
        ((each.lineno, each.col_offset), (each.end_lineno or 0, each.end_col_offset or 0))
        for each in filter(None, types)
    ]
