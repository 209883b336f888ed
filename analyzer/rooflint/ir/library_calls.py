"""Functions of the C library: cycles of one call.

Mathematical functions are operations of the IR and not here: ``rooflint.core.libm`` prices them.
"""

from collections.abc import Mapping
from typing import Final

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

CYCLES: Final[Mapping[str, float]] = {
    # text: 8 characters, the median of the measured loops over text
    "strlen": 7, "strnlen": 7, "strcmp": 9, "strncmp": 8, "strcasecmp": 9, "strncasecmp": 9,
    "strcoll": 9, "strchr": 8, "strrchr": 8, "index": 8, "strstr": 15, "strcpy": 8, "stpcpy": 8,
    "strncpy": 11, "strcat": 20, "strncat": 20, "strspn": 11, "strcspn": 12, "strpbrk": 9,
    "strtok": 33, "strtok_r": 33, "strdup": 39, "strndup": 39, "memcmp": 7, "bcmp": 7, "memchr": 8,
    "memrchr": 8, "atoi": 45, "atol": 45, "atoll": 45, "atof": 97, "strtol": 47, "strtoll": 47,
    "strtoul": 38, "strtoull": 38, "strtod": 94, "strtof": 94,
    # classes of characters: a look into a table
    **dict.fromkeys(
        ("isspace", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isprint", "ispunct",
         "isxdigit", "iscntrl", "isgraph", "isblank", "tolower", "toupper"), 2),
    # memory from the allocator's own lists
    "malloc": 15, "calloc": 28, "free": 14, "realloc": 47, "aligned_alloc": 40, "memalign": 40,
    "posix_memalign": 40,
    # formats of two conversions, to a buffer: no output takes place
    "printf": 180, "fprintf": 180, "sprintf": 200, "snprintf": 200, "vprintf": 180,
    "vfprintf": 180, "vsprintf": 200, "vsnprintf": 200, "sscanf": 182, "fscanf": 182, "scanf": 182,
    "puts": 60, "fputs": 60, "putchar": 9, "fputc": 9, "putc": 9, "fwrite": 62, "fread": 64,
    "fgetc": 8, "getc": 8, "getchar": 8, "fgets": 60, "feof": 8, "ferror": 8, "fflush": 54,
    "fileno": 8,
    # numbers, time, errors
    "rand": 50, "random": 50, "lrand48": 16, "drand48": 16, "rand_r": 12, "time": 9,
    "clock_gettime": 86, "gettimeofday": 86, "getenv": 30, "strerror": 216,
    "__errno_location": 2, "pthread_mutex_lock": 9, "pthread_mutex_unlock": 9,
    # instructions, or nothing at all
    **dict.fromkeys(
        ("__builtin_expect", "__builtin_constant_p", "__builtin_assume_aligned",
         "__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", "__builtin_prefetch",
         "__builtin_assume", "__builtin_object_size", "__builtin_dynamic_object_size",
         "__builtin_is_constant_evaluated", "_mm_prefetch"), 1),
    **dict.fromkeys(
        ("__builtin_clz", "__builtin_clzl", "__builtin_clzll", "__builtin_ctz", "__builtin_ctzl",
         "__builtin_ctzll", "__builtin_popcount", "__builtin_popcountl", "__builtin_popcountll",
         "__builtin_bswap16", "__builtin_bswap32", "__builtin_bswap64", "__builtin_ffs",
         "__builtin_parity", "htonl", "htons", "ntohl", "ntohs"), 3),
}  # fmt: skip
"""Cycles of one call: glibc 2.36 in a loop of its own on an x86 server core (Intel Xeon), the best
of fifteen runs of 50 000 calls, in units of a loop that stores one value (one cycle). Text has
eight characters. Functions that enter the kernel each time are not here: their time is no cycles of
the program. Instructions: 3 cycles latency on all x86 cores since Haswell (bswap 1 to 2)."""

COPIES: Final[Mapping[str, float]] = {
    "memcpy": 9,
    "memmove": 8,
    "memset": 8,
    "bzero": 8,
    "bcopy": 9,
}
"""The same for functions that move as many bytes as they are told, here at most 32."""
SMALL_COPY_BYTES: Final = 256
"""Bytes up to which a copy costs its call: eight vectors of 32 bytes, one a cycle. What is longer
is a stream of its own, whose length decides."""
