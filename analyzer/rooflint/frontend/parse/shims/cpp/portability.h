/* Later language headers and loop libraries. A line "//@ name [alias ...]" starts a virtual file. */
//@ compare
#include <__rooflint_core>
namespace std {
#define __ROOFLINT_ORDERING(name)                                                                  \
  struct name {                                                                                    \
    int __value;                                                                                   \
    static const name less, equal, equivalent, greater, unordered;                                 \
    friend constexpr bool operator==(name __a, int) { return __a.__value == 0; }                   \
    friend constexpr bool operator!=(name __a, int) { return __a.__value != 0; }                   \
    friend constexpr bool operator<(name __a, int) { return __a.__value < 0; }                     \
    friend constexpr bool operator>(name __a, int) { return __a.__value > 0; }                     \
    friend constexpr bool operator<=(name __a, int) { return __a.__value <= 0; }                   \
    friend constexpr bool operator>=(name __a, int) { return __a.__value >= 0; }                   \
  };                                                                                               \
  inline constexpr name name::less{-1}, name::equal{0}, name::equivalent{0}, name::greater{1}, name::unordered{2};
#if __ROOFLINT_CPP17
__ROOFLINT_ORDERING(strong_ordering)
__ROOFLINT_ORDERING(weak_ordering)
__ROOFLINT_ORDERING(partial_ordering)
#endif
}
//@ concepts
#include <type_traits>
#if __ROOFLINT_CPP20
namespace std {
template <class __T, class __U> concept same_as = __is_same(__T, __U) && __is_same(__U, __T);
template <class __T, class __U> concept derived_from = __is_base_of(__U, __T);
template <class __T, class __U> concept convertible_to = __is_convertible_to(__T, __U);
template <class __T> concept integral = __is_integral(__T);
template <class __T> concept signed_integral = integral<__T> && __is_signed(__T);
template <class __T> concept unsigned_integral = integral<__T> && !__is_signed(__T);
template <class __T> concept floating_point = __is_floating_point(__T);
template <class __T> concept destructible = __is_object(__T);
template <class __T> concept default_initializable = __is_constructible(__T);
template <class __T> concept copyable = __is_constructible(__T, const __T &);
template <class __T> concept movable = __is_constructible(__T, __T &&);
template <class __F, class... __A> concept invocable = requires(__F &&__f, __A &&...__a) { __f(static_cast<__A &&>(__a)...); };
template <class __F, class... __A> concept regular_invocable = invocable<__F, __A...>;
template <class __F, class... __A> concept predicate = invocable<__F, __A...>;
template <class __T> concept equality_comparable = requires(const __T &__a) { __a == __a; };
template <class __T> concept totally_ordered = requires(const __T &__a) { __a < __a; };
}
#endif
//@ ranges
#include <iterator>
namespace std {
namespace ranges {
/* Consecutive integers: the loop over a range of indices is a counted loop. */
template <class __T> struct iota_view {
  typedef __T value_type;
  __T __first, __last;
  struct iterator {
    typedef __T value_type, reference;
    typedef ptrdiff_t difference_type;
    typedef const __T *pointer;
    typedef random_access_iterator_tag iterator_category;
    __T __i;
    __ROOFLINT_CONSTEXPR __T operator*() const { return __i; }
    __ROOFLINT_CONSTEXPR iterator &operator++() { ++__i; return *this; }
    __ROOFLINT_CONSTEXPR iterator operator++(int) { iterator __o = *this; ++__i; return __o; }
    __ROOFLINT_CONSTEXPR iterator operator+(ptrdiff_t __n) const { return {__T(__i + __n)}; }
    __ROOFLINT_CONSTEXPR ptrdiff_t operator-(iterator __o) const { return __i - __o.__i; }
    __ROOFLINT_CONSTEXPR bool operator==(iterator __o) const { return __i == __o.__i; }
    __ROOFLINT_CONSTEXPR bool operator!=(iterator __o) const { return __i != __o.__i; }
    __ROOFLINT_CONSTEXPR bool operator<(iterator __o) const { return __i < __o.__i; }
  };
  __ROOFLINT_CONSTEXPR iota_view(__T __a, __T __b) : __first(__a), __last(__b) {}
  __ROOFLINT_CONSTEXPR iterator begin() const { return {__first}; }
  __ROOFLINT_CONSTEXPR iterator end() const { return {__last}; }
  __ROOFLINT_CONSTEXPR size_t size() const { return __last - __first; }
  __ROOFLINT_CONSTEXPR __T operator[](size_t __i) const { return __first + __i; }
};
template <class __R, class __F> __ROOFLINT_CONSTEXPR void for_each(__R &&__r, __F __f) {
  for (auto &&__x : __r) __f(__x);
}
template <class __I, class __S, class __F> __ROOFLINT_CONSTEXPR void for_each(__I __first, __S __last, __F __f) {
  for (; __first != __last; ++__first) __f(*__first);
}
template <class __R, class __O, class __F> __ROOFLINT_CONSTEXPR void transform(__R &&__r, __O __to, __F __f) {
  for (auto &&__x : __r) *__to++ = __f(__x);
}
template <class __R, class __T> __ROOFLINT_CONSTEXPR void fill(__R &&__r, const __T &__v) {
  for (auto &&__x : __r) __x = __v;
}
template <class __R, class __O> __ROOFLINT_CONSTEXPR void copy(__R &&__r, __O __to) {
  for (auto &&__x : __r) *__to++ = __x;
}
template <class __R, class... __X> void sort(__R &&, __X...);
template <class __C> __ROOFLINT_CONSTEXPR auto begin(__C &&__c) -> decltype(__c.begin()) { return __c.begin(); }
template <class __C> __ROOFLINT_CONSTEXPR auto end(__C &&__c) -> decltype(__c.end()) { return __c.end(); }
template <class __C> __ROOFLINT_CONSTEXPR auto size(__C &&__c) -> decltype(__c.size()) { return __c.size(); }
namespace views {
template <class __T, class __U> __ROOFLINT_CONSTEXPR iota_view<decltype(__T() + __U())> iota(__T __a, __U __b) { return {__a, __b}; }
}
}
namespace views = ranges::views;
}
//@ source_location
namespace std {
struct source_location {
  static constexpr source_location current() noexcept { return source_location(); }
  constexpr unsigned line() const noexcept { return 0; }
  constexpr const char *file_name() const noexcept { return ""; }
  constexpr const char *function_name() const noexcept { return ""; }
};
}
//@ filesystem experimental/filesystem
#include <system_error>
#include <algorithm>
#include <array>
#include <chrono>
#include <iomanip>
#include <sstream>
#include <memory>
#include <string>
namespace std {
namespace filesystem {
class path {
public:
  path();
  path(const char *);
  path(const string &);
  string string() const;
  const char *c_str() const;
  path filename() const;
  path extension() const;
  path stem() const;
  path parent_path() const;
  bool empty() const;
  path operator/(const path &) const;
  operator std::string() const;
  const std::string &native() const;
  std::string generic_string() const;
#if __cplusplus >= 202002L
  std::basic_string<char8_t> u8string() const;
#else
  std::string u8string() const;
#endif
  bool is_absolute() const;
  bool is_relative() const;
  bool has_extension() const;
  path &append(const path &);
  path &operator/=(const path &);
  path &operator+=(const path &);
  path &replace_extension(const path & = path());
  path *begin() const;
  path *end() const;
  friend bool operator==(const path &, const path &) { return true; }
  friend bool operator!=(const path &, const path &) { return false; }
  friend bool operator<(const path &, const path &) { return false; }
  friend ostream &operator<<(ostream &__o, const path &) { return __o; }
};
template <class __T> path u8path(const __T &);
struct directory_entry {
  const filesystem::path &path() const;
  operator const filesystem::path &() const;
  bool is_regular_file() const;
  bool is_regular_file(error_code &) const;
  bool is_directory() const;
  bool is_directory(error_code &) const;
};
enum class directory_options { none, follow_directory_symlink, skip_permission_denied };
struct directory_iterator {
  explicit directory_iterator(const path &);
  directory_iterator(const path &, directory_options);
  directory_entry *begin() const;
  directory_entry *end() const;
};
typedef directory_iterator recursive_directory_iterator;
enum class copy_options { none, overwrite_existing };
class filesystem_error : public runtime_error { using runtime_error::runtime_error; };
unsigned long remove_all(const path &);
void rename(const path &, const path &);
bool copy_file(const path &, const path &, copy_options = copy_options::none);
path absolute(const path &);
path canonical(const path &);
path temp_directory_path();
bool is_empty(const path &);
bool exists(const path &);
bool exists(const path &, error_code &);
bool is_regular_file(const path &);
bool is_directory(const path &);
bool create_directory(const path &);
bool create_directories(const path &);
bool remove(const path &);
unsigned long file_size(const path &);
path current_path();
}
}
//@ Kokkos_Core.hpp Kokkos_DualView.hpp Kokkos_Macros.hpp impl/Kokkos_Timer.hpp
#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>
#define KOKKOS_LAMBDA [=]
#define KOKKOS_CLASS_LAMBDA [ =, *this ]
#define KOKKOS_FUNCTION
#define KOKKOS_INLINE_FUNCTION inline
#define KOKKOS_FORCEINLINE_FUNCTION inline
namespace Kokkos {
struct LayoutLeft {};
struct LayoutRight {};
struct HostSpace {};
struct Serial { typedef HostSpace memory_space; static const char *name(); static int concurrency(); };
struct OpenMP : Serial {};
struct Threads : Serial {};
typedef OpenMP DefaultExecutionSpace;
typedef Serial DefaultHostExecutionSpace;
template <unsigned> struct MemoryTraits {};
enum { Unmanaged = 1, RandomAccess = 2, Atomic = 4, Restrict = 8 };
struct AUTO_t {};
constexpr AUTO_t AUTO{};
struct ALL_t {};
constexpr ALL_t ALL{};
template <class...> struct __rooflint_layout { static constexpr bool left = false; };
template <class... __P> struct __rooflint_layout<LayoutLeft, __P...> { static constexpr bool left = true; };
/* Row-major where the program does not say otherwise, as the host's default is. */
template <class __D, class... __P> class View {
public:
  typedef std::remove_all_extents_t<__D> __pointers;
  typedef std::remove_pointer_t<std::remove_pointer_t<std::remove_pointer_t<std::remove_pointer_t<__pointers>>>> value_type;
  typedef View HostMirror;
  typedef Serial execution_space;
  typedef View<const value_type *, __P...> const_type;
  value_type *__data;
  size_t __n[8];
  View();
  template <class... __N> explicit View(const std::string &, __N...);
  template <class... __N> explicit View(value_type *, __N...);
  template <class __E, class... __Q> View(const View<__E, __Q...> &);
  size_t extent(size_t __r) const { return __n[__r]; }
  size_t extent_int(size_t __r) const { return __n[__r]; }
  size_t size() const;
  value_type *data() const { return __data; }
  value_type &operator[](size_t __i) const { return __data[__i]; }
  value_type &operator()() const { return *__data; }
  value_type &operator()(size_t __i) const { return __data[__i]; }
  value_type &operator()(size_t __i, size_t __j) const { return __data[__i * __n[1] + __j]; }
  value_type &operator()(size_t __i, size_t __j, size_t __k) const { return __data[(__i * __n[1] + __j) * __n[2] + __k]; }
  value_type &operator()(size_t __i, size_t __j, size_t __k, size_t __l) const {
    return __data[((__i * __n[1] + __j) * __n[2] + __k) * __n[3] + __l];
  }
};
template <class... __P> struct TeamPolicy {
  struct member_type { int league_rank() const; int team_rank() const; int team_size() const; int league_size() const; void team_barrier() const; };
  template <class... __X> TeamPolicy(__X...);
};
template <class... __P> struct RangePolicy { typedef size_t member_type; RangePolicy(size_t, size_t); template <class __S> RangePolicy(__S, size_t, size_t); };
enum class Iterate { Default, Left, Right };
template <unsigned __n, Iterate = Iterate::Default, Iterate = Iterate::Default> struct Rank {};
template <unsigned __n> struct __rooflint_tuple { __rooflint_tuple(); template <class... __X> __rooflint_tuple(__X...); };
template <class __R, class... __P> struct MDRangePolicy;
template <unsigned __n, Iterate __a, Iterate __b, class... __P> struct MDRangePolicy<Rank<__n, __a, __b>, __P...> {
  typedef __rooflint_tuple<__n> __bounds;
  MDRangePolicy(__bounds, __bounds);
  MDRangePolicy(__bounds, __bounds, __bounds);
};
template <class __M> RangePolicy<> TeamThreadRange(const __M &, size_t);
template <class __M> RangePolicy<> TeamThreadRange(const __M &, size_t, size_t);
template <class __M> RangePolicy<> ThreadVectorRange(const __M &, size_t);
template <class __M> RangePolicy<> TeamVectorRange(const __M &, size_t);
template <class __M, class __F> void single(const __M &, const __F &) __ROOFLINT_OPAQUE
template <class __P, class __F> void parallel_for(const __P &, const __F &) __ROOFLINT_OPAQUE
template <class __P, class __F> void parallel_for(const std::string &, const __P &, const __F &) __ROOFLINT_OPAQUE
template <class __P, class __F, class... __R> void parallel_reduce(const __P &, const __F &, __R &&...) __ROOFLINT_OPAQUE
template <class __P, class __F, class... __R> void parallel_reduce(const std::string &, const __P &, const __F &, __R &&...) __ROOFLINT_OPAQUE
template <class __P, class __F, class... __R> void parallel_scan(const __P &, const __F &, __R &&...) __ROOFLINT_OPAQUE
template <class __P, class __F, class... __R> void parallel_scan(const std::string &, const __P &, const __F &, __R &&...) __ROOFLINT_OPAQUE
template <class __T> struct Sum { Sum(__T &); };
template <class __T> struct Min { Min(__T &); };
template <class __T> struct Max { Max(__T &); };
template <class __A, class __B> void deep_copy(const __A &, const __B &);
template <class __V> typename __V::HostMirror create_mirror_view(const __V &);
template <class __V> typename __V::HostMirror create_mirror(const __V &);
template <class __S, class __V> typename __V::HostMirror create_mirror_view_and_copy(const __S &, const __V &);
template <class __V, class... __X> View<typename __V::value_type *> subview(const __V &, __X...);
template <class __T> void atomic_add(__T *, const std::remove_cv_t<__T> &);
template <class __T> __T atomic_fetch_add(__T *, const std::remove_cv_t<__T> &);
struct InitializationSettings { InitializationSettings &set_device_id(int); InitializationSettings &set_num_threads(int); };
std::string ViewAllocateWithoutInitializing(const std::string &);
template <class... __X> std::string view_alloc(__X...);
template <class... __X> void initialize(__X &&...);
void finalize();
void fence();
void fence(const std::string &);
template <class __D, class... __P> struct DualView {
  typedef View<__D, __P...> t_dev, t_host;
  typedef typename t_dev::const_type t_dev_const, t_host_const, t_dev_const_randomread;
  t_dev d_view;
  t_host h_view;
  DualView();
  template <class... __N> DualView(const std::string &, __N...);
  template <class __S> t_dev view() const;
  template <class __S> void modify();
  template <class __S> void sync();
  size_t extent(size_t) const;
  size_t dimension_0() const;
};
struct ScopeGuard { template <class... __X> ScopeGuard(__X &&...); ~ScopeGuard(); };
struct Timer { double seconds() const; void reset(); };
template <class... __X> void printf(const char *, __X...);
using std::sqrt; using std::fabs; using std::exp; using std::log; using std::pow; using std::sin; using std::cos; using std::abs;
}
//@ RAJA/RAJA.hpp
#include <cmath>
#include <utility>
#define RAJA_RESTRICT __restrict__
#define RAJA_INLINE inline
#define RAJA_HOST_DEVICE
#define RAJA_DEVICE
#define RAJA_LAMBDA [=]
namespace RAJA {
typedef long Index_type;
typedef double Real_type;
struct seq_exec {};
struct simd_exec {};
struct loop_exec {};
struct omp_parallel_for_exec {};
struct seq_reduce {};
struct omp_reduce {};
struct RangeSegment { RangeSegment(Index_type, Index_type); };
template <class __T> struct TypedRangeSegment { TypedRangeSegment(__T, __T); };
template <class __I, class __R, class __F> void forall(__R &&, __F &&) __ROOFLINT_OPAQUE
template <class __I, class __R, class... __F> void kernel(__R &&, __F &&...) __ROOFLINT_OPAQUE
template <class __P, class __T> struct ReduceSum { explicit ReduceSum(__T); const ReduceSum &operator+=(__T) const; __T get() const; operator __T() const; };
template <class __P, class __T> struct ReduceMin { explicit ReduceMin(__T); const ReduceMin &min(__T) const; __T get() const; operator __T() const; };
template <class __P, class __T> struct ReduceMax { explicit ReduceMax(__T); const ReduceMax &max(__T) const; __T get() const; operator __T() const; };
template <size_t __n> struct Layout { size_t __e[__n]; template <class... __X> Layout(__X...); };
template <class __T, class __L> struct View {
  __T *__data;
  __L __layout;
  template <class... __X> View(__T *, __X...);
  __T &operator()(size_t __i) const { return __data[__i]; }
  __T &operator()(size_t __i, size_t __j) const { return __data[__i * __layout.__e[1] + __j]; }
  __T &operator()(size_t __i, size_t __j, size_t __k) const {
    return __data[(__i * __layout.__e[1] + __j) * __layout.__e[2] + __k];
  }
};
template <class... __X> std::pair<int, int> make_tuple(__X...);
}
//@ tbb/parallel_for.h tbb/tbb.h tbb/parallel_reduce.h tbb/blocked_range.h tbb/partitioner.h tbb/task_scheduler_init.h tbb/global_control.h tbb/task_arena.h oneapi/tbb.h oneapi/tbb/parallel_for.h
#include <__rooflint_core>
namespace tbb {
template <class __T> class blocked_range {
  __T __begin, __end;

public:
  typedef __T const_iterator;
  blocked_range(__T __a, __T __b, size_t = 1) : __begin(__a), __end(__b) {}
  __T begin() const { return __begin; }
  __T end() const { return __end; }
  size_t size() const { return __end - __begin; }
};
struct task_scheduler_init {
  static constexpr int automatic = -1;
  explicit task_scheduler_init(int = automatic);
  static int default_num_threads();
};
struct global_control {
  enum parameter { max_allowed_parallelism, thread_stack_size };
  global_control(parameter, size_t);
};
struct auto_partitioner {};
struct static_partitioner {};
struct simple_partitioner {};
struct affinity_partitioner {};
struct split {};
template <class __R, class __F, class... __P> void parallel_for(const __R &, const __F &, __P &&...) __ROOFLINT_OPAQUE
template <class __I, class __F> void parallel_for(__I __first, __I __last, const __F &__f) {
  for (; __first < __last; ++__first) __f(__first);
}
template <class __R, class __T, class __F, class __P, class... __X>
__T parallel_reduce(const __R &, const __T &, const __F &, const __P &, __X &&...) __ROOFLINT_OPAQUE
template <class __R, class __B> void parallel_reduce(const __R &, __B &);
}
