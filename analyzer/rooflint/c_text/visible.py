"""Which identifiers mean something at a place of a file, as far as its text says."""

import re
from typing import Final

_TOKEN: Final = re.compile(
    rb"(?:\.|->)\s*[A-Za-z_]\w*|\d[\w.]*|\bfor\b|[{}();]|[A-Za-z_]\w*"
)  # members and numbers are no names


def in_open_blocks(text: bytes) -> set[str]:
    """The identifiers of a function's text up to a place, without those of blocks that are over.

    What the header of a loop declares is over with the loop. ``text`` has no comments.
    """
    blocks: list[set[str]] = [set()]
    header: set[str] = set()
    depth = begins = 0  # of parentheses; where that of a loop's header is open
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            begins = 0 if depth < begins else begins
        elif token == b"for":
            begins = depth + 1
        elif token == b"{":
            blocks.append(header)
            header = set()
        elif token == b"}":
            if len(blocks) > 1:
                blocks.pop()
            header = set()
        elif token == b";":
            if depth == 0:
                header = set()
        elif token[:1].isalpha() or token[:1] == b"_":
            (header if begins else blocks[-1]).add(token.decode())
    return set().union(*blocks, header)
