"""Reasons for which nothing is measured, each with its remedy."""

from enum import Enum
from typing import Final

from msgspec import Struct


class RefusalCode(Enum):
    """Why a function, a nest or a kernel is not measured."""

    NOT_PARSED = "not-parsed"
    NO_FUNCTION = "no-function"
    SEVERAL_FUNCTIONS = "several-functions"
    NO_LOOP = "no-loop"
    NO_KERNEL = "no-kernel"
    DEPENDENT_TYPES = "dependent-types"
    CONSTRUCTOR = "constructor"
    UNKNOWN_SIZE = "unknown-size"
    PAST_LEVEL = "past-level"
    COMMUNICATES = "communicates"
    EARLY_CODE = "early-code"
    NO_COMPILER = "no-compiler"
    NOT_COMPILED = "not-compiled"
    NOT_LINKED = "not-linked"
    SETUP = "setup"
    ENDED_PROGRAM = "ended-program"
    NO_RETURN = "no-return"
    FAULT = "fault"
    DIVISION = "division"
    SYSTEM_CALL = "system-call"
    OVER_MEMORY = "over-memory"
    ABORT = "abort"
    KILLED = "killed"
    GARBLED = "garbled"
    NEST_TOO_SHORT = "nest-too-short"
    BUDGET = "budget"
    SLOW_LEVEL = "slow-level"
    LARGE_RESULTS = "large-results"
    NO_RESULTS = "no-results"
    RESULTS_DIFFER = "results-differ"
    BITS_DIFFER = "bits-differ"
    NOT_REPEATABLE = "not-repeatable"
    LAYOUT_CHANGES = "layout-changes"
    NO_FINDING = "no-finding"
    SEVERAL_FINDINGS = "several-findings"
    NO_EDIT = "no-edit"
    SKETCH = "sketch"
    CALLS_OTHER_FILES = "calls-other-files"
    INTERNAL = "internal"


class MeasureRefusal(Struct, frozen=True, kw_only=True):
    """``arguments`` fill the sentence of ``code``, in its order."""

    code: RefusalCode
    arguments: tuple[str, ...] = ()


_DATA: Final = "give its sizes with `-D NAME=VALUE`, or its data with `--setup`"
_SENTENCES: Final = {
    RefusalCode.NOT_PARSED: ("{} cannot be analysed: {}", "give its flags with `-p` or after `--`"),
    RefusalCode.NO_FUNCTION: ("{} has no function {}", "name one of its functions: {}"),
    RefusalCode.SEVERAL_FUNCTIONS: ("{} has several functions with loops", "choose: {}"),
    RefusalCode.NO_LOOP: ("line {} is inside no loop", "give the line of a loop"),
    RefusalCode.NO_KERNEL: ("{} is no kernel file: {}", "give a file with functions"),
    RefusalCode.DEPENDENT_TYPES: (
        "{} is a template without an instance in the file",
        "add an explicit instance to the file",
    ),
    RefusalCode.CONSTRUCTOR: (
        "{} makes or destroys an object",
        "measure a function that works on one",
    ),
    RefusalCode.UNKNOWN_SIZE: ("{} has no size {}", "its sizes are: {}"),
    RefusalCode.PAST_LEVEL: (
        "{} touches more than fits into {} at all sizes",
        "choose a larger level, or set each size with `-D NAME=VALUE`",
    ),
    RefusalCode.COMMUNICATES: (
        "{} communicates with other processes ({})",
        "measure the function that computes",
    ),
    RefusalCode.EARLY_CODE: (
        "{} chooses functions while it is loaded ({}), before the sandbox is in place",
        "measure a file without ifunc and target_clones",
    ),
    RefusalCode.NO_COMPILER: ("{} is not available: {}", "name another with `--compiler`"),
    RefusalCode.NOT_COMPILED: ("the compiler refuses {}: {}", "give its flags with `-p`"),
    RefusalCode.NOT_LINKED: ("the program of {} cannot be linked: {}", "give its flags with `-p`"),
    RefusalCode.SETUP: ("the harness cannot prepare its memory (step {})", "free some memory"),
    RefusalCode.ENDED_PROGRAM: ("{} ended the program", _DATA),
    RefusalCode.NO_RETURN: ("{} does not return within {} s", _DATA),
    RefusalCode.FAULT: ("{} made a memory fault at {}", _DATA),
    RefusalCode.DIVISION: ("{} divided an integer by zero", _DATA),
    RefusalCode.SYSTEM_CALL: (
        "{} made the system call {}, which is refused",
        "measure a function that only computes",
    ),
    RefusalCode.OVER_MEMORY: ("{} needs more than {} bytes of memory", "give smaller sizes"),
    RefusalCode.ABORT: ("{} was aborted by signal {}", _DATA),
    RefusalCode.KILLED: ("the process of {} was ended by signal {}", _DATA),
    RefusalCode.GARBLED: ("{} damaged the report of the harness", _DATA),
    RefusalCode.BUDGET: ("the budget ended before {} was measured", "give more with `--budget`"),
    RefusalCode.SLOW_LEVEL: (
        "the budget ended before {} had data for {}",
        "give more with `--budget`, or set each size with `-D NAME=VALUE`",
    ),
    RefusalCode.LARGE_RESULTS: (
        "{} leaves {} bytes to compare, more than {}",
        "give smaller sizes",
    ),
    RefusalCode.NO_RESULTS: (
        "{} changes no memory that could be compared",
        "measure a function that writes its result to memory or returns it",
    ),
    RefusalCode.RESULTS_DIFFER: (
        "the results differ: {} is {} before the change and {} after it",
        "nothing was timed: the change is not one of speed alone",
    ),
    RefusalCode.BITS_DIFFER: (
        "the results differ in their last places: {} is {} before the change and {} after it",
        "the compiler may round differently: try `-- -ffp-contract=off -fno-fast-math`",
    ),
    RefusalCode.NOT_REPEATABLE: (
        "two runs of {} on the same data differ: {} is {} and {}",
        "remove what depends on time, chance or memory that was never written",
    ),
    RefusalCode.LAYOUT_CHANGES: (
        "{} has another type or place after the change, so results cannot be compared",
        "compare versions whose parameters and variables have the same types",
    ),
    RefusalCode.NO_FINDING: ("{} has no finding {}{}", "`rooflint lint --select {}` lists them"),
    RefusalCode.SEVERAL_FINDINGS: ("{} has several findings {}", "add the line of one: {}"),
    RefusalCode.NO_EDIT: (
        "the fix of {} at line {} makes no edit",
        "change a copy by hand, and give it with `--compare-with`",
    ),
    RefusalCode.SKETCH: (
        "the fix of {} at line {} is a sketch for a person, not an edit that can be built",
        "change a copy by hand, and give it with `--compare-with`",
    ),
    RefusalCode.CALLS_OTHER_FILES: (
        "a loop of {} calls functions of other files",
        "measure those functions",
    ),
    RefusalCode.INTERNAL: ("Rooflint failed with {}", "report this error"),
    RefusalCode.NEST_TOO_SHORT: (
        "a pass of the nest takes {} ns, too little for marks around it",
        "measure the whole function, or give larger sizes",
    ),
}


def refusal_text(refusal: MeasureRefusal) -> str:
    """The refusal in a sentence, and what to do about it."""
    sentence, remedy = _SENTENCES[refusal.code]
    places = sentence.count("{}")
    said = sentence.format(*refusal.arguments[:places])
    return f"{said}; {remedy.format(*refusal.arguments[places:])}"
