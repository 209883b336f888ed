"""Which compiler options mean what to a front end that trusts nobody: the tables of its allow-list.

An option that is in no table here never reaches libclang. Values that libclang 18 refuses outright
(an unknown ``-std``, ``-march`` or ``--target`` fails the whole parse) are tables too.
Patterns are kept as text: most runs never need them compiled.
"""

from typing import Final, Literal

Language = Literal["c", "c++", "cuda", "hip", "cl"]

TEMPLATE_SUFFIXES: Final = (".in", ".cmake", ".cmake.in")
"""Added to a header's name, the names of files that CMake, Meson and autoconf make it of."""
EXTENSIONS: Final[dict[str, Language]] = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP"), "c++"),
    **dict.fromkeys((".hh", ".hp", ".hpp", ".hxx", ".h++", ".H", ".inl", ".ipp", ".tcc"), "c++"),
    **dict.fromkeys((".tpp", ".txx", ".ixx", ".cppm"), "c++"),
    **dict.fromkeys((".cu", ".cuh"), "cuda"),
    ".hip": "hip",
    ".cl": "cl",
}
"""Language by file name extension, case-sensitive as compilers read it."""

HEADERS: Final = frozenset(
    (
        ".h",
        ".hh",
        ".hp",
        ".hpp",
        ".hxx",
        ".h++",
        ".H",
        ".inl",
        ".ipp",
        ".tcc",
        ".tpp",
        ".txx",
        ".cuh",
    )
)

X_LANGUAGES: Final[dict[str, Language]] = {
    "c": "c",
    "c-header": "c",
    "cpp-output": "c",
    "objective-c": "c",
    "c++": "c++",
    "c++-header": "c++",
    "c++-cpp-output": "c++",
    "objective-c++": "c++",
    "cuda": "cuda",
    "cu": "cuda",
    "hip": "hip",
    "cl": "cl",
}

# Whether some CUDA toolkit is installed here may not show in the diagnostics.
NO_CUDA_VERSION: Final = "-Wno-unknown-cuda-version"
# The device half of CUDA and HIP needs the vendor's headers; the host half shows the same loops.
LANGUAGE_ARGUMENTS: Final[dict[Language, tuple[str, ...]]] = {
    "c": ("-x", "c"),
    "c++": ("-x", "c++"),
    "cuda": ("-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-host-only", NO_CUDA_VERSION),
    "hip": ("-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-host-only"),
    "cl": ("-x", "cl"),
}

C_STANDARDS: Final = frozenset(
    [
        f"{family}{year}"
        for family in ("c", "gnu")
        for year in "89 90 99 9x 11 1x 17 18 23 2x".split()
    ]
    + [f"iso9899:{year}" for year in "1990 199409 1999 2011 2017 2018".split()]
)
CXX_STANDARDS: Final = frozenset(
    f"{family}++{year}"
    for family in ("c", "gnu")
    for year in "98 03 0x 11 1y 14 1z 17 2a 20 2b 23 2c 26".split()
)
CL_STANDARDS: Final = frozenset(
    "CL CL1.0 CL1.1 CL1.2 CL2.0 CL3.0 CLC++ CLC++1.0 CLC++2021".split()
) | frozenset("cl cl1.0 cl1.1 cl1.2 cl2.0 cl3.0 clc++ clc++1.0 clc++2021".split())
STANDARDS: Final[dict[Language, frozenset[str]]] = {
    "c": C_STANDARDS,
    "c++": CXX_STANDARDS,
    "cuda": CXX_STANDARDS,
    "hip": CXX_STANDARDS,
    "cl": CL_STANDARDS,
}
NEWER_STANDARDS: Final = {
    "c2y": "c23",
    "gnu2y": "gnu23",
    "iso9899:2024": "c23",
    "c++latest": "c++26",
    "c++2d": "c++26",
    "gnu++2d": "gnu++26",
    "c++29": "c++26",
    "gnu++29": "gnu++26",
}
"""Standards of later compilers, and the nearest that libclang 18 reads."""

# Option as written -> option as handed on. The value is a directory.
DIRECTORY_OPTIONS: Final = {
    "-I": "-I",
    "-isystem": "-isystem",
    "-iquote": "-iquote",
    "-idirafter": "-idirafter",
    "-isysroot": "-isysroot",
    "--sysroot": "-isysroot",
    "-cxx-isystem": "-isystem",
    "-external:I": "-isystem",
    "-imsvc": "-isystem",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "-F": "-F",
    "-iframework": "-iframework",
}
FILE_OPTIONS: Final = {
    "-include": "-include",
    "--include": "-include",
    "--pre-include": "-include",
    "-imacros": "-imacros",
    "--imacros": "-imacros",
}
MACRO_OPTIONS: Final = {"-D": "-D", "-U": "-U", "--define-macro": "-D", "--undefine-macro": "-U"}

# These take the next argument with them when they are dropped.
SEPARATE_OPTIONS: Final = frozenset(
    "-o -MF -MT -MQ -MJ -Xclang -Xpreprocessor -Xcompiler -Xassembler -Xlinker "
    "-Xopenmp-target -Xptxas -Xnvlink -Xcudafe "
    "-mllvm -load -plugin -specs -wrapper -B -L -l -T -u -z -e -arch --param -aux-info "
    "-dumpbase -dumpbase-ext -dumpdir -ccbin --compiler-bindir -gencode --generate-code "
    "-code --output-file --output-directory --options-file -include-pch -ivfsoverlay -iprefix "
    "-iwithprefix -iwithprefixbefore -imultilib -resource-dir -index-store-path -framework "
    "-install_name -current_version -compatibility_version -working-directory "
    "--serialize-diagnostics -fplugin-arg -diag-disable -diag-suppress --diag-suppress "
    "-diag-error -target-cpu -target-feature -fp-model -ftime-trace -module-file-info".split()
)

UNTRUSTED: Final = (
    "-fplugin",
    "-fpass-plugin",
    "-load",
    "-plugin",
    "-Xclang",
    "-mllvm",
    "-B",
    "-specs",
    "--specs",
    "-wrapper",
    "-ccbin",
    "--compiler-bindir",
    "-ivfsoverlay",
    "-resource-dir",
)
"""Prefixes of options that load code or replace the tool's own files: named, never handed on."""

MEANINGFUL: Final = (
    "-fsingle-precision-constant",
    "-funsigned-bitfields",
    "-fmodule",
    "-fprebuilt-module-path",
    "-fcoroutines",
    "-fconcepts",
    "-freflection",
    "-fcilkplus",
    "-fplan9-extensions",
    "-fsso-struct",
    "-finput-charset",
    "-fextended-identifiers",
    "-fpermissive",
    "-fabi-version",
    "-fimplicit-constexpr",
    "-fdelayed-template-parsing",
    "-include-pch",
    "-undef",
    "-traditional",
    "-iprefix",
    "-iwithprefix",
    "--expt-",
    "--extended-lambda",
)
"""Prefixes of options that libclang does not take and that can change what the source means."""

UNCLEAR: Final = ("-i", "-n", "-t", "-x", "--")
"""Of what is left, options that start so may say something about the source; all others concern
warnings, output, linking or code generation and are dropped without a word."""
HARMLESS: Final = (
    "--param",
    "--coverage",
    "--save-temps",
    "--gpu",
    "--generate-code",
    "--output",
    "--diag",
    "--serialize",
    "--driver-mode",
    "--offload-arch",
    "--forward",
    "--compile",
    "--ptxas",
    "--use_fast_math",
    "--relocatable",
    "--verbose",
    "--version",
    "--no-",
    "-no-pie",
    "-nostartfiles",
    "-nostdlib",
    "-nodefaultlibs",
    "-time",
    "-ip",
    "-index-store",
    "-install_name",
)
"""Exceptions from UNCLEAR."""

LANGUAGE_SWITCHES: Final = (
    r"-f(no-)?("
    r"exceptions|cxx-exceptions|rtti|signed-char|unsigned-char|short-enums|short-wchar|char8_t"
    r"|ms-extensions|ms-compatibility|ms-compatibility-version=[\d.]+|msc-version=\d+|gnu-keywords"
    r"|operator-names|declspec|blocks|builtin|freestanding|hosted|dollars-in-identifiers"
    r"|threadsafe-statics|sized-deallocation|aligned-allocation|strict-enums|trigraphs"
    r"|fast-math|finite-math-only|signed-bitfields|pack-struct(=\d+)?"
    r"|constexpr-(depth|steps)=\d+|template-depth=\d+|bracket-depth=\d+|asm"
    r")|-fno-builtin-\w+|-(nostdinc|nostdinc\+\+|nostdlibinc|nobuiltininc|trigraphs|pthread)"
)
C_ONLY_SWITCHES: Final = r"-f(no-)?gnu89-inline"

TARGET: Final = (
    r"(x86_64|amd64|i[3-6]86|aarch64(_be)?|arm64|arm(v[4-9]\w*)?|armeb|thumb(v[4-9]\w*)?|riscv(32|64)"
    r"|powerpc(64)?(le)?|ppc(64)?(le)?|s390x|mips(64)?(el)?|loongarch64|sparcv9|wasm(32|64))"
    r"(-[\w.]+)*"
)
TARGET_SWITCHES: Final = (
    r"-m(no-)?(mmx|3dnow|sse|sse2|sse3|ssse3|sse4|sse4a|sse4\.[12]|avx|avx2|avx512\w+|avxvnni\w*"
    r"|fma|fma4|f16c|bmi|bmi2|lzcnt|popcnt|xop|tbm|aes|sha|pclmul|gfni|vaes|vpclmulqdq|amx-\w+"
    r"|movbe|adx|rdrnd|rdseed|prfchw|clflushopt|clwb|clzero|altivec|vsx)"
    r"|-m(32|64|x32|ms-bitfields|no-ms-bitfields|align-double|malign-double|long-double-(64|80|128)"
    r"|general-regs-only|soft-float)"
)
ARM_SWITCHES: Final = (
    r"-m(fpu|float-abi|abi|sve-vector-bits|rvv-vector-bits)=[\w.+-]+|-m(thumb|arm)"
)

X86_CPUS: Final = frozenset(
    "x86-64 x86-64-v2 x86-64-v3 x86-64-v4 nocona core2 penryn bonnell atom silvermont slm goldmont "
    "goldmont-plus tremont nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i "
    "haswell core-avx2 broadwell skylake skylake-avx512 skx cascadelake cooperlake cannonlake "
    "icelake-client icelake-server tigerlake rocketlake sapphirerapids alderlake raptorlake "
    "meteorlake arrowlake arrowlake-s lunarlake gracemont pantherlake sierraforest grandridge "
    "graniterapids graniterapids-d emeraldrapids clearwaterforest knl knm k8 k8-sse3 athlon64 "
    "athlon64-sse3 opteron opteron-sse3 athlon-fx amdfam10 barcelona btver1 btver2 bdver1 bdver2 "
    "bdver3 bdver4 znver1 znver2 znver3 znver4".split()
)
NEWER_CPUS: Final = {
    "znver5": "znver4",
    "znver6": "znver4",
    "diamondrapids": "graniterapids",
    "novalake": "arrowlake",
    "wildcatlake": "arrowlake",
}
"""Processors of later compilers, and the nearest that libclang 18 knows."""

FOREIGN_TARGETS: Final = (
    (r"armv[89].*", "aarch64-linux-gnu"),
    (r"armv[67].*", "arm-linux-gnueabihf"),
    (r"cortex-[ax]\d+\w*|neoverse-\w+|a64fx|thunderx\w*", "aarch64-linux-gnu"),
    (r"apple-[am]\d+|ampere\d\w*", "aarch64-linux-gnu"),
    (r"rv64.*", "riscv64-linux-gnu"),
    (r"(power|pwr)\d+", "powerpc64le-linux-gnu"),
)
"""``-march``/``-mcpu`` values that tell the target when no ``--target`` does."""

X86_TARGET: Final = r"(x86_64|amd64|i[3-6]86)(-.*)?"
CROSS_DRIVER: Final = (
    r"([a-z0-9_]+(?:-[\w.]+)+)-(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|gfortran)(?:-[\d.]+)?"
)
CXX_DRIVERS: Final = frozenset(("icpc", "icpx", "dpcpp", "nvcc", "mpicxx", "mpiCC", "CC", "pgCC"))

OPENMP: Final = frozenset(
    ("-fopenmp", "-qopenmp", "-fiopenmp", "-openmp", "-xopenmp", "-mp", "-homp", "-qsmp")
)
NO_OPENMP: Final = frozenset(("-fno-openmp", "-qno-openmp", "-nomp"))

CODE_SWITCHES: Final[dict[str, tuple[str, object]]] = {
    "-fopenmp-simd": ("openmp_simd", True),
    "-qopenmp-simd": ("openmp_simd", True),
    "-ftree-vectorize": ("vectorize", True),
    "-fvectorize": ("vectorize", True),
    "-fno-tree-vectorize": ("vectorize", False),
    "-fno-vectorize": ("vectorize", False),
    "-no-vec": ("vectorize", False),
    "-funroll-loops": ("unroll_loops", True),
    "-funroll-all-loops": ("unroll_loops", True),
    "-fno-unroll-loops": ("unroll_loops", False),
    "-fassociative-math": ("associative_math", True),
    "-funsafe-math-optimizations": ("associative_math", True),
    "-fno-associative-math": ("associative_math", False),
    "-freciprocal-math": ("reciprocal_math", True),
    "-fno-reciprocal-math": ("reciprocal_math", False),
    "-fmath-errno": ("math_errno", True),
    "-fno-math-errno": ("math_errno", False),
    "-ftrapping-math": ("trapping_math", True),
    "-fno-trapping-math": ("trapping_math", False),
    "-fstrict-aliasing": ("strict_aliasing", True),
    "-fno-strict-aliasing": ("strict_aliasing", False),
    "-use_fast_math": ("fast_math", True),
    "--use_fast_math": ("fast_math", True),
}
"""Options on the machine code: the field of ``flags.CodeGeneration`` they set, and to what."""

CODE_VALUES: Final = {"-mtune": "mtune", "-fveclib": "veclib", "-ffp-contract": "ffp_contract"}
"""Options on the machine code whose value is the field's."""


def is_header_name(name: str) -> bool:
    """Whether this is a name as in ``#include``, to be looked for along the include path."""
    return bool(name) and name[0] not in "-@=/" and "\0" not in name
