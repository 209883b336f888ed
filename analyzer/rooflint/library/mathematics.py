"""Functions of the mathematical library: what a call takes, and which have a vector form."""

from typing import Final

CALL_CYCLES: Final = {
    "exp": (17.0, 10.0), "exp2": (13.0, 11.0), "expm1": (18.0, 18.0), "log": (15.0, 12.0),
    "log2": (15.0, 12.0), "log10": (22.0, 20.0), "log1p": (19.0, 19.0), "pow": (36.0, 16.0),
    "sin": (27.0, 12.0), "cos": (27.0, 12.0), "sincos": (35.0, 18.0), "tan": (31.0, 25.0),
    "asin": (17.0, 13.0), "acos": (18.0, 16.0), "atan": (28.0, 16.0), "atan2": (44.0, 30.0),
    "sinh": (31.0, 31.0), "cosh": (26.0, 24.0), "tanh": (31.0, 31.0), "asinh": (38.0, 38.0),
    "acosh": (33.0, 35.0), "atanh": (34.0, 36.0), "cbrt": (37.0, 31.0), "hypot": (19.0, 11.0),
    "erf": (16.0, 15.0), "erfc": (18.0, 16.0), "tgamma": (85.0, 77.0), "lgamma": (34.0, 34.0),
    "fmod": (15.0, 14.0), "fma": (8.0, 8.0), "floor": (2.0, 1.0), "ceil": (2.0, 1.0),
    "rint": (2.0, 1.0), "nearbyint": (2.0, 1.0), "round": (11.0, 11.0), "trunc": (2.0, 1.0),
    "copysign": (2.0, 2.0),
}  # fmt: skip
"""Cycles of one scalar call with doubles and with floats, arguments in the usual range: glibc 2.36
in a loop of its own on Zen 4; other x86 server cores to a factor of 1.6."""

_FURTHER_CYCLES: Final = {
    "exp10": (19.0, 12.0), "remainder": (31.0, 18.0), "fdim": (10.0, 11.0), "ldexp": (11.0, 12.0),
    "scalbn": (13.0, 10.0), "frexp": (12.0, 12.0), "modf": (12.0, 12.0), "logb": (12.0, 12.0),
    "ilogb": (12.0, 12.0), "lround": (8.0, 10.0), "llround": (9.0, 9.0), "lrint": (7.0, 7.0),
    "llrint": (6.0, 7.0), "cabs": (14.0, 12.0), "carg": (32.0, 31.0), "cexp": (54.0, 41.0),
    "csqrt": (33.0, 65.0),
    # an instruction or two, which compilers put in place of the call
    "isnan": (1.0, 1.0), "isinf": (1.0, 1.0), "isfinite": (1.0, 1.0), "signbit": (1.0, 1.0),
    "fabs": (1.0, 1.0), "fmax": (1.0, 1.0), "fmin": (1.0, 1.0), "creal": (1.0, 1.0),
    "cimag": (1.0, 1.0), "real": (1.0, 1.0), "imag": (1.0, 1.0), "conj": (1.0, 1.0),
    "sqrt": (5.0, 3.0),
}  # fmt: skip
"""The same of functions that are rare, that have two results, or that need no call: glibc 2.36 on
Zen 5; what is one or two instructions by the throughput that uops.info gives for Zen 4."""

MATHEMATICAL: Final = frozenset(
    """
    exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh
    cosh tanh asinh acosh atanh cbrt hypot erf erfc tgamma lgamma floor ceil round trunc
    rint nearbyint lround lrint fmod remainder copysign ldexp frexp modf isnan isinf
    isfinite signbit fdim rsqrt cabs creal cimag carg conj cexp csqrt real imag norm arg
    llround llrint ilogb logb scalbn sincos
    """.split()
)
"""Functions that are operations of the IR."""

COMPLEX_DIVISION_CYCLES: Final = 30.0
ROUNDING: Final = frozenset(("floor", "ceil", "rint", "nearbyint", "trunc"))
"""Functions that are one instruction where the compiler may use it."""
TO_INTEGER: Final = frozenset(("lrint", "llrint", "lround", "llround"))
"""Functions that round to an integer; they may set errno."""
HALF_AWAY: Final = frozenset(("round", "lround", "llround"))
"""Functions that round halves away from zero, for which x86 has no instruction."""

VECTOR_CYCLES: Final = {
    "pow": 73.0, "atan2": 26.0, "asin": 20.0, "acos": 20.0, "tanh": 30.0, "cbrt": 28.0,
    "log1p": 22.0, "asinh": 60.0, "acosh": 60.0, "atanh": 50.0, "erfc": 22.0, "hypot": 14.0,
    "exp": 14.0, "exp2": 14.0, "expm1": 17.0, "log": 16.0, "log2": 16.0, "log10": 16.0,
    "sin": 14.0, "cos": 15.0, "tan": 16.0, "atan": 17.0, "sinh": 17.0, "cosh": 18.0, "erf": 16.0,
}  # fmt: skip
"""Cycles of one call of glibc's vector form (libmvec) on 32 bytes or less; measured as above."""
WHOLE_VECTOR: Final = 1.5
"""Time of a call on 64 bytes over that of one on 32."""


def function_base(name: str) -> str:
    """``exp`` of ``std::expf``: a library function without its namespace and type suffix."""
    plain = name.rpartition("::")[2].removeprefix("__builtin_")
    bare = plain[:-1]
    typed = plain[-1:] in ("f", "l") and (bare in CALL_CYCLES or bare in _FURTHER_CYCLES)
    return bare if typed else plain


def call_cycles(name: str, kind: str) -> float | None:
    """Cycles of one scalar call; ``kind`` is the type of its result. None: unknown function."""
    base = function_base(name)
    known = CALL_CYCLES.get(base) or _FURTHER_CYCLES.get(base)
    return None if known is None else known[kind == "f32"]


def vector_call_cycles(name: str, vector_bytes: int) -> float:
    """Cycles of a call of the vector form; raises KeyError if there is none."""
    cycles = VECTOR_CYCLES[function_base(name)]
    return cycles * WHOLE_VECTOR if vector_bytes > 32 else cycles
