/* Memory that the function allocates itself is part of what it touches. The linker puts these in the
 * place of the program's own calls; those inside libraries stay as they are. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The linker's names for the functions proper. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *at);

static _Atomic long long heap_live, heap_peak;
static long long heap_counted;

static void heap_begin(void)
{
    atomic_store(&heap_live, 0);
    atomic_store(&heap_peak, 0);
}

static void heap_end(void)
{
    heap_counted = atomic_load(&heap_peak);
}

static long long heap_most(void)
{
    return heap_counted;
}

static void *gained(void *at)
{
    if (!at)
        return at;
    long long bytes = (long long)malloc_usable_size(at);
    long long live = atomic_fetch_add(&heap_live, bytes) + bytes;
    long long peak = atomic_load(&heap_peak);
    while (live > peak && !atomic_compare_exchange_weak(&heap_peak, &peak, live))
        ;
    return at;
}

static void lost(void *at)
{
    if (at)
        atomic_fetch_sub(&heap_live, (long long)malloc_usable_size(at));
}

void *__wrap_malloc(size_t bytes)
{
    return gained(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return gained(__real_calloc(count, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return gained(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **at, size_t alignment, size_t bytes)
{
    void *found = __wrap_aligned_alloc(alignment, bytes);
    if (!found)
        return ENOMEM;
    *at = found;
    return 0;
}

/* Memory of an array comes from the harness and cannot be given back: the copy stays behind. */
void *__wrap_realloc(void *at, size_t bytes)
{
    if (is_of_region(at)) {
        void *copy = __wrap_malloc(bytes);
        return copy ? memcpy(copy, at, bytes) : copy;
    }
    lost(at);
    return gained(__real_realloc(at, bytes));
}

void __wrap_free(void *at)
{
    if (is_of_region(at))
        return;
    lost(at);
    __real_free(at);
}

/* The `operator new` of C++ and that of arrays; out of memory, the program ends as by an exception
 * that nobody catches. */
void *__wrap__Znwm(size_t bytes)
{
    void *at = __wrap_malloc(bytes ? bytes : 1);
    if (!at)
        abort();
    return at;
}

void *__wrap__Znam(size_t bytes)
{
    return __wrap__Znwm(bytes);
}
