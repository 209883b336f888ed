/* What the parts of the harness tell each other. */
#ifndef ROOFLINT_INTERNAL_H
#define ROOFLINT_INTERNAL_H

#include "harness.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Why the program ends early; the names are the protocol's, and `protocol.py` has them too. */
enum stop { STOP_FAULT, STOP_DIVISION, STOP_CALL, STOP_MEMORY, STOP_ABORT, STOP_SETUP };

struct settings {
    const char *state;   /* "warm" or "cold" */
    int core;            /* to run on; -1: any */
    int fence;           /* whether calls are kept apart */
    double batch_s;      /* aim for a batch */
    double budget_s;     /* of processor time for all batches */
    int batches;         /* at most */
    long long max_bytes; /* of memory */
    int offset;          /* of arrays from the start of a page, bytes */
    long long row_bytes; /* between rows of arrays of pointers; 0: the limit times 8 */
    int sentinel_stream; /* whether the memory reference runs between batches */
    int result;          /* descriptor of the results */
    bool sandbox;
};

extern struct settings settings;

void stop_with(enum stop why, long long detail) __attribute__((noreturn));
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* regions.c */
void regions_reserve(void);
bool regions_touch(void *address); /* whether the address is in a region and memory was added */
void regions_map(void);            /* in one piece, as far as they were touched */
void regions_fill(void);
bool regions_ran_away(void);
void regions_flush(void);
void regions_report(void);
long long regions_late_pages(void);

/* sandbox.c */
void sandbox_signals(void);
void sandbox_close(void);

/* clock.c */
double clock_wall(void);
double clock_processor(void);
double clock_ghz(void);
double clock_adds_per_cycle(double ghz);
double clock_stream_gb_s(void);
uint64_t clock_ticks(void);
void clock_fence(void);
void clock_flush_to_zero(void);
void clock_flush_line(const void *address);

#endif
