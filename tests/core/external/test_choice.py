"""Which of the loops that a compiler made of one loop is taken."""

from rooflint.core.external.choice import ChosenLoop, SourceLoop, choose_loop
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.listing import innermost_loops

HEAD = '\t.file 1 "/src/k.c"\n'
WANTED = SourceLoop("/src/k.c", "k", 2, 3, (8, 8))
VECTOR = """
.L4:
\t.loc 1 3 1
\tvmovupd (%rsi,%rax,8), %ymm0
\tvaddpd (%rdi,%rax,8), %ymm0, %ymm0
\tvmovupd %ymm0, (%rdi,%rax,8)
\taddq $4, %rax
\tjne .L4
"""
REMAINDER = """
.L6:
\t.loc 1 3 1
\tvmovsd (%rsi,%rax,8), %xmm0
\tvaddsd (%rdi,%rax,8), %xmm0, %xmm0
\tvmovsd %xmm0, (%rdi,%rax,8)
\tincq %rax
\tjne .L6
"""
UNROLLED = """
.L7:
\t.loc 1 3 1
\tvmovsd (%rsi,%rax,8), %xmm0
\tvaddsd (%rdi,%rax,8), %xmm0, %xmm0
\tvmovsd %xmm0, (%rdi,%rax,8)
\tvmovsd 8(%rsi,%rax,8), %xmm0
\tvaddsd 8(%rdi,%rax,8), %xmm0, %xmm0
\tvmovsd %xmm0, 8(%rdi,%rax,8)
\taddq $2, %rax
\tjne .L7
"""


def of(*loops: str, function: str = "k") -> list[ChosenLoop | ExternalFailure]:
    return [choose_loop(innermost_loops(f"{function}:\n{HEAD}{''.join(loops)}"), WANTED)]


def label(found: ChosenLoop | ExternalFailure) -> str:
    assert isinstance(found, ChosenLoop), found
    return found.loop.label


def test_the_vector_body_before_its_remainder() -> None:
    (found,) = of(REMAINDER, VECTOR)
    assert label(found) == ".L4"
    assert isinstance(found, ChosenLoop)
    assert (found.iterations, found.packed) == (4, True)


def test_the_vector_body_before_a_longer_scalar_one() -> None:
    (found,) = of(VECTOR, UNROLLED)
    assert label(found) == ".L4"


def test_the_unrolled_body_before_its_remainder() -> None:
    (found,) = of(REMAINDER, UNROLLED)
    assert isinstance(found, ChosenLoop)
    assert (label(found), found.iterations, found.packed) == (".L7", 2, False)


def test_of_two_versions_the_one_that_keeps_the_value_in_a_register() -> None:
    # y[i] = a*y[i-1] + x[i], where x may be y: the careful version loads y[i-1]
    reloads = """
.L2:
\t.loc 1 3 1
\tvmovsd -8(%rdi,%rax,8), %xmm1
\tvfmadd213sd (%rsi,%rax,8), %xmm0, %xmm1
\tvmovsd %xmm1, (%rdi,%rax,8)
\tincq %rax
\tjne .L2
"""
    forwards = """
.L3:
\t.loc 1 3 1
\tvfmadd213sd (%rsi,%rax,8), %xmm0, %xmm1
\tvmovsd %xmm1, (%rdi,%rax,8)
\tincq %rax
\tjne .L3
"""
    for order in ((reloads, forwards), (forwards, reloads)):
        (found,) = of(*order)
        assert label(found) == ".L3"


def test_a_loop_of_other_lines_is_not_taken() -> None:
    (found,) = of(VECTOR.replace(".loc 1 3 1", ".loc 1 30 1"))
    assert found == ExternalFailure("the compiler left no innermost loop from these lines")


def test_a_loop_inlined_elsewhere_is_taken_where_the_function_has_none() -> None:
    (found,) = of(VECTOR, function="main")
    assert label(found) == ".L4"


def test_calls_are_refused() -> None:
    (found,) = of(VECTOR.replace("\taddq", "\tcall exp\n\taddq"))
    assert isinstance(found, ExternalFailure)
    assert "calls functions" in found.reason


def test_without_a_constant_step_nothing_is_guessed() -> None:
    (found,) = of(VECTOR.replace("addq $4, %rax", "addq %rdx, %rax"))
    assert isinstance(found, ExternalFailure)
    assert "how many iterations" in found.reason


def test_the_remark_stands_in_where_addresses_do_not_tell() -> None:
    text = f"k:\n{HEAD}{VECTOR.replace('addq $4, %rax', 'addq %rdx, %rax')}"
    found = choose_loop(innermost_loops(text), WANTED._replace(multiple_of=4))
    assert isinstance(found, ChosenLoop)
    assert found.iterations == 4
