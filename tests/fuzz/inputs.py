"""Mutated inputs: real ones cut, doubled, exchanged and joined with what breaks readers."""

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAX_BYTES = 20_000

ODD = (
    b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b" " * 200, b"-", b"0", b"-1",
    b"1e999",
    b"nan", b"9" * 30, b"9" * 5000, b"0x", b"''", b'"', b"\\", b"\xe2\x80\xae", b"\xf0\x9f\x98\x8b",
    b"(" * 300, b")" * 300, b"[" * 300, b"{" * 300, b"<" * 300, b"null", b"true", b"*", b"&a",
    b"*a",
    b"!!x", b": ", b"- ", b"#", b"//", b"/*", b"*/", b"%s", b"{}", b"__proto__",
    b"../../../etc/passwd",
)  # fmt: skip
WORDS = {
    "source": (
        b"for", b"while", b"do", b"if", b"else", b"goto x;", b"x:", b"break;", b"continue;",
        b"return",
        b"switch", b"case 1:", b"template<typename T>", b"typename", b"struct S", b"union",
        b"double",
        b"int", b"unsigned char", b"long double", b"_Complex", b"auto", b"[=](int i)",
        b"operator()",
        b"#define A A", b"#if 0", b"#endif", b"#include <vector>", b'#include "x.h"',
        b"#pragma omp ",
        b"parallel for collapse(9)", b"restrict", b"const", b"static", b"sizeof", b"n", b"i",
        b"a[i]",
        b"*p++", b"p->q", b"(*f)(i)", b"?", b"::", b"<<=", b"%", b"/ 0", b"* n", b"+=", b"==",
        b"--", b",",
        b"asm(\"\");", b"__attribute__((noreturn))", b"/* rooflint: n=0 */",
        b"// rooflint: trip(i=-1)",
        b"i + (1 << 40)", b"a[a[i]]", b"[n][n]", b"new double[n]", b"std::vector<double>",
        b"__m256d",
        b"try {", b"} catch (...) {", b"namespace {", b"using", b"alignas(64)", b"volatile",
        b"bool",
    ),
    "yaml": (
        b"schema: 1\n", b"name: x\n", b"extends: x\n", b"clock_ghz: 0\n", b"cores_per_socket: 0\n",
        b"caches: []\n", b"memory: {}\n", b"gb_s: ", b"level: ", b".inf", b"-.nan", b"~",
        b"? a\n: b\n",
        b"--- \n", b"...\n", b"%YAML 9.9\n", b"|\n  text\n", b">-\n", b"'it''s'", b"!!binary |\n",
        b"n**n**n", b"n / 0", b"log2(0)", b"max()", b"size_kib: 1e30\n", b"ways: 7\n",
        b"line_bytes: 0\n",
    ),
    "toml": (
        b"[sizes]\n", b"machine = ", b"cores = ", b"model = []\n", b"[[a]]\n", b"a.b.c = 1\n",
        b"'''", b'"""',
        b"1979-05-27", b"inf", b"-nan", b"select = ['RL']\n", b"exclude = ['[', '**']\n",
        b"min-time = '1'\n",
        b"[per-file]\n", b"severity = {}\n", b"[tool.rooflint]\n", b"cache-dir = '..'\n",
    ),
    "comments": (
        b"rooflint:", b"NOLINT", b"NOLINTNEXTLINE(RL101", b"allow(", b"RL101", b"trip(", b"i=",
        b"noalias(a,",
        b"threads(0)", b"off", b"on", b"N=1e99", b"N=4 096", b"=", b"==", b",,",
        b"row[i+1]-row[i]=27",
    ),
    "json": (
        b'"directory"', b'"command"', b'"arguments"', b'"file"', b"[]", b"{}", b"@x", b"-I",
        b"-include",
        b"-std=", b"-D", b"-Xclang", b"\\u0000", b"\\ud800", b"1e400", b"-march=", b"--target=",
        b"-x", b"--",
    ),
}  # fmt: skip


def seeds(kind: str) -> tuple[bytes, ...]:
    """Real inputs of a kind: files of this project."""
    patterns = {
        "source": ("tests/kernels/*", "examples/*.c*", "tests/fuzz/crashes/*"),
        "machine": ("machines/*.yaml",),
        "procedure": ("examples/procedures/*.yaml",),
    }
    found = [path.read_bytes() for p in patterns.get(kind, ()) for path in sorted(ROOT.glob(p))]
    return tuple(found or SMALL[kind])


SMALL = {
    "configuration": (
        b'machine = ["cell", "a.yaml"]\ncores = "socket"\nmodel = "roofline"\n[sizes]\nN = 4096\n',
        b'select = ["RL1"]\nignore = ["RL201"]\nmin-gain = 1.5\nmin-time = "1ms"\n'
        b'fail-on = "error"\nexclude = ["old/**"]\npreview = true\n[severity]\nRL101 = "error"\n',
        b'compiler = "gcc"\nmin-confidence = "high"\n',
        b'extends = "../x.toml"\nheader-filter = "inc/**"\nfail-on = "gain>=2"\n'
        b'compile-commands = "build"\n[flags]\ndefault = ["-O3"]\n[per-file]\n'
        b'"t/*" = { ignore = ["ALL"] }\n',
    ),
    "comments": (
        b"rooflint: N=4096", b"rooflint: trip(i=1e6)", b"rooflint: noalias(a, b)", b"NOLINT",
        b"rooflint: threads(8)", b"rooflint: off", b"rooflint: on", b"NOLINTNEXTLINE(RL101,RL102)",
        b"rooflint: allow(RL101, RL2) because it is cold", b"NOLINT(RL101)",
        b"rooflint: row[i+1]-row[i]=27", b"rooflint: file-allow(RL101) generated",
    ),
    "database": (
        b'[{"directory": "/b", "file": "a.c", "command": "gcc -O3 -Iinc \\"-DY=a b\\" -c a.c"}]',
        b'[{"directory": ".", "file": "../a.cc", "arguments": ["clang++", "-std=c++20", "a.cc"]},\n'
        b' {"file": "/e.cu", "command": "nvcc -arch=sm_80 -Xcompiler -fopenmp"}]',
    ),
}  # fmt: skip
DIALECTS = {
    "source": "source", "machine": "yaml", "procedure": "yaml", "kerncraft": "yaml",
    "configuration": "toml", "comments": "comments", "database": "json",
}  # fmt: skip


def mutated(kind: str, count: int, seed: int) -> Iterator[bytes]:
    """So many inputs, the same ones for the same seed."""
    rng = random.Random(f"{kind} {seed}")
    known = seeds(kind)
    words = WORDS[DIALECTS[kind]]
    for _ in range(count):
        text = _piece(rng, known) if rng.random() < 0.5 else rng.choice(known)
        for _ in range(1 + int(rng.expovariate(0.35))):
            text = _changed(rng, text, known, words)
        yield text[:MAX_BYTES]


def _piece(rng: random.Random, known: Sequence[bytes]) -> bytes:
    """A stretch of whole lines, so that many mutations are of one function, not of a whole file."""
    lines = rng.choice(known).splitlines(keepends=True)
    begin = rng.randrange(len(lines))
    return b"".join(lines[begin : begin + rng.randrange(1, 60)])


def _changed(
    rng: random.Random, text: bytes, known: Sequence[bytes], words: Sequence[bytes]
) -> bytes:
    tokens = re.findall(rb"\w+|\s+|[^\w\s]", text) or [b""]
    at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    begin, end = min(at, other), min(max(at, other) + 1, min(at, other) + 40)
    deed = rng.randrange(9)
    if deed == 0:
        del tokens[begin:end]
    elif deed == 1:
        tokens[at:at] = tokens[begin:end] * rng.choice((1, 2, 20))
    elif deed == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif deed == 3:
        tokens[at] = rng.choice(words)
    elif deed == 4:
        tokens.insert(at, b" " + rng.choice(words) + b" ")
    elif deed == 5:
        tokens[at] = rng.choice(ODD)
    elif deed == 6:
        del tokens[at:]
    elif deed == 7:
        tokens[at:at] = [_piece(rng, known)]
    else:
        raw = bytearray(b"".join(tokens) or b" ")
        for _ in range(rng.randrange(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        return bytes(raw)
    return b"".join(tokens)
