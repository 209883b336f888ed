"""Rooflint reports, per loop of C and C++ source, what limits it and how fast it could be.

>>> import rooflint
>>> report = rooflint.analyze("src/", machine="zen4-9654", sizes={"n": 10_000_000})

``__all__`` is the Python API: its names load when they are first used, so that the command line,
which imports this package, too, does not pay for them.
"""

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from rooflint.api import (
        Advice,
        ConfigurationError,
        Loop,
        LostFile,
        Machine,
        MachineEntry,
        Prediction,
        RefusedLoop,
        Report,
        RooflintError,
        RooflintWarning,
        UsageError,
        Verdict,
        analyze,
        explain,
        load_machine,
        machines,
    )

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "ConfigurationError",
    "Loop",
    "LostFile",
    "Machine",
    "MachineEntry",
    "Prediction",
    "RefusedLoop",
    "Report",
    "RooflintError",
    "RooflintWarning",
    "UsageError",
    "Verdict",
    "analyze",
    "explain",
    "load_machine",
    "machines",
]


def __getattr__(name: str) -> object:
    """PEP 562: a name of the API, when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'rooflint' has no attribute '{name}'")
    from rooflint import api  # noqa: PLC0415

    value: object = getattr(api, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
