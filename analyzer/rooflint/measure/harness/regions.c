/* Arrays that allocate themselves: address space is reserved, and a page becomes memory at its
 * first touch. After a first call the extents are known and are mapped in one piece, so that pages
 * and their faults are as in real programs. */
#define _GNU_SOURCE
#include "internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVED ((size_t)4 << 30)
#define MIDDLE ((size_t)1 << 30) /* data begin here: negative offsets stay inside */

struct region {
    char *start;  /* of the address space */
    char *data;   /* element 0 */
    char *low;    /* touched pages: low up to high, exclusive */
    char *high;
};

long long rooflint_limit = 1;
static struct region *regions;
static size_t page;
static size_t total;
static long long late;
static bool mapped;

void regions_reserve(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    regions = calloc((size_t)rooflint_array_count + 1, sizeof *regions);
    if (!regions)
        stop_with(STOP_SETUP, 1);
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = &regions[i];
        r->start = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (r->start == MAP_FAILED)
            stop_with(STOP_SETUP, 2);
        /* Each array begins on a page of its own: loads and stores that lie a multiple of 4 KiB
         * apart may be taken for each other. */
        size_t skip = (size_t)(i + 1) * 3 * page + (size_t)settings.offset + (size_t)i * 128;
        r->data = r->start + MIDDLE + skip;
        r->low = r->high = NULL;
    }
}

void *rooflint_array(int array)
{
    return regions[array].data;
}

void *rooflint_row(int array, size_t row)
{
    long long bytes = settings.row_bytes ? settings.row_bytes : rooflint_limit * 8;
    size_t stride = ((size_t)bytes + 63) / 64 * 64;
    size_t last = (RESERVED - MIDDLE - page) / 2;
    return regions[array].data + (row * stride) % last;
}

/* Writes the elements that lie in [from, to) of a region, whole or in part. */
static void fill_range(int array, char *from, char *to)
{
    const struct rooflint_elements *elements = &rooflint_arrays[array];
    char *data = regions[array].data;
    if (from < data)
        from = data; /* before the first element: zero, as the system gives it */
    if (from >= to)
        return;
    size_t bytes = elements->bytes;
    size_t first = (size_t)(from - data) / bytes;
    size_t end = ((size_t)(to - data) + bytes - 1) / bytes;
    char *start = data + first * bytes;
    if (start == from && data + end * bytes == to) {
        elements->fill(from, first, end - first);
        return;
    }
    static char small[1 << 16];
    size_t needed = (end - first) * bytes;
    char *copy = needed <= sizeof small ? small
        : mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        stop_with(STOP_MEMORY, (long long)needed);
    memset(copy, 0, needed);
    elements->fill(copy, first, end - first);
    memcpy(from, copy + (from - start), (size_t)(to - from));
    if (copy != small)
        munmap(copy, needed);
}

bool regions_touch(void *address)
{
    char *at = address;
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = &regions[i];
        if (at < r->start || at >= r->start + RESERVED)
            continue;
        char *low = r->start + (size_t)(at - r->start) / page * page;
        total += page;
        if ((long long)total > settings.max_bytes)
            stop_with(STOP_MEMORY, (long long)total);
        if (mprotect(low, page, PROT_READ | PROT_WRITE) != 0)
            stop_with(STOP_MEMORY, (long long)total);
        fill_range(i, low, low + page);
        if (!r->low || low < r->low)
            r->low = low;
        if (low + page > r->high)
            r->high = low + page;
        late += mapped;
        return true;
    }
    return false;
}

void regions_map(void)
{
    size_t needed = 0;
    for (int i = 0; i < rooflint_array_count; i++)
        needed += (size_t)(regions[i].high - regions[i].low);
    if ((long long)needed > settings.max_bytes)
        stop_with(STOP_MEMORY, (long long)needed);
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = &regions[i];
        if (r->low == r->high)
            continue;
        char *at = mmap(r->low, (size_t)(r->high - r->low), PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (at != r->low)
            stop_with(STOP_SETUP, 3);
    }
    total = needed;
    mapped = true;
    regions_fill();
}

void regions_fill(void)
{
    for (int i = 0; i < rooflint_array_count; i++)
        if (regions[i].low != regions[i].high)
            fill_range(i, regions[i].low, regions[i].high);
}

/* Whether an element left the range of normal numbers: iterations in place diverge or vanish. */
bool regions_ran_away(void)
{
    for (int i = 0; i < rooflint_array_count; i++) {
        enum rooflint_kind kind = rooflint_arrays[i].kind;
        const char *from = regions[i].low < regions[i].data ? regions[i].data : regions[i].low;
        if (kind == ROOFLINT_OTHER || regions[i].low == regions[i].high)
            continue;
        size_t bytes = rooflint_arrays[i].bytes;
        from = regions[i].data + ((size_t)(from - regions[i].data) + bytes - 1) / bytes * bytes;
        for (; from + bytes <= regions[i].high; from += bytes) {
            double value = kind == ROOFLINT_F64 ? *(const double *)from : (double)*(const float *)from;
            double least = kind == ROOFLINT_F64 ? DBL_MIN : (double)FLT_MIN;
            if (!isfinite(value) || (value != 0 && fabs(value) < least))
                return true;
        }
    }
    return false;
}

void regions_flush(void)
{
    for (int i = 0; i < rooflint_array_count; i++)
        for (char *line = regions[i].low; line < regions[i].high; line += 64)
            clock_flush_line(line);
    clock_fence();
}

long long regions_late_pages(void)
{
    return late;
}

void regions_report(void)
{
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = &regions[i];
        long long low = r->low ? (long long)(r->low - r->data) : 0;
        long long high = r->high ? (long long)(r->high - r->data) : 0;
        report("{\"record\":\"array\",\"name\":\"%s\",\"low\":%lld,\"high\":%lld}\n",
            rooflint_arrays[i].name, low, high);
    }
}

/* Values: floating-point numbers of 0.5 to 0.9, integers that can be indices of arrays. */
static double fraction(size_t element)
{
    return 0.5 + 0.4 * (double)((element * 2654435761u >> 8) & 1023) / 1024;
}

static long long whole(size_t element)
{
    uint64_t mixed = (uint64_t)element * 0x9E3779B97F4A7C15u >> 61;
    return (long long)(((uint64_t)element ^ mixed) % (uint64_t)rooflint_limit);
}

#define FILL(name, type, value)                                       \
    void rooflint_fill_##name(void *to, size_t first, size_t count)   \
    {                                                                 \
        for (size_t e = 0; e < count; e++)                            \
            ((type *)to)[e] = (type)(value);                          \
    }
FILL(f64, double, fraction(first + e))
FILL(f32, float, fraction(first + e))
FILL(i64, int64_t, whole(first + e))
FILL(i32, int32_t, whole(first + e))
FILL(i16, int16_t, whole(first + e) & 0x7FFF)
FILL(i8, uint8_t, (first + e) * 2654435761u >> 16)
void rooflint_fill_zero(void *to, size_t first, size_t count)
{
    (void)to, (void)first, (void)count; /* fresh pages are zero */
}
