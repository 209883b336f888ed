"""Calls of the C library, of the C++ library and of compilers' builtins: the cycles they take."""

from collections.abc import Mapping
from typing import Final

from rooflint.ir import CallCost
from rooflint.library.bit_operations import BIT_FUNCTIONS
from rooflint.library.mathematics import call_cycles, function_base

CYCLES: Final[Mapping[str, float]] = {
    # text: 8 characters, the median of the measured loops over text
    "strlen": 7, "strnlen": 7, "strcmp": 9, "strncmp": 8, "strcasecmp": 9, "strncasecmp": 7,
    "strcoll": 9, "strchr": 8, "strrchr": 5, "index": 6, "strchrnul": 8, "strstr": 11, "strcpy": 7,
    "stpcpy": 9, "strncpy": 12, "strcat": 30, "strncat": 32, "strspn": 10, "strcspn": 10,
    "strpbrk": 8, "strtok": 38, "strtok_r": 38, "strdup": 24, "strndup": 24, "memcmp": 7, "bcmp": 7,
    "memchr": 6, "memrchr": 7, "rawmemchr": 7, "atoi": 31, "atol": 31, "atoll": 31, "atof": 127,
    "strtol": 30, "strtoll": 30, "strtoul": 27, "strtoull": 27, "strtod": 127, "strtof": 127,
    # classes of characters: a look into a table
    **dict.fromkeys(
        ("isspace", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isprint", "ispunct",
         "isxdigit", "iscntrl", "isgraph", "isblank", "tolower", "toupper"), 1),
    # memory from the allocator's own lists; a block and its release share what both take
    "malloc": 10, "calloc": 26, "free": 10, "cfree": 10, "realloc": 17, "aligned_alloc": 137,
    "memalign": 137, "posix_memalign": 148,
    # formats of two conversions, to a buffer: no output takes place
    "printf": 176, "fprintf": 176, "sprintf": 176, "snprintf": 176, "vprintf": 176,
    "vfprintf": 176, "vsprintf": 176, "vsnprintf": 176, "sscanf": 167, "fscanf": 167, "scanf": 167,
    "puts": 60, "fputs": 60, "putchar": 8, "fputc": 8, "putc": 8, "fwrite": 44, "fread": 61,
    "fgetc": 7, "getc": 7, "getchar": 7, "fgets": 65, "feof": 10, "ferror": 10, "fflush": 52,
    "fileno": 10,
    # numbers, time, errors
    "rand": 48, "random": 33, "lrand48": 13, "drand48": 16, "rand_r": 12, "srand": 50, "time": 7,
    **dict.fromkeys(("clock_gettime", "gettimeofday", "omp_get_wtime", "MPI_Wtime"), 87),
    "getopt": 40, "getopt_long": 54, "ftell": 24, "getenv": 25, "strerror": 147,
    "abs": 1, "labs": 1, "llabs": 1, "__errno_location": 1, "__error": 1, "pthread_mutex_lock": 11,
    "pthread_mutex_unlock": 11, "pthread_mutex_trylock": 11, "setjmp": 9, "_setjmp": 9,
    "omp_get_thread_num": 1, "omp_get_num_threads": 1, "omp_get_max_threads": 1,
    # dates in parts, without a look at the zone's file; wide characters; addresses as text
    "strftime": 100, "localtime_r": 96, "gmtime": 67, "gmtime_r": 94, "timegm": 142, "ctime_r": 712,
    "asctime_r": 606, "difftime": 24, "wcslen": 11, "wcscmp": 12, "wcsncmp": 12, "wcscasecmp": 119,
    "wcschr": 12, "wcscpy": 12, "wcscat": 53, "wcsstr": 16, "swprintf": 236, "iswprint": 10,
    "iswspace": 11, "towlower": 13, "inet_pton": 42, "inet_ntop": 343,
    "strtold": 162, "clearerr": 17, "setenv": 516, "sigemptyset": 10, "sigaddset": 11,
    "malloc_usable_size": 10, "strerror_r": 171, "localeconv": 39, "dirname": 35, "basename": 33,
    "memmem": 18, "strsep": 37, "div": 10,
    # threads: what nobody waits for; locks like mutexes above
    "pthread_self": 1, "pthread_equal": 2, "pthread_getspecific": 11, "pthread_setspecific": 12,
    "pthread_mutex_init": 13, "pthread_mutex_destroy": 9, "pthread_mutexattr_init": 10,
    "pthread_mutexattr_settype": 10, "pthread_mutexattr_destroy": 10, "pthread_cond_init": 10,
    "pthread_cond_destroy": 10, "pthread_cond_signal": 10, "pthread_cond_broadcast": 10,
    "pthread_attr_init": 14, "pthread_once": 11, "pthread_rwlock_rdlock": 11,
    "pthread_rwlock_wrlock": 11, "pthread_rwlock_unlock": 11, "pthread_spin_lock": 8,
    "pthread_spin_unlock": 8,
    # a locked instruction
    **dict.fromkeys(
        ("__sync_fetch_and_add", "__sync_fetch_and_sub", "__sync_fetch_and_or",
         "__sync_fetch_and_and", "__sync_add_and_fetch", "__sync_sub_and_fetch",
         "__sync_bool_compare_and_swap", "__sync_val_compare_and_swap", "__sync_lock_test_and_set",
         "__sync_synchronize", "__atomic_fetch_add", "__atomic_fetch_sub", "__atomic_fetch_or",
         "__atomic_fetch_and", "__atomic_add_fetch", "__atomic_sub_fetch", "__atomic_exchange_n",
         "__atomic_compare_exchange_n", "__atomic_store_n"), 20),
    "__atomic_load_n": 1, "__sync_lock_release": 1,
    # instructions, or nothing at all
    **dict.fromkeys(
        ("__builtin_expect", "__builtin_constant_p", "__builtin_assume_aligned",
         "__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", "__builtin_prefetch",
         "__builtin_assume", "__builtin_object_size", "__builtin_dynamic_object_size",
         "__builtin_is_constant_evaluated", "_mm_prefetch", "__builtin_ia32_pause", "_mm_pause",
         "__builtin_nan", "__builtin_nanf", "__builtin_inf", "__builtin_inff", "__builtin_huge_val",
         "__builtin_huge_valf", "__builtin_alloca", "__builtin_cpu_supports",
         "__builtin_frame_address", "__builtin_return_address", "__builtin_isinf_sign",
         "__builtin_choose_expr", "__builtin_types_compatible_p"), 1),
    **dict.fromkeys(
        [f"__builtin_{of}{operation}{size}_overflow"
         for operation in ("add", "sub", "mul")
         for of, size in (("", ""), *((of, size) for of in "su" for size in ("", "l", "ll")))], 1),
    **dict.fromkeys(BIT_FUNCTIONS, 1),
}  # fmt: skip
"""Cycles of a call: glibc 2.36, gcc 12 ``-O2 -fno-builtin``, each in a loop of its own over 64
arguments on a virtual Zen 5, the best of fifteen runs over the time of an addition that waits for
the one before. Text has eight characters, formats are ``"%d %s"``. To half of the pair that was
measured: allocation and release, lock and unlock. Taken for their next of kin: strtok for strtok_r,
atol, strtoll and strtof, memalign, cfree, srand, putchar, getchar, the formats to a file and those
of lists, scans of a file, the clocks of OpenMP and MPI, and a lock that is only tried. Dates, wide
characters and the other functions of threads were measured likewise on a virtual Zen 4, gcc 12.2;
what is destroyed costs what its making does. Builtins and OpenMP's own numbers are judged: 1 cycle.
A locked instruction takes 18 to 20 (uops.info, Zen 4 and Golden Cove). Functions that enter the
kernel each time are left out: their time is no cycles of the program."""

STANDARD_CYCLES: Final[Mapping[str, float]] = {
    # what compilers put in place: a load, an addition, a comparison
    **dict.fromkeys(
        ("size", "length", "empty", "begin", "end", "cbegin", "cend", "rbegin", "rend", "data",
         "front", "back", "at", "get", "c_str", "operator[]", "operator*", "operator->",
         "operator++", "operator--", "operator bool", "operator!=", "move", "forward", "swap",
         "pop_back", "max", "min", "abs", "make_pair", "addressof", "as_const", "exchange", "load",
         "real", "imag", "capacity"), 1),
    "push_back": 4, "emplace_back": 4, "append": 17, "operator==": 8, "operator+": 17,
    # text: as of strings below; whole numbers of five digits
    "to_string": 25, "stoi": 49, "stol": 49, "stoll": 49, "stoul": 49, "stoull": 49, "stod": 127,
    "stof": 127, "getline": 44,
    # to and from streams: eight characters; a manipulator only holds its number
    "operator<<": 32, "operator>>": 92, "endl": 36,
    **dict.fromkeys(("setw", "setprecision", "setfill", "setbase", "hex", "dec", "fixed",
                     "scientific", "left", "right", "boolalpha"), 1),
    "make_shared": 23, "make_unique": 20, "norm": 3, "now": 87, "duration_cast": 1,
}  # fmt: skip
"""The same of functions in ``std``, by their last name: one cycle is judged. Measured as above,
with g++ 12: ``push_back`` of numbers to a vector that grows to 1000 (3.5 cycles), ``append`` of
eight characters to a string (16.7), and conversions, streams and pointers (25.0 for ``to_string``,
48.7 for ``stoi``). Objects made with ``make_shared`` and released share what both take."""

_STREAM_STATE: Final = dict.fromkeys(
    ("flags", "setf", "unsetf", "precision", "width", "fill", "good", "bad", "fail", "eof", "clear",
     "rdstate", "operator bool", "operator!", "rdbuf"), 1,
)  # fmt: skip
_OSTREAM: Final = {**_STREAM_STATE, "operator<<": 65, "put": 16, "write": 28}
_ISTREAM: Final = {**_STREAM_STATE, "operator>>": 107, "get": 18, "peek": 18}
_ORDERED: Final = {
    "insert": 104, "emplace": 104, "find": 32, "count": 38, "operator[]": 36, "at": 32,
    "lower_bound": 32, "upper_bound": 32, "contains": 38,
}  # fmt: skip
_HASHED: Final = {
    "insert": 146, "emplace": 146, "find": 11, "count": 11, "operator[]": 13, "at": 11,
    "contains": 11,
}  # fmt: skip
_ATOMIC: Final = {
    "fetch_add": 20, "fetch_sub": 20, "store": 20, "exchange": 20, "compare_exchange_weak": 20,
    "compare_exchange_strong": 20,
}  # fmt: skip
_LOCK: Final = {"lock": 10, "unlock": 10, "try_lock": 10}
CLASS_CYCLES: Final[Mapping[str, Mapping[str, float]]] = {
    "basic_string": {
        "basic_string": 3, "operator=": 6, "assign": 6, "operator+": 17, "operator+=": 17,
        "operator==": 8, "operator!=": 8, "operator<": 8, "compare": 8, "clear": 1, "substr": 6,
        "push_back": 6, "find": 16, "rfind": 16, "resize": 27, "insert": 4, "erase": 24,
    },
    "__atomic_base": _ATOMIC, "atomic": _ATOMIC,
    "vector": {"vector": 1, "clear": 1, "insert": 24, "erase": 27, "resize": 85},
    "deque": {"push_back": 4, "push_front": 4, "pop_front": 4},
    "list": {"push_back": 28, "push_front": 28},
    "set": _ORDERED, "map": _ORDERED, "multiset": _ORDERED, "multimap": _ORDERED,
    "unordered_set": _HASHED, "unordered_map": _HASHED, "unordered_multiset": _HASHED,
    "unordered_multimap": _HASHED, "ios_base": _STREAM_STATE, "basic_ios": _STREAM_STATE,
    "basic_ostream": _OSTREAM, "basic_ofstream": _OSTREAM, "basic_istream": _ISTREAM,
    "basic_ifstream": _ISTREAM, "basic_iostream": {**_ISTREAM, **_OSTREAM},
    "basic_ostringstream": {**_OSTREAM, "basic_ostringstream": 520, "str": 16},
    "basic_istringstream": {**_ISTREAM, "basic_istringstream": 540, "str": 16},
    "basic_stringstream": {**_OSTREAM, **_ISTREAM, "basic_stringstream": 540, "str": 16},
    "function": {"operator()": 6, "operator bool": 1},
    "shared_ptr": {"shared_ptr": 10, "operator=": 20},
    "unique_ptr": {"unique_ptr": 1},
    "mutex": _LOCK, "unique_lock": {**_LOCK, "unique_lock": 10}, "lock_guard": {"lock_guard": 10},
    "scoped_lock": {"scoped_lock": 10},
    "uniform_real_distribution": {"operator()": 45},
    "uniform_int_distribution": {"operator()": 25},
    "duration": {"count": 1}, "time_point": {"time_since_epoch": 1},
}  # fmt: skip
"""The same of members of a class in ``std``, strings of eight characters, trees and tables of 1000
numbers, vectors of 64 numbers. Measured as above: strings made of a literal (3.1 cycles), appended
to (17), compared (7.5), searched (16), enlarged by 100 characters (27); trees found in (32) and
entered into (104); tables likewise (11, 146); streams of strings made (520 and 540), read from
(107) and written to (65) with whole numbers; a pointer shared and dropped (20); random numbers from
``mt19937``. Released with their containers: elements of lists, of trees and of tables. Next of kin:
sets for maps, and streams of files. The rest is judged by these. A locked instruction takes 18 to
20 (uops.info, Zen 4 and Golden Cove)."""

_FLOAT_CYCLES: Final[Mapping[str, float]] = {"operator<<": 682, "operator>>": 274}
"""Of a stream's own operators with a number that is no whole one, measured as above."""
_FLOAT_KEYS: Final = ("#f#", "#d#", "#D#", "#&f#", "#&d#", "#&D#")
"""Ends of clang's keys of functions that take one such number."""

COPIES: Final[Mapping[str, float]] = {
    "memcpy": 9,
    "mempcpy": 9,
    "memmove": 9,
    "memset": 9,
    "bzero": 9,
    "bcopy": 9,
}
"""The same for functions that move as many bytes as they are told, here at most 256: 7 to 13."""
SHORT_COPY_BYTES: Final = 256
"""Bytes up to which a copy costs its call."""
COPY_BYTES_PER_CYCLE: Final = 32.0
"""Of longer ones: 29 to 35 with 4096 and 16 384 bytes, measured as above."""
INLINED_BYTES: Final = 64
"""Bytes up to which a copy of constant length is no call but moves of 16 bytes, one stored a cycle:
gcc makes up to 17 moves (``MOVE_RATIO`` of x86), LLVM up to 8 (``MaxStoresPerMemcpy``)."""
INLINED_PER_CYCLE: Final = 16.0
NEAR_COPY_BYTES: Final = 16_384
"""Bytes of a copy whose both ends lie in a nearest cache of 32 KiB, the smallest of the machines
described. What is longer is a stream, and moves over links that no figure here has."""


NEVER_RETURNING: Final = frozenset(
    """
    abort exit _exit _Exit quick_exit longjmp siglongjmp pthread_exit thrd_exit
    __assert_fail __assert_rtn __assert __builtin_trap __builtin_unreachable __builtin_abort
    terminate rethrow_exception __cxa_throw
    """.split()
)
"""Of C17 7.13 and 7.22.4, POSIX and [except.terminate] of C++20, and what ``assert`` calls."""

_INTRINSICS: Final = ("_mm_", "_mm256_", "_mm512_")
"""Begin the names of x86 instructions, one of which a cycle is a lower rate than any core has."""
STANDARD_SCOPE: Final = "c:@N@std@"
"""Begins clang's key of a declaration in the namespace ``std``."""


def is_copy(name: str) -> bool:
    """Whether it moves as many bytes as its last argument says."""
    return name.removeprefix("__builtin_") in COPIES


def library_cost(
    name: str, key: str, length: float | None = None, owner: str = ""
) -> CallCost | None:
    """The cost of a function of a library, by its name and clang's key; None for an unknown one.

    ``length``: bytes that a copy moves, None where that is open. ``owner``: the class of a method.
    What never returns runs once at most, and costs an ordinary run nothing.
    """
    if name in NEVER_RETURNING:
        return CallCost(0.0)
    plain = name.removeprefix("__builtin_").removeprefix("__")
    if plain in COPIES:
        return _copy_cost(plain, length)
    cycles = CYCLES.get(name, CYCLES.get(plain))
    if cycles is None:
        cycles = _mathematical_cycles(plain)
    if cycles is None and key.startswith(STANDARD_SCOPE):
        cycles = _standard_cycles(plain, key, owner)
    if cycles is None and name.startswith(_INTRINSICS):
        cycles = 1.0
    return None if cycles is None else CallCost(cycles)


def _standard_cycles(name: str, key: str, owner: str) -> float | None:
    """Of a function in ``std``; ``owner``: its class, or the namespace."""
    if name in _FLOAT_CYCLES and key.endswith(_FLOAT_KEYS):
        return _FLOAT_CYCLES[name]
    return CLASS_CYCLES.get(owner, STANDARD_CYCLES).get(name, STANDARD_CYCLES.get(name))


def _mathematical_cycles(name: str) -> float | None:
    single = name[-1:] == "f" and function_base(name) != name
    return call_cycles(name, "f32" if single else "f64")


def _copy_cost(name: str, length: float | None) -> CallCost:
    if length is None:
        return CallCost(COPIES[name], complete=False)
    if 0 < length <= INLINED_BYTES:
        return CallCost(max(1.0, length / INLINED_PER_CYCLE))
    beyond = max(0.0, length - SHORT_COPY_BYTES) / COPY_BYTES_PER_CYCLE
    return CallCost(COPIES[name] + beyond, length <= NEAR_COPY_BYTES)
