"""Types in which C computes: ranks, usual conversions, complex numbers and their parts."""

_FLOAT_RANK = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3, "f80": 4, "f128": 5}
_INT_RANK = {"i32": 1, "u32": 2, "i64": 3, "u64": 4, "i128": 5, "u128": 6}
_COMPLEX = {"c32": "f16", "c64": "f32", "c128": "f64", "c160": "f80"}
_COMPLEX_OF = {part: whole for whole, part in _COMPLEX.items()}


def common_type(left: str, right: str) -> str:
    """The type C computes in for operands of these types (usual arithmetic conversions)."""
    if left == right:
        return "i32" if left in _NARROW else left
    if "x" in left + right:
        return left if "x" in left else right
    if left in _COMPLEX or right in _COMPLEX:
        parts = common_type(_COMPLEX.get(left, left), _COMPLEX.get(right, right))
        return _COMPLEX_OF.get(parts, "c128")
    if "opaque" in (left, right) and not {left, right} & _FLOAT_RANK.keys():
        return right if left == "opaque" else left
    return max("i32", left, right, key=_rank)


def _rank(type_: str) -> int:
    """Orders types as conversions do: narrow ones are promoted to ``i32`` first."""
    return _FLOAT_RANK.get(type_, 0) * 10 + _INT_RANK.get(type_, 0)


_NARROW = frozenset(("bool", "i8", "u8", "i16", "u16"))


def is_float(type_: str) -> bool:
    """Whether arithmetic in this type is floating point (vectors and complex included)."""
    return type_[0] in "fc" or type_[:2] == "bf"
