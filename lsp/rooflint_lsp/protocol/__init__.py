"""The wire, the requests and the commands: what a client sends, and how it is answered."""
