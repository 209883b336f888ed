"""The wire: reads framed messages of a client and refuses any other input.

pygls reads whatever it is given: a length of any size, and any header, so that a browser's POST is
taken for a client. Here the first line that is no header of the protocol ends the connection.
"""

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, BinaryIO, Final, Protocol

from pygls.exceptions import JsonRpcException, JsonRpcParseError
from pygls.io_ import StdoutWriter
from pygls.protocol import JsonRPCProtocol

from rooflint_lsp.protocol.server import Server

log: Final = logging.getLogger("rooflint")
MAX_BODY_BYTES: Final = 256 << 20
"""Of one message; the largest has the text of a document."""
MAX_HEADER_BYTES: Final = 1024
"""Of one line: a name, a colon and a content type."""
MAX_HEADER_LINES: Final = 4
LENGTH, KIND = b"content-length", b"content-type"
SHOWN_BYTES: Final = 40


class FramingError(Exception):
    """The input is not the protocol; the message quotes it."""


class Reader(Protocol):
    """Where messages come from."""

    async def readline(self) -> bytes:
        """A line with its end; empty where nothing more comes."""

    async def readexactly(self, n: int) -> bytes:
        """Read ``n`` bytes; fewer, or IncompleteReadError, at the end."""


class StreamReader:
    """Standard input, read in another thread."""

    def __init__(self, stream: BinaryIO, threads: ThreadPoolExecutor) -> None:
        self._stream = stream
        self._threads = threads

    async def readline(self) -> bytes:
        """A line, or the beginning of one that is too long."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._stream.readline, MAX_HEADER_BYTES)

    async def readexactly(self, n: int) -> bytes:
        """Read ``n`` bytes; fewer at the end."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._stream.read, n)


async def next_body(reader: Reader) -> bytes | None:
    """The content of the next message; None at the end. Raises FramingError."""
    length: int | None = None
    for _ in range(MAX_HEADER_LINES):
        try:
            line = await reader.readline()
        except ValueError:  # asyncio's own limit
            raise FramingError("a header line without end") from None
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            if length is None:
                raise FramingError("headers without Content-Length")
            return await _exactly(reader, length)
        name, value = _header(line)
        if name == LENGTH:
            if length is not None:
                raise FramingError("two headers Content-Length")
            length = _length(value)
    raise FramingError(f"more than {MAX_HEADER_LINES} header lines")


def _header(line: bytes) -> tuple[bytes, bytes]:
    """Name, in lower case, and value; raises FramingError where the protocol has no such header."""
    name, colon, value = line.partition(b":")
    name = name.strip().lower()
    if not colon or not line.endswith(b"\n") or name not in (LENGTH, KIND):
        raise FramingError(f"expected Content-Length, got {line[:SHOWN_BYTES]!r}")
    return name, value.strip()


def _length(text: bytes) -> int:
    # as many digits as the limit has, before they are made a number
    if text.isdigit() and len(text) <= len(str(MAX_BODY_BYTES)):
        length = int(text)
        if 0 < length <= MAX_BODY_BYTES:
            return length
    shown = text[:SHOWN_BYTES].decode("ascii", "backslashreplace")
    raise FramingError(f"Content-Length: expected 1 to {MAX_BODY_BYTES}, got {shown}")


async def _exactly(reader: Reader, length: int) -> bytes | None:
    try:
        body = await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None
    return body if len(body) == length else None


def handle(protocol: JsonRPCProtocol, body: bytes) -> None:
    """Answers one message; a request that makes no sense gets an error, as every request must."""
    try:
        decoded: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        log.error("a message that is no JSON: %s", error)
        protocol._send_response(None, None, JsonRpcParseError().to_response_error())  # type: ignore[arg-type]
        return
    if not isinstance(decoded, dict) or "jsonrpc" not in decoded:
        log.error("a message that is no JSON-RPC")
        return
    try:
        structured = protocol.structure_message(decoded)
    except JsonRpcException as error:
        asked, number = "method" in decoded, decoded.get("id")
        log.error("%s: %s", decoded.get("method", "an answer"), error)
        if asked and isinstance(number, int | str):
            protocol._send_response(number, None, error.to_response_error())
        return
    try:
        protocol.handle_message(structured)
    except Exception as error:  # one message costs itself
        log.error("internal error: %s: %s", type(error).__name__, error)


async def converse(
    reader: Reader, protocol: JsonRPCProtocol, stop: Event, first: bytes | None = None
) -> None:
    """Answers one client until it goes, or sends what is not the protocol.

    ``first``: a message that was read already.
    """
    body = first
    try:
        while not stop.is_set():
            if body is None:
                body = await next_body(reader)
            if body is None:
                return
            handle(protocol, body)
            body = None
    except FramingError as error:
        log.error("the connection ends: %s", error)


def serve_streams(server: Server, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve the client at the other end of two streams until it goes."""
    stop = server._stop_event = Event()
    server.protocol.set_writer(StdoutWriter(stdout))
    reader = StreamReader(stdin, server.thread_pool)
    try:
        asyncio.run(converse(reader, server.protocol, stop))
    except BrokenPipeError:
        log.error("the client is gone")
    except (KeyboardInterrupt, SystemExit):
        return
    finally:
        server.shutdown()  # type: ignore[no-untyped-call]


def serve_socket(server: Server, host: str, port: int) -> None:
    """Listen, serve the first client that speaks the protocol until it goes, refuse all others."""
    try:
        asyncio.run(_Listener(server).listen(host, port))
    except KeyboardInterrupt:
        return
    finally:
        server.shutdown()  # type: ignore[no-untyped-call]


class _Listener:
    """One client at most; whoever only connects, or speaks something else, is none."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = server._stop_event = Event()
        self._has_client = False
        self._over: asyncio.Event | None = None

    async def listen(self, host: str, port: int) -> None:
        self._over = asyncio.Event()
        listening = await asyncio.start_server(self._connected, host, port, limit=MAX_HEADER_BYTES)
        async with listening:
            await self._over.wait()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._has_client:
                log.warning("a second client was refused: the server has one already")
                return
            first = await next_body(reader)
            if first is None or self._has_client:
                return
            self._has_client = True
            self._server.protocol.set_writer(writer)
            await converse(reader, self._server.protocol, self._stop, first)
        except FramingError as error:
            log.error("a connection is refused: %s", error)
        except ConnectionError as error:
            log.warning("a connection is lost: %s", error)
        finally:
            writer.close()
            if self._over is not None and self._server.protocol.writer is writer:
                self._over.set()
