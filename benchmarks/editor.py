"""Latency of the language server: a file of a project, edited by a script.

    python benchmarks/editor.py FILE [--edits 1000] [--keystrokes 200] [--flags Iinclude DNAME=1]

Prints the time to the first hints, from a keystroke to fresh hints (the pause after typing taken
off), of hints that are known, and memory before and after random edits. Everything else on the
machine shows in the figures: the load is printed with them.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

DEBOUNCE_S = 0.05
ASSIGNMENT = re.compile(r"\s*[\w>.\[\]-]+ [+*/-]?= [^;{]*;$")


class Client:
    """The least that a language client is, so that its own time does not count."""

    def __init__(self) -> None:
        self.refreshed = asyncio.Event()
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.asked = self.answered = 0

    async def start(self) -> None:
        """Start the server."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "rooflint", "lsp")
        self.server = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.server.stdout is not None
        while header := await self.server.stdout.readline():
            length = int(header.split(b":")[1])
            while (await self.server.stdout.readline()).strip():
                pass
            message = json.loads(await self.server.stdout.readexactly(length))
            if "method" not in message:
                self.answered += 1
                self.waiting.pop(message["id"]).set_result(message.get("result"))
            elif "id" in message:
                self.send({"id": message["id"], "result": None})
                if message["method"] == "workspace/inlayHint/refresh":
                    self.refreshed.set()

    def send(self, message: dict[str, Any]) -> None:
        """Write a message."""
        assert self.server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method: str, **params: Any) -> None:  # noqa: ANN401
        """Send a notification."""
        self.send({"method": method, "params": params})

    async def ask(self, method: str, **params: Any) -> Any:  # noqa: ANN401
        """Send a request; its result."""
        self.asked += 1
        future = self.waiting[self.asked] = asyncio.get_running_loop().create_future()
        self.send({"id": self.asked, "method": method, "params": params})
        return await future


class Session:
    """The document as the client has it, and what is measured on it."""

    def __init__(self, client: Client, path: Path, flags: Sequence[str]) -> None:
        self.client = client
        self.uri = path.resolve().as_uri()
        self.lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        self.language = "c" if path.suffix == ".c" else "cpp"
        self.flags = flags
        self.version = 1
        self.loops: list[int] = []

    async def open(self) -> None:
        """From nothing to the first hints."""
        begin = time.perf_counter()
        await self.client.start()
        able = {
            "workspace": {"inlayHint": {"refreshSupport": True}},
            "textDocument": {"publishDiagnostics": {}},
        }
        settings = {"hints": "all", "debounceMs": DEBOUNCE_S * 1000, "flags": self.flags}
        options = {"settings": settings}
        await self.client.ask(
            "initialize", processId=os.getpid(), rootUri=None, capabilities=able,
            initializationOptions=options,
        )  # fmt: skip
        self.client.tell("initialized")
        ready = time.perf_counter()
        text = "\n".join(self.lines)
        document = {"uri": self.uri, "languageId": self.language, "version": 1, "text": text}
        self.client.tell("textDocument/didOpen", textDocument=document)
        hints = await self.fresh(0, len(self.lines))
        now = time.perf_counter()
        say("start to the answer of initialize", [ready - begin])
        say("opening to the first hints", [now - ready])
        say("start to the first hints", [now - begin])
        self.loops = [hint["position"]["line"] for hint in hints]
        print(f"  {len(hints)} hints")

    async def hints(self, first: int, last: int) -> list[Any]:
        """Hints on some lines, from 0."""
        place = {"start": at(first, 0), "end": at(last, 0)}
        document = {"uri": self.uri}
        found = await self.client.ask("textDocument/inlayHint", textDocument=document, range=place)
        return list(found or ())

    async def fresh(self, first: int, last: int) -> list[Any]:
        """The same, once there are any."""
        while not (found := await self.hints(first, last)):
            await self.client.refreshed.wait()
            self.client.refreshed.clear()
        return found

    def edit(self, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line; ``text`` may hold a new line."""
        self.version += 1
        self.client.tell(
            "textDocument/didChange",
            textDocument={"uri": self.uri, "version": self.version},
            contentChanges=[
                {"range": {"start": at(line, start), "end": at(line, end)}, "text": text}
            ],
        )
        whole = self.lines[line][:start] + text + self.lines[line][end:]
        self.lines[line : line + 1] = whole.split("\n")

    async def keystrokes(self, number: int) -> None:
        """A constant behind an assignment right below a loop's header, until the loop has its hint
        again."""
        places = [n + 1 for n in self.loops if ASSIGNMENT.match(self.lines[n + 1])]
        times = []
        server, analyser = list(family(self.client.server.pid))[:2]
        cpu_s = cpu_seconds(server) + cpu_seconds(analyser)
        for count in range(number):
            line = random.choice(places)
            end = len(self.lines[line]) - 1
            self.client.refreshed.clear()
            begin = time.perf_counter()
            self.edit(line, end, end, f" + {count % 10}")
            await self.fresh(line - 1, line - 1)
            times.append(time.perf_counter() - begin - DEBOUNCE_S)
        cpu_s = (cpu_seconds(server) + cpu_seconds(analyser) - cpu_s) / number
        print(f"processor time of a keystroke, server and analysing child: {cpu_s * 1000:.0f} ms")
        say(f"keystroke to fresh hints, less the pause of {DEBOUNCE_S * 1000:.0f} ms", times)

    async def known(self, number: int) -> None:
        """Hints that are known, of a screen and of everything."""
        for name, height in (("a screen of 60 lines", 60), ("all lines", len(self.lines))):
            times = []
            for _ in range(number):
                first = random.randrange(max(1, len(self.lines) - height))
                begin = time.perf_counter()
                await self.hints(first, first + height)
                times.append(time.perf_counter() - begin)
            say(f"known hints of {name}", times)

    async def random_edits(self, number: int) -> None:
        """What a cat on the keyboard does, with requests in between; then all is undone."""
        before_lines = list(self.lines)
        memory = [resident_mib(self.client.server.pid)]
        for count in range(number):
            line = random.randrange(len(self.lines))
            width = len(self.lines[line])
            start = random.randrange(width + 1)
            end = min(width, start + random.choice((0, 0, 0, 1, 3)))
            self.edit(line, start, end, random.choice(("x", "1", ";", "\n", "{", "}", "(", "a[i]")))
            await self.hints(max(0, line - 30), line + 30)
            if count % 10 == 0:
                await asyncio.sleep(2 * DEBOUNCE_S)
                document, place = {"uri": self.uri}, at(line, 5)
                await self.client.ask("textDocument/hover", textDocument=document, position=place)
        self.version += 1
        self.lines = before_lines
        self.client.tell(
            "textDocument/didChange",
            textDocument={"uri": self.uri, "version": self.version},
            contentChanges=[{"text": "\n".join(self.lines)}],
        )
        await self.fresh(0, len(self.lines))
        memory.append(resident_mib(self.client.server.pid))
        before, after = memory
        print(
            f"{number} random edits: {before:.0f} MiB before, {after:.0f} after "
            f"({after / before - 1:+.0%}), "
            f"{self.client.asked - self.client.answered} of {self.client.asked} requests unanswered"
        )


def at(line: int, character: int) -> dict[str, int]:
    """A position."""
    return {"line": line, "character": character}


def say(what: str, seconds: Sequence[float]) -> None:
    """Print figures in milliseconds."""
    times = sorted(seconds)
    if len(times) == 1:
        print(f"{what}: {times[0] * 1000:.0f} ms")
        return
    p50, p95 = (times[min(len(times) - 1, int(len(times) * q))] * 1000 for q in (0.5, 0.95))
    print(
        f"{what}: p50 {p50:.1f}, p95 {p95:.1f}, most {times[-1] * 1000:.1f} ms ({len(times)} times)"
    )


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> Iterator[int]:
    """A process and its children, the oldest first."""
    yield pid
    for entry in sorted(Path("/proc").iterdir(), key=lambda each: (len(each.name), each.name)):
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                yield int(entry.name)


def resident_mib(pid: int) -> float:
    """Memory of the server and its children that is their own, in MiB."""
    total = 0
    for each in family(pid):
        for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


async def run(arguments: argparse.Namespace) -> None:
    """Everything, one after the other."""
    flags = ["gcc", "-O3", *[f"-{each}" for each in arguments.flags]]
    session = Session(Client(), arguments.file, flags)
    await session.open()
    await session.known(200)
    await session.keystrokes(arguments.keystrokes)
    await session.random_edits(arguments.edits // 4)  # until caches are as full as they get
    await session.random_edits(arguments.edits)
    await session.client.ask("shutdown")
    session.client.tell("exit")
    await session.client.server.wait()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("file", type=Path)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--keystrokes", type=int, default=200)
    parser.add_argument("--flags", nargs="*", default=[], metavar="I/folder or DNAME=VALUE")
    random.seed(1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
