"""Files that are no profile, each in one line with its remedy."""

from enum import Enum

from rooflint.errors import UsageError
from rooflint.escaping import visible

_FROM_LLVM = (
    "make it with 'llvm-profdata merge' and 'llvm-cov export -skip-expansions -instr-profile=FILE'"
)
_FROM_GCOV = "make it with 'gcov --json-format --branch-probabilities FILE'"
_FROM_PERF = "make it with 'perf report --stdio -F overhead,srcline'"


class ProfileProblem(Enum):
    """Why a file was not read as a profile; the value says so to people, with the remedy."""

    UNREADABLE = "cannot be read"
    TOO_LARGE = "is too large; llvm-cov's option -skip-expansions makes its export smaller"
    BROKEN_PACKING = "is damaged, or is not gzip throughout; make it again"
    BROKEN = "does not have the structure of its format; make it again"
    UNKNOWN_KIND = (
        "is of an unknown kind; llvm-cov's and gcov's JSON, perf's text and callgrind.out are read"
    )
    RAW_LLVM = f"has counts without lines; the JSON export is needed: {_FROM_LLVM}"
    RAW_GCOV = f"has counts without lines; the JSON export is needed: {_FROM_GCOV}"
    RAW_PERF = f"is perf's binary file; its text is needed: {_FROM_PERF}"
    WITHOUT_COUNTS = "has shares of time and no counts; give it as a profile"
    WITHOUT_TIME = "has counts and no time; give it as counts"
    OTHER_UNIT = "is of another format than the profile before it, and their units do not add up"
    FAILED_PLUGIN = "was not read, because the plugin of its format failed"
    OTHER_COLUMNS = f"has other columns than overhead and source line; {_FROM_PERF}"
    OPTIMISED = (
        "comes from an optimised build, whose lines gcov miscounts; compile with --coverage -O0, "
        "and where functions are always_inline with clang's coverage"
    )


class ProfileError(UsageError):
    """A file that is no usable profile; the text names the file and the remedy."""

    def __init__(self, path: str, problem: ProfileProblem, detail: str = "") -> None:
        super().__init__(
            f"{visible(path)}: {problem.value}" + (f" ({visible(detail)})" if detail else "")
        )
        self.problem = problem
