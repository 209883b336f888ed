/* One process of a measurement: finds the extents of the arrays, times batches of calls, and writes
 * a JSON record a line to a descriptor of its own. What the samples mean is decided elsewhere. */
#define _GNU_SOURCE
#include "internal.h"

#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_S 0.02 /* of a first call: as long as a hundred batches */

static const struct settings defaults = {
    .state = "warm", .core = -1, .fence = 1, .batch_s = 175e-6, .budget_s = 0.5, .batches = 2000,
    .max_bytes = (long long)1 << 30, .offset = 64, .spacing = 2496, .result = 1, .threads = 1, .sandbox = true,
};

int omp_get_max_threads(void) __attribute__((weak));

static uint64_t mark_begin, mark_ticks;
static long long mark_passes;

/* A program may repeat its nest for minutes, or end after it. A call that has reached the end of a
 * pass is therefore left there, once it took `leave_s` or made `leave_passes`. Only the thread that
 * called can leave, and only from a call that `left_early` makes. */
static double leave_s, leave_from;
static long long leave_passes, leave_begin;
static _Thread_local bool leaves;
static jmp_buf leave_to;
static const char *const stops[] = {"fault", "division", "call", "memory", "abort", "setup",
    "results"};

static void report(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    report_bytes(line, (size_t)length);
}

static void report_bytes(const void *from, size_t count)
{
    for (size_t written = 0; written < count;) {
        ssize_t more = write(own.settings.result, (const char *)from + written, count - written);
        if (more <= 0)
            _exit(3);
        written += (size_t)more;
    }
}

static void stop_with(enum stop why, long long detail)
{
    report("{\"record\":\"stopped\",\"why\":\"%s\",\"detail\":%lld}\n", stops[why], detail);
    _exit(2);
}

void rooflint_begin(void)
{
    mark_begin = clock_ticks();
}

void rooflint_end(void)
{
    mark_ticks += clock_ticks() - mark_begin;
    mark_passes++;
    if (leaves
        && (mark_passes - leave_begin >= leave_passes || clock_wall() - leave_from >= leave_s))
        _longjmp(leave_to, 1);
}

static __attribute__((noinline)) void left_early(void)
{
    leave_from = clock_wall();
    leave_begin = mark_passes;
    leaves = true;
    if (_setjmp(leave_to) == 0)
        rooflint_call();
    leaves = false;
}

/* The first call finds the extents, a page fault each, and decides how many passes the others make.
 * The second finds what only later calls touch: with a buffer of the size that the first one asked
 * for, or behind a flag that it set. */
static void first_calls(void)
{
    leave_s = FIRST_S;
    leave_passes = own.settings.passes ? own.settings.passes : LLONG_MAX;
    heap_begin();
    left_early();
    heap_end();
    leave_passes = mark_passes;
    leave_s = own.settings.batch_s;
    left_early();
}

static void calls(long long count)
{
    if (leave_passes)
        for (long long i = 0; i < count; i++)
            left_early();
    else if (own.settings.fence)
        for (long long i = 0; i < count; i++) {
            rooflint_call();
            clock_fence();
        }
    else
        for (long long i = 0; i < count; i++)
            rooflint_call();
}

static double processor_seconds(long long count)
{
    double start = clock_processor();
    calls(count);
    return clock_processor() - start;
}

/* As many calls as fill a batch. */
static long long calibrated(void)
{
    if (own.settings.calls)
        return own.settings.calls;
    if (strcmp(own.settings.state, "cold") == 0)
        return 1;
    for (long long count = 1;; count *= 2) {
        double took = processor_seconds(count);
        if (took >= own.settings.batch_s / 2 || count >= (1LL << 40)) {
            double wanted = (double)count * own.settings.batch_s / (took > 0 ? took : 1e-9);
            return wanted < 1 ? 1 : (long long)wanted;
        }
    }
}

/* The part of a call that is not the function's. */
static double fence_seconds(void)
{
    enum { FENCES = 1000 };
    double best = 1;
    for (int round = 0; own.settings.fence && round < 5; round++) {
        double start = clock_processor();
        for (int i = 0; i < FENCES; i++)
            clock_fence();
        double took = (clock_processor() - start) / FENCES;
        best = took < best ? took : best;
    }
    return own.settings.fence ? best : 0;
}

static long long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static void batch(long long count, bool restores)
{
    if (restores)
        regions_fill();
    if (strcmp(own.settings.state, "cold") == 0)
        regions_flush();
    double ghz_before = clock_ghz();
    team_wait();
    mark_ticks = 0;
    mark_passes = 0;
    long long before = switches();
    double begin = clock_wall(), processor = clock_processor(), all = clock_all_threads();
    uint64_t ticks = clock_ticks();
    calls(count);
    ticks = clock_ticks() - ticks;
    processor = clock_processor() - processor;
    double wall = clock_wall() - begin;
    if (own.settings.threads > 1) {
        /* The time of a team is that on the wall. Threads that wait spin, so what is missing of
         * their processor time is what other jobs took. */
        double missing = wall - (clock_all_threads() - all) / own.settings.threads;
        processor = wall;
        wall += missing > 0 ? missing : 0;
    }
    uint64_t marked = mark_ticks;
    long long passes = mark_passes, interrupted = switches() - before;
    team_finish();
    double ghz = clock_ghz();
    report("{\"record\":\"batch\",\"calls\":%lld,\"wall_s\":%.9g,\"processor_s\":%.9g,"
           "\"ghz_before\":%.6g,\"ghz_after\":%.6g,\"ticks\":%llu,\"mark_ticks\":%llu,"
           "\"mark_passes\":%lld,\"switches\":%lld,\"begin_s\":%.9f}\n",
        count, wall, processor, ghz_before, ghz, (unsigned long long)ticks,
        (unsigned long long)marked, passes, interrupted, begin);
}

static void sentinels(void)
{
    double ghz = clock_ghz();
    double adds = clock_adds_per_cycle(ghz);
    double stream = own.settings.sentinel_stream ? clock_stream_gb_s() : 0;
    report("{\"record\":\"sentinel\",\"ghz\":%.6g,\"adds_per_cy\":%.6g,\"stream_gb_s\":%.6g}\n",
        ghz, adds, stream);
}

static void measured(void)
{
    rooflint_prepare();
    first_calls();
    regions_report();
    regions_map();
    rooflint_prepare();
    if (own.settings.results) {
        results_report();
        return;
    }
    calls(2);
    team_wait();
    long long count = calibrated();
    bool restores = regions_ran_away();
    if (restores)
        regions_fill();
    report("{\"record\":\"calibrated\",\"calls\":%lld,\"restores\":%s,\"fence_s\":%.6g}\n",
        count, restores ? "true" : "false", fence_seconds());
    double start = clock_processor();
    double budget = own.settings.budget_s;
    for (int i = 0; team_goes_on(i < own.settings.batches && clock_processor() - start < budget); i++) {
        if (i % 16 == 0)
            sentinels();
        batch(count, restores);
    }
    report("{\"record\":\"done\",\"late_pages\":%lld,\"ran_away\":%s}\n",
        regions_late_pages(), regions_ran_away() ? "true" : "false");
}

static bool setting(const char *name, const char *value)
{
    if (strcmp(name, "touched") == 0)
        return regions_expect(value);
    if (strcmp(name, "state") == 0)
        own.settings.state = value;
    else if (strcmp(name, "core") == 0)
        own.settings.core = atoi(value);
    else if (strcmp(name, "fence") == 0)
        own.settings.fence = atoi(value);
    else if (strcmp(name, "batch") == 0)
        own.settings.batch_s = atof(value);
    else if (strcmp(name, "budget") == 0)
        own.settings.budget_s = atof(value);
    else if (strcmp(name, "batches") == 0)
        own.settings.batches = atoi(value);
    else if (strcmp(name, "calls") == 0)
        own.settings.calls = atoll(value);
    else if (strcmp(name, "bytes") == 0)
        own.settings.max_bytes = atoll(value);
    else if (strcmp(name, "passes") == 0)
        own.settings.passes = atoll(value);
    else if (strcmp(name, "offset") == 0)
        own.settings.offset = atoi(value);
    else if (strcmp(name, "spacing") == 0)
        own.settings.spacing = atoi(value);
    else if (strcmp(name, "row") == 0)
        own.settings.row_bytes = atoll(value);
    else if (strcmp(name, "limit") == 0)
        rooflint_limit = atoll(value) > 0 ? atoll(value) : 1;
    else if (strcmp(name, "stream") == 0)
        own.settings.sentinel_stream = atoi(value);
    else if (strcmp(name, "processor") == 0)
        own.settings.processor_s = atoi(value);
    else if (strcmp(name, "indices") == 0)
        own.settings.indices = strcmp(value, "random") == 0 ? INDICES_RANDOM
            : strcmp(value, "identity") == 0               ? INDICES_IDENTITY
                                                           : INDICES_NEAR;
    else if (strcmp(name, "least") == 0)
        own.settings.least = atoll(value);
    else if (strcmp(name, "team") == 0)
        return team_join(value);
    else if (strcmp(name, "result") == 0)
        own.settings.result = atoi(value);
    else if (strcmp(name, "threads") == 0)
        own.settings.threads = atoi(value);
    else if (strcmp(name, "results") == 0)
        own.settings.results = atoll(value);
    else if (strcmp(name, "sandbox") == 0)
        own.settings.sandbox = atoi(value) != 0;
    else
        return false;
    return true;
}

/* `size:NAME=VALUE` sets a size of the glue, `NAME=VALUE` one of the own.settings. */
static void argument(char *text)
{
    char *value = strchr(text, '=');
    if (!value)
        stop_with(STOP_SETUP, 5);
    *value++ = '\0';
    if (strncmp(text, "size:", 5) != 0) {
        if (!setting(text, value))
            stop_with(STOP_SETUP, 6);
        return;
    }
    for (int i = 0; i < rooflint_size_count; i++)
        if (strcmp(rooflint_size_names[i], text + 5) == 0)
            rooflint_sizes[i] = atoll(value);
}

static void settle(void)
{
#ifdef __linux__
    if (own.settings.core >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(own.settings.core, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
#endif
}

/* Runs before all constructors of the file: they are user code already. The glue's object comes
 * after this one in the program, and so would functions of its own in this table. */
static void enter(int count, char **arguments, char **environment)
{
    (void)environment;
    own.settings = defaults;
    for (int i = 1; i < count; i++)
        argument(arguments[i]);
    settle();
    sandbox_signals();
    sandbox_close();
}

__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **, char **)
    = enter;

/* The linker puts it in the place of the file's own `main`, which stays callable. */
int __wrap_main(void)
{
    if (own.settings.sentinel_stream)
        clock_stream_gb_s();
    regions_reserve();
    regions_expected();
    if (omp_get_max_threads)
        omp_get_max_threads(); /* the library looks at the processors */
    sandbox_seal();
    own_lock();
    clock_flush_to_zero();
    measured();
    _exit(0);
}
