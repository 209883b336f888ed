/* Processes that run at once, each on a core of its own with data of its own. They wait for each
 * other before every batch, and who is done first goes on calling until all are: no part of a batch
 * has the caches and the memory to itself. */
#define _GNU_SOURCE
#include "internal.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Shared by all of them; zero at first. `lost` is set from outside when one has ended. */
struct team {
    _Atomic int lost;
    _Atomic int arrived;
    _Atomic int round;
    _Atomic int finished;
    _Atomic int over;
};

static void team_check(void)
{
    if (atomic_load(&own.team->lost))
        _exit(4);
    sched_yield();
}

static void team_wait(void)
{
    struct team *team = own.team;
    if (!team)
        return;
    int round = atomic_load(&team->round);
    if (atomic_fetch_add(&team->arrived, 1) == own.settings.team_size - 1) {
        atomic_store(&team->arrived, 0);
        atomic_store(&team->finished, 0);
        atomic_fetch_add(&team->round, 1);
        return;
    }
    for (long spins = 1; atomic_load(&team->round) == round; spins++)
        if (spins % 1000 == 0)
            team_check();
}

/* The first of them decides for all whether there is another batch. */
static bool team_goes_on(bool wanted)
{
    struct team *team = own.team;
    if (!team)
        return wanted;
    if (own.settings.team_rank == 0)
        atomic_store(&team->over, !wanted);
    team_wait();
    return !atomic_load(&team->over);
}

static void team_finish(void)
{
    struct team *team = own.team;
    if (!team)
        return;
    atomic_fetch_add(&team->finished, 1);
    while (atomic_load(&team->finished) < own.settings.team_size) {
        calls(1);
        if (atomic_load(&team->lost))
            _exit(4);
    }
}

/* `descriptor:size:rank`; the descriptor is that of the memory. */
static bool team_join(const char *text)
{
    int descriptor;
    if (sscanf(text, "%d:%d:%d", &descriptor, &own.settings.team_size, &own.settings.team_rank) != 3)
        return false;
    void *at = mmap(NULL, sizeof *own.team, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    own.team = at == MAP_FAILED ? NULL : at;
    return own.team != NULL;
}
