/* What the parts of the harness tell each other. */
#ifndef ROOFLINT_INTERNAL_H
#define ROOFLINT_INTERNAL_H

#include "harness.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Why the program ends early; the names are the protocol's, and `protocol.py` has them too. */
enum stop { STOP_FAULT, STOP_DIVISION, STOP_CALL, STOP_MEMORY, STOP_ABORT, STOP_SETUP, STOP_RESULTS };

/* Neighbouring elements hold neighbouring values, any values, or their own numbers. */
enum indices { INDICES_NEAR, INDICES_RANDOM, INDICES_IDENTITY };

struct settings {
    const char *state;   /* "warm" or "cold" */
    int core;            /* to run on; -1: any */
    int fence;           /* whether calls are kept apart */
    double batch_s;      /* aim for a batch */
    double budget_s;     /* of processor time for all batches */
    int batches;         /* at most */
    long long calls;     /* in a batch; 0: as many as fill it */
    long long max_bytes; /* of memory */
    long long passes;    /* of a nest, after which a call is left; 0: as many as time allows */
    int offset;          /* of the first array from the start of a page, bytes */
    int spacing;         /* from the place of an array in its page to that of the next, bytes */
    long long row_bytes; /* between rows of arrays of pointers; 0: the limit times 8 */
    int processor_s;     /* limit of the whole process */
    int sentinel_stream; /* whether the memory reference runs between batches */
    int result;          /* descriptor of the results */
    long long results;   /* bytes at most of contents to report, in place of timing; 0: timing */
    int team_size, team_rank; /* of processes that run at once; 0: this one alone */
    int threads;              /* of an OpenMP team in this process; 1: none */
    enum indices indices;     /* how integers in arrays are filled */
    long long least;          /* of those integers */
    bool sandbox;
};

struct region {
    char *start;     /* of the address space */
    size_t reserved; /* bytes of it, whole pages */
    char *data;      /* element 0 */
    char *low;       /* touched pages: low up to high, exclusive */
    char *high;
    bool is_whole;   /* became memory in one piece, before the first call */
    unsigned char *is_touched; /* by page; outside of what is locked: a threads' race, no more */
};

#define MOST_EXPECTED 256
struct extent {
    long long low, high; /* bytes from element 0 */
};

/* State of the harness. It cannot be written while user code runs: a function that leaves its
 * arrays must not change what is measured. */
union own {
    struct {
        struct settings settings;
        struct team *team;
        struct region *regions;
        size_t regions_bytes;
        size_t page;
        size_t total;
        long long late;
        bool mapped;
        int expected_count;
        struct extent expected[MOST_EXPECTED]; /* found by an earlier process */
    };
    char pages[1 << 16]; /* whole ones, whatever their size */
};

static union own own;

static void own_lock(void);
static void own_unlock(void);

static void stop_with(enum stop why, long long detail) __attribute__((noreturn));
static void report(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void report_bytes(const void *from, size_t count);

/* main.c */
static void calls(long long count);

/* team.c */
static bool team_join(const char *text);
static void team_wait(void);           /* until all are here */
static bool team_goes_on(bool wanted); /* whether all begin another batch */
static void team_finish(void);         /* goes on calling until all are done */

/* results.c */
static void results_report(void);

/* regions.c */
static void regions_reserve(void);
static bool regions_expect(const char *text);
static void regions_expected(void);
static bool regions_touch(void *address); /* whether the address is in a region and memory was added */
static void regions_map(void);            /* in one piece, as far as they were touched */
static void regions_fill(void);
static bool regions_ran_away(void);
static void regions_flush(void);
static void regions_open(void); /* arrays of the file count as touched, whole, and are filled */
static void regions_report(void);
static long long regions_late_pages(void);
static bool is_of_region(const void *address);

/* heap.c */
static void heap_begin(void);          /* counts from here */
static void heap_end(void);            /* to here */
static long long heap_most(void);      /* bytes that were allocated at once between the two */

/* sandbox.c */
static void sandbox_signals(void);
static void sandbox_close(void);
static void sandbox_seal(void); /* before user code: libraries have looked at the system by now */

/* clock.c */
static double clock_wall(void);
static double clock_processor(void);   /* of the calling thread */
static double clock_all_threads(void); /* of the process */
static double clock_ghz(void);
static double clock_adds_per_cycle(double ghz);
static double clock_stream_gb_s(void);
static uint64_t clock_ticks(void);
static void clock_fence(void);
static void clock_flush_to_zero(void);
static void clock_flush_line(const void *address);

#endif
