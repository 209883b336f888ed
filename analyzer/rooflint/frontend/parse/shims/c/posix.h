/* POSIX and Linux headers. A line "//@ name.h [alias.h ...]" starts the virtual file of that name. */
//@ sys/types.h sys/select.h
#include <stddef.h>
typedef long ssize_t, off_t, off64_t, loff_t, time_t, clock_t, suseconds_t, blkcnt_t, blksize_t;
typedef int pid_t, clockid_t, id_t, key_t;
typedef unsigned int uid_t, gid_t, mode_t, useconds_t, uint, socklen_t;
typedef unsigned long dev_t, ino_t, nlink_t, ulong;
typedef unsigned short ushort;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ u_int8_t;
typedef __UINT16_TYPE__ u_int16_t;
typedef __UINT32_TYPE__ u_int32_t;
typedef __UINT64_TYPE__ u_int64_t;
typedef void *timer_t;
typedef unsigned long pthread_t;
typedef struct { long __words[8]; } pthread_attr_t, pthread_mutex_t, pthread_cond_t, pthread_rwlock_t,
    pthread_barrier_t, pthread_mutexattr_t, pthread_condattr_t, pthread_rwlockattr_t, pthread_barrierattr_t;
typedef int pthread_once_t, pthread_spinlock_t;
typedef unsigned int pthread_key_t;
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timespec { time_t tv_sec; long tv_nsec; };
typedef struct { long __bits[16]; } fd_set;
#define FD_SETSIZE 1024
#define FD_ZERO(set) __builtin_memset(set, 0, sizeof(fd_set))
#define FD_SET(fd, set) ((void)((set)->__bits[(fd) / 64] |= 1L << ((fd) % 64)))
#define FD_ISSET(fd, set) (((set)->__bits[(fd) / 64] >> ((fd) % 64)) & 1L)
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
//@ sys/time.h
#include <sys/types.h>
struct timezone { int tz_minuteswest, tz_dsttime; };
struct itimerval { struct timeval it_interval, it_value; };
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2
#ifdef __cplusplus
int gettimeofday(struct timeval *__restrict, void *__restrict);
#else
int gettimeofday();
#endif
int settimeofday(const struct timeval *, const struct timezone *);
int setitimer(int, const struct itimerval *, struct itimerval *);
int getitimer(int, struct itimerval *);
int utimes(const char *, const struct timeval[2]);
#define timersub(a, b, r)                                                                         \
  do {                                                                                            \
    (r)->tv_sec = (a)->tv_sec - (b)->tv_sec;                                                      \
    (r)->tv_usec = (a)->tv_usec - (b)->tv_usec;                                                   \
    if ((r)->tv_usec < 0) { --(r)->tv_sec; (r)->tv_usec += 1000000; }                             \
  } while (0)
//@ sys/timeb.h
#include <sys/types.h>
struct timeb { time_t time; unsigned short millitm; short timezone, dstflag; };
int ftime(struct timeb *);
//@ sys/times.h
#include <sys/types.h>
struct tms { clock_t tms_utime, tms_stime, tms_cutime, tms_cstime; };
clock_t times(struct tms *);
//@ sys/param.h
#include <limits.h>
#include <sys/types.h>
#define MAXPATHLEN 4096
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
//@ unistd.h getopt.h
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define _POSIX_VERSION 200809L
#define _POSIX_TIMERS 200809L
#define _POSIX_MONOTONIC_CLOCK 0
#define _SC_CLK_TCK 2
#define _SC_OPEN_MAX 4
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
#define _SC_AVPHYS_PAGES 86
#define _SC_LEVEL1_DCACHE_SIZE 186
#define _SC_LEVEL1_DCACHE_LINESIZE 190
#define _SC_LEVEL2_CACHE_SIZE 191
#define _SC_LEVEL3_CACHE_SIZE 194
extern char *optarg;
extern int optind, opterr, optopt;
extern char **environ;
struct option { const char *name; int has_arg; int *flag; int val; };
#define no_argument 0
#define required_argument 1
#define optional_argument 2
int getopt(int, char *const[], const char *);
int getopt_long(int, char *const[], const char *, const struct option *, int *);
int getopt_long_only(int, char *const[], const char *, const struct option *, int *);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
off_t lseek(int, off_t, int);
int close(int);
int dup(int);
int dup2(int, int);
int pipe(int[2]);
int fsync(int);
int ftruncate(int, off_t);
int truncate(const char *, off_t);
int access(const char *, int);
int unlink(const char *);
int link(const char *, const char *);
int symlink(const char *, const char *);
ssize_t readlink(const char *__restrict, char *__restrict, size_t);
int rmdir(const char *);
int chdir(const char *);
char *getcwd(char *, size_t);
int isatty(int);
pid_t fork(void);
pid_t vfork(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
char *getlogin(void);
int execl(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execv(const char *, char *const[]);
int execve(const char *, char *const[], char *const[]);
int execvp(const char *, char *const[]);
void _exit(int) __attribute__((noreturn));
unsigned int alarm(unsigned int);
unsigned int sleep(unsigned int);
int usleep(useconds_t);
int pause(void);
int nice(int);
long sysconf(int);
long syscall(long, ...);
int gethostname(char *, size_t);
int getpagesize(void);
void *sbrk(__INTPTR_TYPE__);
int brk(void *);
void sync(void);
void swab(const void *__restrict, void *__restrict, ssize_t);
//@ fcntl.h sys/fcntl.h
#include <sys/types.h>
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_DIRECT 040000
#define O_SYNC 04010000
#define O_CLOEXEC 02000000
#define F_GETFL 3
#define F_SETFL 4
#define AT_FDCWD -100
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED 3
#define POSIX_FADV_DONTNEED 4
int open(const char *, int, ...);
int openat(int, const char *, int, ...);
int creat(const char *, mode_t);
int fcntl(int, int, ...);
int posix_fadvise(int, off_t, off_t, int);
int posix_fallocate(int, off_t, off_t);
//@ sys/stat.h
#include <sys/types.h>
struct stat {
  dev_t st_dev;
  ino_t st_ino;
  nlink_t st_nlink;
  mode_t st_mode;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  off_t st_size;
  blksize_t st_blksize;
  blkcnt_t st_blocks;
  struct timespec st_atim, st_mtim, st_ctim;
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
#define S_IFMT 0170000
#define S_ISDIR(m) (((m) & S_IFMT) == 0040000)
#define S_ISREG(m) (((m) & S_IFMT) == 0100000)
#define S_ISLNK(m) (((m) & S_IFMT) == 0120000)
#define S_IFDIR 0040000
#define S_IFREG 0100000
#define S_IRWXU 0700
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
#define S_IRWXG 070
#define S_IRGRP 040
#define S_IWGRP 020
#define S_IXGRP 010
#define S_IRWXO 07
#define S_IROTH 04
#define S_IWOTH 02
#define S_IXOTH 01
int stat(const char *__restrict, struct stat *__restrict);
int lstat(const char *__restrict, struct stat *__restrict);
int fstat(int, struct stat *);
int mkdir(const char *, mode_t);
int chmod(const char *, mode_t);
mode_t umask(mode_t);
//@ sys/resource.h
#include <sys/types.h>
struct rusage {
  struct timeval ru_utime, ru_stime;
  long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock;
  long ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
typedef unsigned long rlim_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN -1
#define RUSAGE_THREAD 1
#define RLIMIT_CPU 0
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_NOFILE 7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS 9
#define RLIM_INFINITY (~0UL)
#define PRIO_PROCESS 0
int getrusage(int, struct rusage *);
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int getpriority(int, id_t);
int setpriority(int, id_t, int);
//@ sys/mman.h
#include <sys/types.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MAP_ANON MAP_ANONYMOUS
#define MAP_NORESERVE 0x4000
#define MAP_LOCKED 0x2000
#define MAP_POPULATE 0x8000
#define MAP_HUGETLB 0x40000
#define MAP_HUGE_SHIFT 26
#define MAP_FAILED ((void *)-1)
#define MS_SYNC 4
#define MADV_NORMAL 0
#define MADV_RANDOM 1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14
#define POSIX_MADV_RANDOM 1
#define POSIX_MADV_SEQUENTIAL 2
#define POSIX_MADV_WILLNEED 3
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int mprotect(void *, size_t, int);
int msync(void *, size_t, int);
int mlock(const void *, size_t);
int munlock(const void *, size_t);
int madvise(void *, size_t, int);
int posix_madvise(void *, size_t, int);
int shm_open(const char *, int, mode_t);
int shm_unlink(const char *);
//@ sys/wait.h wait.h
#include <signal.h>
#define WNOHANG 1
#define WEXITSTATUS(s) (((s) & 0xff00) >> 8)
#define WIFEXITED(s) (((s) & 0x7f) == 0)
#define WIFSIGNALED(s) (((s) & 0x7f) != 0)
#define WTERMSIG(s) ((s) & 0x7f)
pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
//@ sys/utsname.h
struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65]; };
int uname(struct utsname *);
//@ sys/sysinfo.h
struct sysinfo {
  long uptime;
  unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
  unsigned short procs;
  unsigned int mem_unit;
};
int sysinfo(struct sysinfo *);
int get_nprocs(void);
int get_nprocs_conf(void);
//@ sys/ioctl.h
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
#define TIOCGWINSZ 0x5413
int ioctl(int, unsigned long, ...);
//@ sys/syscall.h syscall.h
#define SYS_gettid 186
#define SYS_sched_setaffinity 203
#define SYS_getcpu 309
#define __NR_gettid 186
#define __NR_perf_event_open 298
long syscall(long, ...);
//@ sys/cdefs.h features.h
#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif
#define __THROW
#define __nonnull(x)
#define __STRING(x) #x
#define __P(args) args
#define __glibc_unlikely(x) __builtin_expect(!!(x), 0)
#define __glibc_likely(x) __builtin_expect(!!(x), 1)
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 36
#define __GLIBC_PREREQ(major, minor) ((major) <= 2 && (minor) <= 36)
//@ sys/io.h sys/prctl.h linux/types.h linux/prctl.h
#define PR_SET_NAME 15
#define PR_SET_PTRACER 0x59616d61
#define PR_SET_PTRACER_ANY (-1UL)
typedef unsigned int __u32;
typedef unsigned long long __u64;
int prctl(int, ...);
//@ err.h error.h
void err(int, const char *, ...) __attribute__((noreturn));
void errx(int, const char *, ...) __attribute__((noreturn));
void warn(const char *, ...);
void warnx(const char *, ...);
void error(int, int, const char *, ...);
//@ dirent.h
#include <sys/types.h>
typedef struct __dirstream DIR;
struct dirent { ino_t d_ino; off_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
#define DT_DIR 4
#define DT_REG 8
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);
//@ dlfcn.h
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_GLOBAL 0x100
#define RTLD_LOCAL 0
typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
void *dlopen(const char *, int);
void *dlsym(void *__restrict, const char *__restrict);
int dlclose(void *);
char *dlerror(void);
int dladdr(const void *, Dl_info *);
//@ libgen.h
char *basename(char *);
char *dirname(char *);
//@ execinfo.h
int backtrace(void **, int);
char **backtrace_symbols(void *const *, int);
void backtrace_symbols_fd(void *const *, int, int);
//@ endian.h byteswap.h sys/endian.h
#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define BYTE_ORDER LITTLE_ENDIAN
#define bswap_16(x) __builtin_bswap16(x)
#define bswap_32(x) __builtin_bswap32(x)
#define bswap_64(x) __builtin_bswap64(x)
#define htobe32(x) __builtin_bswap32(x)
#define be32toh(x) __builtin_bswap32(x)
#define htobe64(x) __builtin_bswap64(x)
#define be64toh(x) __builtin_bswap64(x)
#define htole32(x) (x)
#define le32toh(x) (x)
