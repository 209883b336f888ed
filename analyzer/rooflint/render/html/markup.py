"""HTML as text: escaping and elements. Ends that HTML lets one leave out are left out."""

from collections.abc import Iterable

from rooflint.escaping import visible

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(text: str) -> str:
    r"""``text`` for content and quoted attributes; what nobody would see becomes ``\u202e``."""
    return visible(text).translate(_ENTITIES)


def attributes(**values: str | int | float | bool | None) -> str:
    """`` name="value"`` for each; ``data_v`` is ``data-v``; None and False are left out."""
    parts = []
    for name, value in values.items():
        key = name.rstrip("_").replace("_", "-")
        if value is True:
            parts.append(f" {key}")
        elif value is not None and value is not False:
            text = f"{value:.6g}" if isinstance(value, float) else escape(str(value))
            parts.append(f' {key}="{text}"')
    return "".join(parts)


def element(name: str, content: str, **values: str | int | float | bool | None) -> str:
    """``<name values>content</name>``; ``content`` is markup already."""
    return f"<{name}{attributes(**values)}>{content}</{name}>"


def items(texts: Iterable[str], class_: str | None = None) -> str:
    """A list of plain sentences; nothing where there are none."""
    rows = "".join([f"<li>{escape(text)}" for text in texts])
    return element("ul", rows, class_=class_) if rows else ""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], class_: str = "data") -> str:
    """A plain table; heads are texts, cells are markup."""
    head = "".join([f'<th scope="col">{escape(text)}' for text in heads])
    body = "".join(["<tr>" + "".join([f"<td>{cell}" for cell in row]) for row in rows])
    if not body:
        return ""
    return element("table", f"<thead><tr>{head}<tbody>{body}", class_=class_)
