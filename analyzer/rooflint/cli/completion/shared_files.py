"""The files of a wheel that lie outside of the package: its manual page and completion scripts."""

import sys
from pathlib import Path
from typing import Final

from rooflint.cli.completion.commands import completed_commands, names
from rooflint.cli.completion.man import man_page
from rooflint.cli.completion.scripts import SCRIPTS

SCRIPT_PLACES: Final = {
    "bash": (
        "share/bash-completion/completions/rooflint",
        "share/bash-completion/completions/analyze",
    ),
    "zsh": ("share/zsh/site-functions/_rooflint",),
    "fish": (
        "share/fish/vendor_completions.d/rooflint.fish",
        "share/fish/vendor_completions.d/analyze.fish",
    ),
}
"""Below an environment; bash and fish look for a file with the command's name."""
MANUAL: Final = ("share/man/man1/rooflint.1", "share/man/man1/analyze.1")


def shared_files() -> dict[str, str]:
    """The text of each file by its path below an environment."""
    commands, words = completed_commands(), names()
    files = {
        path: SCRIPTS[shell](commands, words)
        for shell, paths in SCRIPT_PLACES.items()
        for path in paths
    }
    page, link = MANUAL
    return {**files, page: man_page(), link: ".so man1/rooflint.1\n"}


def write_shared_files(folder: Path) -> None:
    """Writes them below ``folder``."""
    for path, text in shared_files().items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_shared_files(Path(sys.argv[1]))
