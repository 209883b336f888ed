"""An HTML document that needs nothing else: its style and script stand in it.

Its policy lets no other run, so a name in somebody's source that looks like markup stays text even
if escaping failed.
"""

import base64
import hashlib
from collections.abc import Sequence

from rooflint.render.html.markup import escape


def document(title: str, body: str, styles: Sequence[str], script: str = "") -> str:
    """The whole text; ``body`` is markup already. Ends with a newline."""
    hashes = " ".join([_hash(style) for style in styles])
    runs = f"script-src {_hash(script)}; " if script else ""
    policy = f"default-src 'none'; style-src {hashes}; {runs}base-uri 'none'; form-action 'none'"
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Rooflint: {escape(title)}</title>"
        + "".join([f"<style>{style}</style>" for style in styles])
    )
    last = f"\n<script>{script}</script>" if script else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}{last}</body></html>\n'
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
