"""The transport, and the handlers of a client's requests and commands."""
