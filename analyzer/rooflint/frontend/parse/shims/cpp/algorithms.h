/* Algorithms, with bodies where a caller's lambda runs. A line "//@ name [alias ...]" starts a file. */
//@ __rooflint_basics
#include <__rooflint_core>
#define __ROOFLINT_I template <class __I>
#define __ROOFLINT_IT template <class __I, class __T>
#define __ROOFLINT_IP template <class __I, class __P>
#define __ROOFLINT_IO template <class __I, class __O>
#define __ROOFLINT_IJ template <class __I, class __J>
#define __ROOFLINT_IJO template <class __I, class __J, class __O>
namespace std {
template <class __T> __ROOFLINT_CONSTEXPR const __T &min(const __T &__a, const __T &__b) { return __b < __a ? __b : __a; }
template <class __T> __ROOFLINT_CONSTEXPR const __T &max(const __T &__a, const __T &__b) { return __a < __b ? __b : __a; }
template <class __T, class __L> __ROOFLINT_CONSTEXPR const __T &min(const __T &__a, const __T &__b, __L __less) {
  return __less(__b, __a) ? __b : __a;
}
template <class __T, class __L> __ROOFLINT_CONSTEXPR const __T &max(const __T &__a, const __T &__b, __L __less) {
  return __less(__a, __b) ? __b : __a;
}
template <class __T> __ROOFLINT_CONSTEXPR __T min(initializer_list<__T> __v) {
  __T __x = *__v.begin();
  for (const __T &__y : __v) __x = __y < __x ? __y : __x;
  return __x;
}
template <class __T> __ROOFLINT_CONSTEXPR __T max(initializer_list<__T> __v) {
  __T __x = *__v.begin();
  for (const __T &__y : __v) __x = __x < __y ? __y : __x;
  return __x;
}
template <class __T> __ROOFLINT_CONSTEXPR pair<const __T &, const __T &> minmax(const __T &, const __T &);
template <class __T> __ROOFLINT_CONSTEXPR pair<__T, __T> minmax(initializer_list<__T>);
#if __ROOFLINT_CPP17
template <class __T> __ROOFLINT_CONSTEXPR const __T &clamp(const __T &__x, const __T &__low, const __T &__high) {
  return __x < __low ? __low : __high < __x ? __high : __x;
}
#endif
__ROOFLINT_IT __ROOFLINT_CONSTEXPR void fill(__I __first, __I __last, const __T &__x) {
  for (; __first != __last; ++__first) *__first = __x;
}
template <class __I, class __N, class __T> __ROOFLINT_CONSTEXPR __I fill_n(__I __first, __N __n, const __T &__x) {
  for (__N __k = 0; __k < __n; ++__k, ++__first) *__first = __x;
  return __first;
}
__ROOFLINT_IO __ROOFLINT_CONSTEXPR __O copy(__I __first, __I __last, __O __to) {
  for (; __first != __last; ++__first, ++__to) *__to = *__first;
  return __to;
}
__ROOFLINT_IO __O copy_backward(__I, __I, __O);
__ROOFLINT_IO __O move(__I, __I, __O);
__ROOFLINT_IO __O move_backward(__I, __I, __O);
__ROOFLINT_IJ __J swap_ranges(__I __first, __I __last, __J __to) {
  for (; __first != __last; ++__first, ++__to) swap(*__first, *__to);
  return __to;
}
__ROOFLINT_IJ void iter_swap(__I __a, __J __b) { swap(*__a, *__b); }
__ROOFLINT_IJ __ROOFLINT_CONSTEXPR bool equal(__I __first, __I __last, __J __to) {
  for (; __first != __last; ++__first, ++__to)
    if (!(*__first == *__to)) return false;
  return true;
}
__ROOFLINT_IJ bool equal(__I, __I, __J, __J);
template <class __I, class __J, class __P, class = decltype(bool(declval<__P>()(*declval<__I>(), *declval<__J>())))>
bool equal(__I, __I, __J, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IJ pair<__I, __J> mismatch(__I, __I, __J);
__ROOFLINT_IJ bool lexicographical_compare(__I, __I, __J, __J);
template <class __I> __ROOFLINT_CONSTEXPR ptrdiff_t distance(__I __first, __I __last) {
  ptrdiff_t __n = 0;
  for (; __first != __last; ++__first) ++__n;
  return __n;
}
template <class __T> __ROOFLINT_CONSTEXPR ptrdiff_t distance(__T *__first, __T *__last) { return __last - __first; }
template <class __I, class __D> __ROOFLINT_CONSTEXPR void advance(__I &__i, __D __n) {
  for (; __n > 0; --__n) ++__i;
}
template <class __T, class __D> __ROOFLINT_CONSTEXPR void advance(__T *&__p, __D __n) { __p += __n; }
template <class __I> __ROOFLINT_CONSTEXPR __I next(__I __i, ptrdiff_t __n = 1) { advance(__i, __n); return __i; }
template <class __I> __ROOFLINT_CONSTEXPR __I prev(__I, ptrdiff_t = 1);
template <class __T> __ROOFLINT_CONSTEXPR __T *prev(__T *__p, ptrdiff_t __n = 1) { return __p - __n; }
struct __rooflint_output {
  typedef output_iterator_tag iterator_category;
  typedef void value_type, difference_type, pointer, reference;
  __rooflint_output &operator*();
  __rooflint_output &operator++();
  __rooflint_output &operator++(int);
  template <class __T> __rooflint_output &operator=(const __T &);
};
template <class __C> struct back_insert_iterator : __rooflint_output { explicit back_insert_iterator(__C &); using __rooflint_output::operator=; };
template <class __C> back_insert_iterator<__C> back_inserter(__C &);
template <class __C> __rooflint_output front_inserter(__C &);
template <class __C, class __I> __rooflint_output inserter(__C &, __I);
}
//@ algorithm parallel/algorithm
#include <type_traits>
#include <__rooflint_basics>
#include <__rooflint_operations>
#include <stdlib.h>
namespace std {
__ROOFLINT_IP __ROOFLINT_CONSTEXPR __P for_each(__I __first, __I __last, __P __f) {
  for (; __first != __last; ++__first) __f(*__first);
  return __f;
}
template <class __I, class __N, class __P> __ROOFLINT_CONSTEXPR __I for_each_n(__I __first, __N __n, __P __f) {
  for (__N __k = 0; __k < __n; ++__k, ++__first) __f(*__first);
  return __first;
}
template <class __I, class __O, class __P> __ROOFLINT_CONSTEXPR __O transform(__I __first, __I __last, __O __to, __P __f) {
  for (; __first != __last; ++__first, ++__to) *__to = __f(*__first);
  return __to;
}
template <class __I, class __J, class __O, class __P>
__ROOFLINT_CONSTEXPR __O transform(__I __first, __I __last, __J __second, __O __to, __P __f) {
  for (; __first != __last; ++__first, ++__second, ++__to) *__to = __f(*__first, *__second);
  return __to;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR void generate(__I __first, __I __last, __P __f) {
  for (; __first != __last; ++__first) *__first = __f();
}
template <class __I, class __N, class __P> __ROOFLINT_CONSTEXPR __I generate_n(__I __first, __N __n, __P __f) {
  for (__N __k = 0; __k < __n; ++__k, ++__first) *__first = __f();
  return __first;
}
template <class __I, class __N, class __O> __ROOFLINT_CONSTEXPR __O copy_n(__I __first, __N __n, __O __to) {
  for (__N __k = 0; __k < __n; ++__k, ++__first, ++__to) *__to = *__first;
  return __to;
}
template <class __I, class __O, class __P> __ROOFLINT_CONSTEXPR __O copy_if(__I __first, __I __last, __O __to, __P __p) {
  for (; __first != __last; ++__first)
    if (__p(*__first)) { *__to = *__first; ++__to; }
  return __to;
}
__ROOFLINT_IT __ROOFLINT_CONSTEXPR __I find(__I __first, __I __last, const __T &__x) {
  for (; __first != __last; ++__first)
    if (*__first == __x) break;
  return __first;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR __I find_if(__I __first, __I __last, __P __p) {
  for (; __first != __last; ++__first)
    if (__p(*__first)) break;
  return __first;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR __I find_if_not(__I __first, __I __last, __P __p) {
  for (; __first != __last; ++__first)
    if (!__p(*__first)) break;
  return __first;
}
__ROOFLINT_IJ __I find_first_of(__I, __I, __J, __J);
__ROOFLINT_IJ __I find_end(__I, __I, __J, __J);
__ROOFLINT_IJ __I search(__I, __I, __J, __J);
__ROOFLINT_I __I adjacent_find(__I, __I);
__ROOFLINT_IT __ROOFLINT_CONSTEXPR ptrdiff_t count(__I __first, __I __last, const __T &__x) {
  ptrdiff_t __n = 0;
  for (; __first != __last; ++__first) __n += *__first == __x;
  return __n;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR ptrdiff_t count_if(__I __first, __I __last, __P __p) {
  ptrdiff_t __n = 0;
  for (; __first != __last; ++__first) __n += bool(__p(*__first));
  return __n;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR bool all_of(__I __first, __I __last, __P __p) {
  for (; __first != __last; ++__first)
    if (!__p(*__first)) return false;
  return true;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR bool any_of(__I __first, __I __last, __P __p) {
  for (; __first != __last; ++__first)
    if (__p(*__first)) return true;
  return false;
}
__ROOFLINT_IP __ROOFLINT_CONSTEXPR bool none_of(__I __first, __I __last, __P __p) { return !any_of(__first, __last, __p); }
__ROOFLINT_I __ROOFLINT_CONSTEXPR __I min_element(__I __first, __I __last) {
  __I __best = __first;
  for (; __first != __last; ++__first)
    if (*__first < *__best) __best = __first;
  return __best;
}
__ROOFLINT_I __ROOFLINT_CONSTEXPR __I max_element(__I __first, __I __last) {
  __I __best = __first;
  for (; __first != __last; ++__first)
    if (*__best < *__first) __best = __first;
  return __best;
}
__ROOFLINT_IP __I min_element(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IP __I max_element(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_I pair<__I, __I> minmax_element(__I, __I);
__ROOFLINT_IJ bool includes(__I, __I, __J, __J);
__ROOFLINT_IJ bool is_permutation(__I, __I, __J);
__ROOFLINT_I void reverse(__I, __I);
__ROOFLINT_IO __O reverse_copy(__I, __I, __O);
__ROOFLINT_I __I rotate(__I, __I, __I);
template <class __I, class __G> void shuffle(__I, __I, __G &&);
__ROOFLINT_I void random_shuffle(__I, __I);
__ROOFLINT_IP void random_shuffle(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_I __I unique(__I, __I);
__ROOFLINT_IP __I unique(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IO __O unique_copy(__I, __I, __O);
__ROOFLINT_IT __I remove(__I, __I, const __T &);
__ROOFLINT_IP __I remove_if(__I, __I, __P) __ROOFLINT_OPAQUE
template <class __I, class __O, class __P> __O remove_copy_if(__I, __I, __O, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IT __ROOFLINT_CONSTEXPR void replace(__I __first, __I __last, const __T &__old, const __T &__new) {
  for (; __first != __last; ++__first)
    if (*__first == __old) *__first = __new;
}
template <class __I, class __P, class __T> __ROOFLINT_CONSTEXPR void replace_if(__I __first, __I __last, __P __p, const __T &__new) {
  for (; __first != __last; ++__first)
    if (__p(*__first)) *__first = __new;
}
__ROOFLINT_IP __I partition(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IP __I stable_partition(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IP __I partition_point(__I, __I, __P) __ROOFLINT_OPAQUE
__ROOFLINT_IP bool is_partitioned(__I, __I, __P) __ROOFLINT_OPAQUE
#define __ROOFLINT_ORDERED(result, name, ...)                                                      \
  __ROOFLINT_I result name(__VA_ARGS__);                                                           \
  __ROOFLINT_IP result name(__VA_ARGS__, __P) __ROOFLINT_OPAQUE
__ROOFLINT_ORDERED(void, sort, __I, __I)
__ROOFLINT_ORDERED(void, stable_sort, __I, __I)
__ROOFLINT_ORDERED(void, partial_sort, __I, __I, __I)
__ROOFLINT_ORDERED(void, nth_element, __I, __I, __I)
__ROOFLINT_ORDERED(void, inplace_merge, __I, __I, __I)
__ROOFLINT_ORDERED(bool, is_sorted, __I, __I)
__ROOFLINT_ORDERED(__I, is_sorted_until, __I, __I)
__ROOFLINT_ORDERED(void, make_heap, __I, __I)
__ROOFLINT_ORDERED(void, push_heap, __I, __I)
__ROOFLINT_ORDERED(void, pop_heap, __I, __I)
__ROOFLINT_ORDERED(void, sort_heap, __I, __I)
__ROOFLINT_ORDERED(bool, is_heap, __I, __I)
__ROOFLINT_ORDERED(bool, next_permutation, __I, __I)
__ROOFLINT_ORDERED(bool, prev_permutation, __I, __I)
#define __ROOFLINT_SEARCH(result, name)                                                            \
  __ROOFLINT_IT result name(__I, __I, const __T &);                                                \
  template <class __I, class __T, class __P> result name(__I, __I, const __T &, __P) __ROOFLINT_OPAQUE
__ROOFLINT_SEARCH(__I, lower_bound)
__ROOFLINT_SEARCH(__I, upper_bound)
__ROOFLINT_SEARCH(bool, binary_search)
__ROOFLINT_IT pair<__I, __I> equal_range(__I, __I, const __T &);
#define __ROOFLINT_MERGE(name)                                                                     \
  __ROOFLINT_IJO __O name(__I, __I, __J, __J, __O);                                                \
  template <class __I, class __J, class __O, class __P> __O name(__I, __I, __J, __J, __O, __P) __ROOFLINT_OPAQUE
__ROOFLINT_MERGE(merge)
__ROOFLINT_MERGE(set_union)
__ROOFLINT_MERGE(set_intersection)
__ROOFLINT_MERGE(set_difference)
__ROOFLINT_MERGE(set_symmetric_difference)
}
//@ numeric parallel/numeric
#include <type_traits>
#include <__rooflint_basics>
#include <__rooflint_operations>
namespace std {
template <class __I, class __T> __ROOFLINT_CONSTEXPR __T accumulate(__I __first, __I __last, __T __sum) {
  for (; __first != __last; ++__first) __sum = __sum + *__first;
  return __sum;
}
template <class __I, class __T, class __P> __ROOFLINT_CONSTEXPR __T accumulate(__I __first, __I __last, __T __sum, __P __f) {
  for (; __first != __last; ++__first) __sum = __f(__sum, *__first);
  return __sum;
}
template <class __I, class __J, class __T> __ROOFLINT_CONSTEXPR __T inner_product(__I __first, __I __last, __J __second, __T __sum) {
  for (; __first != __last; ++__first, ++__second) __sum = __sum + *__first * *__second;
  return __sum;
}
template <class __I, class __J, class __T, class __P, class __Q>
__ROOFLINT_CONSTEXPR __T inner_product(__I __first, __I __last, __J __second, __T __sum, __P __plus, __Q __times) {
  for (; __first != __last; ++__first, ++__second) __sum = __plus(__sum, __times(*__first, *__second));
  return __sum;
}
template <class __I, class __T> __ROOFLINT_CONSTEXPR void iota(__I __first, __I __last, __T __x) {
  for (; __first != __last; ++__first, ++__x) *__first = __x;
}
template <class __I, class __O> __ROOFLINT_CONSTEXPR __O partial_sum(__I __first, __I __last, __O __to) {
  typename iterator_traits<__I>::value_type __sum = typename iterator_traits<__I>::value_type();
  for (; __first != __last; ++__first, ++__to) *__to = __sum = __sum + *__first;
  return __to;
}
template <class __I, class __O, class __P> __O partial_sum(__I, __I, __O, __P) __ROOFLINT_OPAQUE
template <class __I, class __O> __O adjacent_difference(__I, __I, __O);
#if __ROOFLINT_CPP17
template <class __I, class __T> __ROOFLINT_CONSTEXPR __T reduce(__I __first, __I __last, __T __sum) {
  for (; __first != __last; ++__first) __sum = __sum + *__first;
  return __sum;
}
template <class __I> __ROOFLINT_CONSTEXPR typename iterator_traits<__I>::value_type reduce(__I __first, __I __last) {
  typename iterator_traits<__I>::value_type __sum{};
  for (; __first != __last; ++__first) __sum = __sum + *__first;
  return __sum;
}
template <class __I, class __T, class __P> __ROOFLINT_CONSTEXPR __T reduce(__I __first, __I __last, __T __sum, __P __f) {
  for (; __first != __last; ++__first) __sum = __f(__sum, *__first);
  return __sum;
}
template <class __I, class __J, class __T> __ROOFLINT_CONSTEXPR __T transform_reduce(__I __first, __I __last, __J __second, __T __sum) {
  for (; __first != __last; ++__first, ++__second) __sum = __sum + *__first * *__second;
  return __sum;
}
template <class __I, class __T, class __P, class __F>
__ROOFLINT_CONSTEXPR __T transform_reduce(__I __first, __I __last, __T __sum, __P __plus, __F __f) {
  for (; __first != __last; ++__first) __sum = __plus(__sum, __f(*__first));
  return __sum;
}
template <class __I, class __J, class __T, class __P, class __F>
__ROOFLINT_CONSTEXPR __T transform_reduce(__I __first, __I __last, __J __second, __T __sum, __P __plus, __F __f) {
  for (; __first != __last; ++__first, ++__second) __sum = __plus(__sum, __f(*__first, *__second));
  return __sum;
}
template <class __I, class __O> __O inclusive_scan(__I, __I, __O);
template <class __I, class __O, class __P> __O inclusive_scan(__I, __I, __O, __P) __ROOFLINT_OPAQUE
template <class __I, class __O, class __T> __O exclusive_scan(__I, __I, __O, __T);
template <class __I, class __O, class __T, class __P> __O exclusive_scan(__I, __I, __O, __T, __P) __ROOFLINT_OPAQUE
template <class __T, class __U> __ROOFLINT_CONSTEXPR auto gcd(__T __a, __U __b) -> decltype(__a + __b) __ROOFLINT_OPAQUE
template <class __T, class __U> __ROOFLINT_CONSTEXPR auto lcm(__T __a, __U __b) -> decltype(__a + __b);
#endif
template <class __T> __ROOFLINT_CONSTEXPR __T midpoint(__T __a, __T __b) { return __a + (__b - __a) / 2; }
}
//@ execution pstl/execution
#include <functional>
#include <memory>
#include <typeinfo>
#include <algorithm>
#include <numeric>
/* A policy changes the schedule, not the operations: each call goes to the plain algorithm's loop. */
#define __ROOFLINT_POLICY(name)                                                                    \
  template <class __E, class... __A, class = enable_if_t<execution::__rooflint_is_policy<decay_t<__E>>::value>> \
  auto name(__E &&, __A... __a) -> decltype(std::name(__a...)) {                                   \
    return std::name(__a...);                                                                      \
  }
namespace std {
namespace execution {
struct sequenced_policy {};
struct unsequenced_policy {};
struct parallel_policy {};
struct parallel_unsequenced_policy {};
constexpr sequenced_policy seq{};
constexpr unsequenced_policy unseq{};
constexpr parallel_policy par{};
constexpr parallel_unsequenced_policy par_unseq{};
template <class __T> struct __rooflint_is_policy : false_type {};
template <> struct __rooflint_is_policy<sequenced_policy> : true_type {};
template <> struct __rooflint_is_policy<unsequenced_policy> : true_type {};
template <> struct __rooflint_is_policy<parallel_policy> : true_type {};
template <> struct __rooflint_is_policy<parallel_unsequenced_policy> : true_type {};
}
template <class __T> struct is_execution_policy : execution::__rooflint_is_policy<__T> {};
template <class __T> constexpr bool is_execution_policy_v = is_execution_policy<__T>::value;
__ROOFLINT_POLICY(for_each) __ROOFLINT_POLICY(for_each_n) __ROOFLINT_POLICY(transform)
__ROOFLINT_POLICY(fill) __ROOFLINT_POLICY(fill_n) __ROOFLINT_POLICY(generate) __ROOFLINT_POLICY(copy)
__ROOFLINT_POLICY(copy_n) __ROOFLINT_POLICY(copy_if) __ROOFLINT_POLICY(count) __ROOFLINT_POLICY(count_if)
__ROOFLINT_POLICY(all_of) __ROOFLINT_POLICY(any_of) __ROOFLINT_POLICY(none_of) __ROOFLINT_POLICY(find)
__ROOFLINT_POLICY(find_if) __ROOFLINT_POLICY(sort) __ROOFLINT_POLICY(stable_sort) __ROOFLINT_POLICY(equal)
__ROOFLINT_POLICY(min_element) __ROOFLINT_POLICY(max_element) __ROOFLINT_POLICY(replace_if)
__ROOFLINT_POLICY(swap_ranges) __ROOFLINT_POLICY(reverse) __ROOFLINT_POLICY(remove_if)
#if __ROOFLINT_CPP17
__ROOFLINT_POLICY(reduce) __ROOFLINT_POLICY(transform_reduce)
__ROOFLINT_POLICY(inclusive_scan) __ROOFLINT_POLICY(exclusive_scan)
#endif
}
