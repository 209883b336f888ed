"""``--format html``: one page with everything in it, for a browser, from a file."""

from rooflint.render.html.page import render_html

__all__ = ["render_html"]
