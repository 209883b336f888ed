"""Headers of a nest put in another order in the text."""

from collections.abc import Sequence

from rooflint.advice import Edit, Fix
from rooflint.editing import Text, replace
from rooflint.facts import plain
from rooflint.ir import Loop
from rooflint.rule import RuleContext


def reordered(context: RuleContext, chain: Sequence[Loop], order: Sequence[str]) -> Fix:
    """The headers of a perfect nest in the order of their indices.

    Without edits where one depends on another, or is not plain source; unsafe where an index lives
    on behind the loops, with another value then.
    """
    title = f"order {', '.join(map(plain, order))}"
    sketch = Fix("sketch", title)
    indices = {loop.index for loop in chain}
    if any(indices & (loop.lower.names() | loop.upper.names()) for loop in chain):
        return sketch
    text = Text(context.text)
    headers = [text.header(context.source.spans[loop.origin]) for loop in chain]
    written = {
        loop.index: (header, text.within(header))
        for loop, header in zip(chain, headers, strict=True)
        if header is not None
    }
    if len(written) < len(chain):
        return sketch
    edits: list[Edit] = []
    for loop, index in zip(chain, order, strict=True):
        header, before = written[loop.index]
        after = written[index][1]
        if after != before:
            edits.append(replace(header, after))
    declared = all(_declares(after) for _, after in written.values())
    return Fix("safe" if declared else "unsafe", title, tuple(edits))


def _declares(header: str) -> bool:
    """Whether a loop's index is its own: one declared outside has another value behind it."""
    first = header.partition("(")[2].partition(";")[0]
    return len(first.partition("=")[0].split()) > 1
