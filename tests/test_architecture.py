"""The house rules of the code: who may import whom, how large a file or function may grow."""

import ast
import importlib.util
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    ROOT / "analyzer" / "rooflint",
    ROOT / "plugins" / "rooflint_plugins",
    ROOT / "lsp" / "rooflint_lsp",
)
FIRST_PARTY = {package.name for package in PACKAGES}
DOORS = ("rooflint/cli", "rooflint/render", "rooflint_lsp")
EXITS = ("rooflint/cli", "rooflint/__main__")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 80

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the product as (``rooflint/compile_flags/flags.py``, its path)."""
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            yield path.relative_to(package.parent).as_posix(), path


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, dotted callee) of each call of a plain or dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)


def imported(node: ast.AST) -> list[str]:
    """The top-level packages that an import statement names; a relative import is first party."""
    match node:
        case ast.Import(names=names):
            return [alias.name.split(".")[0] for alias in names]
        case ast.ImportFrom(level=0, module=str(module)):
            return [module.split(".")[0]]
        case ast.ImportFrom():
            return ["rooflint"]
    return []


def test_import_contracts() -> None:
    pytest.importorskip("importlinter", reason="import-linter comes with the extra [test]")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
    ]
    arguments = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", "--no-logo"]
    result = subprocess.run(
        command + arguments, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_module_has_a_layer() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = configuration["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    listed = {name.strip(" ()") for layer in layers for name in layer.replace("|", ":").split(":")}
    present = {
        f"rooflint.{path.stem}"
        for path in PACKAGES[0].iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").is_file()
    }
    assert present <= listed, f"give these a layer in pyproject.toml: {sorted(present - listed)}"


ACROSS_PACKAGES = {"aliasing", "directives", "faults", "fuzz", "hooks", "simulator", "trust"}


def test_tests_mirror_the_packages() -> None:
    packages = {path.name for package in PACKAGES for path in package.iterdir() if path.is_dir()}
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("**/test_*.py"))}
    assert folders <= packages | ACROSS_PACKAGES | {"lsp"}, "name a folder like its package"


def test_files_and_functions_stay_short() -> None:
    tests = ((path.relative_to(ROOT).as_posix(), path) for path in (ROOT / "tests").rglob("*.py"))
    long = []
    for name, path in (*modules(), *tests):
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > MAX_FILE_LINES:
            long.append(f"{name}: {lines} lines, at most {MAX_FILE_LINES}")
        for function in functions(parse(path)):
            size = (function.end_lineno or function.lineno) - function.lineno + 1
            if size > MAX_FUNCTION_LINES:
                long.append(
                    f"{name}:{function.lineno}: {function.name} has {size} lines, "
                    f"at most {MAX_FUNCTION_LINES}"
                )
    assert not long, "\n".join(long)


# What the IR knows of overlap is read where the one answer is made of it. The others: the front end
# and the IR record it, one change and its rule make the promise, one module compares declarations,
# and the core says how far its compiler uses types.
ALIAS_FACTS = {"restrict", "provenance", "reach", "exposed", "retyping", "strict_aliasing"}
ALIAS_READERS = (
    "rooflint/dependence/",
    "rooflint/frontend/",
    "rooflint/ir/",
    "rooflint/pipeline/setup/compilers.py",
    "rooflint/core/graph/dependences.py",
    "rooflint/transform/annotations.py",
    "rooflint/source_edit/c_writer/place.py",
    "rooflint/compile_flags/flags.py",
    "rooflint_plugins/rules/rl301_alias_blocks_simd.py",
)


def test_one_package_says_what_may_overlap() -> None:
    found = [
        f"{name}:{node.lineno}: {node.attr}"
        for name, path in modules()
        if not name.startswith(ALIAS_READERS)
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute) and node.attr in ALIAS_FACTS
    ]
    assert not found, "ask rooflint.dependence: " + ", ".join(found)
    deciders = {
        name
        for name, path in modules()
        for function in functions(parse(path))
        if function.name in ("may_overlap", "may_alias")
    }
    assert deciders == {"rooflint/dependence/alias.py"}, sorted(deciders)


# A literal is parsed where the front end reads it; the writer of C keeps or changes its suffix.
READS_SUFFIXES = {
    "rooflint/frontend/lower/state/constants.py",
    "rooflint/source_edit/c_writer/words.py",
}


def test_values_carry_integers_and_literals_not_their_print() -> None:
    strips = {
        name
        for name, path in modules()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and node.value in ("fFlL", "fFlLuU", "uUlL")
    }
    assert strips == READS_SUFFIXES
    readers = [
        f"{name}: {function.name}"
        for name, path in modules()
        for function in functions(parse(path))
        if function.returns is not None
        and ast.unparse(function.returns) in ("Poly", "Poly | None")
        and [ast.unparse(a.annotation) for a in function.args.args if a.annotation] == ["str"]
    ]
    assert readers == ["rooflint/frontend/lower/state/names.py: size"]  # a size by its name


def test_only_doors_print_and_only_the_cli_exits() -> None:
    found = []
    for name, path in modules():
        for line, callee in calls(parse(path)):
            if callee == "print" and not name.startswith(DOORS):
                found.append(f"{name}:{line}: print outside the doors")
            if callee in {"sys.exit", "exit", "quit"} and not name.startswith(EXITS):
                found.append(f"{name}:{line}: {callee} outside the command line")
    assert not found, "\n".join(found)


RUN_WHAT_THEY_READ = {
    "pickle", "_pickle", "cPickle", "pickletools", "marshal", "shelve", "copyreg", "dbm",
    "dill", "cloudpickle", "joblib", "jsonpickle",
}  # fmt: skip
COMPILED_CODE = {"rooflint/startup/module_bundle.py": {"marshal"}}
"""Reads code of the program itself, beside its compiled files and with their format: no child can
write there, and tests/startup shows that what others may have written does not count."""


def test_nothing_reads_a_format_that_runs_what_it_reads() -> None:
    """What comes from a child, a cache or a cluster may be hostile: see ``rooflint.workers``."""
    found = []
    for name, path in modules():
        for node in ast.walk(parse(path)):
            for package in imported(node):
                if package in RUN_WHAT_THEY_READ - COMPILED_CODE.get(name, set()):
                    found.append(f"{name}: imports {package}")
            if isinstance(node, ast.Constant) and node.value in RUN_WHAT_THEY_READ:
                found.append(f"{name}: names {node.value}")
            if isinstance(node, ast.FunctionDef) and node.name.startswith("__reduce"):
                found.append(f"{name}: {node.name}")
    assert not found, "\n".join(found)


WORK_IN_A_CHILD = ("frontend", "lint", "pipeline/files", "pipeline/live")


def test_lack_of_memory_is_a_limit_and_no_bug() -> None:
    """Whoever survives a bug in a child lets a MemoryError pass: it ends the child as such."""
    found = [
        f"{name}:{node.lineno}"
        for name, path in modules()
        if name.startswith(tuple(f"rooflint/{place}" for place in WORK_IN_A_CHILD))
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Try)
        for at, handler in enumerate(node.handlers)
        if handler.type is not None
        and ast.unparse(handler.type) == "Exception"
        and not any("MemoryError" in ast.unparse(h.type) for h in node.handlers[:at] if h.type)
    ]
    assert not found, "\n".join(found)


LATE_IMPORTS = {
    "rooflint/config/settings.py": "few configurations name a compiler",
    "rooflint/core/vectorize/__init__.py": "code is of one compiler, with its own tables",
    "rooflint/core/lazy.py": "the core plan takes as long to import as all else; few models ask",
    "rooflint/frontend/service.py": "the parent of a child never loads libclang",
    "rooflint/pipeline/in_child.py": "the same",
    "rooflint/startup/__init__.py": "a command that analyses nothing opens no bundle",
    "rooflint/memory/engine/samples.py": "a compiled replay needs no portable one",
    "rooflint/memory/engine/replays.py": "the parent of a child replays nothing",
    "rooflint/pipeline/files.py": "few runs have counts",
    "rooflint/workers/child.py": "only a child confines itself, with ctypes",
    "rooflint/pipeline/live/service.py": "the child of an editor loads what its server does not",
    "rooflint/pipeline/weights/run_program.py": "few runs have counts",
    "rooflint/pipeline/run.py": "few runs read assembly or have several files",
    "rooflint/pipeline/measured/run_report.py": "few users have a store of measurements",
    "rooflint/pipeline/stages/analysts.py": "few runs use a cluster",
    "rooflint/__init__.py": "the command line does not load the Python API",
    "rooflint/api/report.py": "plots need matplotlib",
    "rooflint/render/__init__.py": "a run loads the output format that is chosen",
    "rooflint_plugins/models/bounds/model.py": "the lint asks for the cycles alone",
    "rooflint/registry.py": "a run without a lint has no rules",
    "rooflint/lint/findings.py": "most functions have no finding whose code is shown",
    "rooflint/machine/catalogue.py": "a packed machine needs no reader of YAML",
    "rooflint/lint/__init__.py": "a run that finds all results in the cache loads no lint",
}
"""Modules that wait with an import until a run needs it; import contracts see it all the same."""


def test_imports_stand_at_the_top() -> None:
    # Only the command line may wait with an import until a command needs it;
    # elsewhere a late import hides a cycle.
    found = [
        f"{name}:{node.lineno}: {function.name} imports {' '.join(imported(node))} when called"
        for name, path in modules()
        if not name.startswith("rooflint/cli") and name not in LATE_IMPORTS
        for function in functions(parse(path))
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and FIRST_PARTY & set(imported(node))
    ]
    assert not found, "\n".join(found)


@pytest.mark.skipif(not importlib.util.find_spec("rooflint.cli.main"), reason="no command line yet")
def test_the_command_line_starts_light() -> None:
    # Each of these costs more than a fifth of the 0.15 s that analysing a small file may take.
    heavy = {
        "sympy",
        "numpy",
        "matplotlib",
        "pygls",
        "lsprotocol",
        "asyncio",
        "multiprocessing",
        "jsonschema",
    }
    program = f"import sys, rooflint.cli.main; print(sorted({heavy!r} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert result.stdout.strip() == "[]"


OWN_MODULES = {"analyze": 239, "lint": 231}
"""At most so many modules of the product are imported for one small file, its child aside."""
MACHINE_READERS = {
    f"rooflint.machine.{name}"
    for name in ("document", "inherit", "load", "load_core", "order", "ranges", "section")
}
"""Are not counted: they read a machine file that changed since the installation packed it."""


@pytest.mark.parametrize("command", OWN_MODULES)
def test_a_small_file_loads_no_more_than_it_needs(command: str) -> None:
    # OpenSSL takes 3 ms, shutil's compressors 1.5 ms, inspect and who imports it 8 ms: nothing here
    # needs any of them.
    needless = {"_hashlib", "hmac", "shutil", "lzma"}
    needless |= {"inspect", "dataclasses", "typing_extensions", "pluggy"}
    small = str(ROOT / "examples" / "triad.c")
    program = (
        "import sys, rooflint.cli.main as cli\n"
        f"cli.run([{command!r}, {small!r}, '--no-cache'])\n"
        f"readers = {MACHINE_READERS!r}\n"
        "own = [n for n in sys.modules if n.startswith('rooflint') and n not in readers]\n"
        f"print(len(own), sorted({needless!r} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    count, _, loaded = result.stdout.strip().splitlines()[-1].partition(" ")
    assert loaded == "[]"
    assert int(count) <= OWN_MODULES[command]


def test_modules_compile_no_pattern_when_they_are_imported() -> None:
    # One takes 0.1 ms, modules have more than a hundred, and a run uses a quarter of them.
    eager = [
        f"{name}:{node.lineno}: from rooflint.startup.late_pattern import late_pattern"
        for name, path in modules()
        for statement in outside_functions(parse(path).body)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
    ]
    assert not eager, "\n".join(eager)


def outside_functions(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that an import executes."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from outside_functions(statement.body)
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement


def test_records_are_defined_by_the_product() -> None:
    # typing's cost 100 µs each to define, and a command defines 200 to 300.
    slow = [
        f"{name}:{node.lineno}: from rooflint.records import NamedTuple"
        for name, path in modules()
        if not name.startswith("rooflint/records")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        if any(alias.name == "NamedTuple" for alias in node.names)
    ]
    assert not slow, "\n".join(slow)
