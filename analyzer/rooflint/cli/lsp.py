"""``rooflint lsp``: the language server, for editors."""

import importlib.util
import logging
import os
import sys
from collections.abc import Sequence

from rooflint.cli.arguments import Parser
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError
from rooflint.render.explanations import explanation

LEVELS = ("error", "warning", "info", "debug")
HOST, PORT = "127.0.0.1", 8777


class OneLine(logging.Formatter):
    """Logs an invalid message of a client in one line; its traceback only under ROOFLINT_DEBUG."""

    def format(self, record: logging.LogRecord) -> str:
        """The first line of the message, and the type of the error that came with it."""
        if os.environ.get("ROOFLINT_DEBUG"):
            return super().format(record)
        error = record.exc_info[1] if record.exc_info else None
        record = logging.makeLogRecord({**vars(record), "exc_info": None, "exc_text": None})
        said = super().format(record).partition("\n")[0]
        return f"{said}: {type(error).__name__}: {error}".partition("\n")[0] if error else said


def build_parser() -> Parser:
    """The options of ``rooflint lsp``."""
    parser = Parser(
        "rooflint lsp",
        "The language server: hints, findings and plots in an editor that speaks LSP.\n"
        "Uses standard input and output; editors start it themselves (docs/editor.md).",
    )
    parser.add_argument("--tcp", action="store_true", help="listen for one client on a TCP port")
    parser.add_argument("--host", default=HOST, metavar="NAME", help=f"TCP address ({HOST})")
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"TCP port ({PORT})")
    parser.add_argument("--log-level", choices=LEVELS, default="warning", metavar="LEVEL",
        help=f"log level on standard error: {', '.join(LEVELS)} (default warning)")  # fmt: skip
    parser.add_argument("--check-edits", action="store_true",
        help="read the whole file after each edit as well, and say where the quick answer to the"
        " edit differs")  # fmt: skip
    # some clients say which of the two ways they use; it is the usual one
    parser.add_argument("--stdio", action="store_true", help="use the standard streams (default)")
    parser.set_defaults(paths=[])
    return parser


def lsp(arguments: Sequence[str]) -> int:
    """Runs the command until the client goes; returns its exit code."""
    given = build_parser().parse(arguments)
    if given.paths:
        raise UsageError(f"lsp: unexpected argument '{given.paths[0]}'")
    if importlib.util.find_spec("pygls") is None:
        raise UsageError(
            "lsp: pygls is not installed; install it with: pip install 'rooflint[lsp]'"
        )
    from rooflint_lsp.documents.analyser import Analyser

    # forked before there are threads, so it gets ready while this process loads the protocol
    analyser = Analyser(check_edits=given.check_edits)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=given.log_level.upper())
    from rooflint_lsp.protocol.serve import serve

    serve(analyser, explanation, (given.host, given.port) if given.tcp else None)
    return ExitCode.FINE
