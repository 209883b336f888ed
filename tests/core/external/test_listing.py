"""Loops found in listings as clang and gcc write them."""

from rooflint.core.external.listing import innermost_loops

TRIAD = """
\t.text
\t.file\t"triad.c"
\t.globl\ttriad
triad:                                  # @triad
.Lfunc_begin0:
\t.file\t0 "/src" "triad.c" md5 0x0123456789abcdef0123456789abcdef
\t.loc\t0 1 0
\t.cfi_startproc
# %bb.0:
\txorl\t%eax, %eax
\t.p2align\t4, 0x90
.LBB0_1:                                # =>This Inner Loop Header: Depth=1
.Ltmp0:
\t.loc\t0 3 12 prologue_end               # triad.c:3:12
\tvmovupd\t(%rsi,%rax,8), %ymm1
\tvfmadd213pd\t(%rdx,%rax,8), %ymm0, %ymm1 # ymm1 = (ymm0 * ymm1) + mem
\tvmovupd\t%ymm1, (%rdi,%rax,8)
.Ltmp1:
\t.loc\t0 2 5 is_stmt 1                   # triad.c:2:5
\taddq\t$4, %rax
\tcmpq\t$1024, %rax                     # imm = 0x400
\tjne\t.LBB0_1
.Ltmp2:
# %bb.2:
\t.loc\t0 4 1
\tvzeroupper
\tretq
.Lfunc_end0:
"""


def test_a_loop_has_its_instructions_with_their_lines() -> None:
    (loop,) = innermost_loops(TRIAD)
    assert (loop.function, loop.label, loop.branches, loop.calls) == (
        "triad", ".LBB0_1", False, False,
    )  # fmt: skip
    assert [i.text.split()[0] for i in loop.code] == [
        "vmovupd", "vfmadd213pd", "vmovupd", "addq", "cmpq", "jne",
    ]  # fmt: skip
    assert [i.line for i in loop.code] == [3, 3, 3, 2, 2, 2]


def test_comments_and_debug_labels_do_not_reach_the_analyser() -> None:
    (loop,) = innermost_loops(TRIAD)
    assert "#" not in loop.text
    assert ".Ltmp" not in loop.text
    assert loop.text.splitlines()[1] == "\tvfmadd213pd\t(%rdx,%rax,8), %ymm0, %ymm1"


def test_share_counts_the_instructions_from_the_lines_asked_for() -> None:
    (loop,) = innermost_loops(TRIAD)
    assert loop.share("/src/triad.c", 2, 3) == 1.0
    assert loop.share("/src/triad.c", 3, 3) == 0.5  # 3 of 6 instructions
    assert loop.share("/src/other.c", 2, 3) == 0.0


NEST = """
f:
\t.file 1 "f.c"
\t.loc 1 1 1
.L3:
\txorl\t%ecx, %ecx
.L2:
\tvaddsd\t(%rdi,%rcx), %xmm0, %xmm0
\taddq\t$8, %rcx
\tcmpq\t%rdx, %rcx
\tjne\t.L2
\tincq\t%rax
\tcmpq\t%rsi, %rax
\tjne\t.L3
\tret
"""


def test_only_the_innermost_loop_of_a_nest() -> None:
    (loop,) = innermost_loops(NEST)
    assert loop.label == ".L2"
    assert len(loop.code) == 4


def loop_of(*lines: str) -> str:
    return "f:\n.L1:\n" + "".join(f"{line}\n" for line in lines)


def test_a_jump_out_of_the_middle_is_an_exit_and_leaves_straight_code() -> None:
    (loop,) = innermost_loops(
        loop_of("\taddq $8, %rax", "\tje .L9", "\taddq $8, %rax", "\tjmp .L1", ".L9:", "\tret")
    )
    assert not loop.branches
    assert len(loop.code) == 4


def test_a_jump_inside_is_another_way_through() -> None:
    (loop,) = innermost_loops(
        loop_of("\tje .L2", "\taddq $8, %rax", ".L2:", "\tdecq %rcx", "\tjne .L1", "\tret")
    )
    assert loop.branches


def test_a_way_that_was_moved_out_of_the_loop_is_seen_too() -> None:
    found = innermost_loops(
        loop_of(
            "\tje .L8",
            ".L2:",
            "\tdecq %rcx",
            "\tjne .L1",
            "\tret",
            ".L8:",
            "\tincq %rax",
            "\tjmp .L2",
        )
    )
    assert found
    assert all(loop.branches for loop in found)


def test_calls_are_noticed() -> None:
    (loop,) = innermost_loops(loop_of("\tcall exp@PLT", "\tdecq %rcx", "\tjne .L1"))
    assert loop.calls


AARCH64 = """
daxpy:                                  // @daxpy
\t.file 0 "/src" "/src/daxpy.c"
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
\t.loc 0 3 10                           // daxpy.c:3:10
\tldp\tq1, q2, [x9, #-16]
\tfmla\tv3.2d, v1.2d, v0.d[0]
\tsubs\tx11, x11, #4
\tadd\tx9, x9, #32
\tb.ne\t.LBB0_1
\tret
"""


def test_aarch64_keeps_its_constants_and_finds_its_jump() -> None:
    (loop,) = innermost_loops(AARCH64)
    assert loop.code[2].text == "subs\tx11, x11, #4"
    assert loop.code[-1].text.startswith("b.ne")
    assert loop.share("/src/daxpy.c", 3, 3) == 1.0
