/* Arrays that allocate themselves: address space is reserved, and a page becomes memory at its
 * first touch. After a first call the extents are known and are mapped in one piece, so that pages
 * and their faults are as in real programs. */
#define _GNU_SOURCE
#include "internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVED ((size_t)4 << 30)
#define PAGES_SKIPPED 13 /* for each line of the offset: no divisor of a cache's pages */
#define MIDDLE ((size_t)1 << 30) /* data begin here: negative offsets stay inside */
#define RUN_PARTS 64 /* a walk that goes on gets so small a part more of what it has touched */

long long rooflint_limit = 1;

static struct region *region(int array)
{
    return &own.regions[array];
}

static void *zero_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        stop_with(STOP_MEMORY, (long long)bytes);
    return at;
}

/* Two arrays of floating-point numbers differ, so that a copy from one to the other is a result. The
 * name decides: another version of the function may have other arrays beside them. */
static size_t first_value(const struct rooflint_elements *elements)
{
    size_t mixed = 0;
    if (elements->kind != ROOFLINT_OTHER)
        for (const char *at = elements->name; *at; at++)
            mixed = mixed * 31 + (unsigned char)*at;
    return mixed;
}

static void fill(const struct rooflint_elements *elements, void *to, size_t first, size_t count)
{
    elements->fill(to, first + first_value(elements), count);
}

/* An array of the file: its whole pages count as touched when they are; the rest is filled. */
static void reserve_fixed(int array, struct region *r)
{
    const struct rooflint_elements *elements = &rooflint_arrays[array];
    uintptr_t first = (uintptr_t)elements->fixed, end = first + elements->fixed_bytes;
    uintptr_t low = (first + own.page - 1) / own.page * own.page, high = end / own.page * own.page;
    r->data = elements->fixed;
    if (low >= high) {
        r->start = r->low = r->data;
        r->high = (char *)end;
        fill(elements, r->data, 0, elements->fixed_bytes / elements->bytes);
        return;
    }
    fill(elements, r->data, 0, elements->fixed_bytes / elements->bytes);
    r->start = (char *)low;
    r->reserved = high - low;
    if (mprotect(r->start, r->reserved, PROT_NONE) != 0)
        stop_with(STOP_SETUP, 2);
}

static void reserve(int array, struct region *r)
{
    r->reserved = RESERVED;
    r->start = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->start == MAP_FAILED)
        stop_with(STOP_SETUP, 2);
    /* Each array begins at a place of its own in a page: loads and stores that lie a multiple of
     * 4 KiB apart may be taken for each other. */
    size_t place = (size_t)own.settings.offset + (size_t)array * (size_t)own.settings.spacing;
    r->data = r->start + MIDDLE + (size_t)(array + 1) * 3 * own.page + place % own.page;
}

/* A byte a page, of which the system gives only those that are written. */
static void remember_pages(struct region *r)
{
    size_t pages = r->reserved / own.page;
    r->is_touched = mmap(NULL, pages ? pages : 1, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->is_touched == MAP_FAILED)
        stop_with(STOP_SETUP, 2);
}

static void regions_reserve(void)
{
    own.page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = ((size_t)rooflint_array_count + 1) * sizeof *own.regions;
    own.regions_bytes = (bytes + own.page - 1) / own.page * own.page;
    own.regions = zero_pages(own.regions_bytes);
    for (int i = 0; i < rooflint_array_count; i++) {
        if (rooflint_arrays[i].fixed)
            reserve_fixed(i, region(i));
        else
            reserve(i, region(i));
        remember_pages(region(i));
    }
}

static void fill_range(int array, char *from, char *to);

/* `low:high` of the next array, in bytes from its first element. */
static bool regions_expect(const char *text)
{
    char *rest;
    if (own.expected_count == MOST_EXPECTED)
        return true; /* found page by page, as without it */
    struct extent *next = &own.expected[own.expected_count++];
    next->low = strtoll(text, &rest, 10);
    if (*rest != ':')
        return false;
    next->high = strtoll(rest + 1, &rest, 10);
    return *rest == '\0' && next->low <= next->high;
}

/* The system gives pages in the order in which processes before gave theirs back. Processes in a row
 * would all have the same ones, with the same conflicts in a cache that goes by physical addresses;
 * as many more as the offset says are taken first. */
static void skip_pages(void)
{
    size_t bytes = (size_t)own.settings.offset / 64 * PAGES_SKIPPED * own.page;
    char *skipped = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (skipped == MAP_FAILED)
        stop_with(STOP_SETUP, 2);
    for (size_t at = 0; at < bytes; at += own.page)
        ((volatile char *)skipped)[at] = 1;
}

/* Pages that an earlier process has found become memory at once. */
static void regions_expected(void)
{
    skip_pages();
    for (int i = 0; i < own.expected_count && i < rooflint_array_count; i++) {
        struct region *r = region(i);
        uintptr_t low = (uintptr_t)(r->data + own.expected[i].low) / own.page * own.page;
        uintptr_t high = ((uintptr_t)(r->data + own.expected[i].high) + own.page - 1) / own.page * own.page;
        if (rooflint_arrays[i].fixed || own.expected[i].low == own.expected[i].high)
            continue;
        if ((char *)low < r->start || (char *)high > r->start + r->reserved)
            continue;
        own.total += high - low;
        if ((long long)own.total > own.settings.max_bytes)
            stop_with(STOP_MEMORY, (long long)own.total);
        r->low = (char *)low;
        r->high = (char *)high;
        if (mprotect(r->low, high - low, PROT_READ | PROT_WRITE) != 0)
            stop_with(STOP_MEMORY, (long long)own.total);
        r->is_whole = true;
        fill_range(i, r->low, r->high);
    }
}

static void protect(int how)
{
    mprotect(own.regions, own.regions_bytes, how);
    mprotect(&own, sizeof own, how);
}

static void own_lock(void)
{
    protect(PROT_READ);
}

static void own_unlock(void)
{
    protect(PROT_READ | PROT_WRITE);
}

void *rooflint_array(int array)
{
    return region(array)->data;
}

void *rooflint_row(int array, size_t row)
{
    long long bytes = own.settings.row_bytes ? own.settings.row_bytes : rooflint_limit * 8;
    size_t stride = ((size_t)bytes + 63) / 64 * 64;
    size_t last = (RESERVED - MIDDLE - own.page) / 2;
    return region(array)->data + (row * stride) % last;
}

/* Writes the elements that lie in [from, to) of a region, whole or in part. */
static void fill_range(int array, char *from, char *to)
{
    const struct rooflint_elements *elements = &rooflint_arrays[array];
    char *data = region(array)->data;
    if (from < data)
        from = data; /* before the first element: zero, as the system gives it */
    if (from >= to)
        return;
    size_t bytes = elements->bytes;
    size_t first = (size_t)(from - data) / bytes;
    size_t end = ((size_t)(to - data) + bytes - 1) / bytes;
    char *start = data + first * bytes;
    if (start == from && data + end * bytes == to) {
        fill(elements, from, first, end - first);
        return;
    }
    static char small[1 << 16];
    size_t needed = (end - first) * bytes;
    char *copy = needed <= sizeof small ? small : zero_pages(needed);
    memset(copy, 0, needed);
    fill(elements, copy, first, end - first);
    memcpy(from, copy + (from - start), (size_t)(to - from));
    if (copy != small)
        munmap(copy, needed);
}

/* Pages to add at `low`: one, but for a walk on upwards or downwards, where a fault a page would
 * take longer than the walk. What it does not come to is at most that part too many. */
static size_t bytes_ahead(const struct region *r, const char *low)
{
    size_t ahead = (size_t)(r->high - r->low) / RUN_PARTS / own.page * own.page;
    size_t room = low == r->high ? r->reserved - (size_t)(low - r->start)
                                 : (size_t)(low - r->start) + own.page;
    bool goes_on = r->low && (low == r->high || low + own.page == r->low);
    if (!goes_on || ahead > room || (long long)(own.total + ahead) > own.settings.max_bytes)
        return own.page;
    return ahead > own.page ? ahead : own.page;
}

static void touch(int array, struct region *r, char *at)
{
    char *low = r->start + (size_t)(at - r->start) / own.page * own.page;
    size_t bytes = bytes_ahead(r, low);
    if (r->low && low < r->low)
        low -= bytes - own.page;
    own.total += bytes;
    if ((long long)own.total > own.settings.max_bytes)
        stop_with(STOP_MEMORY, (long long)own.total);
    if (mprotect(low, bytes, PROT_READ | PROT_WRITE) != 0)
        stop_with(STOP_MEMORY, (long long)own.total);
    if (!rooflint_arrays[array].fixed)
        fill_range(array, low, low + bytes);
    memset(r->is_touched + (size_t)(low - r->start) / own.page, 1, bytes / own.page);
    if (!r->low || low < r->low)
        r->low = low;
    if (low + bytes > r->high)
        r->high = low + bytes;
    r->is_whole = false;
    own.late += own.mapped;
}

/* Only one thread at a time makes a page memory; another that met the same page finds it done. */
static atomic_flag is_touching = ATOMIC_FLAG_INIT;

static void touch_once(int array, struct region *r, char *at)
{
    while (atomic_flag_test_and_set(&is_touching))
        sched_yield();
    unsigned char *is_touched = r->is_touched + (size_t)(at - r->start) / own.page;
    if (!*is_touched) {
        own_unlock();
        touch(array, r, at);
        own_lock();
    }
    atomic_flag_clear(&is_touching);
}

static bool regions_touch(void *address)
{
    char *at = address;
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = region(i);
        if (at < r->start || at >= r->start + r->reserved)
            continue;
        touch_once(i, r, at);
        return true;
    }
    return false;
}

/* Zero, as fresh pages are, where no element is written. */
static void clear(int array, struct region *r)
{
    bool has_values = rooflint_arrays[array].fill != rooflint_fill_zero;
    char *end = !has_values ? r->high : r->low < r->data ? r->data : r->low;
    memset(r->low, 0, (size_t)((end < r->high ? end : r->high) - r->low));
}

/* Arrays of the file are memory in any program that has them, whole. What no call has touched would
 * stay without access: vectors read such pages under masks that are empty, which faults never tell
 * and which takes a thousand cycles each. */
static size_t open_whole(struct region *r, size_t bytes, size_t room)
{
    size_t more = bytes - (size_t)(r->high - r->low);
    if (bytes < (size_t)(r->high - r->low) || more > room)
        return 0;
    r->low = r->data;
    r->high = r->data + bytes;
    return more;
}

static void regions_map(void)
{
    size_t needed = 0;
    own_unlock();
    for (int i = 0; i < rooflint_array_count; i++)
        needed += (size_t)(region(i)->high - region(i)->low);
    if ((long long)needed > own.settings.max_bytes)
        stop_with(STOP_MEMORY, (long long)needed);
    for (int i = 0; i < rooflint_array_count; i++)
        if (rooflint_arrays[i].fixed)
            needed += open_whole(region(i), rooflint_arrays[i].fixed_bytes,
                (size_t)own.settings.max_bytes - needed);
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = region(i);
        if (r->low == r->high || rooflint_arrays[i].fixed)
            continue;
        if (r->is_whole) {
            clear(i, r);
            continue;
        }
        char *at = mmap(r->low, (size_t)(r->high - r->low), PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (at != r->low)
            stop_with(STOP_SETUP, 3);
    }
    own.total = needed;
    own.mapped = true;
    own_lock();
    regions_fill();
}

static void regions_fill(void)
{
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = region(i);
        if (r->low == r->high)
            continue;
        if (rooflint_arrays[i].fixed)
            mprotect(r->start, r->reserved, PROT_READ | PROT_WRITE);
        fill_range(i, r->low, r->high);
    }
}

#define PIECE 4096 /* elements that are looked at without a branch */

/* Zero and normal numbers have bits, but for the sign, that are 0 or lie from the least of the
 * normal numbers up to infinity. In integers: a comparison each costs as much as a pass of memory. */
#define STRANGE(name, type, normal, infinity)                             \
    static bool name(const char *from, size_t count)                      \
    {                                                                     \
        type strange = 0;                                                 \
        for (size_t e = 0; e < count; e++) {                              \
            type bits;                                                    \
            memcpy(&bits, from + e * sizeof bits, sizeof bits);           \
            bits <<= 1;                                                   \
            strange |= (bits != 0) & (bits - (normal) >= (infinity) - (normal)); \
        }                                                                 \
        return strange;                                                   \
    }
STRANGE(is_strange_f64, uint64_t, (uint64_t)1 << 53, (uint64_t)0x7FF << 53)
STRANGE(is_strange_f32, uint32_t, (uint32_t)1 << 24, (uint32_t)0xFF << 24)

/* Whether an element left the range of normal numbers: iterations in place diverge or vanish. */
static bool regions_ran_away(void)
{
    for (int i = 0; i < rooflint_array_count; i++) {
        enum rooflint_kind kind = rooflint_arrays[i].kind;
        const char *from = region(i)->low < region(i)->data ? region(i)->data : region(i)->low;
        if (kind == ROOFLINT_OTHER || region(i)->low == region(i)->high)
            continue;
        size_t bytes = rooflint_arrays[i].bytes;
        from = region(i)->data + ((size_t)(from - region(i)->data) + bytes - 1) / bytes * bytes;
        while (from + bytes <= region(i)->high) {
            size_t count = (size_t)(region(i)->high - from) / bytes;
            count = count < PIECE ? count : PIECE;
            if (kind == ROOFLINT_F64 ? is_strange_f64(from, count) : is_strange_f32(from, count))
                return true;
            from += count * bytes;
        }
    }
    return false;
}

static void regions_open(void)
{
    own_unlock();
    for (int i = 0; i < rooflint_array_count; i++) {
        const struct rooflint_elements *elements = &rooflint_arrays[i];
        struct region *r = region(i);
        if (!elements->fixed)
            continue;
        mprotect(r->start, r->reserved, PROT_READ | PROT_WRITE);
        r->low = r->data;
        r->high = r->data + elements->fixed_bytes;
        fill(elements, r->data, 0, elements->fixed_bytes / elements->bytes);
    }
    own_lock();
}

static void regions_flush(void)
{
    for (int i = 0; i < rooflint_array_count; i++)
        for (char *line = region(i)->low; line < region(i)->high; line += 64)
            clock_flush_line(line);
    clock_fence();
}

static long long regions_late_pages(void)
{
    return own.late;
}

static void regions_report(void)
{
    for (int i = 0; i < rooflint_array_count; i++) {
        struct region *r = region(i);
        long long low = r->low ? (long long)(r->low - r->data) : 0;
        long long high = r->high ? (long long)(r->high - r->data) : 0;
        report("{\"record\":\"array\",\"name\":\"%s\",\"low\":%lld,\"high\":%lld}\n",
            rooflint_arrays[i].name, low, high);
    }
    if (heap_most())
        report("{\"record\":\"heap\",\"bytes\":%lld}\n", heap_most());
}

static bool is_of_region(const void *address)
{
    for (int i = 0; own.regions && i < rooflint_array_count; i++) {
        const struct region *r = region(i);
        if (r->start && (const char *)address >= r->start && (const char *)address < r->start + r->reserved)
            return true;
    }
    return false;
}

/* The `operator delete` of C++, without a size and with one. A container that grows gives back the
 * memory that it got from the harness, which stays where it is; the next call finds it grown. A
 * program may bring its own. */
__attribute__((weak)) void _ZdlPv(void *at)
{
    free(at);
}

__attribute__((weak)) void _ZdlPvm(void *at, size_t bytes)
{
    (void)bytes;
    _ZdlPv(at);
}

/* Values: floating-point numbers of 0.5 to 0.9, integers that can be indices of arrays. */
double rooflint_fraction(size_t element)
{
    return 0.5 + 0.4 * (double)((element * 2654435761u >> 8) & 1023) / 1024;
}

/* Rises to the limit and falls again: the element behind the last index, as one that ends rows or
 * is named by a size, is about as large as a size. */
static long long index_of(size_t element)
{
    uint64_t limit = (uint64_t)rooflint_limit, place = (uint64_t)element % (2 * limit);
    uint64_t value = place < limit ? place : 2 * limit - 1 - place;
    uint64_t mixed = (uint64_t)element * 0x9E3779B97F4A7C15u;
    if (own.settings.indices == INDICES_NEAR) {
        uint64_t near = value ^ mixed >> 61; /* by 0 to 7 */
        return (long long)(near < limit ? near : value);
    }
    if (own.settings.indices == INDICES_RANDOM) {
        mixed ^= mixed >> 32; /* the finalizer of MurmurHash3 */
        mixed *= 0xFF51AFD7ED558CCDu;
        return (long long)((mixed ^ mixed >> 33) % limit);
    }
    return (long long)value;
}

long long rooflint_whole(size_t element)
{
    long long value = index_of(element);
    return value < own.settings.least ? own.settings.least : value;
}

static uint8_t small_of(size_t element)
{
    if (own.settings.row_bytes)
        return (uint8_t)(own.settings.row_bytes / 8);
    uint8_t value = (uint8_t)(element * 2654435761u >> 16);
    return value < own.settings.least ? (uint8_t)own.settings.least : value;
}

#define FILL(name, type, value)                                       \
    void rooflint_fill_##name(void *to, size_t first, size_t count)   \
    {                                                                 \
        for (size_t e = 0; e < count; e++)                            \
            ((type *)to)[e] = (type)(value);                          \
    }
FILL(f64, double, rooflint_fraction(first + e))
FILL(f32, float, rooflint_fraction(first + e))
FILL(i64, int64_t, rooflint_whole(first + e))
FILL(i32, int32_t, rooflint_whole(first + e))
FILL(i16, int16_t, rooflint_whole(first + e) & 0x7FFF)
/* Too small for an index: bytes, or the number of elements in each row where rows have one. */
FILL(i8, uint8_t, small_of(first + e))
void rooflint_fill_zero(void *to, size_t first, size_t count)
{
    (void)to, (void)first, (void)count; /* fresh pages are zero */
}
