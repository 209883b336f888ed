/* Measures the machine it runs on; run by `rooflint machine probe`.
 *
 *   info                                    vector bytes, 1 for fused multiply-add, instruction set
 *   clock SECONDS                           GHz, from a chain of additions of one cycle each
 *   peak f64|f32 SECONDS CPU...             Gflop/s of multiply-adds
 *   rate PATTERN BYTES SECONDS CPU...       GB/s asked for by the program, BYTES a thread
 *   wait BYTES LINE SECONDS CPU             ns from load to use, following pointers in random order
 *   step LINES STEP SECONDS CPU             ns per load of lines STEP bytes apart, one after the other
 *
 * One thread is pinned to each CPU; memory is first touched by the thread that uses it. Samples are
 * short, and one is clean if every thread was on its CPU all the time, from a common barrier on. The
 * figure is the best of the clean samples, or of all where none is: disturbances only ever slow a
 * sample down. Beside the figure stand
 *
 *   the clean share of the samples; seconds of wall time and of CPU time in them; right after, GHz by
 *   the chain of additions, additions a cycle of four chains, and GB/s of a memory stream (0 for data
 *   that fit a cache: the stream would evict them)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__AVX512F__)
#define WIDTH 64
#define ISA "avx512"
#elif defined(__AVX__)
#define WIDTH 32
#ifdef __AVX2__
#define ISA "avx2"
#else
#define ISA "avx"
#endif
#elif defined(__x86_64__)
#define WIDTH 16
#define ISA "sse2"
#elif defined(__aarch64__)
#define WIDTH 16
#define ISA "neon"
#else
#define WIDTH 16
#define ISA "generic"
#endif
#if defined(__FMA__) || defined(__aarch64__)
#define FMA 1
#else
#define FMA 0
#endif

typedef double f64v __attribute__((vector_size(WIDTH), may_alias));
typedef float f32v __attribute__((vector_size(WIDTH), may_alias));

/* Samples are shorter than a scheduler's time slice, so that some of them are not interrupted. */
static const double SHORT = 2e-3;
enum { SAMPLES = 5, MAX_THREADS = 1024, CHAINS = 12, ROUND = 8 };
#define KEEP(x) __asm__ volatile("" : : "r"(x) : "memory")

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A step's samples. CPU time is short of wall time where something else had the CPU. */
struct tally {
    double wall, cpu, best_clean, best;
    long clean, samples;
};

static int is_clean(double wall, double cpu)
{
    return wall <= 1.01 * cpu + 0.3e-6 + 2e-6; /* 2 us: reading both clocks in a virtual machine */
}

static void count(struct tally *t, double took, double wall, double cpu, int clean)
{
    t->wall += wall, t->cpu += cpu, t->samples++, t->clean += clean;
    t->best = t->samples == 1 || took < t->best ? took : t->best;
    if (clean)
        t->best_clean = t->clean == 1 || took < t->best_clean ? took : t->best_clean;
}

static double best_of(const struct tally *t) { return t->clean ? t->best_clean : t->best; }

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Of a thread: data of this size and more leave the caches of one core. */
enum { PAGE = 4096, LARGE = 1 << 21, LARGEST_CACHED = 8 << 20 };

static void *aligned(size_t bytes, size_t to) /* in such pages as programs get */
{
    void *p = NULL;
    if (posix_memalign(&p, to, bytes)) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(3);
    }
    return p;
}

/* --- work of one thread ------------------------------------------------------------------- */

struct job {
    int cpu;
    const char *what;
    size_t bytes;
    f64v *array[4];
    size_t vectors;
    double wall, cpu_s; /* of the last sample */
    double sink; /* results go here, so that no compiler drops the work */
};

static void prepare(struct job *j, int arrays)
{
    /* whole rounds in each array; arrays start at different places of a page */
    size_t each = j->bytes / (size_t)arrays / (WIDTH * ROUND) * (WIDTH * ROUND);
    if (each == 0)
        each = WIDTH * ROUND;
    j->vectors = each / WIDTH;
    for (int a = 0; a < arrays; a++) {
        char *p = aligned(each + 4096, PAGE);
        j->array[a] = (f64v *)(p + (size_t)a * 512 % 4096);
        double *d = (double *)j->array[a];
        for (size_t i = 0; i < each / sizeof(double); i++)
            d[i] = 1.0;
    }
}

static int arrays_of(const char *what)
{
    return !strcmp(what, "copy") ? 2 : !strcmp(what, "triad") ? 4 : 1;
}

static double bytes_per_vector(const char *what)
{
    return WIDTH * (!strcmp(what, "copy") || !strcmp(what, "update") ? 2.0
                    : !strcmp(what, "triad")                         ? 4.0
                                                                     : 1.0);
}

static void pass(struct job *j)
{
    f64v *a = j->array[0], *b = j->array[1], *c = j->array[2], *d = j->array[3];
    size_t n = j->vectors;
    switch (j->what[0]) {
    case 'l': {
        f64v s[ROUND] = {{0}};
        for (size_t i = 0; i < n; i += ROUND)
            for (int k = 0; k < ROUND; k++)
                s[k] += a[i + (size_t)k];
        for (int k = 1; k < ROUND; k++)
            s[0] += s[k];
        j->sink = s[0][0];
        break;
    }
    case 's':
        for (size_t i = 0; i < n; i += ROUND) {
            f64v one = {1.0};
            for (int k = 0; k < ROUND; k++)
                a[i + (size_t)k] = one;
            KEEP(a);
        }
        break;
    case 'c':
        for (size_t i = 0; i < n; i += ROUND) {
            for (int k = 0; k < ROUND; k++)
                a[i + (size_t)k] = b[i + (size_t)k];
            KEEP(a);
        }
        break;
    case 'u':
        for (size_t i = 0; i < n; i += ROUND) {
            for (int k = 0; k < ROUND; k++)
                a[i + (size_t)k] = a[i + (size_t)k] * 1.000001;
            KEEP(a);
        }
        break;
    case 't':
        for (size_t i = 0; i < n; i += ROUND) {
            for (int k = 0; k < ROUND; k++)
                a[i + (size_t)k] = b[i + (size_t)k] + c[i + (size_t)k] * d[i + (size_t)k];
            KEEP(a);
        }
        break;
    }
}

#define MULTIPLY_ADD(name, type)                                                                   \
    static double name(size_t rounds)                                                              \
    {                                                                                              \
        type s[CHAINS] = {{0}}, m = {0}, p = {0};                                                  \
        __asm__ volatile("" : "+m"(m), "+m"(p));                                                   \
        for (size_t i = 0; i < rounds; i++)                                                        \
            for (int k = 0; k < CHAINS; k++)                                                       \
                s[k] = s[k] * m + p;                                                               \
        for (int k = 1; k < CHAINS; k++)                                                           \
            s[0] += s[k];                                                                          \
        return s[0][0];                                                                            \
    }
MULTIPLY_ADD(multiply_add_f64, f64v)
MULTIPLY_ADD(multiply_add_f32, f32v)

static void work(struct job *j, size_t times)
{
    if (!strcmp(j->what, "f64"))
        j->sink = multiply_add_f64(times * 1000);
    else if (!strcmp(j->what, "f32"))
        j->sink = multiply_add_f32(times * 1000);
    else
        for (size_t t = 0; t < times; t++)
            pass(j);
}

static double amount(const struct job *j) /* of one time: bytes or flop */
{
    if (j->what[0] == 'f')
        return 1000.0 * CHAINS * 2.0 * WIDTH / (!strcmp(j->what, "f64") ? 8 : 4);
    return bytes_per_vector(j->what) * (double)j->vectors;
}

/* --- threads -------------------------------------------------------------------------------- */

static pthread_barrier_t gate;
static size_t times_to_do;
static int go_on;

static void *run(void *argument)
{
    struct job *j = argument;
    pin(j->cpu);
    if (j->what[0] != 'f')
        prepare(j, arrays_of(j->what));
    work(j, 1);
    pthread_barrier_wait(&gate);
    for (;;) {
        pthread_barrier_wait(&gate);
        if (!go_on)
            return NULL;
        double wall = now(), cpu = cpu_now();
        work(j, times_to_do);
        j->cpu_s = cpu_now() - cpu, j->wall = now() - wall;
        pthread_barrier_wait(&gate);
    }
}

static double sample(size_t times)
{
    times_to_do = times;
    go_on = 1;
    double start = now();
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
    return now() - start;
}

static double best_rate(const char *what, size_t bytes, double seconds, int threads, char **cpus,
                        struct tally *t_all)
{
    static struct job jobs[MAX_THREADS];
    static pthread_t ids[MAX_THREADS];
    pthread_barrier_init(&gate, NULL, (unsigned)threads + 1);
    for (int t = 0; t < threads; t++) {
        jobs[t] = (struct job){.cpu = atoi(cpus[t]), .what = what, .bytes = bytes};
        if (pthread_create(&ids[t], NULL, run, &jobs[t])) {
            fprintf(stderr, "cannot start %d threads\n", threads);
            exit(3);
        }
    }
    pthread_barrier_wait(&gate);
    size_t times = 1;
    double took = sample(times);
    while (took < SHORT && times < (size_t)1 << 40) {
        double factor = took > 0 ? SHORT / took * 1.1 : 16;
        times = (size_t)((double)times * (factor > 16 ? 16 : factor)) + 1;
        took = sample(times);
    }
    double end = now() + seconds;
    for (int s = 1; s < SAMPLES || now() < end; s++) {
        double again = sample(times), wall = 0, cpu = 0;
        int clean = 1;
        for (int t = 0; t < threads; t++) {
            wall += jobs[t].wall, cpu += jobs[t].cpu_s;
            clean &= is_clean(jobs[t].wall, jobs[t].cpu_s);
        }
        count(t_all, again, wall, cpu, clean);
    }
    took = best_of(t_all);
    go_on = 0;
    pthread_barrier_wait(&gate);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    return amount(&jobs[0]) * (double)times * threads / took / 1e9;
}

/* --- clock and latency ---------------------------------------------------------------------- */

/* Both operands are registers: Golden Cove and its successors add small constants while they rename
   registers, so a chain of such additions takes less than one cycle each. */
static uint64_t additions(uint64_t count)
{
    uint64_t x = 1, step = count | 1;
    for (uint64_t i = 0; i < count; i += 16) {
#define ONE __asm__ volatile(ADD : "+r"(x) : "r"(step));
#define FOUR ONE ONE ONE ONE
#if defined(__x86_64__)
#define ADD "add %1, %0"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1"
#elif defined(__riscv)
#define ADD "add %0, %0, %1"
#else
#error "no instruction known here that takes one cycle"
#endif
        FOUR FOUR FOUR FOUR
    }
    return x;
}

static double best_clock(double seconds, struct tally *t)
{
    uint64_t adds = 1 << 20;
    double end = now() + seconds;
    do {
        double start = now(), cpu = cpu_now();
        KEEP(additions(adds));
        cpu = cpu_now() - cpu;
        double took = now() - start;
        count(t, took, took, cpu, is_clean(took, cpu));
    } while (now() < end);
    return (double)adds / best_of(t) / 1e9;
}

/* Four chains keep the execution units busy: another thread on the same core slows them down. */
static double additions_per_cycle(double ghz)
{
    struct tally t = {0};
    uint64_t a = 1, b = 1, c = 1, d = 1, step = 3, rounds = 1 << 18;
    for (int s = 0; s < SAMPLES; s++) {
        double start = now(), cpu = cpu_now();
        for (uint64_t i = 0; i < rounds; i += 4) {
#define ADD_TO(x) __asm__ volatile(ADD : "+r"(x) : "r"(step));
#define EACH ADD_TO(a) ADD_TO(b) ADD_TO(c) ADD_TO(d)
            EACH EACH EACH EACH
        }
        cpu = cpu_now() - cpu;
        double took = now() - start;
        count(&t, took, took, cpu, is_clean(took, cpu));
    }
    return 4.0 * (double)rounds / best_of(&t) / 1e9 / ghz;
}

static double memory_stream(void)
{
    enum { PIECE = 4 << 20, PIECES = 16 };
    struct job j = {.what = "load", .bytes = (size_t)PIECE * PIECES};
    struct tally t = {0};
    prepare(&j, 1);
    f64v *all = j.array[0];
    j.vectors = PIECE / WIDTH;
    for (int p = 0; p < PIECES; p++) {
        j.array[0] = all + (size_t)p * j.vectors;
        double start = now(), cpu = cpu_now();
        pass(&j);
        KEEP(&j);
        cpu = cpu_now() - cpu;
        double took = now() - start;
        count(&t, took, took, cpu, is_clean(took, cpu));
    }
    return PIECE / best_of(&t) / 1e9;
}

static double best_wait(size_t bytes, size_t line, double seconds, struct tally *t)
{
    size_t n = bytes / line > 2 ? bytes / line : 2;
    char *memory = aligned(n * line, n * line < LARGE ? PAGE : LARGE);
#ifdef MADV_HUGEPAGE
    if (n * line >= LARGE)
        madvise(memory, n * line, MADV_HUGEPAGE); /* else page walks are measured, not caches */
#endif
    size_t *order = malloc(n * sizeof *order);
    if (!order)
        exit(3);
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 0; i--) { /* one cycle through all lines */
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t k = random % i, kept = order[i];
        order[i] = order[k], order[k] = kept;
    }
    for (size_t i = 0; i < n; i++)
        *(void **)(memory + order[i] * line) = memory + order[(i + 1) % n] * line;
    void *p = memory;
    size_t steps = 1 << 12; /* on through the lines, sample by sample */
    double end = now() + seconds;
    do {
        double start = now(), cpu = cpu_now();
        for (size_t i = 0; i < steps; i++)
            p = *(void *volatile *)p;
        KEEP(p);
        cpu = cpu_now() - cpu;
        double took = now() - start;
        count(t, took, took, cpu, is_clean(took, cpu));
    } while (now() < end);
    return best_of(t) * 1e9 / (double)steps;
}

static double best_step(size_t lines, size_t step, double seconds, struct tally *tally)
{
    char *memory = aligned(lines * step, PAGE);
    for (size_t i = 0; i < lines; i++)
        memory[i * step] = 1;
    size_t times = (1 << 14) / lines + 1;
    double end = now() + seconds;
    do {
        double start = now(), cpu = cpu_now();
        for (size_t t = 0; t < times; t++)
            for (size_t i = 0; i < lines; i += ROUND)
                for (size_t k = 0; k < ROUND; k++)
                    (void)*(volatile char *)(memory + (i + k) * step);
        cpu = cpu_now() - cpu;
        double took = now() - start;
        count(tally, took, took, cpu, is_clean(took, cpu));
    } while (now() < end);
    return best_of(tally) * 1e9 / (double)(lines * times);
}

static int show(double figure, const struct tally *t, int from_memory)
{
    struct tally chain = {0};
    double ghz = best_clock(2e-3, &chain);
    printf("%.6g %.4f %.6g %.6g %.4g %.4g %.4g\n", figure,
           t->samples ? (double)t->clean / (double)t->samples : 0.0, t->wall, t->cpu, ghz,
           additions_per_cycle(ghz), from_memory ? memory_stream() : 0.0);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct tally t = {0};
    if (!strcmp(what, "info"))
        return printf("%d %d %s\n", WIDTH, FMA, ISA) < 0;
    if (!strcmp(what, "clock") && argc == 3)
        return show(best_clock(atof(argv[2]), &t), &t, 0);
    if (!strcmp(what, "peak") && argc > 4 && argc - 4 <= MAX_THREADS)
        return show(best_rate(argv[2], 0, atof(argv[3]), argc - 4, argv + 4, &t), &t, 0);
    if (!strcmp(what, "rate") && argc > 5 && argc - 5 <= MAX_THREADS) {
        size_t bytes = strtoull(argv[3], NULL, 10);
        return show(best_rate(argv[2], bytes, atof(argv[4]), argc - 5, argv + 5, &t), &t,
                    bytes >= LARGEST_CACHED);
    }
    if ((!strcmp(what, "wait") || !strcmp(what, "step")) && argc == 6) {
        size_t first = strtoull(argv[2], NULL, 10), second = strtoull(argv[3], NULL, 10);
        pin(atoi(argv[5]));
        double seconds = atof(argv[4]);
        int waits = what[0] == 'w';
        return show(waits ? best_wait(first, second, seconds, &t)
                          : best_step(first, second, seconds, &t), &t,
                    waits && first >= LARGEST_CACHED);
    }
    fprintf(stderr, "wrong arguments\n");
    return 2;
}
