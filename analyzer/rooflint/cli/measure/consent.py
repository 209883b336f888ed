"""Consent to run code of a tree: asked for once a folder, and each time without a sandbox."""

import os
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from rooflint.config.user import user_config_path
from rooflint.escaping import visible

STATE: Final = "measured-folders"
"""File in the user's state folder: a folder a line in which a run was agreed to."""


class Consent(Enum):
    """Whether a run may start."""

    GIVEN = "given"
    ASK = "ask"
    MISSING = "missing"


class ConsentFacts(Struct, frozen=True, kw_only=True):
    """Grounds for a run.

    is_accepted  on the command line (``--yes``)
    is_trusted   the user's configuration names the folder
    is_known     the user agreed to a run in the folder before
    is_terminal  somebody can be asked
    is_confined  the kernel confines the process
    """

    is_accepted: bool
    is_trusted: bool
    is_known: bool
    is_terminal: bool
    is_confined: bool


def consent_of(facts: ConsentFacts) -> Consent:
    """Without a sandbox nothing but an answer, or ``--yes``, will do."""
    if facts.is_accepted:
        return Consent.GIVEN
    if facts.is_confined and (facts.is_trusted or (facts.is_known and facts.is_terminal)):
        return Consent.GIVEN
    return Consent.ASK if facts.is_terminal else Consent.MISSING


class RunProposal(Struct, frozen=True, kw_only=True):
    """A run that the user is asked to agree to; ``limits`` in words."""

    folder: str
    function: str
    commands: Sequence[Sequence[str]]
    limits: Sequence[str]
    is_confined: bool


def question(proposal: RunProposal) -> str:
    """The proposal in lines."""
    lines = [f"rooflint measure runs code of {proposal.folder}:"]
    lines += [f"  builds    {' '.join(command)}" for command in proposal.commands]
    lines.append(f"  calls     {proposal.function}")
    lines += [f"  limited   {limit}" for limit in proposal.limits]
    if not proposal.is_confined:
        lines.append("  WITHOUT A SANDBOX: this system cannot confine the process")
    return "".join([f"{visible(line)}\n" for line in lines])


def limits_text(memory_mib: int, seconds: float) -> str:
    """The bounds of a run."""
    time = f"{seconds:g} s" if seconds < float("inf") else "no limit on the time of all runs"
    return f"{memory_mib} MiB of memory, {time}, no network, no files"


def is_agreed(proposal: RunProposal, answer: Callable[[], str]) -> bool:
    """Whether the user agrees."""
    sys.stderr.write(question(proposal))
    sys.stderr.write("Run it? [y/N] ")
    sys.stderr.flush()
    return answer().strip().lower() in ("y", "yes")


def missing_text(folder: str, is_confined: bool) -> str:
    """How to agree where nobody can be asked."""
    if not is_confined:
        return "measure: this system has no sandbox for the run: --yes runs it without one"
    config = user_config_path()
    trusted = f"measure.trusted in {config} lists folders" if config else "no configuration folder"
    return f"measure: runs code of {folder}: --yes agrees to that once; {trusted}"


def state_path() -> str:
    """Where agreed folders are kept; empty where the user has no such place."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "rooflint", STATE) if os.path.isabs(base) else ""


def known_folders() -> frozenset[str]:
    """Folders in which a run was agreed to."""
    try:
        with open(state_path(), encoding="utf-8", errors="surrogateescape") as file:
            return frozenset(file.read().splitlines())
    except OSError:
        return frozenset()


def remember(folder: str) -> None:
    """Keeps the answer; one that cannot be kept is asked for again."""
    path = state_path()
    if not path or "\n" in folder:
        return
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{folder}\n")
    except OSError:
        return
