"""The language server's package; the server arrives with the editor work."""
