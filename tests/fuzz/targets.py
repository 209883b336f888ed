"""What reads mutated inputs, and what counts as a fault: anything but an error meant for people."""

import json
import random
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rooflint.compile_flags.compile_db import load_database
from rooflint.config.comments import parse_comments
from rooflint.config.lint_settings import LintOverrides
from rooflint.config.settings import load_config
from rooflint.errors import RooflintError
from rooflint.ir import Comment
from rooflint.lint import lint_file
from rooflint.machine import builtin_dir
from rooflint.machine.kerncraft import import_kerncraft
from rooflint.machine.load import load_machine
from rooflint.pipeline import Analysis, Limits, Options, Source
from rooflint.registry import load_registry, with_rules
from rooflint_plugins.models.hybrid.procedure.load import load_procedures

HANG_S = 10.0


class Fault(NamedTuple):
    """An input that a reader could not take, and how that showed."""

    data: bytes
    what: str


def read_machine(path: Path) -> None:
    load_machine(path, (builtin_dir(),))


def read_kerncraft(path: Path) -> None:
    import_kerncraft(path, "x", (builtin_dir(),))


def read_procedures(path: Path) -> None:
    load_procedures(path)


def read_configuration(path: Path) -> None:
    load_config(path)


def read_database(path: Path) -> None:
    database = load_database(str(path))
    for file in (*database.paths[:5], "/x/y.cpp"):
        database.flags(file)
        database.interpolated(file)


def read_comments(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    found = parse_comments([Comment(n, line) for n, line in enumerate(text.splitlines(), 1)])
    found.is_off(3)


READERS: dict[str, tuple[str, str, Callable[[Path], None]]] = {
    # target: the kind of its inputs, the file's name, the reader
    "machine": ("machine", "x.yaml", read_machine),
    "kerncraft": ("machine", "x.yml", read_kerncraft),
    "procedure": ("procedure", "p.yaml", read_procedures),
    "configuration": ("configuration", "rooflint.toml", read_configuration),
    "database": ("database", "compile_commands.json", read_database),
    "comments": ("comments", "c.txt", read_comments),
}


def read_all(target: str, inputs: Iterable[bytes], folder: Path) -> Iterator[Fault]:
    """The faults of a reader that runs in this process."""
    _, name, reader = READERS[target]
    path = folder / name
    for data in inputs:
        path.write_bytes(data)
        begin = time.monotonic()
        try:
            reader(path)
        except RooflintError as error:
            if "\n" in str(error):
                yield Fault(data, f"an error of several lines: {error}")
        except Exception:
            yield Fault(data, traceback.format_exc())
        if time.monotonic() - begin > HANG_S:
            yield Fault(data, f"{time.monotonic() - begin:.0f} s")


def analyse_all(inputs: Iterable[bytes], folder: Path, *, lint: bool) -> Iterator[Fault]:
    """The faults of the whole pipeline on sources, with the lint or with all models."""
    texts: dict[str, bytes] = {}
    for number, data in enumerate(inputs):
        path = folder / f"f{number}.{('c', 'cpp')[number % 2]}"
        path.write_bytes(data)
        texts[str(path)] = data
    options = Options(limits=Limits(seconds=HANG_S), machines=("icelake-sp-8360y",))
    registry = load_registry()
    if lint:
        registry = with_rules(registry)
        options = options._replace(lint=LintOverrides(preview=True))
    else:
        options = options._replace(models=("ecm", "ceilings", "roofline"))
    analysis = Analysis(options, registry, lint_file)
    for report in analysis.files([Source(path) for path in texts]):
        words = [d.message for d in report.diagnostics if d.severity == "error"]
        if report.status == "failed" and any("took longer" in word for word in words):
            yield Fault(texts[report.path], words[0])
        for at, skipped in report.failed_models():
            yield Fault(texts[report.path], f"{at}: {skipped.model}: {skipped.reason}")
    for problem in analysis.internal:
        yield Fault(texts.get(problem.partition(":")[0], b""), problem)


def talk(messages: Iterable[bytes]) -> Iterator[Fault]:
    """The faults of the language server: it goes away, stays silent, or logs a traceback."""
    sent = [_framed(each) for each in messages]
    begin = json.dumps(
        {"jsonrpc": "2.0", "id": "a", "method": "initialize",
         "params": {"processId": None, "rootUri": None, "capabilities": {}}}
    )  # fmt: skip
    end = [
        {"jsonrpc": "2.0", "id": "z", "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    whole = b"".join(
        [_framed(begin.encode()), *sent, *[_framed(json.dumps(each).encode()) for each in end]]
    )
    program = "from rooflint.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program, "lsp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        out, err = process.communicate(whole, timeout=60 + len(sent) * 0.2)
    except subprocess.TimeoutExpired:
        process.kill()
        yield Fault(b"\n".join(sent), "the server does not end")
        return
    if b'"id":"z"' not in out.replace(b" ", b""):
        yield Fault(b"\n".join(sent), f"no answer to shutdown; {err[-2000:].decode()}")
    for sign in (b"Traceback", b"internal error"):
        if sign in err:
            yield Fault(b"\n".join(sent), err[err.index(sign) :][:3000].decode())


def _framed(text: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


def message(method: str, params: Any, number: int | None = None) -> bytes:  # noqa: ANN401 - any JSON
    """A JSON-RPC message: a request with a number, else a notification."""
    made = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(made if number is None else {**made, "id": number}).encode()


TEXT = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n    a[i] *= 2;\n}\n"
DOCUMENT = {"uri": "file:///fuzz/a.c", "version": 1, "languageId": "c", "text": TEXT}
PLACE = {"line": 1, "character": 4}
RANGE = {"start": PLACE, "end": PLACE}
REQUESTS: tuple[tuple[str, Any], ...] = (
    ("textDocument/hover", {"textDocument": DOCUMENT, "position": PLACE}),
    ("textDocument/codeLens", {"textDocument": DOCUMENT}),
    ("textDocument/inlayHint",
     {"textDocument": DOCUMENT, "range": RANGE}),
    ("textDocument/codeAction",
     {"textDocument": DOCUMENT, "range": RANGE, "context": {"diagnostics": []}}),
    ("textDocument/diagnostic", {"textDocument": DOCUMENT}),
    ("workspace/executeCommand", {"command": "rooflint.explain", "arguments": ["RL101"]}),
    ("workspace/symbol", {"query": ""}),
    ("no/such", {}),
)  # fmt: skip
NOTES: tuple[tuple[str, Any], ...] = (
    ("textDocument/didOpen", {"textDocument": DOCUMENT}),
    ("textDocument/didChange",
     {"textDocument": DOCUMENT, "contentChanges": [{"text": "x", "range": RANGE}]}),
    ("textDocument/didSave", {"textDocument": DOCUMENT}),
    ("textDocument/didClose", {"textDocument": DOCUMENT}),
    ("workspace/didChangeConfiguration", {"settings": {"rooflint": {"machine": "cell"}}}),
    ("workspace/didChangeWatchedFiles",
     {"changes": [{"uri": "file:///fuzz/rooflint.toml", "type": 2}]}),
    ("$/setTrace", {"value": "verbose"}),
    ("$/cancelRequest", {"id": 1}),
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, -1, 10**12, 1.5, "", "\x00", "file:///etc/passwd", "\u202e", [], {}, [[]],
    "x" * 5000,
)  # fmt: skip


def messages(rng: random.Random, count: int) -> Iterator[bytes]:
    """Messages of a session in any order, most of them with something odd in them."""
    yield message("initialized", {})
    for number in range(count):
        if rng.random() < 0.5:
            method, params = rng.choice(REQUESTS)
            yield message(method, _odd(rng, params), number)
        else:
            method, params = rng.choice(NOTES)
            yield message(method, _odd(rng, params))


def _odd(rng: random.Random, value: Any) -> Any:  # noqa: ANN401 - any JSON
    """The value with a few of its parts left out or exchanged."""
    if rng.random() < 0.04:
        return rng.choice(VALUES)
    if isinstance(value, dict):
        return {k: _odd(rng, v) for k, v in value.items() if rng.random() > 0.03}
    if isinstance(value, list):
        return [_odd(rng, each) for each in value]
    return value
