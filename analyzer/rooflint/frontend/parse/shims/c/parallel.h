/* Headers of parallel programming. A line "//@ name.h [alias.h ...]" starts the virtual file. */
//@ omp.h
typedef void *omp_lock_t, *omp_nest_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
typedef enum {
  omp_proc_bind_false,
  omp_proc_bind_true,
  omp_proc_bind_master,
  omp_proc_bind_close,
  omp_proc_bind_spread
} omp_proc_bind_t;
typedef enum {
  omp_sync_hint_none = 0,
  omp_lock_hint_none = 0,
  omp_lock_hint_uncontended = 1,
  omp_lock_hint_contended = 2
} omp_sync_hint_t, omp_lock_hint_t;
typedef __UINTPTR_TYPE__ omp_allocator_handle_t, omp_memspace_handle_t;
#define omp_default_mem_alloc 1
#define omp_large_cap_mem_alloc 2
#define omp_high_bw_mem_alloc 4
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_get_thread_limit(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_max_active_levels(void);
int omp_get_ancestor_thread_num(int);
int omp_get_team_size(int);
int omp_get_dynamic(void);
int omp_get_nested(void);
int omp_get_cancellation(void);
int omp_in_parallel(void);
int omp_in_final(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
int omp_get_num_places(void);
int omp_get_place_num(void);
int omp_get_num_devices(void);
int omp_get_default_device(void);
int omp_get_initial_device(void);
int omp_is_initial_device(void);
int omp_get_device_num(void);
omp_proc_bind_t omp_get_proc_bind(void);
void omp_set_num_threads(int);
void omp_set_dynamic(int);
void omp_set_nested(int);
void omp_set_max_active_levels(int);
void omp_set_default_device(int);
void omp_set_schedule(omp_sched_t, int);
void omp_get_schedule(omp_sched_t *, int *);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t *);
void omp_init_lock_with_hint(omp_lock_t *, omp_sync_hint_t);
void omp_destroy_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int omp_test_lock(omp_lock_t *);
void omp_init_nest_lock(omp_nest_lock_t *);
void omp_destroy_nest_lock(omp_nest_lock_t *);
void omp_set_nest_lock(omp_nest_lock_t *);
void omp_unset_nest_lock(omp_nest_lock_t *);
void *omp_alloc(__SIZE_TYPE__, omp_allocator_handle_t);
void *omp_aligned_alloc(__SIZE_TYPE__, __SIZE_TYPE__, omp_allocator_handle_t);
void omp_free(void *, omp_allocator_handle_t);
void *omp_target_alloc(__SIZE_TYPE__, int);
void omp_target_free(void *, int);
int omp_target_is_present(const void *, int);
int omp_target_memcpy(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, int, int);
//@ openacc.h
typedef enum { acc_device_none, acc_device_default, acc_device_host, acc_device_not_host, acc_device_nvidia } acc_device_t;
int acc_get_num_devices(acc_device_t);
void acc_set_device_type(acc_device_t);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int, acc_device_t);
int acc_get_device_num(acc_device_t);
void acc_init(acc_device_t);
void acc_shutdown(acc_device_t);
void acc_wait_all(void);
void *acc_malloc(__SIZE_TYPE__);
void acc_free(void *);
//@ sched.h
#include <sys/types.h>
struct sched_param { int sched_priority; };
typedef struct { unsigned long __bits[16]; } cpu_set_t;
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5
#define CPU_SETSIZE 1024
#define CPU_ZERO(set) __builtin_memset(set, 0, sizeof(cpu_set_t))
#define CPU_SET(cpu, set) ((set)->__bits[(cpu) / 64] |= 1UL << ((cpu) % 64))
#define CPU_CLR(cpu, set) ((set)->__bits[(cpu) / 64] &= ~(1UL << ((cpu) % 64)))
#define CPU_ISSET(cpu, set) ((int)(((set)->__bits[(cpu) / 64] >> ((cpu) % 64)) & 1UL))
#define CPU_ALLOC(count) ((cpu_set_t *)__sched_cpualloc(count))
#define CPU_FREE(set) __sched_cpufree(set)
#define CPU_ALLOC_SIZE(count) ((((count) + 63) / 64) * 8)
#define CPU_ZERO_S(size, set) __builtin_memset(set, 0, size)
#define CPU_SET_S(cpu, size, set) CPU_SET(cpu, set)
#define CPU_ISSET_S(cpu, size, set) CPU_ISSET(cpu, set)
#define CPU_COUNT_S(size, set) __sched_cpucount(size, set)
cpu_set_t *__sched_cpualloc(size_t);
void __sched_cpufree(cpu_set_t *);
int getcpu(unsigned int *, unsigned int *);
#define CPU_COUNT(set) __sched_cpucount(sizeof(cpu_set_t), set)
int __sched_cpucount(size_t, const cpu_set_t *);
int sched_yield(void);
int sched_getcpu(void);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
//@ pthread.h
#include <sched.h>
#include <time.h>
#define PTHREAD_MUTEX_INITIALIZER {{0}}
#define PTHREAD_COND_INITIALIZER {{0}}
#define PTHREAD_RWLOCK_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_BARRIER_SERIAL_THREAD -1
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_detach(pthread_t);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);
void pthread_exit(void *) __attribute__((noreturn));
int pthread_cancel(pthread_t);
int pthread_kill(pthread_t, int);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_setscope(pthread_attr_t *, int);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_attr_setaffinity_np(pthread_attr_t *, size_t, const cpu_set_t *);
int pthread_setaffinity_np(pthread_t, size_t, const cpu_set_t *);
int pthread_getaffinity_np(pthread_t, size_t, cpu_set_t *);
int pthread_setname_np(pthread_t, const char *);
int pthread_setschedparam(pthread_t, int, const struct sched_param *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_mutexattr_destroy(pthread_mutexattr_t *);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_rwlock_init(pthread_rwlock_t *, const pthread_rwlockattr_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_spin_init(pthread_spinlock_t *, int);
int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_unlock(pthread_spinlock_t *);
int pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned int);
int pthread_barrier_destroy(pthread_barrier_t *);
int pthread_barrier_wait(pthread_barrier_t *);
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_setspecific(pthread_key_t, const void *);
void *pthread_getspecific(pthread_key_t);
//@ semaphore.h
typedef struct { long __words[4]; } sem_t;
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
//@ threads.h
#include <time.h>
typedef unsigned long thrd_t;
typedef struct { long __words[8]; } mtx_t, cnd_t;
typedef int (*thrd_start_t)(void *);
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_recursive, mtx_timed };
int thrd_create(thrd_t *, thrd_start_t, void *);
int thrd_join(thrd_t, int *);
int thrd_sleep(const struct timespec *, struct timespec *);
void thrd_yield(void);
int mtx_init(mtx_t *, int);
int mtx_lock(mtx_t *);
int mtx_unlock(mtx_t *);
void mtx_destroy(mtx_t *);
#if !defined(__cplusplus) && !(__STDC_VERSION__ >= 202000L)
#define thread_local _Thread_local
#endif
//@ stdatomic.h
#ifdef __cplusplus
#error "stdatomic.h: C++ code is served <atomic>"
#else
#include <stdbool.h>
#include <stdint.h>
typedef enum {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned int) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(int32_t) atomic_int_least32_t;
typedef _Atomic(uint32_t) atomic_uint_least32_t;
typedef _Atomic(uint64_t) atomic_uint_least64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(__SIZE_TYPE__) atomic_size_t;
typedef _Atomic(__PTRDIFF_TYPE__) atomic_ptrdiff_t;
typedef struct { atomic_bool __flag; } atomic_flag;
#define ATOMIC_FLAG_INIT {0}
#define ATOMIC_VAR_INIT(value) (value)
#define atomic_init(object, value) __c11_atomic_init(object, value)
#define atomic_load_explicit(object, order) __c11_atomic_load(object, order)
#define atomic_store_explicit(object, value, order) __c11_atomic_store(object, value, order)
#define atomic_exchange_explicit(object, value, order) __c11_atomic_exchange(object, value, order)
#define atomic_fetch_add_explicit(object, value, order) __c11_atomic_fetch_add(object, value, order)
#define atomic_fetch_sub_explicit(object, value, order) __c11_atomic_fetch_sub(object, value, order)
#define atomic_fetch_or_explicit(object, value, order) __c11_atomic_fetch_or(object, value, order)
#define atomic_fetch_and_explicit(object, value, order) __c11_atomic_fetch_and(object, value, order)
#define atomic_fetch_xor_explicit(object, value, order) __c11_atomic_fetch_xor(object, value, order)
#define atomic_compare_exchange_strong_explicit(object, expected, value, success, failure)         \
  __c11_atomic_compare_exchange_strong(object, expected, value, success, failure)
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)           \
  __c11_atomic_compare_exchange_weak(object, expected, value, success, failure)
#define atomic_load(object) __c11_atomic_load(object, __ATOMIC_SEQ_CST)
#define atomic_store(object, value) __c11_atomic_store(object, value, __ATOMIC_SEQ_CST)
#define atomic_exchange(object, value) __c11_atomic_exchange(object, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_add(object, value) __c11_atomic_fetch_add(object, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(object, value) __c11_atomic_fetch_sub(object, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_or(object, value) __c11_atomic_fetch_or(object, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_and(object, value) __c11_atomic_fetch_and(object, value, __ATOMIC_SEQ_CST)
#define atomic_fetch_xor(object, value) __c11_atomic_fetch_xor(object, value, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong(object, expected, value)                                    \
  __c11_atomic_compare_exchange_strong(object, expected, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak(object, expected, value)                                      \
  __c11_atomic_compare_exchange_weak(object, expected, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_thread_fence(order) __c11_atomic_thread_fence(order)
#define atomic_signal_fence(order) __c11_atomic_signal_fence(order)
#define atomic_flag_test_and_set(object) __c11_atomic_exchange(&(object)->__flag, 1, __ATOMIC_SEQ_CST)
#define atomic_flag_test_and_set_explicit(object, order) __c11_atomic_exchange(&(object)->__flag, 1, order)
#define atomic_flag_clear(object) __c11_atomic_store(&(object)->__flag, 0, __ATOMIC_SEQ_CST)
#define atomic_flag_clear_explicit(object, order) __c11_atomic_store(&(object)->__flag, 0, order)
#endif
//@ likwid.h likwid-marker.h
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(tag)
#define LIKWID_MARKER_START(tag)
#define LIKWID_MARKER_STOP(tag)
#define LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_RESET(tag)
#define LIKWID_MARKER_GET(tag, events, values, time, count)
//@ numa.h numaif.h
#define MPOL_DEFAULT 0
#define MPOL_BIND 2
#define MPOL_INTERLEAVE 3
int numa_available(void);
int numa_num_configured_nodes(void);
int numa_max_node(void);
int numa_node_of_cpu(int);
void *numa_alloc_onnode(__SIZE_TYPE__, int);
void *numa_alloc_interleaved(__SIZE_TYPE__);
void *numa_alloc_local(__SIZE_TYPE__);
void numa_free(void *, __SIZE_TYPE__);
int numa_run_on_node(int);
//@ cblas.h mkl_cblas.h mkl.h openblas_config.h
typedef enum { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT, CBLAS_ORDER;
typedef enum { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
#define __ROOFLINT_BLAS(p, T)                                                                      \
  T cblas_##p##dot(int, const T *, int, const T *, int);                                           \
  T cblas_##p##nrm2(int, const T *, int);                                                          \
  T cblas_##p##asum(int, const T *, int);                                                          \
  __SIZE_TYPE__ cblas_i##p##amax(int, const T *, int);                                             \
  void cblas_##p##axpy(int, T, const T *, int, T *, int);                                          \
  void cblas_##p##scal(int, T, T *, int);                                                          \
  void cblas_##p##copy(int, const T *, int, T *, int);                                             \
  void cblas_##p##swap(int, T *, int, T *, int);                                                   \
  void cblas_##p##gemv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, int, int, T, const T *, int, const T *, int, T, T *, int); \
  void cblas_##p##ger(CBLAS_LAYOUT, int, int, T, const T *, int, const T *, int, T *, int);        \
  void cblas_##p##gemm(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, T, const T *, int, const T *, int, T, T *, int);
__ROOFLINT_BLAS(s, float)
__ROOFLINT_BLAS(d, double)
