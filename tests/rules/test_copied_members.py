"""Copies of members that stores of a loop may change, and quotients as products."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.fixing import with_edits
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
GCC = "gcc -O3 -march=icelake-server"


def edited(lint: Lint, text: str) -> str:
    [finding] = lint("RL312", text, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"
    return with_edits(text.encode(), finding.fix.edits).decode()


PICTURE = "struct picture { int width, height; unsigned char gain, *pixels; };\n"
BRIGHTEN = "void brighten(struct picture *p) {\n  // rooflint: p->width=100, p->height=100\n"


def test_a_loop_reads_copies_of_what_its_stores_may_change(lint: Lint) -> None:
    body = (
        "  for (int i = 0; i < p->width * p->height; i++)\n"
        "    p->pixels[i] += p->gain; // p->gain\n}\n"
    )
    assert edited(lint, PICTURE + BRIGHTEN + body) == (
        f"{PICTURE}{BRIGHTEN}"
        "  unsigned char *p_pixels = p->pixels;\n"
        "  const int p_height = p->height;\n"
        "  const int p_width = p->width;\n"
        "  const unsigned char p_gain = p->gain;\n"
        "  for (int i = 0; i < p_width * p_height; i++)\n"
        "    p_pixels[i] += p_gain; // p->gain\n}\n"
    )


def test_a_copy_takes_no_name_of_the_file(lint: Lint) -> None:
    text = (
        "int count;\nvoid scale(int *out, int count_copy) {\n  // rooflint: count=2000\n"
        "  for (int i = 0; i < count; i++) out[i] = count_copy;\n}\n"
    )
    assert "  const int count_copy2 = count;\n" in edited(lint, text)


@pytest.mark.parametrize(
    "loop",
    [
        # a declaration would take the loop's place behind the condition
        "  if (p->gain)\n    for (int i = 0; i < p->width; i++) p->pixels[i] = 1;\n",
        # C has no declaration behind a label
        "again:\n  for (int i = 0; i < p->width; i++) p->pixels[i] = 1;\n"
        "  if (p->gain) goto again;\n",
    ],
)
def test_where_no_declaration_can_stand_the_copies_are_named(lint: Lint, loop: str) -> None:
    [finding] = lint("RL312", f"{PICTURE}{BRIGHTEN}{loop}}}\n", "gcc -O3").findings
    assert finding.fix is not None
    assert not finding.fix.edits
    assert "local = p->width;" in finding.fix.sketch


def test_rows_behind_pointers_have_no_type_to_copy(lint: Lint) -> None:
    text = (
        "struct rows { int count; unsigned char **row, *out; };\n"
        "void first(struct rows *p) {\n  // rooflint: p->count=2000\n"
        "  for (int i = 0; i < p->count; i++) p->out[i] = p->row[i] != 0;\n}\n"
    )
    [finding] = lint("RL312", text, "gcc -O3").findings
    assert finding.fix is not None
    assert not finding.fix.edits


def test_members_of_a_variable_of_the_loop_are_not_copied_before_it(lint: Lint) -> None:
    text = (
        "struct layer { int kind; unsigned char *data; };\n"
        "void clear(struct layer *layers, int *n) {\n  // rooflint: *n=2000\n"
        "  for (int i = 0; i < *n; i++) {\n    struct layer l = layers[i];\n"
        "    l.data[0] = l.kind;\n    l.data[1] = l.kind;\n  }\n}\n"
    )
    for finding in lint("RL312", text, "gcc -O3", structural=True).findings:
        assert "l.kind" not in finding.message


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_copies_give_the_same_results(lint: Lint, tmp_path: Path) -> None:
    body = (
        "  for (int i = 0; i < p->width * p->height; i++)\n"
        "    p->pixels[i] = p->pixels[i] * 2 + p->gain;\n}\n"
    )
    program = (
        "#include <stdio.h>\nint main(void) {\n  static unsigned char data[10000];\n"
        "  struct picture p = {100, 99, 7, data};\n  unsigned sum = 0;\n"
        "  for (int k = 0; k < 3; k++) brighten(&p);\n"
        '  for (int k = 0; k < 10000; k++) sum = 31 * sum + data[k];\n  printf("%u", sum);\n}\n'
    )
    text = PICTURE + BRIGHTEN + body
    assert run_program(tmp_path, edited(lint, text) + program) == run_program(
        tmp_path, text + program
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("kind", "sign"), [("int", "/"), ("unsigned", "%"), ("unsigned", "/")])
def test_reciprocals_give_the_same_quotients(
    lint: Lint, tmp_path: Path, kind: str, sign: str
) -> None:
    loop = f"  for (int i = 0; i < n; i++)\n    to[i] = from[i] {sign} width;\n"
    text = (
        f"void f(int n, const {kind} *restrict from, {kind} *restrict to, {kind} width) {{\n"
        f"  // rooflint: n=2000\n{loop}}}\n"
    )
    program = (
        f"#include <stdio.h>\nint main(void) {{\n  static {kind} a[2000], q[2000];\n"
        "  unsigned sum = 0;\n  for (unsigned w = 1; w < 1000000000u; w += w / 2 + 1) {\n"
        "    for (int i = 0; i < 2000; i++)\n"
        "      a[i] = (i * 2654435761u >> (i % 7 + 1)) / w * w - i % 2;\n"
        "    f(2000, a, q, w);\n"
        '    for (int i = 0; i < 2000; i++) sum = 31 * sum + q[i];\n  }\n  printf("%u", sum);\n}\n'
    )
    [finding] = lint("RL215", text, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    changed = text.replace(loop, finding.fix.sketch)
    assert changed != text
    assert run_program(tmp_path, changed + program) == run_program(tmp_path, text + program)


def run_program(folder: Path, text: str) -> bytes:
    source, program = folder / "a.c", folder / "a"
    source.write_text(text, encoding="utf-8")
    flags = ("-O3", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", *flags, str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True).stdout


def test_a_record_that_is_set_as_a_whole_takes_its_members_along(lint: Lint) -> None:
    text = (
        "struct match { int off, len; };\nstruct match find(const char *, int);\n"
        "int emit(int *, int);\nvoid f(const char *at, const char *end, int *out) {\n"
        "  struct match one, two;\n  while (at < end) {\n    one = find(at, 0);\n"
        "    *out++ = one.off;\n    two = find(at + 1, one.len);\n"
        "    if (two.len > one.len) one = two;\n    *out++ = one.off;\n    at += one.len;\n"
        "  }\n}\n"
    )
    outcome = lint("RL312", text, "gcc -O3", structural=True)
    said = [*(f.message for f in outcome.findings), *(s.evidence for s in outcome.silent)]
    assert not any("one." in each or "two." in each for each in said)
