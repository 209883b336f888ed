/* Owners and wrappers of values. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ utility
#include <__rooflint_core>
namespace std {
template <class __T> constexpr const __T &as_const(__T &__x) noexcept { return __x; }
template <class __T> constexpr __T &&move_if_noexcept(__T &__x) noexcept { return static_cast<__T &&>(__x); }
struct in_place_t {};
struct piecewise_construct_t {};
constexpr piecewise_construct_t piecewise_construct{};
template <class __T, __T... __i> struct integer_sequence {
  typedef __T value_type;
  static constexpr size_t size() noexcept { return sizeof...(__i); }
};
template <size_t... __i> using index_sequence = integer_sequence<size_t, __i...>;
template <class __T, __T __n> using make_integer_sequence = __make_integer_seq<integer_sequence, __T, __n>;
template <size_t __n> using make_index_sequence = make_integer_sequence<size_t, __n>;
template <class... __T> using index_sequence_for = make_index_sequence<sizeof...(__T)>;
template <class __T, class __U> constexpr bool cmp_less(__T __a, __U __b) noexcept { return __a < __b; }
[[noreturn]] inline void unreachable() { __builtin_unreachable(); }
}
//@ tuple
#include <array>
#include <type_traits>
#include <utility>
namespace std {
template <class... __T> class tuple;
template <> class tuple<> {};
template <class __H, class... __T> class tuple<__H, __T...> {
public:
  __H __head;
  tuple<__T...> __tail;
  constexpr tuple() : __head(), __tail() {}
  template <class __X, class... __Y, class = enable_if_t<sizeof...(__Y) == sizeof...(__T) &&
            __is_constructible(__H, __X) && !__is_base_of(tuple, __remove_cvref(__X))>>
  constexpr tuple(__X &&__x, __Y &&...__y) : __head(std::forward<__X>(__x)), __tail(std::forward<__Y>(__y)...) {}
  template <class __X, class... __Y> constexpr tuple(const tuple<__X, __Y...> &__o) : __head(__o.__head), __tail(__o.__tail) {}
  template <class __A, class __B> tuple(const pair<__A, __B> &);
  template <class... __Y> tuple &operator=(const tuple<__Y...> &);
  template <class __A, class __B> tuple &operator=(const pair<__A, __B> &);
};
template <class... __T> struct tuple_size<tuple<__T...>> : integral_constant<size_t, sizeof...(__T)> {};
template <class __H, class... __T> struct tuple_element<0, tuple<__H, __T...>> { typedef __H type; };
template <size_t __i, class __H, class... __T> struct tuple_element<__i, tuple<__H, __T...>> : tuple_element<__i - 1, tuple<__T...>> {};
template <size_t __i> struct __rooflint_get {
  template <class __U> static constexpr auto from(__U &__t) -> decltype(__rooflint_get<__i - 1>::from(__t.__tail)) {
    return __rooflint_get<__i - 1>::from(__t.__tail);
  }
};
template <> struct __rooflint_get<0> {
  template <class __U> static constexpr auto from(__U &__t) -> decltype((__t.__head)) { return __t.__head; }
};
template <size_t __i, class... __T> constexpr tuple_element_t<__i, tuple<__T...>> &get(tuple<__T...> &__t) noexcept {
  return __rooflint_get<__i>::from(__t);
}
template <size_t __i, class... __T> constexpr const tuple_element_t<__i, tuple<__T...>> &get(const tuple<__T...> &__t) noexcept {
  return __rooflint_get<__i>::from(__t);
}
template <size_t __i, class... __T> constexpr tuple_element_t<__i, tuple<__T...>> &&get(tuple<__T...> &&__t) noexcept {
  return static_cast<tuple_element_t<__i, tuple<__T...>> &&>(__rooflint_get<__i>::from(__t));
}
template <class __X, class... __T> constexpr __X &get(tuple<__T...> &__t) noexcept;
template <class... __T> constexpr tuple<decay_t<__T>...> make_tuple(__T &&...__x) { return tuple<decay_t<__T>...>(std::forward<__T>(__x)...); }
template <class... __T> constexpr tuple<__T &...> tie(__T &...__x) { return tuple<__T &...>(__x...); }
template <class... __T> constexpr tuple<__T &&...> forward_as_tuple(__T &&...__x) { return tuple<__T &&...>(std::forward<__T>(__x)...); }
template <class... __T, class... __U> constexpr tuple<__T..., __U...> tuple_cat(const tuple<__T...> &, const tuple<__U...> &);
template <class... __T> bool operator==(const tuple<__T...> &, const tuple<__T...> &);
template <class... __T> bool operator!=(const tuple<__T...> &, const tuple<__T...> &);
template <class... __T> bool operator<(const tuple<__T...> &, const tuple<__T...> &);
struct __rooflint_ignore { template <class __T> const __rooflint_ignore &operator=(const __T &) const; };
constexpr __rooflint_ignore ignore{};
#if __ROOFLINT_CPP17
template <class... __T> tuple(__T...) -> tuple<__T...>;
template <class __F, class __T, size_t... __i> constexpr decltype(auto) __rooflint_apply(__F &&__f, __T &&__t, index_sequence<__i...>) {
  return __f(std::get<__i>(std::forward<__T>(__t))...);
}
template <class __F, class __T> constexpr decltype(auto) apply(__F &&__f, __T &&__t) {
  return std::__rooflint_apply(std::forward<__F>(__f), std::forward<__T>(__t), make_index_sequence<tuple_size<remove_reference_t<__T>>::value>());
}
#endif
}
//@ new
#include <__rooflint_core>
namespace std {
enum class align_val_t : size_t {};
struct nothrow_t { explicit nothrow_t() = default; };
extern const nothrow_t nothrow;
class bad_alloc : public exception {};
class bad_array_new_length : public bad_alloc {};
typedef void (*new_handler)();
new_handler set_new_handler(new_handler) noexcept;
template <class __T> constexpr __T *launder(__T *__p) noexcept { return __p; }
#if __ROOFLINT_CPP17
constexpr size_t hardware_destructive_interference_size = 64, hardware_constructive_interference_size = 64;
#endif
}
void *operator new(std::size_t, const std::nothrow_t &) noexcept;
void *operator new[](std::size_t, const std::nothrow_t &) noexcept;
#if __ROOFLINT_CPP17
void *operator new(std::size_t, std::align_val_t);
void *operator new[](std::size_t, std::align_val_t);
void *operator new(std::size_t, std::align_val_t, const std::nothrow_t &) noexcept;
void *operator new[](std::size_t, std::align_val_t, const std::nothrow_t &) noexcept;
void operator delete(void *, std::align_val_t) noexcept;
void operator delete[](void *, std::align_val_t) noexcept;
#endif
inline void *operator new(std::size_t, void *__p) noexcept { return __p; }
inline void *operator new[](std::size_t, void *__p) noexcept { return __p; }
//@ typeinfo typeindex
#include <__rooflint_core>
namespace std {
class type_info {
public:
  virtual ~type_info();
  const char *name() const noexcept;
  size_t hash_code() const noexcept;
  bool operator==(const type_info &) const noexcept;
  bool operator!=(const type_info &) const noexcept;
  bool before(const type_info &) const noexcept;
};
class type_index {
public:
  type_index(const type_info &) noexcept;
  const char *name() const noexcept;
  bool operator==(const type_index &) const noexcept;
  bool operator<(const type_index &) const noexcept;
};
class bad_cast : public exception {};
class bad_typeid : public exception {};
}
//@ memory
#include <tuple>
#include <new>
#include <__rooflint_basics>
#include <utility>
#include <type_traits>
namespace std {
template <class __T> struct default_delete { void operator()(__T *) const; };
template <class __T> struct default_delete<__T[]> { void operator()(__T *) const; };
#define __ROOFLINT_OWNER(C, T, element)                                                            \
  typedef element element_type;                                                                    \
  typedef element *pointer;                                                                        \
  constexpr C(nullptr_t = nullptr) noexcept : __data() {}                                          \
  explicit C(pointer __p) noexcept : __data(__p) {}                                               \
  C(C &&) noexcept;                                                                                \
  C &operator=(C &&) noexcept;                                                                     \
  C &operator=(nullptr_t) noexcept;                                                                \
  ~C();                                                                                            \
  pointer get() const noexcept { return __data; }                                                 \
  explicit operator bool() const noexcept { return __data != nullptr; }                            \
  void reset(pointer = nullptr) noexcept;                                                          \
  void swap(C &) noexcept;
template <class __T, class __D = default_delete<__T>> class unique_ptr {
  __T *__data;

public:
  __ROOFLINT_OWNER(unique_ptr, __T, __T)
  typedef __D deleter_type;
  template <class __E> unique_ptr(__T *, __E &&) __ROOFLINT_OPAQUE
  template <class __U, class __E> unique_ptr(unique_ptr<__U, __E> &&) noexcept;
  template <class __U, class __E> unique_ptr &operator=(unique_ptr<__U, __E> &&) noexcept;
  __add_lvalue_reference(__T) operator*() const { return *__data; }
  __T *operator->() const noexcept { return __data; }
  __T *release() noexcept;
  __D &get_deleter() noexcept;
};
template <class __T, class __D> class unique_ptr<__T[], __D> {
  __T *__data;

public:
  __ROOFLINT_OWNER(unique_ptr, __T, __T)
  template <class __E> unique_ptr(__T *, __E &&) __ROOFLINT_OPAQUE
  __T &operator[](size_t __i) const { return __data[__i]; }
  __T *release() noexcept;
};
template <class __T> class weak_ptr;
template <class __T> class shared_ptr {
  __remove_extent(__T) *__data;

public:
  __ROOFLINT_OWNER(shared_ptr, __T, __remove_extent(__T))
  shared_ptr(const shared_ptr &) noexcept;
  template <class __U, class __E> shared_ptr(__U *, __E) __ROOFLINT_OPAQUE
  template <class __U> shared_ptr(const shared_ptr<__U> &) noexcept;
  template <class __U> shared_ptr(const shared_ptr<__U> &, __remove_extent(__T) *) noexcept;
  template <class __U, class __E> shared_ptr(unique_ptr<__U, __E> &&);
  template <class __U> explicit shared_ptr(const weak_ptr<__U> &);
  shared_ptr &operator=(const shared_ptr &) noexcept;
  template <class __U> shared_ptr &operator=(const shared_ptr<__U> &) noexcept;
  template <class __U, class __E> shared_ptr &operator=(unique_ptr<__U, __E> &&);
  template <class __U, class __E> void reset(__U *, __E);
  __add_lvalue_reference(__remove_extent(__T)) operator*() const { return *__data; }
  __remove_extent(__T) *operator->() const noexcept { return __data; }
  __add_lvalue_reference(__remove_extent(__T)) operator[](ptrdiff_t __i) const { return __data[__i]; }
  long use_count() const noexcept;
  bool unique() const noexcept;
};
template <class __T> class weak_ptr {
public:
  weak_ptr() noexcept;
  template <class __U> weak_ptr(const shared_ptr<__U> &) noexcept;
  shared_ptr<__T> lock() const noexcept;
  bool expired() const noexcept;
  void reset() noexcept;
};
template <class __T> class enable_shared_from_this {
public:
  shared_ptr<__T> shared_from_this();
};
#define __ROOFLINT_SAME(C, parameters, arguments)                                                  \
  template <parameters> bool operator==(const C<arguments> &, const C<arguments> &) noexcept;      \
  template <parameters> bool operator!=(const C<arguments> &, const C<arguments> &) noexcept;      \
  template <parameters> bool operator==(const C<arguments> &, nullptr_t) noexcept;                 \
  template <parameters> bool operator!=(const C<arguments> &, nullptr_t) noexcept;                 \
  template <parameters> bool operator<(const C<arguments> &, const C<arguments> &) noexcept;
#define __ROOFLINT_LIST __T, __D
#define __ROOFLINT_PARAMETERS class __T, class __D
__ROOFLINT_SAME(unique_ptr, __ROOFLINT_PARAMETERS, __ROOFLINT_LIST)
__ROOFLINT_SAME(shared_ptr, class __T, __T)
template <class __T, class... __A> enable_if_t<!__is_array(__T), unique_ptr<__T>> make_unique(__A &&...);
template <class __T> enable_if_t<__is_array(__T), unique_ptr<__T>> make_unique(size_t);
template <class __T, class... __A> shared_ptr<__T> make_shared(__A &&...);
template <class __T, class __L, class... __A> shared_ptr<__T> allocate_shared(const __L &, __A &&...);
template <class __T, class __U> shared_ptr<__T> static_pointer_cast(const shared_ptr<__U> &) noexcept;
template <class __T, class __U> shared_ptr<__T> dynamic_pointer_cast(const shared_ptr<__U> &) noexcept;
template <class __T, class __U> shared_ptr<__T> const_pointer_cast(const shared_ptr<__U> &) noexcept;
template <class __A> struct allocator_traits {
  typedef __A allocator_type;
  typedef typename __A::value_type value_type, *pointer;
  typedef size_t size_type;
  static pointer allocate(__A &, size_t);
  static void deallocate(__A &, pointer, size_t);
  template <class __T, class... __X> static void construct(__A &, __T *, __X &&...);
};
template <class __T, class __U> bool operator==(const allocator<__T> &, const allocator<__U> &) noexcept;
template <class __T, class __U> bool operator!=(const allocator<__T> &, const allocator<__U> &) noexcept;
template <size_t __N, class __T> constexpr __T *assume_aligned(__T *__p) { return (__T *)__builtin_assume_aligned(__p, __N); }
void *align(size_t, size_t, void *&, size_t &);
template <class __I, class __O> __O uninitialized_copy(__I, __I, __O);
template <class __I, class __T> void uninitialized_fill(__I, __I, const __T &);
template <class __I, class __N, class __T> __I uninitialized_fill_n(__I, __N, const __T &);
template <class __T> void destroy_at(__T *);
template <class __T, class... __X> __T *construct_at(__T *, __X &&...);
}
//@ optional
#include <exception>
#include <utility>
namespace std {
struct nullopt_t { explicit constexpr nullopt_t(int) {} };
constexpr nullopt_t nullopt(0);
class bad_optional_access : public exception {};
template <class __T> class optional {
  bool __full;
  union { char __none; __T __value; };

public:
  typedef __T value_type;
  constexpr optional() noexcept : __full(false), __none() {}
  constexpr optional(nullopt_t) noexcept : __full(false), __none() {}
  optional(const optional &);
  template <class __U = __T, class = enable_if_t<__is_constructible(__T, __U) && !__is_base_of(optional, __remove_cvref(__U))>>
  constexpr optional(__U &&__x) : __full(true), __value(std::forward<__U>(__x)) {}
  ~optional();
  optional &operator=(const optional &);
  template <class __U = __T, class = enable_if_t<__is_constructible(__T, __U) && !__is_base_of(optional, __remove_cvref(__U))>>
  optional &operator=(__U &&);
  template <class... __X> __T &emplace(__X &&...);
  void reset();
  bool has_value() const { return __full; }
  explicit operator bool() const { return __full; }
  __T &value() { return __value; }
  const __T &value() const { return __value; }
  template <class __U> __T value_or(__U &&) const;
  __T &operator*() { return __value; }
  const __T &operator*() const { return __value; }
  __T *operator->() { return &__value; }
  const __T *operator->() const { return &__value; }
};
template <class __T> bool operator==(const optional<__T> &, nullopt_t);
template <class __T> bool operator!=(const optional<__T> &, nullopt_t);
template <class __T> bool operator==(const optional<__T> &, const optional<__T> &);
template <class __T> optional<decay_t<__T>> make_optional(__T &&);
#if __ROOFLINT_CPP17
template <class __T> optional(__T) -> optional<__T>;
#endif
}
//@ variant
#include <utility>
namespace std {
struct monostate {};
constexpr size_t variant_npos = -1;
template <class... __T> class variant {
public:
  variant();
  variant(const variant &);
  template <class __U, class = enable_if_t<!__is_base_of(variant, __remove_cvref(__U))>> variant(__U &&);
  variant &operator=(const variant &);
  template <class __U, class = enable_if_t<!__is_base_of(variant, __remove_cvref(__U))>> variant &operator=(__U &&);
  size_t index() const noexcept;
  template <class __U, class... __X> __U &emplace(__X &&...);
};
template <class __H, class... __T> __H __rooflint_first(const variant<__H, __T...> &);
template <class __U, class... __T> __U &get(variant<__T...> &);
template <class __U, class... __T> const __U &get(const variant<__T...> &);
template <class __U, class... __T> __U *get_if(variant<__T...> *) noexcept;
template <class __U, class... __T> const __U *get_if(const variant<__T...> *) noexcept;
template <class __U, class... __T> bool holds_alternative(const variant<__T...> &) noexcept;
template <class __F, class __V> auto visit(__F &&__f, __V &&__v) -> decltype(__f(__rooflint_first(__v))) __ROOFLINT_OPAQUE
}
//@ any
#include <typeinfo>
namespace std {
class any {
public:
  any() noexcept;
  template <class __T> any(const __T &);
  bool has_value() const noexcept;
  void reset() noexcept;
  const type_info &type() const noexcept;
};
template <class __T> __T any_cast(const any &);
template <class __T> __T *any_cast(any *) noexcept;
}
