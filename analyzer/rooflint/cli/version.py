"""``rooflint --version [--verbose]``: the version, and what a report of a fault needs beside it."""

import os
import platform
import sys
from collections.abc import Iterator, Sequence

import rooflint
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError
from rooflint.escaping import visible
from rooflint.workers.confinement import SWITCH, Confinement, Harm
from rooflint.workers.confinement_trial import Trial, try_confinement

COMPILERS = ("cc", "gcc", "clang")


def print_version(arguments: Sequence[str]) -> int:
    """Prints the version; ``--verbose`` tries the confinement out, which takes a moment.

    Raises UsageError for other arguments.
    """
    verbose = tuple(arguments) in {("--verbose",), ("-v",)}
    if arguments and not verbose:
        expected = "rooflint --version [--verbose]"
        raise UsageError(f"unexpected argument '{arguments[0]}', expected {expected}")
    print(f"rooflint {rooflint.__version__}")
    if verbose:
        print("\n".join([*_installation_lines(), *_confinement_lines(try_confinement())]))
    return ExitCode.FINE


def _installation_lines() -> list[str]:
    rows = list(_installation())
    width = max(len(label) for label, _ in rows)
    return ["", "Installation:", *[f"  {label:<{width}}  {visible(text)}" for label, text in rows]]


def _installation() -> Iterator[tuple[str, str]]:
    from importlib.metadata import PackageNotFoundError, version
    from shutil import which

    from rooflint.config.user import user_config_path
    from rooflint.incremental.disk_store import default_folder
    from rooflint.machine import builtin_dir, list_machines
    from rooflint.registry import installed_plugins, load_registry
    from rooflint.replay.native import library

    yield "package", os.path.dirname(rooflint.__file__)
    yield "Python", f"{platform.python_version()}, {sys.executable}"
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    try:
        yield "libclang", version("libclang")
    except PackageNotFoundError:
        yield "libclang", "not installed as a package"
    yield "replay of caches", "compiled" if library() else "Python, slower: no C compiler at build"
    yield "machines", f"{len(list_machines([builtin_dir()]))} in {builtin_dir()}"
    yield "plugins", ", ".join(installed_plugins()) or "none"
    for failure in load_registry().failures:
        yield "plugin failure", failure
    yield "compilers", ", ".join(filter(None, map(which, COMPILERS))) or "none"
    yield "cache", default_folder()
    settings = user_config_path()
    missing = "" if os.path.isfile(settings) else " (no file)"
    yield "user settings", f"{settings}{missing}"


def _confinement_lines(trial: Trial) -> list[str]:
    width = max(len(harm.value) for harm in Harm)
    lines = ["", "Confinement of a process that reads source, as tested on this machine:"]
    for harm in Harm:
        outcome = "cannot" if harm in trial.prevented else "CAN"
        lines.append(f"  {harm.value:<{width}}  {outcome}")
    in_force = _mechanisms(trial.confinement)
    lines.append(
        f"by {', '.join(in_force)}"
        if in_force
        else f"nothing: the system offers no mechanism, or {SWITCH} is off"
    )
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
