"""``rooflint --version``, and with ``--verbose`` what the machine keeps a hostile source from."""

from collections.abc import Sequence

import rooflint
from rooflint.errors import UsageError
from rooflint.workers.confinement import SWITCH, Confinement, Harm
from rooflint.workers.confinement_trial import Trial, tried

USAGE = "rooflint --version [--verbose]"


def version(arguments: Sequence[str]) -> int:
    """Print the version; ``--verbose`` tries the confinement out, which takes a moment."""
    verbose = tuple(arguments) in {("--verbose",), ("-v",)}
    if arguments and not verbose:
        raise UsageError(f"unexpected argument '{arguments[0]}', expected {USAGE}")
    print(f"rooflint {rooflint.__version__}")
    if verbose:
        print("\n".join(_lines(tried())))
    return 0


def _lines(trial: Trial) -> list[str]:
    width = max(len(harm.value) for harm in Harm)
    lines = ["", "A process that reads source, tried on this machine:"]
    for harm in Harm:
        outcome = "cannot" if harm in trial.prevented else "CAN"
        lines.append(f"  {harm.value:<{width}}  {outcome}")
    in_force = _mechanisms(trial.confinement)
    lines.append(f"by {', '.join(in_force)}" if in_force else _none())
    return lines


def _mechanisms(confinement: Confinement) -> list[str]:
    candidates = (
        (confinement.landlock > 0, f"Landlock (version {confinement.landlock})"),
        (confinement.seccomp, "a seccomp filter"),
        (confinement.seatbelt, "the macOS sandbox"),
        (confinement.no_new_privileges, "no new privileges"),
        (confinement.empty_files, "a file size limit of 0"),
        (confinement.no_core_file, "a core file limit of 0"),
    )
    return [name for in_force, name in candidates if in_force]


def _none() -> str:
    return f"nothing: the system offers no mechanism, or {SWITCH} is off"
