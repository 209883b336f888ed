/* What the measured code may not do, and what is told of it when it tries. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* What numeric code, its libraries and the harness itself need. Everything else is refused by its
 * number: files, processes, signals to others and connections are not among these. */
static const int permitted[] = {
    SYS_read, SYS_write, SYS_writev, SYS_close, SYS_fstat, SYS_lseek, SYS_mmap, SYS_mprotect, SYS_munmap,
    SYS_brk, SYS_mremap, SYS_madvise, SYS_rt_sigaction, SYS_rt_sigreturn,
    SYS_sigaltstack, SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_getpid, SYS_gettid, SYS_getrandom, SYS_exit, SYS_exit_group, SYS_set_robust_list,
    SYS_set_tid_address, SYS_getrusage, SYS_times, SYS_getcpu, SYS_membarrier, SYS_uname,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
};

/* Of a system call that was refused. */
static long third_argument(const void *context)
{
    const ucontext_t *at = context;
#if defined(__x86_64__)
    return (long)at->uc_mcontext.gregs[REG_RDX];
#elif defined(__aarch64__)
    return (long)at->uc_mcontext.regs[2];
#else
    return 0;
#endif
}

#define PERMITTED ((int)(sizeof permitted / sizeof *permitted))
#define THREAD 0x00010000 /* CLONE_THREAD */

static bool filter_calls(void)
{
    struct sock_filter code[2 * PERMITTED + 32];
    int n = 0;
#define EMIT(...) code[n++] = (struct sock_filter)__VA_ARGS__
    EMIT({BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch)});
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS});
    EMIT({BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)});
    for (int i = 0; i < PERMITTED; i++) {
        EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)permitted[i]});
        EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
    }
    /* Who starts a process blocks signals first, and the signal that tells of it with them. */
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_rt_sigprocmask});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO});
    /* the library asks whether its output is a terminal */
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_ioctl});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOTTY});
    /* Libraries look at the system while they start, and do without what they may not open. The
     * seal refuses this too, and needs this call itself. */
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EACCES});
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 4, SYS_prctl});
    EMIT({BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args)});
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, PR_SET_SECCOMP});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP});
    /* threads, and no processes; the C library asks by the older call where this one is unknown */
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clone3});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS});
    EMIT({BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_clone});
    EMIT({BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args)});
    EMIT({BPF_JMP | BPF_JSET | BPF_K, 0, 1, THREAD});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
    EMIT({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP});
    struct sock_fprog program = {(unsigned short)n, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A second filter: of two answers the stricter one counts. */
static void seal_calls(void)
{
    struct sock_filter code[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_openat},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_prctl},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        stop_with(STOP_SETUP, 7);
}

/* A second wall around files and connections, and the only one where calls cannot be filtered:
 * a ruleset without a rule allows nothing. `man 7 landlock` lists the rights by version. */
static int close_files(void)
{
    struct {
        uint64_t files, network, scopes;
    } rights = {0x1FFF, 0, 0};
    int version = (int)syscall(444, NULL, (size_t)0, 1);
    if (version < 1)
        return 0;
    rights.files |= (version >= 2 ? 1u << 13 : 0) | (version >= 3 ? 1u << 14 : 0);
    rights.files |= version >= 5 ? 1u << 15 : 0;
    rights.network = version >= 4 ? 3 : 0;
    rights.scopes = version >= 6 ? 3 : 0;
    int ruleset = (int)syscall(444, &rights, sizeof rights, 0);
    if (ruleset < 0)
        return 0;
    bool closed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(446, ruleset, 0) == 0;
    close(ruleset);
    return closed ? version : 0;
}
#else
static bool filter_calls(void)
{
    return false;
}

static void seal_calls(void)
{
}

static int close_files(void)
{
    return 0;
}
#endif

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == SIGSEGV && regions_touch(info->si_addr))
        return;
    stop_with(STOP_FAULT, (long long)(uintptr_t)info->si_addr);
}

static void on_other(int number, siginfo_t *info, void *context)
{
#ifdef __linux__
    if (number == SIGSYS && info->si_syscall == SYS_tgkill && third_argument(context) == SIGABRT)
        stop_with(STOP_ABORT, SIGABRT); /* the C library aborts by a signal to itself */
    if (number == SIGSYS)
        stop_with(STOP_CALL, info->si_syscall);
#endif
    (void)info, (void)context;
    stop_with(number == SIGFPE ? STOP_DIVISION : STOP_ABORT, number);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(number, &action, NULL);
}

static void sandbox_signals(void)
{
    size_t bytes = (size_t)1 << 18;
    stack_t stack = {.ss_size = bytes};
    stack.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
        stop_with(STOP_SETUP, 4);
    handle(SIGSEGV, on_fault);
    handle(SIGBUS, on_fault);
    handle(SIGFPE, on_other);
    handle(SIGILL, on_other);
    handle(SIGABRT, on_other);
    handle(SIGSYS, on_other);
}

static void limit(int which, unsigned long long value)
{
    struct rlimit both = {value, value};
    setrlimit(which, &both);
}

static bool is_filtered;

static void sandbox_seal(void)
{
    if (is_filtered)
        seal_calls();
}

static void sandbox_close(void)
{
    bool names = false, calls = false;
    int files = 0;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_DATA, (unsigned long long)own.settings.max_bytes + ((unsigned long long)256 << 20));
    if (own.settings.processor_s > 0)
        limit(RLIMIT_CPU, (unsigned long long)own.settings.processor_s);
    if (own.settings.sandbox) {
#ifdef __linux__
        names = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
#endif
        files = close_files();
        calls = is_filtered = filter_calls();
        if (!calls)
            limit(RLIMIT_NPROC, 0); /* counts threads too, hence only without the filter */
    }
    report("{\"record\":\"sandbox\",\"seccomp\":%s,\"network\":%s,\"landlock\":%d}\n",
        calls ? "true" : "false", names ? "true" : "false", files);
}
