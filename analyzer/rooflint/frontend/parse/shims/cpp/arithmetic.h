/* Numbers in the C++ library. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ limits
#include <float.h>
#include <limits.h>
#include <__rooflint_core>
/* One template for all types: a program pays for those it asks about. */
namespace std {
enum float_round_style { round_indeterminate = -1, round_toward_zero, round_to_nearest };
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent, denorm_present };
template <class __T, bool __integral, bool __floating> struct __rooflint_limits {
  static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false, is_bounded = false;
  static constexpr int digits = 0, digits10 = 0, max_digits10 = 0;
  static constexpr __T min() noexcept { return __T(); }
  static constexpr __T max() noexcept { return __T(); }
  static constexpr __T lowest() noexcept { return __T(); }
  static constexpr __T epsilon() noexcept { return __T(); }
  static constexpr __T infinity() noexcept { return __T(); }
  static constexpr __T quiet_NaN() noexcept { return __T(); }
};
template <class __T> struct __rooflint_limits<__T, true, false> {
  static constexpr bool is_specialized = true, is_signed = (__T)-1 < (__T)0, is_integer = true, is_exact = true;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false;
  static constexpr bool is_iec559 = false, is_bounded = true, is_modulo = !is_signed;
  static constexpr int radix = 2, digits = __is_same(__T, bool) ? 1 : int(8 * sizeof(__T)) - is_signed;
  static constexpr int digits10 = digits * 643 / 2136, max_digits10 = 0;
  static constexpr __T max() noexcept { return is_signed ? (__T)(((((__T)1) << (digits - 1)) - 1) * 2 + 1) : (__T)~(__T)0; }
  static constexpr __T min() noexcept { return is_signed ? (__T)(-max() - 1) : (__T)0; }
  static constexpr __T lowest() noexcept { return min(); }
  static constexpr __T epsilon() noexcept { return 0; }
  static constexpr __T infinity() noexcept { return 0; }
  static constexpr __T quiet_NaN() noexcept { return 0; }
};
template <> struct __rooflint_limits<bool, true, false> {
  static constexpr bool is_specialized = true, is_signed = false, is_integer = true, is_exact = true;
  static constexpr int digits = 1, digits10 = 0;
  static constexpr bool min() noexcept { return false; }
  static constexpr bool max() noexcept { return true; }
  static constexpr bool lowest() noexcept { return false; }
};
template <class> struct __rooflint_float;
#define __ROOFLINT_FLOAT(T, P, suffix)                                                             \
  template <> struct __rooflint_float<T> {                                                         \
    static constexpr int digits = P##_MANT_DIG, digits10 = P##_DIG, max_digits10 = P##_DECIMAL_DIG; \
    static constexpr int min_exponent = P##_MIN_EXP, max_exponent = P##_MAX_EXP;                   \
    static constexpr int min_exponent10 = P##_MIN_10_EXP, max_exponent10 = P##_MAX_10_EXP;         \
    static constexpr T min() noexcept { return P##_MIN; }                                          \
    static constexpr T max() noexcept { return P##_MAX; }                                          \
    static constexpr T lowest() noexcept { return -P##_MAX; }                                      \
    static constexpr T epsilon() noexcept { return P##_EPSILON; }                                  \
    static constexpr T infinity() noexcept { return __builtin_inf##suffix(); }                     \
    static constexpr T quiet_NaN() noexcept { return __builtin_nan##suffix(""); }                  \
  };
__ROOFLINT_FLOAT(float, FLT, f)
__ROOFLINT_FLOAT(double, DBL, )
__ROOFLINT_FLOAT(long double, LDBL, l)
template <class __T> struct __rooflint_limits<__T, false, true> : __rooflint_float<__T> {
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false;
  static constexpr int radix = 2;
  static constexpr __T round_error() noexcept { return (__T)0.5; }
  static constexpr __T signaling_NaN() noexcept { return __rooflint_float<__T>::quiet_NaN(); }
  static constexpr __T denorm_min() noexcept { return __rooflint_float<__T>::min(); }
};
template <class __T> struct numeric_limits : __rooflint_limits<__T, __is_integral(__T), __is_floating_point(__T)> {};
template <class __T> struct numeric_limits<const __T> : numeric_limits<__T> {};
}
//@ complex
#include <cmath>
#include <iosfwd>
/* Operators have the bodies of the textbook, so that their operations can be counted. */
#define __ROOFLINT_T template <class __T>
#define __ROOFLINT_Z const complex<__T> &
namespace std {
__ROOFLINT_T class complex {
  __T __re, __im;

public:
  typedef __T value_type;
  constexpr complex(__T __x = __T(), __T __y = __T()) : __re(__x), __im(__y) {}
  template <class __U> constexpr complex(const complex<__U> &__z) : __re(__z.real()), __im(__z.imag()) {}
  constexpr __T real() const { return __re; }
  constexpr __T imag() const { return __im; }
  void real(__T __x) { __re = __x; }
  void imag(__T __y) { __im = __y; }
  complex &operator=(__T __x) { __re = __x; __im = __T(); return *this; }
  template <class __U> complex &operator=(const complex<__U> &__z) { __re = __z.real(); __im = __z.imag(); return *this; }
  complex &operator+=(__T __x) { __re += __x; return *this; }
  complex &operator-=(__T __x) { __re -= __x; return *this; }
  complex &operator*=(__T __x) { __re *= __x; __im *= __x; return *this; }
  complex &operator/=(__T __x) { __re /= __x; __im /= __x; return *this; }
  template <class __U> complex &operator+=(const complex<__U> &__z) { __re += __z.real(); __im += __z.imag(); return *this; }
  template <class __U> complex &operator-=(const complex<__U> &__z) { __re -= __z.real(); __im -= __z.imag(); return *this; }
  template <class __U> complex &operator*=(const complex<__U> &__z) { return *this = *this * complex(__z); }
  template <class __U> complex &operator/=(const complex<__U> &__z) { return *this = *this / complex(__z); }
};
__ROOFLINT_T constexpr complex<__T> operator+(__ROOFLINT_Z __a, __ROOFLINT_Z __b) {
  return complex<__T>(__a.real() + __b.real(), __a.imag() + __b.imag());
}
__ROOFLINT_T constexpr complex<__T> operator-(__ROOFLINT_Z __a, __ROOFLINT_Z __b) {
  return complex<__T>(__a.real() - __b.real(), __a.imag() - __b.imag());
}
__ROOFLINT_T constexpr complex<__T> operator*(__ROOFLINT_Z __a, __ROOFLINT_Z __b) {
  return complex<__T>(__a.real() * __b.real() - __a.imag() * __b.imag(),
                      __a.real() * __b.imag() + __a.imag() * __b.real());
}
__ROOFLINT_T constexpr complex<__T> operator/(__ROOFLINT_Z __a, __ROOFLINT_Z __b) {
  return complex<__T>(__a.real() * __b.real() + __a.imag() * __b.imag(),
                      __a.imag() * __b.real() - __a.real() * __b.imag()) /
         (__b.real() * __b.real() + __b.imag() * __b.imag());
}
__ROOFLINT_T constexpr complex<__T> operator+(__ROOFLINT_Z __a, const __T &__x) { return complex<__T>(__a.real() + __x, __a.imag()); }
__ROOFLINT_T constexpr complex<__T> operator-(__ROOFLINT_Z __a, const __T &__x) { return complex<__T>(__a.real() - __x, __a.imag()); }
__ROOFLINT_T constexpr complex<__T> operator*(__ROOFLINT_Z __a, const __T &__x) { return complex<__T>(__a.real() * __x, __a.imag() * __x); }
__ROOFLINT_T constexpr complex<__T> operator/(__ROOFLINT_Z __a, const __T &__x) { return complex<__T>(__a.real() / __x, __a.imag() / __x); }
__ROOFLINT_T constexpr complex<__T> operator+(const __T &__x, __ROOFLINT_Z __a) { return complex<__T>(__x + __a.real(), __a.imag()); }
__ROOFLINT_T constexpr complex<__T> operator-(const __T &__x, __ROOFLINT_Z __a) { return complex<__T>(__x - __a.real(), -__a.imag()); }
__ROOFLINT_T constexpr complex<__T> operator*(const __T &__x, __ROOFLINT_Z __a) { return complex<__T>(__x * __a.real(), __x * __a.imag()); }
__ROOFLINT_T constexpr complex<__T> operator/(const __T &__x, __ROOFLINT_Z __a) { return complex<__T>(__x) / __a; }
__ROOFLINT_T constexpr complex<__T> operator+(__ROOFLINT_Z __a) { return __a; }
__ROOFLINT_T constexpr complex<__T> operator-(__ROOFLINT_Z __a) { return complex<__T>(-__a.real(), -__a.imag()); }
__ROOFLINT_T constexpr bool operator==(__ROOFLINT_Z __a, __ROOFLINT_Z __b) { return __a.real() == __b.real() && __a.imag() == __b.imag(); }
__ROOFLINT_T constexpr bool operator!=(__ROOFLINT_Z __a, __ROOFLINT_Z __b) { return !(__a == __b); }
__ROOFLINT_T constexpr bool operator==(__ROOFLINT_Z __a, const __T &__x) { return __a.real() == __x && __a.imag() == __T(); }
__ROOFLINT_T constexpr bool operator!=(__ROOFLINT_Z __a, const __T &__x) { return !(__a == __x); }
__ROOFLINT_T constexpr __T real(__ROOFLINT_Z __z) { return __z.real(); }
__ROOFLINT_T constexpr __T imag(__ROOFLINT_Z __z) { return __z.imag(); }
__ROOFLINT_T constexpr complex<__T> conj(__ROOFLINT_Z __z) { return complex<__T>(__z.real(), -__z.imag()); }
__ROOFLINT_T constexpr __T norm(__ROOFLINT_Z __z) { return __z.real() * __z.real() + __z.imag() * __z.imag(); }
__ROOFLINT_T __T abs(__ROOFLINT_Z);
__ROOFLINT_T __T arg(__ROOFLINT_Z);
__ROOFLINT_T complex<__T> polar(const __T &, const __T & = __T());
#define __ROOFLINT_CPP_COMPLEX(name) __ROOFLINT_T complex<__T> name(__ROOFLINT_Z);
__ROOFLINT_CPP_COMPLEX(proj) __ROOFLINT_CPP_COMPLEX(sqrt) __ROOFLINT_CPP_COMPLEX(exp) __ROOFLINT_CPP_COMPLEX(log)
__ROOFLINT_CPP_COMPLEX(log10) __ROOFLINT_CPP_COMPLEX(sin) __ROOFLINT_CPP_COMPLEX(cos) __ROOFLINT_CPP_COMPLEX(tan)
__ROOFLINT_CPP_COMPLEX(sinh) __ROOFLINT_CPP_COMPLEX(cosh) __ROOFLINT_CPP_COMPLEX(tanh)
__ROOFLINT_T complex<__T> pow(__ROOFLINT_Z, int);
__ROOFLINT_T complex<__T> pow(__ROOFLINT_Z, const __T &);
__ROOFLINT_T complex<__T> pow(__ROOFLINT_Z, __ROOFLINT_Z);
__ROOFLINT_T complex<__T> pow(const __T &, __ROOFLINT_Z);
template <class __T, class __C> basic_ostream<__C> &operator<<(basic_ostream<__C> &, __ROOFLINT_Z);
template <class __T, class __C> basic_istream<__C> &operator>>(basic_istream<__C> &, complex<__T> &);
#if __cplusplus >= 201402L
inline namespace literals {
inline namespace complex_literals {
constexpr complex<double> operator""i(long double __x) { return complex<double>(0, __x); }
constexpr complex<double> operator""i(unsigned long long __x) { return complex<double>(0, __x); }
constexpr complex<float> operator""if(long double __x) { return complex<float>(0, __x); }
}
}
#endif
}
//@ valarray
#include <cmath>
#include <initializer_list>
namespace std {
class slice {
  size_t __start, __size, __stride;

public:
  slice() : __start(0), __size(0), __stride(0) {}
  slice(size_t __a, size_t __b, size_t __c) : __start(__a), __size(__b), __stride(__c) {}
  size_t start() const { return __start; }
  size_t size() const { return __size; }
  size_t stride() const { return __stride; }
};
template <class __T> class valarray;
template <class __T> struct slice_array {
  void operator=(const valarray<__T> &) const;
  void operator=(const __T &) const;
  void operator+=(const valarray<__T> &) const;
  void operator*=(const valarray<__T> &) const;
};
template <class __T> class valarray {
  __T *__data;
  size_t __size;

public:
  typedef __T value_type;
  valarray();
  explicit valarray(size_t);
  valarray(const __T &, size_t);
  valarray(const __T *, size_t);
  valarray(const valarray &);
  valarray(initializer_list<__T>);
  valarray(const slice_array<__T> &);
  ~valarray();
  valarray &operator=(const valarray &);
  valarray &operator=(const __T &);
  valarray &operator=(const slice_array<__T> &);
  __T &operator[](size_t __i) { return __data[__i]; }
  const __T &operator[](size_t __i) const { return __data[__i]; }
  valarray operator[](slice) const;
  slice_array<__T> operator[](slice);
  valarray operator[](const valarray<bool> &) const;
  size_t size() const { return __size; }
  void resize(size_t, __T = __T());
  __T sum() const;
  __T min() const;
  __T max() const;
  valarray shift(int) const;
  valarray cshift(int) const;
  valarray apply(__T (*)(__T)) const;
  valarray operator+() const;
  valarray operator-() const;
#define __ROOFLINT_ASSIGN(op) valarray &operator op(const valarray &); valarray &operator op(const __T &);
  __ROOFLINT_ASSIGN(+=) __ROOFLINT_ASSIGN(-=) __ROOFLINT_ASSIGN(*=) __ROOFLINT_ASSIGN(/=) __ROOFLINT_ASSIGN(%=)
};
template <class __T> __T *begin(valarray<__T> &__v) { return &__v[0]; }
template <class __T> const __T *begin(const valarray<__T> &__v) { return &__v[0]; }
template <class __T> __T *end(valarray<__T> &__v) { return &__v[0] + __v.size(); }
template <class __T> const __T *end(const valarray<__T> &__v) { return &__v[0] + __v.size(); }
#define __ROOFLINT_VALARRAY(result, op)                                                            \
  template <class __T> valarray<result> operator op(const valarray<__T> &, const valarray<__T> &); \
  template <class __T> valarray<result> operator op(const valarray<__T> &, const typename valarray<__T>::value_type &); \
  template <class __T> valarray<result> operator op(const typename valarray<__T>::value_type &, const valarray<__T> &);
__ROOFLINT_VALARRAY(__T, +) __ROOFLINT_VALARRAY(__T, -) __ROOFLINT_VALARRAY(__T, *) __ROOFLINT_VALARRAY(__T, /)
__ROOFLINT_VALARRAY(bool, ==) __ROOFLINT_VALARRAY(bool, !=) __ROOFLINT_VALARRAY(bool, <) __ROOFLINT_VALARRAY(bool, >)
#define __ROOFLINT_VALARRAY_1(name) template <class __T> valarray<__T> name(const valarray<__T> &);
__ROOFLINT_VALARRAY_1(abs) __ROOFLINT_VALARRAY_1(sqrt) __ROOFLINT_VALARRAY_1(exp) __ROOFLINT_VALARRAY_1(log)
__ROOFLINT_VALARRAY_1(sin) __ROOFLINT_VALARRAY_1(cos) __ROOFLINT_VALARRAY_1(tan) __ROOFLINT_VALARRAY_1(tanh)
template <class __T> valarray<__T> pow(const valarray<__T> &, const valarray<__T> &);
template <class __T> valarray<__T> pow(const valarray<__T> &, const typename valarray<__T>::value_type &);
}
//@ ratio
#include <stdint.h>
namespace std {
template <intmax_t __n, intmax_t __d = 1> struct ratio {
  static constexpr intmax_t num = __n, den = __d;
  typedef ratio type;
};
typedef ratio<1, 1000000000> nano;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000> milli;
typedef ratio<1, 100> centi;
typedef ratio<1000> kilo;
typedef ratio<1000000> mega;
typedef ratio<1000000000> giga;
}
//@ random
#include <limits>
#include <initializer_list>
namespace std {
struct seed_seq {
  seed_seq();
  template <class __I> seed_seq(__I, __I);
  template <class __T> seed_seq(initializer_list<__T>);
};
template <class __U, int __tag> struct __rooflint_engine {
  typedef __U result_type;
  static constexpr __U default_seed = 5489u;
  explicit __rooflint_engine(__U = default_seed);
  explicit __rooflint_engine(seed_seq &);
  void seed(__U = default_seed);
  void seed(seed_seq &);
  void discard(unsigned long long);
  static constexpr __U min() { return 0; }
  static constexpr __U max() { return numeric_limits<__U>::max(); }
  __U operator()();
};
typedef __rooflint_engine<unsigned long, 0> mt19937;
typedef __rooflint_engine<unsigned long, 1> mt19937_64;
typedef __rooflint_engine<unsigned long, 2> minstd_rand;
typedef __rooflint_engine<unsigned long, 3> minstd_rand0;
typedef __rooflint_engine<unsigned long, 4> ranlux24;
typedef __rooflint_engine<unsigned long, 5> ranlux48;
typedef minstd_rand default_random_engine;
struct random_device {
  typedef unsigned int result_type;
  random_device();
  explicit random_device(const char *);
  static constexpr unsigned int min() { return 0; }
  static constexpr unsigned int max() { return 0xffffffffu; }
  unsigned int operator()();
  double entropy() const;
};
#define __ROOFLINT_DISTRIBUTION(name, T, P)                                                        \
  struct name {                                                                                    \
    typedef T result_type;                                                                         \
    struct param_type { param_type(P = P(), P = P()); };                                           \
    explicit name(P = P(), P = P());                                                               \
    name(const param_type &);                                                                      \
    name(initializer_list<double>);                                                                \
    template <class __I> name(__I *, __I *);                                                       \
    template <class __G> T operator()(__G &);                                                      \
    template <class __G> T operator()(__G &, const param_type &);                                  \
    void reset();                                                                                  \
    T min() const;                                                                                 \
    T max() const;                                                                                 \
    T a() const;                                                                                   \
    T b() const;                                                                                   \
    double mean() const;                                                                           \
    double stddev() const;                                                                         \
  };
template <class __T = int> __ROOFLINT_DISTRIBUTION(uniform_int_distribution, __T, __T)
template <class __T = double> __ROOFLINT_DISTRIBUTION(uniform_real_distribution, __T, __T)
template <class __T = double> __ROOFLINT_DISTRIBUTION(normal_distribution, __T, __T)
template <class __T = double> __ROOFLINT_DISTRIBUTION(lognormal_distribution, __T, __T)
template <class __T = double> __ROOFLINT_DISTRIBUTION(exponential_distribution, __T, __T)
template <class __T = double> __ROOFLINT_DISTRIBUTION(gamma_distribution, __T, __T)
template <class __T = int> __ROOFLINT_DISTRIBUTION(poisson_distribution, __T, double)
template <class __T = int> __ROOFLINT_DISTRIBUTION(geometric_distribution, __T, double)
template <class __T = int> __ROOFLINT_DISTRIBUTION(binomial_distribution, __T, double)
template <class __T = int> __ROOFLINT_DISTRIBUTION(discrete_distribution, __T, double)
__ROOFLINT_DISTRIBUTION(bernoulli_distribution, bool, double)
template <class __T, size_t __bits, class __G> __T generate_canonical(__G &);
}
//@ bit
#include <type_traits>
namespace std {
enum class endian { little = 1234, big = 4321, native = 1234 };
template <class __T> constexpr int popcount(__T __x) noexcept { return __builtin_popcountll(__x); }
template <class __T> constexpr int countl_zero(__T) noexcept;
template <class __T> constexpr int countr_zero(__T) noexcept;
template <class __T> constexpr bool has_single_bit(__T __x) noexcept { return __x && !(__x & (__x - 1)); }
template <class __T> constexpr int bit_width(__T) noexcept;
template <class __T> constexpr __T bit_ceil(__T) noexcept;
template <class __T> constexpr __T bit_floor(__T) noexcept;
template <class __T, class __U> constexpr __T bit_cast(const __U &__x) noexcept { return __builtin_bit_cast(__T, __x); }
}
//@ numbers
namespace std {
namespace numbers {
template <class __T> constexpr __T pi_v = __T(3.141592653589793238462643383279502884L);
template <class __T> constexpr __T e_v = __T(2.718281828459045235360287471352662498L);
template <class __T> constexpr __T sqrt2_v = __T(1.414213562373095048801688724209698079L);
constexpr double pi = pi_v<double>, e = e_v<double>, sqrt2 = sqrt2_v<double>;
constexpr double sqrt3 = 1.732050807568877293527446341505872367, ln2 = 0.693147180559945309417232121458176568;
constexpr double ln10 = 2.302585092994045684017991454684364208, log2e = 1.442695040888963407359924681001892137;
constexpr double inv_pi = 0.318309886183790671537767526745028724;
}
}
