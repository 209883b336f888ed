"""An HTML document that needs nothing else: its style and scripts stand in it.

Its policy lets no other run, so a name in somebody's source that looks like markup stays text even
if escaping failed.
"""

import base64
import hashlib
from collections.abc import Sequence

from rooflint.render.html.markup import escape


def document(
    title: str, body: str, styles: Sequence[str], scripts: Sequence[str] = (), data: str = ""
) -> str:
    """The whole text; ``body`` is markup already, ``data`` JSON for its scripts.

    Ends with a newline.
    """
    hashes = " ".join(map(_hash, styles))
    runs = f"script-src {' '.join(map(_hash, scripts))}; " if scripts else ""
    policy = f"default-src 'none'; style-src {hashes}; {runs}base-uri 'none'; form-action 'none'"
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Rooflint: {escape(title)}</title>"
        + "".join([f"<style>{style}</style>" for style in styles])
    )
    block = f'\n<script type="application/json" id="data">{data}</script>' if data else ""
    last = block + "".join([f"\n<script>{script}</script>" for script in scripts])
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}{last}</body></html>\n'
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
