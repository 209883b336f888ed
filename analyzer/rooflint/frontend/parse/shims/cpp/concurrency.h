/* Time, threads and atomics. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ chrono
#include <limits>
#include <type_traits>
#include <ratio>
#include <ctime>
#include <__rooflint_core>
#define __ROOFLINT_DURATIONS template <class __R, class __P, class __S, class __Q>
#define __ROOFLINT_LEFT const duration<__R, __P> &
#define __ROOFLINT_RIGHT const duration<__S, __Q> &
namespace std {
namespace chrono {
template <class __R, class __P = ratio<1>> class duration {
  __R __count;

public:
  typedef __R rep;
  typedef __P period;
  constexpr duration() : __count() {}
  template <class __S, class = enable_if_t<__is_convertible_to(__S, __R)>> constexpr explicit duration(const __S &__n) : __count(__n) {}
  template <class __S, class __Q> constexpr duration(const duration<__S, __Q> &__d)
      : __count(__d.count() * __Q::num * __P::den / (__Q::den * __P::num)) {}
  constexpr __R count() const { return __count; }
  static constexpr duration zero() { return duration(0); }
  static constexpr duration max();
  static constexpr duration min();
  constexpr duration operator-() const { return duration(-__count); }
  duration &operator+=(const duration &__d) { __count += __d.__count; return *this; }
  duration &operator-=(const duration &__d) { __count -= __d.__count; return *this; }
  duration &operator*=(const __R &__n) { __count *= __n; return *this; }
  duration &operator/=(const __R &__n) { __count /= __n; return *this; }
};
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
typedef duration<long, ratio<60>> minutes;
typedef duration<long, ratio<3600>> hours;
template <class __D, class __R, class __P> constexpr __D duration_cast(__ROOFLINT_LEFT __d) { return __D(__d); }
template <class __R, class __P, class __S, class __Q>
using __rooflint_common = duration<decltype(__R() + __S()), conditional_t<(__P::num * __Q::den < __Q::num * __P::den), __P, __Q>>;
__ROOFLINT_DURATIONS constexpr __rooflint_common<__R, __P, __S, __Q> operator+(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr __rooflint_common<__R, __P, __S, __Q> operator-(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr decltype(__R() / __S()) operator/(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr bool operator<(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr bool operator>(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr bool operator<=(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr bool operator>=(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr bool operator==(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
__ROOFLINT_DURATIONS constexpr bool operator!=(__ROOFLINT_LEFT, __ROOFLINT_RIGHT);
template <class __R, class __P, class __S, class = enable_if_t<__is_arithmetic(__S)>> constexpr duration<__R, __P> operator*(__ROOFLINT_LEFT, const __S &);
template <class __R, class __P, class __S, class = enable_if_t<__is_arithmetic(__S)>> constexpr duration<__R, __P> operator*(const __S &, __ROOFLINT_LEFT);
template <class __R, class __P, class __S, class = enable_if_t<__is_arithmetic(__S)>> constexpr duration<__R, __P> operator/(__ROOFLINT_LEFT, const __S &);
template <class __K, class __D = nanoseconds> class time_point {
  __D __since;

public:
  typedef __D duration;
  typedef __K clock;
  typedef typename __D::rep rep;
  constexpr time_point() : __since() {}
  constexpr explicit time_point(const __D &__d) : __since(__d) {}
  template <class __E> constexpr time_point(const time_point<__K, __E> &__t) : __since(__t.time_since_epoch()) {}
  constexpr __D time_since_epoch() const { return __since; }
  time_point &operator+=(const __D &);
  time_point &operator-=(const __D &);
  static constexpr time_point min();
  static constexpr time_point max();
};
template <class __E, class __K, class __D> constexpr time_point<__K, __E> time_point_cast(const time_point<__K, __D> &);
#define __ROOFLINT_POINTS const time_point<__K, __D> &, const time_point<__K, __E> &
template <class __K, class __D, class __E> constexpr __rooflint_common<typename __D::rep, typename __D::period, typename __E::rep, typename __E::period> operator-(__ROOFLINT_POINTS);
template <class __K, class __D, class __R, class __P> constexpr time_point<__K, __D> operator+(const time_point<__K, __D> &, __ROOFLINT_LEFT);
template <class __K, class __D, class __R, class __P> constexpr time_point<__K, __D> operator-(const time_point<__K, __D> &, __ROOFLINT_LEFT);
template <class __K, class __D, class __E> constexpr bool operator<(__ROOFLINT_POINTS);
template <class __K, class __D, class __E> constexpr bool operator>(__ROOFLINT_POINTS);
template <class __K, class __D, class __E> constexpr bool operator<=(__ROOFLINT_POINTS);
template <class __K, class __D, class __E> constexpr bool operator>=(__ROOFLINT_POINTS);
template <class __K, class __D, class __E> constexpr bool operator==(__ROOFLINT_POINTS);
template <class __K, class __D, class __E> constexpr bool operator!=(__ROOFLINT_POINTS);
#define __ROOFLINT_CLOCK(name)                                                                     \
  struct name {                                                                                    \
    typedef nanoseconds duration;                                                                  \
    typedef long rep;                                                                              \
    typedef nano period;                                                                           \
    typedef chrono::time_point<name> time_point;                                                   \
    static constexpr bool is_steady = true;                                                        \
    static time_point now() noexcept;                                                              \
    static time_t to_time_t(const time_point &) noexcept;                                          \
    static time_point from_time_t(time_t) noexcept;                                                \
  };
__ROOFLINT_CLOCK(system_clock)
__ROOFLINT_CLOCK(steady_clock)
typedef system_clock high_resolution_clock;
}
#if __cplusplus >= 201402L
inline namespace literals {
inline namespace chrono_literals {
constexpr chrono::seconds operator""s(unsigned long long __n) { return chrono::seconds(__n); }
constexpr chrono::milliseconds operator""ms(unsigned long long __n) { return chrono::milliseconds(__n); }
constexpr chrono::microseconds operator""us(unsigned long long __n) { return chrono::microseconds(__n); }
constexpr chrono::nanoseconds operator""ns(unsigned long long __n) { return chrono::nanoseconds(__n); }
}
}
#endif
}
//@ atomic
#include <cstdint>
#include <__rooflint_core>
namespace std {
enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
#define __ROOFLINT_ORDERED_BY memory_order = memory_order_seq_cst
template <class __T> struct atomic {
  typedef __T value_type;
  __T __value;
  constexpr atomic() noexcept : __value() {}
  constexpr atomic(__T __x) noexcept : __value(__x) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  __T operator=(__T) noexcept;
  operator __T() const noexcept;
  __T load(__ROOFLINT_ORDERED_BY) const noexcept;
  void store(__T, __ROOFLINT_ORDERED_BY) noexcept;
  __T exchange(__T, __ROOFLINT_ORDERED_BY) noexcept;
  bool compare_exchange_weak(__T &, __T, __ROOFLINT_ORDERED_BY) noexcept;
  bool compare_exchange_weak(__T &, __T, memory_order, memory_order) noexcept;
  bool compare_exchange_strong(__T &, __T, __ROOFLINT_ORDERED_BY) noexcept;
  bool compare_exchange_strong(__T &, __T, memory_order, memory_order) noexcept;
  template <class __D> __T fetch_add(__D, __ROOFLINT_ORDERED_BY) noexcept;
  template <class __D> __T fetch_sub(__D, __ROOFLINT_ORDERED_BY) noexcept;
  __T fetch_and(__T, __ROOFLINT_ORDERED_BY) noexcept;
  __T fetch_or(__T, __ROOFLINT_ORDERED_BY) noexcept;
  __T fetch_xor(__T, __ROOFLINT_ORDERED_BY) noexcept;
  __T operator++() noexcept;
  __T operator++(int) noexcept;
  __T operator--() noexcept;
  __T operator--(int) noexcept;
  template <class __D> __T operator+=(__D) noexcept;
  template <class __D> __T operator-=(__D) noexcept;
  __T operator|=(__T) noexcept;
  __T operator&=(__T) noexcept;
  bool is_lock_free() const noexcept;
  void wait(__T, __ROOFLINT_ORDERED_BY) const noexcept;
  void notify_one() noexcept;
  void notify_all() noexcept;
};
template <class __T> struct atomic_ref : atomic<__T> { explicit atomic_ref(__T &); };
typedef atomic<bool> atomic_bool;
typedef atomic<char> atomic_char;
typedef atomic<int> atomic_int;
typedef atomic<unsigned int> atomic_uint;
typedef atomic<long> atomic_long;
typedef atomic<unsigned long> atomic_ulong;
typedef atomic<size_t> atomic_size_t;
typedef atomic<int32_t> atomic_int32_t;
typedef atomic<int64_t> atomic_int64_t;
typedef atomic<uint32_t> atomic_uint32_t;
typedef atomic<uint64_t> atomic_uint64_t;
struct atomic_flag {
  constexpr atomic_flag(bool __x = false) noexcept : __value(__x) {}
  bool test_and_set(__ROOFLINT_ORDERED_BY) noexcept;
  bool test(__ROOFLINT_ORDERED_BY) const noexcept;
  void clear(__ROOFLINT_ORDERED_BY) noexcept;
  bool __value;
};
#define ATOMIC_FLAG_INIT {false}
#define ATOMIC_VAR_INIT(value) {value}
void atomic_thread_fence(memory_order) noexcept;
void atomic_signal_fence(memory_order) noexcept;
template <class __T> __T atomic_load(const atomic<__T> *) noexcept;
template <class __T> __T atomic_load_explicit(const atomic<__T> *, memory_order) noexcept;
template <class __T, class __U> void atomic_store(atomic<__T> *, __U) noexcept;
template <class __T, class __U> void atomic_store_explicit(atomic<__T> *, __U, memory_order) noexcept;
template <class __T, class __U> __T atomic_fetch_add(atomic<__T> *, __U) noexcept;
template <class __T, class __U> __T atomic_fetch_add_explicit(atomic<__T> *, __U, memory_order) noexcept;
template <class __T, class __U> __T atomic_fetch_sub(atomic<__T> *, __U) noexcept;
template <class __T, class __U> __T atomic_exchange(atomic<__T> *, __U) noexcept;
}
//@ mutex shared_mutex
#include <chrono>
#include <utility>
namespace std {
#define __ROOFLINT_LOCKABLE                                                                        \
  void lock();                                                                                     \
  bool try_lock();                                                                                 \
  void unlock();                                                                                   \
  template <class __D> bool try_lock_for(const __D &);
struct mutex { constexpr mutex() noexcept {} mutex(const mutex &) = delete; __ROOFLINT_LOCKABLE };
struct recursive_mutex { __ROOFLINT_LOCKABLE };
struct timed_mutex { __ROOFLINT_LOCKABLE };
struct shared_mutex { __ROOFLINT_LOCKABLE void lock_shared(); void unlock_shared(); };
typedef shared_mutex shared_timed_mutex;
struct defer_lock_t {};
struct try_to_lock_t {};
struct adopt_lock_t {};
constexpr defer_lock_t defer_lock{};
constexpr try_to_lock_t try_to_lock{};
constexpr adopt_lock_t adopt_lock{};
template <class __M> struct lock_guard { explicit lock_guard(__M &); lock_guard(__M &, adopt_lock_t); ~lock_guard(); };
template <class... __M> struct scoped_lock { explicit scoped_lock(__M &...); ~scoped_lock(); };
template <class __M> struct unique_lock {
  unique_lock();
  explicit unique_lock(__M &);
  template <class __X> unique_lock(__M &, __X);
  ~unique_lock();
  bool owns_lock() const;
  explicit operator bool() const;
  __ROOFLINT_LOCKABLE
};
template <class __M> struct shared_lock : unique_lock<__M> { using unique_lock<__M>::unique_lock; };
template <class... __M> void lock(__M &...);
struct once_flag {};
template <class __F, class... __A> void call_once(once_flag &, __F &&, __A &&...) __ROOFLINT_OPAQUE
#if __ROOFLINT_CPP17
template <class... __M> scoped_lock(__M &...) -> scoped_lock<__M...>;
template <class __M> lock_guard(__M &) -> lock_guard<__M>;
template <class __M> unique_lock(__M &) -> unique_lock<__M>;
#endif
}
//@ thread stop_token
#include <memory>
#include <chrono>
#include <iosfwd>
#include <utility>
namespace std {
class thread {
public:
  struct id { bool operator==(const id &) const; bool operator!=(const id &) const; bool operator<(const id &) const; };
  typedef unsigned long native_handle_type;
  thread() noexcept;
  thread(thread &&) noexcept;
  template <class __F, class... __A, class = enable_if_t<!__is_base_of(thread, __remove_cvref(__F))>> explicit thread(__F &&, __A &&...) __ROOFLINT_OPAQUE
  ~thread();
  thread &operator=(thread &&) noexcept;
  void join();
  void detach();
  bool joinable() const noexcept;
  id get_id() const noexcept;
  native_handle_type native_handle();
  static unsigned int hardware_concurrency() noexcept;
};
typedef thread jthread;
ostream &operator<<(ostream &, thread::id);
namespace this_thread {
thread::id get_id() noexcept;
void yield() noexcept;
template <class __R, class __P> void sleep_for(const chrono::duration<__R, __P> &);
template <class __K, class __D> void sleep_until(const chrono::time_point<__K, __D> &);
}
}
//@ condition_variable
#include <mutex>
namespace std {
enum class cv_status { no_timeout, timeout };
struct condition_variable {
  void notify_one() noexcept;
  void notify_all() noexcept;
  void wait(unique_lock<mutex> &);
  template <class __P> void wait(unique_lock<mutex> &, __P) __ROOFLINT_OPAQUE
  template <class __D> cv_status wait_for(unique_lock<mutex> &, const __D &);
  template <class __D, class __P> bool wait_for(unique_lock<mutex> &, const __D &, __P) __ROOFLINT_OPAQUE
};
typedef condition_variable condition_variable_any;
}
//@ future
#include <mutex>
#include <thread>
namespace std {
enum class launch { async = 1, deferred = 2 };
enum class future_status { ready, timeout, deferred };
template <class __R> class future {
public:
  future() noexcept;
  future(future &&) noexcept;
  future &operator=(future &&) noexcept;
  __R get();
  void wait() const;
  bool valid() const noexcept;
  template <class __D> future_status wait_for(const __D &) const;
};
template <class __R> using shared_future = future<__R>;
template <class __R> class promise {
public:
  future<__R> get_future();
  template <class... __X> void set_value(__X &&...);
};
template <class __F, class... __A> auto async(__F &&__f, __A &&...__a) -> future<decltype(__f(std::forward<__A>(__a)...))> __ROOFLINT_OPAQUE
template <class __F, class... __A> auto async(launch, __F &&__f, __A &&...__a) -> future<decltype(__f(std::forward<__A>(__a)...))> __ROOFLINT_OPAQUE
}
//@ barrier latch semaphore
#include <__rooflint_core>
namespace std {
template <class __F = void> struct barrier { explicit barrier(ptrdiff_t); void arrive_and_wait(); };
struct latch { explicit latch(ptrdiff_t); void count_down(ptrdiff_t = 1); void wait() const; void arrive_and_wait(); };
template <ptrdiff_t __n = 1> struct counting_semaphore { explicit counting_semaphore(ptrdiff_t); void acquire(); void release(); };
typedef counting_semaphore<> binary_semaphore;
}
