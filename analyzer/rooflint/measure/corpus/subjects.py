"""Functions of a corpus: those with loops, nests of drivers, and kernel files."""

from collections.abc import Iterator

from msgspec import Struct

from rooflint.compile_flags.flags import Flags
from rooflint.ir.signature import FileSignatures
from rooflint.measure.kernel import kernel_subject
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject, subject_of
from rooflint.pipeline.signatures import signatures_of

_ENTRY = "main"


class CorpusSubject(Struct, frozen=True, kw_only=True):
    """A function of a file below ``folder``, or why it has none; ``file`` for its nests."""

    folder: str
    path: str
    function: str
    line: int
    subject: Subject | MeasureRefusal
    file: FileSignatures | None = None


def file_subjects(folder: str, path: str, flags: Flags) -> Iterator[CorpusSubject]:
    """The functions of a file with loops, programs' entries aside; a file without functions is a
    kernel. Raises AnalysisError where it cannot be read."""
    file = signatures_of(path, flags)
    if not file.signatures:
        kernel = kernel_subject(path, flags)
        if isinstance(kernel, Subject):
            yield CorpusSubject(
                folder=folder,
                path=path,
                function=kernel.signature.name,
                line=kernel.signature.span.line,
                subject=kernel,
            )
        elif file.error:
            refusal = MeasureRefusal(code=RefusalCode.NOT_PARSED, arguments=(path, file.error))
            yield CorpusSubject(folder=folder, path=path, function="", line=0, subject=refusal)
        return
    first = {each.name: each for each in reversed(file.signatures)}
    for signature in reversed(first.values()):
        if signature.loops and signature.name.rpartition("::")[2] != _ENTRY:
            yield CorpusSubject(
                folder=folder,
                path=path,
                function=signature.name,
                line=signature.span.line,
                subject=subject_of(file, path, flags, signature.name),
                file=file,
            )


def nests_of(whole: CorpusSubject) -> Iterator[CorpusSubject]:
    """The nests of a function, each between marks."""
    subject = whole.subject
    if isinstance(subject, MeasureRefusal) or whole.file is None:
        return
    for span in subject.signature.loops:
        yield CorpusSubject(
            folder=whole.folder,
            path=whole.path,
            function=whole.function,
            line=span.line,
            subject=subject_of(
                whole.file, whole.path, subject.flags, subject.signature.name, span.line
            ),
            file=whole.file,
        )
