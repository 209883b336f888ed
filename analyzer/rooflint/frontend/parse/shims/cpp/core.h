/* Ground of the C++ library. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ __rooflint_core initializer_list
#include <stddef.h>
#if __cplusplus >= 201703L
#define __ROOFLINT_CPP17 1
#else
#define __ROOFLINT_CPP17 0
#endif
#if __cplusplus >= 202002L
#define __ROOFLINT_CPP20 1
#else
#define __ROOFLINT_CPP20 0
#endif
#if __cplusplus >= 201402L
#define __ROOFLINT_CONSTEXPR constexpr
#else
#define __ROOFLINT_CONSTEXPR inline
#endif
#define __GLIBCXX__ 20220819
/* The body of what is declared for its type only: it does what nobody knows. */
#define __ROOFLINT_OPAQUE { ::std::__rooflint_opaque(); }
namespace std {
void __rooflint_opaque();
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
template <class __T, __T __v> struct integral_constant {
  static constexpr __T value = __v;
  typedef __T value_type;
  typedef integral_constant type;
  constexpr operator __T() const noexcept { return __v; }
  constexpr __T operator()() const noexcept { return __v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool __b, class __T = void> struct enable_if {};
template <class __T> struct enable_if<true, __T> { typedef __T type; };
template <bool __b, class __T = void> using enable_if_t = typename enable_if<__b, __T>::type;
template <bool __b, class __T, class __F> struct conditional { typedef __T type; };
template <class __T, class __F> struct conditional<false, __T, __F> { typedef __F type; };
template <bool __b, class __T, class __F> using conditional_t = typename conditional<__b, __T, __F>::type;
template <class...> using void_t = void;
template <class __T> struct remove_reference { typedef __remove_reference_t(__T) type; };
template <class __T> using remove_reference_t = __remove_reference_t(__T);
template <class __T> struct remove_cv { typedef __remove_cv(__T) type; };
template <class __T> using remove_cv_t = __remove_cv(__T);
template <class __T> struct remove_const { typedef __remove_const(__T) type; };
template <class __T> using remove_const_t = __remove_const(__T);
template <class __T> struct remove_cvref { typedef __remove_cvref(__T) type; };
template <class __T> using remove_cvref_t = __remove_cvref(__T);
template <class __T> struct decay { typedef __decay(__T) type; };
template <class __T> using decay_t = __decay(__T);
template <class __T> __add_rvalue_reference(__T) declval() noexcept;
template <class __T> constexpr __remove_reference_t(__T) &&move(__T &&__x) noexcept {
  return static_cast<__remove_reference_t(__T) &&>(__x);
}
template <class __T> constexpr __T &&forward(__remove_reference_t(__T) &__x) noexcept {
  return static_cast<__T &&>(__x);
}
template <class __T> constexpr __T &&forward(__remove_reference_t(__T) &&__x) noexcept {
  return static_cast<__T &&>(__x);
}
template <class __T> constexpr __T *addressof(__T &__x) noexcept { return __builtin_addressof(__x); }
template <class __T> void swap(__T &__a, __T &__b) {
  __T __c = std::move(__a);
  __a = std::move(__b);
  __b = std::move(__c);
}
template <class __T, size_t __N> void swap(__T (&)[__N], __T (&)[__N]);
template <class __T, class __U = __T> __T exchange(__T &__x, __U &&__v) {
  __T __old = std::move(__x);
  __x = std::forward<__U>(__v);
  return __old;
}
template <class __T> class initializer_list {
  const __T *__data;
  size_t __size;

public:
  typedef __T value_type;
  typedef const __T *iterator, *const_iterator;
  typedef const __T &reference, &const_reference;
  typedef size_t size_type;
  constexpr initializer_list() noexcept : __data(nullptr), __size(0) {}
  constexpr size_t size() const noexcept { return __size; }
  constexpr const __T *begin() const noexcept { return __data; }
  constexpr const __T *end() const noexcept { return __data + __size; }
};
template <class __C> constexpr auto begin(__C &__c) -> decltype(__c.begin()) { return __c.begin(); }
template <class __C> constexpr auto begin(const __C &__c) -> decltype(__c.begin()) { return __c.begin(); }
template <class __C> constexpr auto end(__C &__c) -> decltype(__c.end()) { return __c.end(); }
template <class __C> constexpr auto end(const __C &__c) -> decltype(__c.end()) { return __c.end(); }
template <class __T, size_t __N> constexpr __T *begin(__T (&__a)[__N]) noexcept { return __a; }
template <class __T, size_t __N> constexpr __T *end(__T (&__a)[__N]) noexcept { return __a + __N; }
#if __ROOFLINT_CPP17
enum class byte : unsigned char {};
template <class __C> constexpr auto data(__C &__c) -> decltype(__c.data()) { return __c.data(); }
template <class __C> constexpr auto data(const __C &__c) -> decltype(__c.data()) { return __c.data(); }
template <class __T, size_t __N> constexpr __T *data(__T (&__a)[__N]) noexcept { return __a; }
template <class __C> constexpr auto size(const __C &__c) -> decltype(__c.size()) { return __c.size(); }
template <class __T, size_t __N> constexpr size_t size(const __T (&)[__N]) noexcept { return __N; }
template <class __C> constexpr auto empty(const __C &__c) -> decltype(__c.empty()) { return __c.empty(); }
#endif
#if __ROOFLINT_CPP20
template <class __C> constexpr ptrdiff_t ssize(const __C &__c) { return __c.size(); }
#endif
#define __ROOFLINT_TRAIT(name, builtin)                                                            \
  template <class __T> struct name : integral_constant<bool, builtin(__T)> {};                     \
  template <class __T> constexpr bool name##_v = builtin(__T);
__ROOFLINT_TRAIT(is_integral, __is_integral)
__ROOFLINT_TRAIT(is_floating_point, __is_floating_point)
__ROOFLINT_TRAIT(is_arithmetic, __is_arithmetic)
__ROOFLINT_TRAIT(is_pointer, __is_pointer)
__ROOFLINT_TRAIT(is_trivially_copyable, __is_trivially_copyable)
__ROOFLINT_TRAIT(is_signed, __is_signed)
__ROOFLINT_TRAIT(is_unsigned, __is_unsigned)
template <class __T, class __U> struct is_same : integral_constant<bool, __is_same(__T, __U)> {};
template <class __T, class __U> constexpr bool is_same_v = __is_same(__T, __U);
template <class __T, class __U> struct is_base_of : integral_constant<bool, __is_base_of(__T, __U)> {};
template <class __T, class __U> constexpr bool is_base_of_v = __is_base_of(__T, __U);
template <class __T, class __U> struct is_convertible : integral_constant<bool, __is_convertible_to(__T, __U)> {};
template <class __T, class __U> constexpr bool is_convertible_v = __is_convertible_to(__T, __U);
template <class __A, class __B> struct pair {
  typedef __A first_type;
  typedef __B second_type;
  __A first;
  __B second;
  constexpr pair() : first(), second() {}
  constexpr pair(const __A &__a, const __B &__b) : first(__a), second(__b) {}
  template <class __X, class __Y,
            class = enable_if_t<__is_convertible_to(__X, __A) && __is_convertible_to(__Y, __B)>>
  constexpr pair(__X &&__x, __Y &&__y) : first(std::forward<__X>(__x)), second(std::forward<__Y>(__y)) {}
  template <class __X, class __Y> constexpr pair(const pair<__X, __Y> &__p) : first(__p.first), second(__p.second) {}
  void swap(pair &);
};
template <class __A, class __B> constexpr pair<decay_t<__A>, decay_t<__B>> make_pair(__A &&__a, __B &&__b) {
  return pair<decay_t<__A>, decay_t<__B>>(std::forward<__A>(__a), std::forward<__B>(__b));
}
template <class __A, class __B> constexpr bool operator==(const pair<__A, __B> &__a, const pair<__A, __B> &__b) {
  return __a.first == __b.first && __a.second == __b.second;
}
template <class __A, class __B> constexpr bool operator!=(const pair<__A, __B> &__a, const pair<__A, __B> &__b) {
  return !(__a == __b);
}
template <class __A, class __B> constexpr bool operator<(const pair<__A, __B> &__a, const pair<__A, __B> &__b) {
  return __a.first < __b.first || (!(__b.first < __a.first) && __a.second < __b.second);
}
#if __ROOFLINT_CPP17
template <class __A, class __B> pair(__A, __B) -> pair<__A, __B>;
#endif
template <size_t __i, class __T> struct tuple_element;
template <class __T> struct tuple_size;
template <class __T> struct tuple_size<const __T> : tuple_size<__T> {};
template <size_t __i, class __T> struct tuple_element<__i, const __T> {
  typedef const typename tuple_element<__i, __T>::type type;
};
template <class __A, class __B> struct tuple_size<pair<__A, __B>> : integral_constant<size_t, 2> {};
template <class __A, class __B> struct tuple_element<0, pair<__A, __B>> { typedef __A type; };
template <class __A, class __B> struct tuple_element<1, pair<__A, __B>> { typedef __B type; };
template <size_t __i, class __T> using tuple_element_t = typename tuple_element<__i, __T>::type;
template <size_t __i, class __A, class __B>
constexpr tuple_element_t<__i, pair<__A, __B>> &get(pair<__A, __B> &__p) noexcept {
  return *(tuple_element_t<__i, pair<__A, __B>> *)(__i ? (void *)&__p.second : (void *)&__p.first);
}
template <size_t __i, class __A, class __B>
constexpr const tuple_element_t<__i, pair<__A, __B>> &get(const pair<__A, __B> &__p) noexcept {
  return *(const tuple_element_t<__i, pair<__A, __B>> *)(__i ? (const void *)&__p.second : (const void *)&__p.first);
}
template <size_t __i, class __A, class __B>
constexpr tuple_element_t<__i, pair<__A, __B>> &&get(pair<__A, __B> &&__p) noexcept {
  return static_cast<tuple_element_t<__i, pair<__A, __B>> &&>(get<__i>(__p));
}
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
struct contiguous_iterator_tag : random_access_iterator_tag {};
template <class __I, class = void> struct iterator_traits {};
template <class __I> struct iterator_traits<__I, void_t<typename __I::value_type, typename __I::iterator_category>> {
  typedef typename __I::value_type value_type;
  typedef typename __I::difference_type difference_type;
  typedef typename __I::reference reference;
  typedef typename __I::pointer pointer;
  typedef typename __I::iterator_category iterator_category;
};
template <class __T> struct iterator_traits<__T *, void> {
  typedef __remove_cv(__T) value_type;
  typedef ptrdiff_t difference_type;
  typedef __T &reference;
  typedef __T *pointer;
  typedef random_access_iterator_tag iterator_category;
};
template <class __C, class __T, class __D = ptrdiff_t, class __P = __T *, class __R = __T &> struct iterator {
  typedef __T value_type;
  typedef __D difference_type;
  typedef __P pointer;
  typedef __R reference;
  typedef __C iterator_category;
};
template <class __I> class reverse_iterator {
  __I __i;

public:
  typedef typename iterator_traits<__I>::value_type value_type;
  typedef typename iterator_traits<__I>::difference_type difference_type;
  typedef typename iterator_traits<__I>::reference reference;
  typedef typename iterator_traits<__I>::pointer pointer;
  typedef typename iterator_traits<__I>::iterator_category iterator_category;
  reverse_iterator() : __i() {}
  explicit reverse_iterator(__I __x) : __i(__x) {}
  template <class __J> reverse_iterator(const reverse_iterator<__J> &__x) : __i(__x.base()) {}
  __I base() const { return __i; }
  reference operator*() const { __I __j = __i; return *--__j; }
  pointer operator->() const { return &**this; }
  reverse_iterator &operator++() { --__i; return *this; }
  reverse_iterator &operator--() { ++__i; return *this; }
  reverse_iterator operator++(int) { reverse_iterator __o = *this; --__i; return __o; }
  reverse_iterator operator--(int) { reverse_iterator __o = *this; ++__i; return __o; }
  reverse_iterator operator+(difference_type __n) const { return reverse_iterator(__i - __n); }
  reverse_iterator operator-(difference_type __n) const { return reverse_iterator(__i + __n); }
  reference operator[](difference_type __n) const { return *(*this + __n); }
  difference_type operator-(const reverse_iterator &__o) const { return __o.__i - __i; }
  bool operator==(const reverse_iterator &__o) const { return __i == __o.__i; }
  bool operator!=(const reverse_iterator &__o) const { return __i != __o.__i; }
  bool operator<(const reverse_iterator &__o) const { return __o.__i < __i; }
};
template <class __T> struct allocator {
  typedef __T value_type, *pointer, &reference;
  typedef const __T *const_pointer, &const_reference;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  template <class __U> struct rebind { typedef allocator<__U> other; };
  constexpr allocator() noexcept {}
  template <class __U> constexpr allocator(const allocator<__U> &) noexcept {}
  __T *allocate(size_t);
  void deallocate(__T *, size_t);
};
template <class __T> struct hash { size_t operator()(const __T &) const; };
template <class __T = void> struct less;
template <class __T = void> struct equal_to;
class exception {
public:
  exception() noexcept;
  virtual ~exception();
  virtual const char *what() const noexcept;
};
}
//@ type_traits
#include <__rooflint_core>
namespace std {
template <bool __b> using bool_constant = integral_constant<bool, __b>;
__ROOFLINT_TRAIT(is_void, __is_void)
__ROOFLINT_TRAIT(is_fundamental, __is_fundamental)
__ROOFLINT_TRAIT(is_scalar, __is_scalar)
__ROOFLINT_TRAIT(is_object, __is_object)
__ROOFLINT_TRAIT(is_compound, __is_compound)
__ROOFLINT_TRAIT(is_reference, __is_reference)
__ROOFLINT_TRAIT(is_lvalue_reference, __is_lvalue_reference)
__ROOFLINT_TRAIT(is_rvalue_reference, __is_rvalue_reference)
__ROOFLINT_TRAIT(is_member_pointer, __is_member_pointer)
__ROOFLINT_TRAIT(is_array, __is_array)
__ROOFLINT_TRAIT(is_enum, __is_enum)
__ROOFLINT_TRAIT(is_union, __is_union)
__ROOFLINT_TRAIT(is_class, __is_class)
__ROOFLINT_TRAIT(is_function, __is_function)
__ROOFLINT_TRAIT(is_const, __is_const)
__ROOFLINT_TRAIT(is_volatile, __is_volatile)
__ROOFLINT_TRAIT(is_pod, __is_pod)
__ROOFLINT_TRAIT(is_trivial, __is_trivial)
__ROOFLINT_TRAIT(is_trivially_destructible, __is_trivially_destructible)
__ROOFLINT_TRAIT(is_standard_layout, __is_standard_layout)
__ROOFLINT_TRAIT(is_empty, __is_empty)
__ROOFLINT_TRAIT(is_polymorphic, __is_polymorphic)
__ROOFLINT_TRAIT(is_abstract, __is_abstract)
__ROOFLINT_TRAIT(is_final, __is_final)
__ROOFLINT_TRAIT(is_default_constructible, __is_constructible)
__ROOFLINT_TRAIT(is_trivially_default_constructible, __is_trivially_constructible)
__ROOFLINT_TRAIT(is_destructible, __is_object)
template <class __T> struct is_copy_constructible : bool_constant<__is_constructible(__T, const __T &)> {};
template <class __T> struct is_move_constructible : bool_constant<__is_constructible(__T, __T &&)> {};
template <class __T> struct is_nothrow_move_constructible : bool_constant<__is_nothrow_constructible(__T, __T &&)> {};
template <class __T> struct is_copy_assignable : bool_constant<__is_assignable(__T &, const __T &)> {};
template <class __T> struct is_move_assignable : bool_constant<__is_assignable(__T &, __T &&)> {};
template <class __T> constexpr bool is_copy_constructible_v = is_copy_constructible<__T>::value;
template <class __T, class... __A> struct is_constructible : bool_constant<__is_constructible(__T, __A...)> {};
template <class __T, class... __A> constexpr bool is_constructible_v = __is_constructible(__T, __A...);
template <class __T, class __U> struct is_assignable : bool_constant<__is_assignable(__T, __U)> {};
template <class __T> struct remove_volatile { typedef __remove_volatile(__T) type; };
template <class __T> struct remove_pointer { typedef __remove_pointer(__T) type; };
template <class __T> using remove_pointer_t = __remove_pointer(__T);
template <class __T> struct add_pointer { typedef __add_pointer(__T) type; };
template <class __T> using add_pointer_t = __add_pointer(__T);
template <class __T> struct add_const { typedef const __T type; };
template <class __T> using add_const_t = const __T;
template <class __T> struct add_lvalue_reference { typedef __add_lvalue_reference(__T) type; };
template <class __T> using add_lvalue_reference_t = __add_lvalue_reference(__T);
template <class __T> struct add_rvalue_reference { typedef __add_rvalue_reference(__T) type; };
template <class __T> struct remove_extent { typedef __remove_extent(__T) type; };
template <class __T> using remove_extent_t = __remove_extent(__T);
template <class __T> struct remove_all_extents { typedef __remove_all_extents(__T) type; };
template <class __T> using remove_all_extents_t = __remove_all_extents(__T);
template <class __T> struct make_signed { typedef __make_signed(__T) type; };
template <class __T> using make_signed_t = __make_signed(__T);
template <class __T> struct make_unsigned { typedef __make_unsigned(__T) type; };
template <class __T> using make_unsigned_t = __make_unsigned(__T);
template <class __T> struct underlying_type { typedef __underlying_type(__T) type; };
template <class __T> using underlying_type_t = __underlying_type(__T);
template <class __T> struct type_identity { typedef __T type; };
template <class __T> using type_identity_t = __T;
template <class __T> struct rank : integral_constant<size_t, __array_rank(__T)> {};
template <class __T, unsigned __i = 0> struct extent : integral_constant<size_t, __array_extent(__T, __i)> {};
template <class __T> struct alignment_of : integral_constant<size_t, alignof(__T)> {};
template <size_t __n, size_t __a = 16> struct aligned_storage { struct type { alignas(__a) unsigned char __d[__n]; }; };
template <class __T, class... __U> struct common_type { typedef __T type; };
template <class __T, class __U> struct common_type<__T, __U> {
  typedef decay_t<decltype(true ? declval<__T>() : declval<__U>())> type;
};
template <class __T, class __U, class __V, class... __W> struct common_type<__T, __U, __V, __W...> {
  typedef typename common_type<typename common_type<__T, __U>::type, __V, __W...>::type type;
};
template <class... __T> using common_type_t = typename common_type<__T...>::type;
template <class __F, class... __A> struct invoke_result {
  typedef decltype(declval<__F>()(declval<__A>()...)) type;
};
template <class __F, class... __A> using invoke_result_t = typename invoke_result<__F, __A...>::type;
template <class __S> struct result_of;
template <class __F, class... __A> struct result_of<__F(__A...)> : invoke_result<__F, __A...> {};
template <class __S> using result_of_t = typename result_of<__S>::type;
template <class __V, class __F, class... __A> struct __rooflint_invocable : false_type {};
template <class __F, class... __A>
struct __rooflint_invocable<void_t<decltype(declval<__F>()(declval<__A>()...))>, __F, __A...> : true_type {};
template <class __F, class... __A> struct is_invocable : __rooflint_invocable<void, __F, __A...> {};
template <class __F, class... __A> constexpr bool is_invocable_v = is_invocable<__F, __A...>::value;
template <class...> struct conjunction : true_type {};
template <class __T, class... __U> struct conjunction<__T, __U...> : bool_constant<__T::value && conjunction<__U...>::value> {};
template <class...> struct disjunction : false_type {};
template <class __T, class... __U> struct disjunction<__T, __U...> : bool_constant<__T::value || disjunction<__U...>::value> {};
template <class __T> struct negation : bool_constant<!__T::value> {};
template <class... __T> constexpr bool conjunction_v = conjunction<__T...>::value;
template <class... __T> constexpr bool disjunction_v = disjunction<__T...>::value;
template <class __T> constexpr bool negation_v = !__T::value;
template <class __T> struct is_null_pointer : bool_constant<__is_same(__remove_cv(__T), nullptr_t)> {};
#if __ROOFLINT_CPP20
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }
#endif
}
