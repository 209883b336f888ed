"""Findings that a project lives with for now, by fingerprint: those that come anew are said.

The file has no line numbers, so edits elsewhere change nothing in it. A finding whose predicted
gain has grown by more than a tenth is said again.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rooflint.errors import ConfigurationError
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, Report
from rooflint.records import NamedTuple

VERSION = 1
GROWN = 1.1


class BaselineEntry(NamedTuple):
    """A finding of a baseline; ``gain`` is the lowest predicted then, 0 for a note."""

    fingerprint: str
    code: str
    path: str
    function: str
    gain: float
    reason: str = ""


class BaselineDifference(NamedTuple):
    """A report without what the baseline knows, and entries of it that nothing matches."""

    report: Report
    stale: tuple[BaselineEntry, ...]


def read_baseline(path: str) -> dict[str, BaselineEntry]:
    """The entries of a file by fingerprint; raises ConfigurationError for what is none."""
    document = _json(path)
    listed = document.get("findings") if isinstance(document, dict) else None
    if not isinstance(listed, list) or document.get("version") != VERSION:
        expected = f'expected {{"version": {VERSION}, "findings": [...]}}'
        raise ConfigurationError(f"{path}:1: not a baseline of 'rooflint lint', {expected}")
    if not all(
        isinstance(each, dict) and isinstance(each.get("fingerprint"), str) for each in listed
    ):
        raise ConfigurationError(f"{path}:1: expected findings with a 'fingerprint' each")
    return {each["fingerprint"]: _entry(each) for each in listed}


def _json(path: str) -> Any:  # noqa: ANN401 - any document
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ConfigurationError(f"{path}: cannot be read: {reason}") from None
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from None


def _entry(item: Mapping[str, Any]) -> BaselineEntry:
    gain = item.get("gain")
    return BaselineEntry(
        fingerprint=item["fingerprint"],
        code=str(item.get("code", "")),
        path=str(item.get("path", "")),
        function=str(item.get("function", "")),
        gain=float(gain) if isinstance(gain, int | float) else 0.0,
        reason=str(item.get("reason", "")),
    )


def render_baseline(
    report: Report, reasons: Mapping[str, BaselineEntry], paths: Mapping[str, str]
) -> str:
    """All findings as a baseline; reasons that somebody wrote into the old one stay.

    ``paths``: how the file calls those of the report.
    """
    entries: dict[str, BaselineEntry] = {}
    for file in report.files:
        for advice in file.findings:
            gain = round(advice.gain.low, 3) if advice.gain is not None else 0.0
            old = reasons.get(advice.fingerprint)
            entries[advice.fingerprint] = BaselineEntry(
                fingerprint=advice.fingerprint,
                code=advice.code,
                path=paths[file.path],
                function=advice.function,
                gain=gain,
                reason=old.reason if old is not None else "",
            )
    return baseline_text(entries.values())


def baseline_text(entries: Iterable[BaselineEntry]) -> str:
    """The text of a baseline, in an order that merges well."""
    ordered = sorted(entries, key=lambda each: (each.path, each.function, each.code, each))
    listed = [{k: v for k, v in each._asdict().items() if v} for each in ordered]
    return json.dumps({"version": VERSION, "findings": listed}, indent=1, ensure_ascii=False) + "\n"


def without_baseline(report: Report, known: Mapping[str, BaselineEntry]) -> BaselineDifference:
    """The findings that are new against a baseline."""
    seen: set[str] = set()
    files: list[FileReport] = []
    for file in report.files:
        new = [advice for advice in file.findings if not _accepted(advice, known)]
        seen |= {advice.fingerprint for advice in file.findings}
        files.append(file._replace(findings=tuple(new)))
    stale = tuple([each for name, each in known.items() if name not in seen])
    return BaselineDifference(report._replace(files=tuple(files)), stale)


def _accepted(advice: Advice, known: Mapping[str, BaselineEntry]) -> bool:
    entry = known.get(advice.fingerprint)
    if entry is None:
        return False
    return advice.gain is None or advice.gain.low <= GROWN * entry.gain
