/* C headers as C++ sees them. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ cstddef stddef.h
#include "/__rooflint__/c/stddef.h"
#include <__rooflint_core>
namespace std {
using ::max_align_t;
}
//@ cstdint
#include <stdint.h>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::int_least8_t; using ::int_least16_t; using ::int_least32_t; using ::int_least64_t;
using ::uint_least8_t; using ::uint_least16_t; using ::uint_least32_t; using ::uint_least64_t;
using ::int_fast8_t; using ::int_fast16_t; using ::int_fast32_t; using ::int_fast64_t;
using ::uint_fast8_t; using ::uint_fast16_t; using ::uint_fast32_t; using ::uint_fast64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
//@ climits
#include <limits.h>
//@ cfloat
#include <float.h>
//@ cinttypes
#include <inttypes.h>
#include <cstdint>
namespace std {
using ::imaxabs; using ::imaxdiv; using ::strtoimax; using ::strtoumax;
}
//@ cassert
#include <assert.h>
//@ cerrno
#include <errno.h>
//@ cstdbool
#include <stdbool.h>
//@ ciso646
#include <iso646.h>
//@ cstdarg
#include <stdarg.h>
namespace std {
using ::va_list;
}
//@ csetjmp
#include <setjmp.h>
namespace std {
using ::jmp_buf; using ::longjmp;
}
//@ csignal
#include <signal.h>
namespace std {
using ::sig_atomic_t; using ::signal; using ::raise;
}
//@ clocale
#include <locale.h>
namespace std {
using ::lconv; using ::setlocale; using ::localeconv;
}
//@ cfenv
#include <fenv.h>
namespace std {
using ::fenv_t; using ::fexcept_t; using ::feclearexcept; using ::feraiseexcept; using ::fetestexcept;
using ::fegetround; using ::fesetround; using ::fegetenv; using ::fesetenv; using ::feholdexcept;
}
//@ cctype
#include <ctype.h>
namespace std {
using ::isalnum; using ::isalpha; using ::isblank; using ::iscntrl; using ::isdigit; using ::isgraph;
using ::islower; using ::isprint; using ::ispunct; using ::isspace; using ::isupper; using ::isxdigit;
using ::tolower; using ::toupper;
}
//@ cwchar cwctype cuchar
#include <wchar.h>
namespace std {
using ::wint_t; using ::mbstate_t; using ::wcslen; using ::wcscpy; using ::wcscmp; using ::wprintf;
}
//@ cstring
#include <string.h>
namespace std {
using ::size_t; using ::memcpy; using ::memmove; using ::memset; using ::memcmp; using ::memchr;
using ::strcpy; using ::strncpy; using ::strcat; using ::strncat; using ::strcmp; using ::strncmp;
using ::strcoll; using ::strxfrm; using ::strchr; using ::strrchr; using ::strstr; using ::strpbrk;
using ::strspn; using ::strcspn; using ::strtok; using ::strlen; using ::strerror;
}
//@ ctime
#include <time.h>
namespace std {
using ::size_t; using ::clock_t; using ::time_t; using ::tm; using ::timespec; using ::clock; using ::time;
using ::difftime; using ::mktime; using ::asctime; using ::ctime; using ::gmtime; using ::localtime;
using ::strftime; using ::timespec_get;
}
//@ cstdio
#include <stdio.h>
namespace std {
using ::FILE; using ::fpos_t; using ::size_t; using ::printf; using ::fprintf; using ::sprintf; using ::snprintf;
using ::vprintf; using ::vfprintf; using ::vsprintf; using ::vsnprintf; using ::scanf; using ::fscanf;
using ::sscanf; using ::vsscanf; using ::fopen; using ::freopen; using ::fclose; using ::fflush; using ::setvbuf;
using ::setbuf; using ::fread; using ::fwrite; using ::fgetc; using ::getc; using ::getchar; using ::ungetc;
using ::fputc; using ::putc; using ::putchar; using ::fgets; using ::fputs; using ::puts; using ::fseek;
using ::ftell; using ::rewind; using ::fgetpos; using ::fsetpos; using ::feof; using ::ferror; using ::clearerr;
using ::perror; using ::remove; using ::rename; using ::tmpfile; using ::tmpnam;
}
//@ cstdlib
#include "/__rooflint__/c/stdlib.h"
#include <__rooflint_abs>
namespace std {
using ::size_t; using ::div_t; using ::ldiv_t; using ::lldiv_t; using ::malloc; using ::calloc; using ::realloc;
using ::free; using ::aligned_alloc; using ::abort; using ::exit; using ::_Exit; using ::quick_exit;
using ::atexit; using ::getenv; using ::system; using ::atof; using ::atoi; using ::atol; using ::atoll;
using ::strtod; using ::strtof; using ::strtold; using ::strtol; using ::strtoul; using ::strtoll;
using ::strtoull; using ::rand; using ::srand; using ::qsort; using ::bsearch; using ::labs; using ::llabs;
using ::div; using ::ldiv; using ::lldiv; using ::mbstowcs; using ::wcstombs; using ::mblen; using ::mbtowc;
}
//@ __rooflint_abs
#include "/__rooflint__/c/stdlib.h"
namespace std {
using ::abs;
long abs(long);
long long abs(long long);
float abs(float);
double abs(double);
long double abs(long double);
}
//@ stdlib.h
#include <cstdlib>
using std::abs;
//@ math.h
#include <cmath>
using std::abs;
__ROOFLINT_CPP_MATH(__ROOFLINT_USING)
using std::ldexp; using std::scalbn; using std::scalbln; using std::frexp; using std::modf; using std::fma;
using std::isfinite; using std::isinf; using std::isnan; using std::isnormal; using std::signbit;
using std::fpclassify; using std::isgreater; using std::isgreaterequal; using std::isless;
using std::islessequal; using std::islessgreater; using std::isunordered;
//@ tgmath.h ctgmath
#include <cmath>
#include <complex>
//@ complex.h ccomplex
#include <complex>
//@ stdatomic.h
#include <atomic>
using std::memory_order; using std::memory_order_relaxed; using std::memory_order_acquire;
using std::memory_order_release; using std::memory_order_acq_rel; using std::memory_order_seq_cst;
using std::atomic_bool; using std::atomic_int; using std::atomic_uint; using std::atomic_long;
using std::atomic_ulong; using std::atomic_size_t; using std::atomic_flag; using std::atomic_thread_fence;
using std::atomic_load; using std::atomic_store; using std::atomic_load_explicit;
using std::atomic_store_explicit; using std::atomic_fetch_add; using std::atomic_fetch_add_explicit;
using std::atomic_fetch_sub; using std::atomic_exchange;
//@ cmath
#include "/__rooflint__/c/math.h"
#include <limits>
#include <__rooflint_basics>
#include <__rooflint_core>
#include <__rooflint_abs>
#undef fpclassify
#undef isfinite
#undef isinf
#undef isnan
#undef isnormal
#undef signbit
#undef isgreater
#undef isgreaterequal
#undef isless
#undef islessequal
#undef islessgreater
#undef isunordered
#define __ROOFLINT_CPP_MATH(X)                                                                     \
  X(sqrt) X(cbrt) X(fabs) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)     \
  X(asinh) X(acosh) X(atanh) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb)      \
  X(erf) X(erfc) X(tgamma) X(lgamma) X(ceil) X(floor) X(trunc) X(round) X(rint) X(nearbyint)       \
  X(ilogb) X(lrint) X(lround) X(llrint) X(llround)                                                 \
  X(pow) X(atan2) X(hypot) X(fmod) X(remainder) X(fdim) X(fmax) X(fmin) X(copysign) X(nextafter)
#define __ROOFLINT_USING(name) using std::name;
#define __ROOFLINT_ROUND(type, name)                                                               \
  using ::name;                                                                                    \
  type name(float); type name(long double);                                                        \
  template <class __T> enable_if_t<__is_integral(__T), type> name(__T);
#define __ROOFLINT_ONE(name)                                                                       \
  using ::name;                                                                                    \
  float name(float); long double name(long double);                                                \
  template <class __T> enable_if_t<__is_integral(__T), double> name(__T);
#define __ROOFLINT_TWO(name)                                                                       \
  using ::name;                                                                                    \
  float name(float, float); long double name(long double, long double);                            \
  template <class __T, class __U> __rooflint_widest<__T, __U> name(__T, __U);
#define __ROOFLINT_EXPONENT(type, name)                                                            \
  using ::name;                                                                                    \
  float name(float, type); long double name(long double, type);                                    \
  template <class __T> enable_if_t<__is_integral(__T), double> name(__T, type);
#define __ROOFLINT_CLASSIFY(name)                                                                  \
  template <class __T> constexpr enable_if_t<__is_arithmetic(__T), bool> name(__T __x) {           \
    return __builtin_##name((__rooflint_promote<__T>)__x);                                         \
  }
#define __ROOFLINT_ORDER(name)                                                                     \
  template <class __T, class __U> constexpr enable_if_t<__is_arithmetic(__T) && __is_arithmetic(__U), bool> \
  name(__T __x, __U __y) { return __builtin_##name((__rooflint_widest<__T, __U>)__x, (__rooflint_widest<__T, __U>)__y); }
namespace std {
template <class __T, bool __integral, bool __floating> struct __rooflint_promoted {};
template <class __T> struct __rooflint_promoted<__T, true, false> { typedef double type; };
template <class __T> struct __rooflint_promoted<__T, false, true> { typedef __T type; };
template <class __T>
using __rooflint_promote = typename __rooflint_promoted<__T, __is_integral(__T), __is_floating_point(__T)>::type;
template <class __T, class __U>
using __rooflint_widest = decltype(__rooflint_promote<__T>() + __rooflint_promote<__U>());
using ::float_t; using ::double_t;
__ROOFLINT_ONE(sqrt) __ROOFLINT_ONE(cbrt) __ROOFLINT_ONE(fabs)
__ROOFLINT_ONE(sin) __ROOFLINT_ONE(cos) __ROOFLINT_ONE(tan)
__ROOFLINT_ONE(asin) __ROOFLINT_ONE(acos) __ROOFLINT_ONE(atan)
__ROOFLINT_ONE(sinh) __ROOFLINT_ONE(cosh) __ROOFLINT_ONE(tanh)
__ROOFLINT_ONE(asinh) __ROOFLINT_ONE(acosh) __ROOFLINT_ONE(atanh)
__ROOFLINT_ONE(exp) __ROOFLINT_ONE(exp2) __ROOFLINT_ONE(expm1)
__ROOFLINT_ONE(log) __ROOFLINT_ONE(log2) __ROOFLINT_ONE(log10) __ROOFLINT_ONE(log1p) __ROOFLINT_ONE(logb)
__ROOFLINT_ONE(erf) __ROOFLINT_ONE(erfc) __ROOFLINT_ONE(tgamma) __ROOFLINT_ONE(lgamma)
__ROOFLINT_ONE(ceil) __ROOFLINT_ONE(floor) __ROOFLINT_ONE(trunc) __ROOFLINT_ONE(round)
__ROOFLINT_ONE(rint) __ROOFLINT_ONE(nearbyint)
__ROOFLINT_TWO(pow) __ROOFLINT_TWO(atan2) __ROOFLINT_TWO(hypot) __ROOFLINT_TWO(fmod)
__ROOFLINT_TWO(remainder) __ROOFLINT_TWO(fdim) __ROOFLINT_TWO(fmax) __ROOFLINT_TWO(fmin)
__ROOFLINT_TWO(copysign) __ROOFLINT_TWO(nextafter)
__ROOFLINT_ROUND(int, ilogb)
__ROOFLINT_ROUND(long, lrint) __ROOFLINT_ROUND(long, lround)
__ROOFLINT_ROUND(long long, llrint) __ROOFLINT_ROUND(long long, llround)
__ROOFLINT_EXPONENT(int, ldexp) __ROOFLINT_EXPONENT(int, scalbn) __ROOFLINT_EXPONENT(long, scalbln)
__ROOFLINT_EXPONENT(int *, frexp)
using ::modf; using ::nan; using ::nanf; using ::remquo; using ::fma; using ::fmaf; using ::modff;
float modf(float, float *);
long double modf(long double, long double *);
float fma(float, float, float);
long double fma(long double, long double, long double);
template <class __T, class __U, class __V>
__rooflint_widest<__rooflint_widest<__T, __U>, __V> fma(__T, __U, __V);
__ROOFLINT_CLASSIFY(isfinite) __ROOFLINT_CLASSIFY(isinf) __ROOFLINT_CLASSIFY(isnan)
__ROOFLINT_CLASSIFY(isnormal) __ROOFLINT_CLASSIFY(signbit)
__ROOFLINT_ORDER(isgreater) __ROOFLINT_ORDER(isgreaterequal) __ROOFLINT_ORDER(isless)
__ROOFLINT_ORDER(islessequal) __ROOFLINT_ORDER(islessgreater) __ROOFLINT_ORDER(isunordered)
int fpclassify(float);
int fpclassify(double);
int fpclassify(long double);
#if __ROOFLINT_CPP17
double hypot(double, double, double);
float hypot(float, float, float);
double legendre(unsigned int, double);
double riemann_zeta(double);
double cyl_bessel_j(double, double);
double beta(double, double);
#endif
#if __ROOFLINT_CPP20
constexpr float lerp(float __a, float __b, float __t) { return __a + __t * (__b - __a); }
constexpr double lerp(double __a, double __b, double __t) { return __a + __t * (__b - __a); }
#endif
}
