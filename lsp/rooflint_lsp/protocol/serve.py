"""Start the server on standard streams or a socket, and end it without leaving anything behind."""

import os
import sys
from collections.abc import Callable
from typing import BinaryIO

from lsprotocol import types

from rooflint_lsp.documents.analyser import Analyser
from rooflint_lsp.protocol.commands import add_commands
from rooflint_lsp.protocol.connection import serve_socket, serve_streams
from rooflint_lsp.protocol.features import add_features
from rooflint_lsp.protocol.loop_commands import add_loop_commands
from rooflint_lsp.protocol.measurement import add_measurement
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.protocol.workspace import add_workspace


def make_server(analyser: Analyser, explain: Callable[[str], str]) -> Server:
    """A server with all its features."""
    server = Server(analyser, explain)
    add_features(server)
    add_commands(server)
    add_loop_commands(server)
    add_workspace(server)
    add_measurement(server)
    return server


def serve(
    analyser: Analyser, explain: Callable[[str], str], address: tuple[str, int] | None = None
) -> None:
    """Serve one client until it goes.

    ``address``: host and port to listen on in place of the standard streams.
    """
    server = make_server(analyser, explain)

    @server.feature(types.EXIT)
    def exit_now(params: None) -> None:
        # the thread that reads standard input would keep the process until the client closes it
        server.close()
        os._exit(0 if server.protocol._shutdown else 1)

    try:
        if address is not None:
            serve_socket(server, *address)
        else:
            serve_streams(server, *_streams())
    finally:
        server.close()


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's own streams: whoever prints or reads from now on does not disturb it."""
    stdin = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, sys.stdin.fileno())
    os.close(null)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    return stdin, stdout
