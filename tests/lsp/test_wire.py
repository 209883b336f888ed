"""What comes in over the wire that no client would send: answered, or the connection ends."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")

WAIT_S = 60
LOOP = "void f(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
INVALID_PARAMS = -32602


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def request(number: int, method: str, params: Any) -> bytes:
    return framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def received(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message of the server; None at the end."""
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        length = int(value) if name == b"Content-Length" else length
    if not length:
        return None
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


def answer(stream: IO[bytes], number: int) -> dict[str, Any]:
    """The answer to a request; what the server says beside it is left out."""
    while (message := received(stream)) is not None:
        if message.get("id") == number and "method" not in message:
            return message
    raise AssertionError(f"no answer to {number}")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "rooflint", "lsp", *arguments]


INITIALIZE = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})


@pytest.fixture
def server() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    yield process
    process.kill()
    process.communicate()


def streams(server: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert server.stdin is not None
    assert server.stdout is not None
    return server.stdin, server.stdout


def start_at(line: int, character: int) -> dict[str, Any]:
    place = {"line": line, "character": character}
    return {"start": place, "end": place}


REQUESTS: dict[str, Callable[[Any, Any], dict[str, Any]]] = {
    "textDocument/hover": lambda uri, place: {"textDocument": uri, "position": place["start"]},
    "textDocument/inlayHint": lambda uri, place: {"textDocument": uri, "range": place},
    "textDocument/codeAction": lambda uri, place: {
        "textDocument": uri,
        "range": place,
        "context": {"diagnostics": []},
    },
}


def test_positions_that_are_none(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    stdin, stdout = streams(server)
    uri = {"uri": (tmp_path / "a.c").as_uri()}
    document = {**uri, "languageId": "c", "version": 1, "text": LOOP}
    stdin.write(INITIALIZE)
    stdin.write(framed({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
    stdin.write(framed({"jsonrpc": "2.0", "method": "textDocument/didOpen",
                        "params": {"textDocument": document}}))  # fmt: skip
    stdin.flush()
    assert "result" in answer(stdout, 1)
    number = 10
    for method, params in REQUESTS.items():
        for line, character in ((-1, 0), (0, -1), (1 << 31, 0), (0, 1 << 31), (1 << 70, 0)):
            number += 1
            stdin.write(request(number, method, params(uri, start_at(line, character))))
            stdin.flush()
            error = answer(stdout, number).get("error")
            assert error is not None, (method, line, character)
            assert error["code"] == INVALID_PARAMS
        number += 1
        stdin.write(request(number, method, params(uri, start_at((1 << 31) - 1, 0))))
        stdin.flush()
        assert "result" in answer(stdout, number)
    wrong: tuple[Any, ...] = ({}, None, [], "text", {"textDocument": uri})
    for nonsense in wrong:
        number += 1
        stdin.write(request(number, "textDocument/hover", nonsense))
        stdin.flush()
        assert answer(stdout, number)["error"]["code"] == INVALID_PARAMS


def test_what_is_no_message_costs_itself(server: subprocess.Popen[bytes]) -> None:
    stdin, stdout = streams(server)
    for body in (b"{", b"[]", b"7", b"\xff", b'{"id": 1}', b"[" * 100_000):
        stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stdin.write(INITIALIZE)
    stdin.flush()
    assert "result" in answer(stdout, 1)


ABSURD = [
    b"Content-Length: -1\r\n\r\n",
    b"Content-Length: 0\r\n\r\n",
    b"Content-Length: 99999999999999999999\r\n\r\n",
    b"Content-Length: 9223372036854775807\r\n\r\n",
    b"Content-Length: " + b"9" * 900 + b"\r\n\r\n",
    b"Content-Length: 4294967296\r\n\r\n{}",
    b"Content-Length: ten\r\n\r\n{}",
    b"Content-Length: 1e3\r\n\r\n{}",
    b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    b"Content-Type: text\r\n\r\n{}",
    b"\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
    b"Host: x\r\nContent-Length: 2\r\n\r\n{}",
    b"x" * 100_000,
]


@pytest.mark.parametrize("sent", ABSURD, ids=range(len(ABSURD)))
def test_an_absurd_header_ends_the_connection(server: subprocess.Popen[bytes], sent: bytes) -> None:
    stdin, stdout = streams(server)
    stdin.write(INITIALIZE)
    stdin.flush()
    assert "result" in answer(stdout, 1)
    with suppress(BrokenPipeError):  # it may be gone before it has all
        stdin.write(sent + b"x" * 2000)
        stdin.flush()
    _, err = server.communicate(timeout=WAIT_S)
    assert server.returncode == 0, err
    assert [line.partition(b": ")[2][:20] for line in err.splitlines()] == [b"the connection ends:"]


def is_refused(stream: IO[bytes]) -> bool:
    """Whether the other side closed the connection without a word."""
    try:
        return stream.read() == b""
    except ConnectionResetError:  # with something still unread
        return True


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def connected(port: int) -> socket.socket:
    """A connection, as soon as the server listens."""
    for _ in range(WAIT_S * 20):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the server does not listen")


@pytest.fixture
def port() -> Iterator[int]:
    number = free_port()
    process = subprocess.Popen(
        command("--tcp", "--port", str(number)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    yield number
    process.kill()
    process.communicate()


def test_a_browser_is_no_client(port: int) -> None:
    body = INITIALIZE.partition(b"\r\n\r\n")[2]
    post = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    for _ in range(2):
        with connected(port) as browser, browser.makefile("rb") as stream:
            browser.sendall(post + body)
            assert is_refused(stream)
    # and a client is served after it
    with connected(port) as client, client.makefile("rb") as stream:
        client.sendall(INITIALIZE)
        assert "result" in answer(stream, 1)


def test_a_second_client_is_refused(port: int) -> None:
    with connected(port) as first, first.makefile("rb") as stream:
        with connected(port) as idle:  # one that says nothing takes nobody's place
            first.sendall(INITIALIZE)
            assert "result" in answer(stream, 1)
            idle.sendall(INITIALIZE)
            with idle.makefile("rb") as other:
                assert is_refused(other)
        with connected(port) as second, second.makefile("rb") as other:
            second.sendall(INITIALIZE)
            assert is_refused(other)
        first.sendall(request(2, "shutdown", None))
        assert answer(stream, 2)["id"] == 2
