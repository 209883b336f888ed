"""Confines a short-lived process and tries to do harm in it: what is in force, and not guessed."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from rooflint.errors import AnalysisError
from rooflint.workers.confinement import Confinement, Harm, confine

LIMIT_S: Final = 30.0
_PROGRAM: Final = "from rooflint.workers.confinement_trial import main; main()"


@dataclass(frozen=True, slots=True)
class Trial:
    """The mechanisms of a confined process, and the harms that it tried in vain."""

    confinement: Confinement
    prevented: frozenset[Harm]


def try_confinement() -> Trial:
    """Try it; raises AnalysisError where no process can be started or none answers."""
    with tempfile.TemporaryDirectory(prefix="rooflint-") as folder:
        victim = os.path.join(folder, "victim")
        open(victim, "wb").close()
        try:
            # -P: the current folder may be the analysed tree
            done = subprocess.run(
                [sys.executable, "-P", "-c", _PROGRAM, victim],
                capture_output=True,
                timeout=LIMIT_S,
                check=True,
            )
            answer = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise AnalysisError(f"the confinement cannot be tried: {error}") from None
    return Trial(
        Confinement(**answer["confinement"]),
        frozenset(Harm[name] for name in answer["prevented"]),
    )


def main() -> None:
    """In the process: confine it, try everything, say what came of it on stdout."""
    victim = sys.argv[1]
    confinement = confine()
    prevented = [harm.name for harm, deeds in _deeds(victim).items() if all(map(_fails, deeds))]
    sys.stdout.write(json.dumps({"confinement": confinement._asdict(), "prevented": prevented}))
    sys.stdout.flush()
    os._exit(0)


Deed = Callable[[], object]


def _deeds(victim: str) -> Mapping[Harm, tuple[Deed, ...]]:
    """Harmless examples of each harm; ``victim`` is an empty file that nobody needs."""
    beside = f"{victim}.new"
    return {
        Harm.WRITE: (
            lambda: os.close(os.open(victim, os.O_WRONLY)),
            lambda: os.close(os.open(beside, os.O_WRONLY | os.O_CREAT)),
            lambda: os.mkdir(f"{victim}.folder"),
            lambda: os.rename(victim, beside),
            lambda: os.unlink(victim),
        ),
        Harm.START: (_fork, lambda: subprocess.run([sys.executable, "-V"], check=True)),
        Harm.CONNECT: (_connect,),
        Harm.SIGNAL: (_signal,),
    }


def _signal() -> None:
    if sys.platform != "win32":  # where 0 is Ctrl-C
        os.kill(os.getppid(), 0)


def _fork() -> None:
    if not hasattr(os, "fork"):
        raise PermissionError
    if os.fork() == 0:
        os._exit(0)


def _connect() -> None:
    import socket  # noqa: PLC0415 - costs 5 ms, and only this needs it

    with socket.socket() as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(("127.0.0.1", 9))
        except (ConnectionRefusedError, TimeoutError):
            return


def _fails(deed: Deed) -> bool:
    try:
        deed()
    except (OSError, subprocess.SubprocessError):
        return True
    return False
