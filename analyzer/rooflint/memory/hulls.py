"""Lines that several kernels touch of one array, together."""

from rooflint.facts import ArrayLines


def together(parts: list[ArrayLines]) -> tuple[float, float]:
    """(touched, stored) lines of one array by several kernels: overlapping hulls are one place."""
    touched = stored = 0.0
    for hull in _hulls(parts):
        span = max(part.touched for part in hull)
        largest = span
        if len(hull) > 1 and all(part.end_byte is not None for part in hull):
            largest = min(sum(part.touched for part in hull), _span_lines(hull, span))
        touched += largest
        stored += min(largest, max(part.stored for part in hull))
    return touched, stored


def _hulls(parts: list[ArrayLines]) -> list[list[ArrayLines]]:
    """Parts grouped by overlapping address ranges; those of unknown places overlap with all."""
    if any(part.first_byte is None for part in parts):
        return [parts]
    groups: list[list[ArrayLines]] = []
    reach = 0.0
    for part in sorted(parts, key=lambda part: part.first_byte or 0):
        if groups and (part.first_byte or 0) < reach:
            groups[-1].append(part)
            reach = max(reach, part.end_byte or 0)
        else:
            groups.append([part])
            reach = part.end_byte or 0
    return groups


def _span_lines(parts: list[ArrayLines], densest: float) -> float:
    """Lines of the common hull, as densely filled as the densest of the parts fills its own."""
    first = min(part.first_byte or 0 for part in parts)
    end = max(part.end_byte or 0 for part in parts)
    widest = max((part.end_byte or 0) - (part.first_byte or 0) for part in parts)
    return densest * (end - first) / widest if widest else densest
