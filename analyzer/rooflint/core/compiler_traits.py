"""Rules by which compilers differ whatever their flags, each with its source."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple

CompilerName: TypeAlias = Literal["clang", "gcc"]
Contraction: TypeAlias = Literal["off", "on", "fast"]


class CompleteUnrolling(NamedTuple):
    """Loops of known trip count that vanish: from ``level`` on, up to so many iterations (None: any
    number) and operations in all; ``fixed_rows`` where the outer loop must walk distinct rows."""

    level: int
    iterations: int | None
    operations: int
    fixed_rows: bool


class CompilerTraits(NamedTuple):
    """Decisions of one compiler; a ``…_level`` is the first of ``-O`` that takes it, None: none.

    contraction           ``-ffp-contract`` by default (gcc manual; release notes of clang 14)
    vectorizes_for_size   ``-Os`` and ``-Oz`` run the loop vectorizer (LLVM PassBuilder; gcc manual)
    libmvec_declarations  vector forms come with glibc's headers, which declare them under
                          ``-ffast-math`` alone; else ``-fveclib`` names a library
    ordered_reductions    a sum whose order counts is vectorized up to its additions (gcc's
                          fold-left reductions; LLVM has them for AArch64 only)
    very_cheap_level      cost model that takes whole vectors without checks only
                          (gcc 12, ``-fvect-cost-model=very-cheap``)
    alias_checks          pairs of pointers compared at run time, by level: clang 16 and later weigh
                          the checks, with a hard limit of 128; gcc has
                          ``vect-max-version-for-alias-checks``, and none with very-cheap
    streams_vectors       ``__builtin_nontemporal_store`` of elements becomes such stores where
                          pairs of registers can be stored (``stnp``). On x86 it does not: LLVM
                          vectorizes no loop with it unless it can prove whole vectors aligned, and
                          SSE2 has no such store of one double
    hoists_errno_calls    a call with invariant arguments leaves the loop though it may set errno
                          (gcc 12, tree-ssa-loop-im)
    tracks_sign           ``sqrt`` of what is never negative sets no errno (LLVM ValueTracking)
    compares_strides      ranges of one array with unlike steps are compared at run time; LLVM's
                          LoopAccessAnalysis takes them for dependent
    versions_steps        a step that is one symbol is compared with 1 before vectors (LLVM,
                          LoopAccessAnalysis::collectStridedAccess)
    keeps_forwarding      no vectors where a load would wait for a store of a few iterations before
                          (LLVM, MemoryDepChecker::couldPreventStoreLoadForward)
    narrows_calls         ``(float)f(double)`` becomes ``ff`` under ``-ffast-math``
                          (gcc, convert_to_real)
    evaluates_library     library calls of constants are folded (gcc, fold_const_call)
    expands_round         without traps, ``round`` becomes ``trunc`` of a sum on x86, and ``lround``
                          a conversion of that (gcc, ix86_expand_round, round<mode>2)
    interleaves           several vectors, and accumulators of one sum, are in flight
                          (LLVM LoopVectorize, selectInterleaveCount)
    halves_vectors        integers change their size by one doubling at a time, in halves of vectors
                          (gcc's vec_unpack and vec_pack), and are computed in as few bits as their
                          ranges allow; LLVM changes them in one step
    promotion_level       sums in memory move to registers behind address checks
                          (LLVM LoopVersioning and LICM)
    predictive_commoning  stored elements are forwarded at any stride, without address checks (gcc,
                          ``-fpredictive-commoning``); LLVM's LoopLoadElimination forwards to
                          neighbours, and compares at most as many pairs as it saves loads
    load_reuse_level      the next element, where it is loaded too, stays in a register for the next
                          iteration (LLVM GVN)
    repeats_loads         vector code loads an element for each instruction that may have an operand
                          in memory (gcc)
    scalars_in_vectors    integers are computed in vector registers where that is cheaper (gcc
                          ``-mstv``)
    gathers_avx512        gathers count as cheap wherever AVX-512 has them (LLVM 19,
                          X86TargetTransformInfo)
    cancels_turns         vectors that run backwards are turned round once, or not at all where they
                          are stored backwards (LLVM InstCombine; gcc 12 turns each)
    unrolls_by_default    scalar loops are unrolled without ``-funroll-loops`` (LLVM LoopUnroll)
    unrolls_first         inner loops of few iterations are unrolled before loops are vectorised; in
                          the straight code that comes of it, conversions to another size stay
                          scalar (gcc ``cunrolli`` at ``-O3``)
    unswitch_level        invariant tests leave loops (LLVM SimpleLoopUnswitch;
                          ``-funswitch-loops``)
    keeps_traps           what may trap is not computed before the loop unless every iteration needs
                          it, so that no test of it leaves the loop (gcc, tree-ssa-loop-im)
    interchange_level     loops over global arrays are interchanged (``-floop-interchange``)
    distributes_nests     loops become library calls from the outermost of a nest inwards, up to
                          the first call (gcc, loop_distribution::execute)
    outer_level           vectors may cover the loop around an innermost one (gcc; off in LLVM:
                          ``-enable-vplan-native-path``)
    boundary_level        a branch taken at one end only is peeled or masked (LLVM LoopPeel)
    complete_unrolling    LLVM UnrollThreshold; gcc max-completely-peel-times and
                          max-completely-peeled-insns
    distinguishes_pointers  a store of ``int *`` changes no ``float *`` (gcc, get_alias_set); LLVM
                          before 20 has one type for all pointers (CodeGenTBAA)
    takes_target          ``--target`` names another architecture
    chains_conversions    with AVX, an integer becomes a floating-point number in a register that a
                          call has left something in, and waits for that (LLVM 19; ``vcvtsi2ss``
                          keeps the upper lanes): loops of our own with ``sinf`` and ``expf`` take
                          33 and 26 cycles an element in place of 13 and 12; double takes no longer
    selects_moves         a comparison that moves one variable or another to the same value makes
                          conditional moves (gcc's ``ifcvt``, noce_convert_multiple_sets: 14 binary
                          searches of our own by gcc 12.2); clang 19 makes branches of all of them
    hoists_loads          a load that both ways of a branch make is made first, so that the choice
                          between it and a value stays one (LLVM SimplifyCFG). gcc's ``ifcvt``
                          demands that the condition has made the load, and that no way computes
                          floating-point numbers; else a store of the choice becomes a branch
    """

    contraction: Contraction
    vectorizes_for_size: bool
    libmvec_declarations: bool
    ordered_reductions: bool
    very_cheap_level: int | None
    alias_checks: tuple[int, int, int, int]
    streams_vectors: bool
    hoists_errno_calls: bool
    tracks_sign: bool
    compares_strides: bool
    versions_steps: bool
    keeps_forwarding: bool
    narrows_calls: bool
    evaluates_library: bool
    expands_round: bool
    interleaves: bool
    halves_vectors: bool
    promotion_level: int | None
    predictive_commoning: bool
    load_reuse_level: int | None
    repeats_loads: bool
    scalars_in_vectors: bool
    gathers_avx512: bool
    cancels_turns: bool
    unrolls_by_default: bool
    unrolls_first: bool
    unswitch_level: int
    keeps_traps: bool
    interchange_level: int | None
    distributes_nests: bool
    outer_level: int | None
    boundary_level: int | None
    complete_unrolling: CompleteUnrolling
    distinguishes_pointers: bool
    takes_target: bool
    chains_conversions: bool
    selects_moves: bool
    hoists_loads: bool


TRAITS: Final[Mapping[CompilerName, CompilerTraits]] = {
    "clang": CompilerTraits(
        contraction="on",
        vectorizes_for_size=True,
        libmvec_declarations=False,
        ordered_reductions=False,
        very_cheap_level=None,
        alias_checks=(128, 128, 128, 128),
        streams_vectors=True,
        hoists_errno_calls=False,
        tracks_sign=True,
        compares_strides=False,
        versions_steps=True,
        keeps_forwarding=True,
        narrows_calls=False,
        evaluates_library=False,
        expands_round=False,
        interleaves=True,
        halves_vectors=False,
        promotion_level=2,
        predictive_commoning=False,
        load_reuse_level=2,
        repeats_loads=False,
        scalars_in_vectors=False,
        gathers_avx512=True,
        cancels_turns=True,
        unrolls_by_default=True,
        unrolls_first=False,
        unswitch_level=2,
        keeps_traps=False,
        interchange_level=None,
        distributes_nests=False,
        outer_level=None,
        boundary_level=2,
        complete_unrolling=CompleteUnrolling(
            level=2, iterations=None, operations=300, fixed_rows=False
        ),
        distinguishes_pointers=False,
        takes_target=True,
        chains_conversions=True,
        selects_moves=False,
        hoists_loads=True,
    ),
    "gcc": CompilerTraits(
        contraction="fast",
        vectorizes_for_size=False,
        libmvec_declarations=True,
        ordered_reductions=True,
        very_cheap_level=2,
        alias_checks=(0, 0, 0, 10),
        streams_vectors=False,
        hoists_errno_calls=True,
        tracks_sign=False,
        compares_strides=True,
        versions_steps=False,
        keeps_forwarding=False,
        narrows_calls=True,
        evaluates_library=True,
        expands_round=True,
        interleaves=False,
        halves_vectors=True,
        promotion_level=None,
        predictive_commoning=True,
        load_reuse_level=None,
        repeats_loads=True,
        scalars_in_vectors=True,
        gathers_avx512=False,
        cancels_turns=False,
        unrolls_by_default=False,
        unrolls_first=True,
        unswitch_level=3,
        keeps_traps=True,
        interchange_level=3,
        distributes_nests=True,
        outer_level=2,
        boundary_level=None,
        complete_unrolling=CompleteUnrolling(
            level=3, iterations=16, operations=200, fixed_rows=True
        ),
        distinguishes_pointers=True,
        takes_target=False,
        chains_conversions=False,
        selects_moves=True,
        hoists_loads=False,
    ),
}
