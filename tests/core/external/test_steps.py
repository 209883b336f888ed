"""Iterations that a pass over a compiled loop covers, counted by hand."""

import pytest
from rooflint.core.external.listing import AsmLoop, innermost_loops
from rooflint.core.external.steps import iterations_per_pass, moves_bytes


def loop(*lines: str, back: str = "jne .L1") -> AsmLoop:
    text = "f:\n.L1:\n" + "".join(f"\t{line}\n" for line in (*lines, back))
    (found,) = innermost_loops(text)
    return found


TRIAD = loop(
    "vmovupd (%rsi,%rax,8), %ymm1",
    "vmovupd 32(%rsi,%rax,8), %ymm2",
    "vmovupd %ymm1, (%rdi,%rax,8)",
    "vmovupd %ymm2, 32(%rdi,%rax,8)",
    "addq $8, %rax",
    "cmpq $1024, %rax",
)


def test_two_vectors_of_four_doubles_are_eight_iterations() -> None:
    assert moves_bytes(TRIAD) == [64, 64, 64, 64]  # 8 · 8 B
    assert iterations_per_pass(TRIAD, [8, 8]) == 8


def test_a_long_stride_beside_a_short_one_decides_nothing_wrongly() -> None:
    # c[i] += a[k][i] with rows of 32 B: 64 B might be two rows, but only one access has that stride
    assert iterations_per_pass(TRIAD, [8, 32], multiple_of=4) == 8


def test_the_remark_rules_out_what_is_no_multiple_of_it() -> None:
    assert iterations_per_pass(TRIAD, [8], multiple_of=16) is None


def test_increments_spread_over_a_pass_add_up() -> None:
    walked = loop(
        "vaddsd (%rdi), %xmm0, %xmm0", "addq $8, %rdi",
        "vaddsd (%rdi), %xmm1, %xmm1", "addq $8, %rdi",
    )  # fmt: skip
    assert iterations_per_pass(walked, [8]) == 2


def test_columns_by_their_row_length() -> None:
    column = loop("vaddsd (%rdi), %xmm0, %xmm0", "addq $19200, %rdi", "decq %rcx")
    assert iterations_per_pass(column, [9600]) == 2


def test_downwards() -> None:
    down = loop("vmovsd (%rdi,%rcx,8), %xmm0", "vmovsd %xmm0, (%rsi,%rcx,8)", "decq %rcx")
    assert iterations_per_pass(down, [-8]) == 1


def test_an_address_that_changes_by_what_a_register_holds_is_not_counted() -> None:
    free = loop("vaddsd (%rdi), %xmm0, %xmm0", "addq %rsi, %rdi", "decq %rcx")
    assert moves_bytes(free) == []
    assert iterations_per_pass(free, [8]) is None


def test_a_reloaded_register_is_unknown() -> None:
    spilled = loop("movq -8(%rsp), %rdi", "vaddsd (%rdi), %xmm0, %xmm0", "addq $8, %rdi")
    assert iterations_per_pass(spilled, [8]) is None


def test_gathers_count_by_the_loop_counter() -> None:
    gather = loop(
        "vgatherqpd (,%ymm6), %ymm7 {%k1}", "vaddpd %ymm7, %ymm0, %ymm0",
        "vpaddq %ymm1, %ymm6, %ymm6", "addq $-8, %rax",
    )  # fmt: skip
    assert iterations_per_pass(gather, [9600], multiple_of=4) == 8
    assert iterations_per_pass(gather, [9600], multiple_of=3) is None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("ldr q0, [x9], #32", "str q0, [x10, x11]", "add x11, x11, #32"), 4),
        (("ldp q1, q2, [x9, #-16]", "add x9, x9, #32", "subs x8, x8, #4"), 4),
        (("ldr d0, [x9, x8, lsl #3]", "add x8, x8, #1", "cmp x8, x1"), 1),
        (("ldr d0, [x9, #8]!", "fadd d1, d1, d0", "subs x8, x8, #1"), 1),
    ],
)
def test_aarch64(lines: tuple[str, ...], expected: int) -> None:
    assert iterations_per_pass(loop(*lines, back="b.ne .L1"), [8]) == expected


def test_sve_needs_the_length_of_a_register() -> None:
    sve = loop("ld1d { z0.d }, p0/z, [x0, x8, lsl #3]", "incd x8", "cmp x8, x9", back="b.ne .L1")
    assert iterations_per_pass(sve, [8]) is None
    assert iterations_per_pass(sve, [8], vector_bytes=64) == 8  # A64FX: 512 bit


def test_sve_steps_that_are_computed_before_the_loop() -> None:
    # four registers of 64 B: 32 doubles a pass
    before = "\trdvl x9, #1\n\tlsr x9, x9, #4\n\trdvl x11, #4\n\tcnth x10\n"
    body = ("ld1d { z1.d }, p0/z, [x13]", "ld1d { z2.d }, p0/z, [x13, #1, mul vl]",
            "add x13, x13, x11", "subs x12, x12, x10")  # fmt: skip
    lines = "".join(f"\t{line}\n" for line in (*body, "b.ne .L1"))
    (sve,) = innermost_loops(f"f:\n{before}.L1:\n{lines}")
    assert moves_bytes(sve, 64) == [256, 256]
    assert iterations_per_pass(sve, [8], vector_bytes=64) == 32
    assert iterations_per_pass(sve, [8]) is None
    # what changes again is no multiple any more
    (lost,) = innermost_loops(f"f:\n\trdvl x11, #4\n\tlsl x11, x11, #1\n.L1:\n{lines}")
    assert iterations_per_pass(lost, [8], vector_bytes=64) is None


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        # rows of 9600 B: five of them; an immediate of add ends at 4095
        ("mov w12, #48000", 5),
        # 30464 + 65536 = 96000: ten rows; 48000 + 655360 is no multiple of one
        ("mov w12, #30464\n\tmovk w12, #1, lsl #16", 10),
        ("mov w12, #48000\n\tmovk w12, #10, lsl #16", None),
        # a call may change x12, and so do other instructions
        ("mov w12, #48000\n\tbl g", None),
        ("mov w12, #48000\n\tlsl x12, x12, x3", None),
        ("movk w12, #48000", None),
    ],
)
def test_steps_too_long_for_an_immediate(before: str, expected: int | None) -> None:
    lines = ("ldr d1, [x16]", "ldr d2, [x16, #9600]", "add x16, x16, x12", "subs x17, x17, #5")
    body = "".join(f"\t{line}\n" for line in (*lines, "b.ne .L1"))
    (found,) = innermost_loops(f"f:\n\t{before}\n.L1:\n{body}")
    assert iterations_per_pass(found, [9600]) == expected


def test_a_call_keeps_the_registers_that_it_has_to() -> None:
    body = "\tldr d1, [x16]\n\tadd x16, x16, x20\n\tb.ne .L1\n"
    (found,) = innermost_loops(f"f:\n\tmov w20, #48000\n\tbl g\n.L1:\n{body}")
    assert moves_bytes(found) == [48000]


def test_addresses_that_each_pass_adds_up_anew() -> None:
    # as clang leaves the inner loop of a matrix product: x6 counts bytes, 64 of them a pass
    lines = ("add x19, x5, x6", "add x7, x14, x6", "ldr q4, [x19, #8720]", "ldr q6, [x7, #8736]",
             "fmla v6.2d, v4.2d, v3.2d", "str q6, [x7, #8736]", "add x6, x6, #64")  # fmt: skip
    summed = loop(*lines, back="cbnz x6, .L1")
    assert moves_bytes(summed) == [64, 64, 64]
    assert iterations_per_pass(summed, [8], multiple_of=4) == 8
    # one register for the rows of a stencil after one another, each 32 B further in a pass
    rows = loop("add x24, x7, x23", "ldr q2, [x24, #8]", "add x24, x20, x23", "ldr q4, [x24, #16]",
                "adds x23, x23, #32", back="b.ne .L1")  # fmt: skip
    assert moves_bytes(rows) == [32, 32]
    # a second writer: nobody knows
    twice = loop(*lines, "mov x19, x3", "mov x7, x3", back="cbnz x6, .L1")
    assert moves_bytes(twice) == []
    # a scaled one: 4 elements of 8 B
    scaled = loop("add x9, x8, x10, lsl #3", "ldr q0, [x9]", "add x10, x10, #4", back="b.ne .L1")
    assert moves_bytes(scaled) == [32]
