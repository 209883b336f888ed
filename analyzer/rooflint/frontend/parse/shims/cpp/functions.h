/* Function objects. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ __rooflint_operations
#include <__rooflint_core>
#define __ROOFLINT_OPERATION(name, result, expression)                                             \
  template <class __T> struct name {                                                               \
    typedef __T first_argument_type, second_argument_type;                                         \
    typedef result result_type;                                                                    \
    constexpr result operator()(const __T &__a, const __T &__b) const { return expression; }       \
  };                                                                                               \
  template <> struct name<void> {                                                                  \
    template <class __A, class __B> constexpr auto operator()(const __A &__a, const __B &__b) const -> decltype(expression) { \
      return expression;                                                                           \
    }                                                                                              \
  };
namespace std {
template <class __T = void> struct plus;
template <class __T = void> struct minus;
template <class __T = void> struct multiplies;
template <class __T = void> struct divides;
template <class __T = void> struct modulus;
template <class __T = void> struct not_equal_to;
template <class __T = void> struct greater;
template <class __T = void> struct greater_equal;
template <class __T = void> struct less_equal;
template <class __T = void> struct logical_and;
template <class __T = void> struct logical_or;
template <class __T = void> struct bit_and;
template <class __T = void> struct bit_or;
template <class __T = void> struct bit_xor;
__ROOFLINT_OPERATION(plus, __T, __a + __b) __ROOFLINT_OPERATION(minus, __T, __a - __b)
__ROOFLINT_OPERATION(multiplies, __T, __a * __b) __ROOFLINT_OPERATION(divides, __T, __a / __b)
__ROOFLINT_OPERATION(modulus, __T, __a % __b) __ROOFLINT_OPERATION(equal_to, bool, __a == __b)
__ROOFLINT_OPERATION(not_equal_to, bool, __a != __b) __ROOFLINT_OPERATION(less, bool, __a < __b)
__ROOFLINT_OPERATION(greater, bool, __a > __b) __ROOFLINT_OPERATION(less_equal, bool, __a <= __b)
__ROOFLINT_OPERATION(greater_equal, bool, __a >= __b) __ROOFLINT_OPERATION(logical_and, bool, __a && __b)
__ROOFLINT_OPERATION(logical_or, bool, __a || __b) __ROOFLINT_OPERATION(bit_and, __T, __a & __b)
__ROOFLINT_OPERATION(bit_or, __T, __a | __b) __ROOFLINT_OPERATION(bit_xor, __T, __a ^ __b)
template <class __T = void> struct negate { constexpr __T operator()(const __T &__a) const { return -__a; } };
template <class __T = void> struct logical_not { constexpr bool operator()(const __T &__a) const { return !__a; } };
template <class __A, class __R> struct unary_function { typedef __A argument_type; typedef __R result_type; };
template <class __A, class __B, class __R> struct binary_function {
  typedef __A first_argument_type;
  typedef __B second_argument_type;
  typedef __R result_type;
};
}
//@ functional
#include <array>
#include <__rooflint_operations>
namespace std {
class bad_function_call : public exception {};
template <class> class function;
template <class __R, class... __A> class function<__R(__A...)> {
public:
  typedef __R result_type;
  function() noexcept;
  function(nullptr_t) noexcept;
  function(const function &);
  template <class __F, class = decltype(declval<__F &>()(declval<__A>()...)), class = enable_if_t<!__is_base_of(function, __remove_cvref(__F))>>
  function(__F &&) __ROOFLINT_OPAQUE
  function &operator=(const function &);
  template <class __F, class = enable_if_t<!__is_base_of(function, __remove_cvref(__F))>> function &operator=(__F &&) __ROOFLINT_OPAQUE
  function &operator=(nullptr_t);
  explicit operator bool() const noexcept;
  __R operator()(__A...) const;
};
template <class __S> bool operator==(const function<__S> &, nullptr_t) noexcept;
template <class __S> bool operator!=(const function<__S> &, nullptr_t) noexcept;
template <class __S> struct __rooflint_signature {};
template <class __R, class __C, class... __A> struct __rooflint_signature<__R (__C::*)(__A...) const> { typedef __R type(__A...); };
template <class __R, class __C, class... __A> struct __rooflint_signature<__R (__C::*)(__A...)> { typedef __R type(__A...); };
#if __ROOFLINT_CPP17
template <class __R, class... __A> function(__R (*)(__A...)) -> function<__R(__A...)>;
template <class __F> function(__F) -> function<typename __rooflint_signature<decltype(&__F::operator())>::type>;
#endif
template <class __T> class reference_wrapper {
  __T *__p;

public:
  typedef __T type;
  reference_wrapper(__T &__x) noexcept : __p(&__x) {}
  operator __T &() const noexcept { return *__p; }
  __T &get() const noexcept { return *__p; }
  template <class... __A> auto operator()(__A &&...__a) const -> decltype((*__p)(std::forward<__A>(__a)...)) { return (*__p)(std::forward<__A>(__a)...); }
};
template <class __T> reference_wrapper<__T> ref(__T &__x) noexcept { return reference_wrapper<__T>(__x); }
template <class __T> reference_wrapper<const __T> cref(const __T &__x) noexcept { return reference_wrapper<const __T>(__x); }
/* The result of a call through a binder is whatever the place of the call wants. */
struct __rooflint_any { template <class __T> operator __T() const __ROOFLINT_OPAQUE };
struct __rooflint_binder { template <class... __A> __rooflint_any operator()(__A &&...) const __ROOFLINT_OPAQUE };
template <class __F, class... __A> __rooflint_binder bind(__F &&, __A &&...) __ROOFLINT_OPAQUE
template <class __R, class __F, class... __A> __rooflint_binder bind(__F &&, __A &&...) __ROOFLINT_OPAQUE
template <class __M> __rooflint_binder mem_fn(__M) __ROOFLINT_OPAQUE
template <class __F> __rooflint_binder not_fn(__F &&) __ROOFLINT_OPAQUE
template <class __F, class __A> __rooflint_binder bind1st(const __F &, const __A &) __ROOFLINT_OPAQUE
template <class __F, class __A> __rooflint_binder bind2nd(const __F &, const __A &) __ROOFLINT_OPAQUE
template <class __F, class... __A> auto invoke(__F &&__f, __A &&...__a) -> decltype(__f(std::forward<__A>(__a)...)) { return __f(std::forward<__A>(__a)...); }
namespace placeholders {
template <int __n> struct __rooflint_placeholder {};
extern const __rooflint_placeholder<1> _1;
extern const __rooflint_placeholder<2> _2;
extern const __rooflint_placeholder<3> _3;
extern const __rooflint_placeholder<4> _4;
}
}
