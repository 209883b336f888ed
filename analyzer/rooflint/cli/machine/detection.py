"""The words for a processor and for the machine file that describes it."""

from rooflint.machine.identity import Identification, MatchKind, ProcessorNumbers

MATCH_WORDS = {
    MatchKind.EXACT: "this product",
    MatchKind.CORE: "the same core; clock, cores and bandwidth may differ",
    MatchKind.NEAREST: "the nearest machine; no file describes this core",
    MatchKind.GENERIC: "typical figures; no file describes this core",
    MatchKind.AMBIGUOUS: "the same core, so the numbers cannot tell; choose one with --machine",
    MatchKind.NONE: "none; no machine file describes this processor",
}
PROBE = "rooflint machine probe -o mine.yaml"


def detection_lines(processor: ProcessorNumbers, found: Identification) -> list[str]:
    """The processor, its machine and a next command: three lines."""
    return [
        f"processor  {processor_words(processor)}",
        f"machine    {machine_words(found)}",
        f"next       {_next_command(found)}",
    ]


def processor_words(processor: ProcessorNumbers) -> str:
    """The name that the processor gives itself, and the numbers that identify it."""
    numbers = (
        ("family", processor.family),
        ("model", processor.model),
        ("stepping", processor.stepping),
        ("implementer", processor.implementer),
        ("part", processor.part),
    )
    stated = [f"{name} {value}" for name, value in numbers if value is not None]
    arch = processor.arch.value if processor.arch else "unknown architecture"
    words = ", ".join(filter(None, [arch, processor.vendor, *stated]))
    return f"{processor.brand} ({words})" if processor.brand else words


def machine_words(found: Identification) -> str:
    """The machines with what the match is worth: ``zen4-9654: the same core; …``."""
    names = " or ".join(found.machines)
    return f"{names}: {MATCH_WORDS[found.match]}" if names else MATCH_WORDS[found.match]


def _next_command(found: Identification) -> str:
    if found.match is MatchKind.EXACT:
        return f"rooflint analyze PATH --machine {found.machines[0]}"
    return f"{PROBE}   # measures this computer"
