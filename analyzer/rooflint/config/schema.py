"""JSON Schema of a configuration file, for editors: made of the words that the loader checks."""

from typing import Any, Final

from rooflint.config.lint_settings import CONFIDENCES, FAIL_ON, GAIN_FROM, POLICIES, SEVERITIES
from rooflint.scenario import ENTRY_NAMES

DIALECT: Final = "http://json-schema.org/draft-07/schema#"
"""The newest that both the YAML and the TOML extensions of editors read."""

_WORD: Final = {"type": "string", "minLength": 1}
_WORDS: Final = {"anyOf": [_WORD, {"type": "array", "items": _WORD}]}
_SIZES: Final = {"type": "object", "additionalProperties": {"type": "integer"}}
_GAIN: Final = r"^(?:[1-9]\d*(?:\.\d*)?)x?$"
_TIME: Final = r"^\s*\d+(?:\.\d*)?(?:e[-+]?\d+)?\s*(?:ns|us|µs|ms|s)\s*$"
_BELOW: Final = {"type": "string", "pattern": r"^(?!\.\.|/).+"}


def configuration_schema() -> dict[str, Any]:
    """The schema of ``rooflint.toml``; names of machines, models and rules are not in it."""
    return {
        "$schema": DIALECT,
        "title": "Rooflint's configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": _analysis() | _lint(),
    }


def _about(text: str, kind: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, **kind}


def _analysis() -> dict[str, Any]:
    cores = {"anyOf": [{"enum": ["socket", "node"]}, {"type": "integer", "minimum": 1}]}
    cores["anyOf"].append({"type": "string", "pattern": "^0*[1-9][0-9]*$"})
    flags = {
        "type": "object",
        "additionalProperties": False,
        "required": ["default"],
        "properties": {"default": {"type": "array", "items": _WORD}},
    }
    scenarios = {"type": "object", "additionalProperties": _SIZES}
    return {
        "extends": _about(
            "A configuration file whose values hold where this file sets none.",
            {"type": "string", "pattern": r"(?:\.toml|/|\.\.)$"},
        ),
        "machine": _about("Machines by name, or machine files relative to this file.", _WORDS),
        "cores": _about("Active cores: 1, socket, node or a number.", cores),
        "compiler": _about("Name of the clang or gcc whose code is predicted.", {"type": "string"}),
        "model": _about("Models of reports.", _WORDS),
        "entry": _about(
            "Caches when a function is called: as repeated calls leave them, or empty.",
            {"enum": list(ENTRY_NAMES)},
        ),
        "compile-commands": _about("A compile_commands.json or its folder.", _WORD),
        "sizes": _about("Values of sizes that the source leaves open.", _SIZES),
        "scenario": _about("Sizes by the name of a run (--scenario).", scenarios),
        "flags": _about("Compiler flags of files without a compile command.", flags),
        "counts": _about("Files with counts of a run, as llvm-cov or gcov export them.", _WORDS),
        "profile": _about("Files with the times of a run, by perf or callgrind.", _WORDS),
    }


def _lint() -> dict[str, Any]:
    gain = {"anyOf": [{"type": "number", "minimum": 1}, {"type": "string", "pattern": _GAIN}]}
    fail_on = {"anyOf": [{"enum": list(FAIL_ON)}, {"type": "string", "pattern": f"^{GAIN_FROM}"}]}
    patterns = {"anyOf": [_BELOW, {"type": "array", "items": _BELOW}]}
    ignored = {
        "type": "object",
        "additionalProperties": False,
        "required": ["ignore"],
        "properties": {"ignore": _WORDS},
    }
    severities = {"type": "object", "additionalProperties": {"enum": list(SEVERITIES)}}
    per_file = {
        "type": "object",
        "propertyNames": {"pattern": _BELOW["pattern"]},
        "additionalProperties": ignored,
    }
    return {
        "select": _about("Rules that run: codes, beginnings of codes, names, or ALL.", _WORDS),
        "ignore": _about("Rules that do not run.", _WORDS),
        "min-gain": _about("Least predicted speedup of a finding, such as 1.2.", gain),
        "min-time": _about(
            "Least time of a nest in a call, such as 10us.", {"type": "string", "pattern": _TIME}
        ),
        "min-confidence": _about("Least confidence of a finding.", {"enum": list(CONFIDENCES)}),
        "fail-on": _about("Findings with which the lint fails.", fail_on),
        "policy": _about(
            "Whether a finding has to hold on all machines or on any.", {"enum": list(POLICIES)}
        ),
        "preview": _about("Whether rules in preview run, too.", {"type": "boolean"}),
        "exclude": _about("Files and folders that are not linted.", patterns),
        "header-filter": _about("Included headers that are linted, too.", patterns),
        "severity": _about("Severity by rule.", severities),
        "per-file": _about("Rules that do not run in some files, by pattern.", per_file),
    }
