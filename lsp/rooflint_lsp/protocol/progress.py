"""CommandProgress bars of commands that take long, with a way out."""

import uuid

from lsprotocol import types

from rooflint_lsp.protocol.server import Server


class CommandProgress:
    """A progress bar of the client's, or of ours where the client has none for the command."""

    def __init__(self, server: Server, token: types.ProgressToken | None) -> None:
        self._server = server
        self._token = token

    @classmethod
    async def begin(
        cls, server: Server, token: types.ProgressToken | None, title: str
    ) -> "CommandProgress":
        """Shows the bar; ``token`` is the client's own."""
        bar = server.work_done_progress
        if token is None and server.client.progress:
            token = str(uuid.uuid4())
            await bar.create_async(token)
        if token is not None:
            bar.begin(token, types.WorkDoneProgressBegin(title, cancellable=True, percentage=0))
        return cls(server, token)

    @property
    def cancelled(self) -> bool:
        """Whether the user has asked to stop."""
        tokens = self._server.work_done_progress.tokens
        return self._token is not None and tokens[self._token].cancelled()

    def report(self, done: int, of: int, message: str) -> None:
        """So much is done."""
        if self._token is not None:
            value = types.WorkDoneProgressReport(
                message=message, percentage=100 * done // max(1, of), cancellable=True
            )
            self._server.work_done_progress.report(self._token, value)

    def end(self, message: str) -> None:
        """Takes the bar away."""
        if self._token is not None:
            bar = self._server.work_done_progress
            bar.end(self._token, types.WorkDoneProgressEnd(message=message))
            bar.tokens.pop(self._token, None)
