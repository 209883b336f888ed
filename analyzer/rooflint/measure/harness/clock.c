/* Time, and what a busy neighbour does to it: references that take a known number of cycles. */
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define ADDS 20000
#define STREAM_BYTES ((size_t)64 << 20)
#define STREAM_PART ((size_t)4 << 20)

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double clock_wall(void)
{
    return seconds(CLOCK_MONOTONIC);
}

static double clock_processor(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

static double clock_all_threads(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

#if defined(__x86_64__)
#define ADD(to, from) "add %" from ", %" to "\n\t"
#elif defined(__aarch64__)
#define ADD(to, from) "add %" to ", %" to ", %" from "\n\t"
#endif
#ifdef ADD
#define TEN(x) x x x x x x x x x x
/* An addition of registers waits for the one before it, a cycle each on all cores of interest;
 * additions of constants are dropped before they run on some. */
static void chain(void)
{
    uint64_t sum = 0, one = 1;
    for (int i = 0; i < ADDS / 100; i++)
        __asm__ volatile(TEN(TEN(ADD("0", "1"))) : "+r"(sum) : "r"(one) : "cc");
}

static void four_chains(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, one = 1;
    for (int i = 0; i < ADDS / 100; i++)
        __asm__ volatile(TEN(TEN(ADD("0", "4") ADD("1", "4") ADD("2", "4") ADD("3", "4")))
            : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : "r"(one) : "cc");
}
#else
#error "the harness has no clock for this processor"
#endif

static double best_of_three(void (*work)(void))
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        double start = clock_wall();
        work();
        double took = clock_wall() - start;
        best = took < best ? took : best;
    }
    return best;
}

static double clock_ghz(void)
{
    return ADDS * 1e-9 / best_of_three(chain);
}

static double clock_adds_per_cycle(double ghz)
{
    return 4 * ADDS * 1e-9 / best_of_three(four_chains) / ghz;
}

static double clock_stream_gb_s(void)
{
    static char *stream;
    static size_t next;
    if (!stream) {
        stream = mmap(NULL, STREAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stream == MAP_FAILED)
            return 0;
        madvise(stream, STREAM_BYTES, MADV_HUGEPAGE);
        memset(stream, 1, STREAM_BYTES);
    }
    const uint64_t *from = (const uint64_t *)(stream + next);
    next = (next + STREAM_PART) % STREAM_BYTES;
    uint64_t sum = 0;
    double start = clock_wall();
    for (size_t i = 0; i < STREAM_PART / 8; i += 8)
        sum += from[i] + from[i + 4];
    __asm__ volatile("" : : "r"(sum));
    return (double)STREAM_PART * 1e-9 / (clock_wall() - start);
}

static uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    unsigned core;
    return __rdtscp(&core);
#else
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

/* Calls of a fence do not overlap in the out-of-order window. */
static void clock_fence(void)
{
#if defined(__x86_64__)
    _mm_mfence();
    _mm_lfence();
#else
    __asm__ volatile("dsb sy\n\tisb" : : : "memory");
#endif
}

static void clock_flush_to_zero(void)
{
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | (1u << 24)));
#endif
}

static void clock_flush_line(const void *address)
{
#if defined(__x86_64__)
    _mm_clflush(address);
#else
    __asm__ volatile("dc civac, %0" : : "r"(address) : "memory");
#endif
}
