/* C headers for arithmetic. A line "//@ name.h [alias.h ...]" starts the virtual file. */
//@ math.h
#define __ROOFLINT_F1(name) double name(double); float name##f(float); long double name##l(long double);
#define __ROOFLINT_F2(name)                                                                       \
  double name(double, double);                                                                    \
  float name##f(float, float);                                                                    \
  long double name##l(long double, long double);
#define __ROOFLINT_TO(type, name) type name(double); type name##f(float); type name##l(long double);
#define __ROOFLINT_WITH(type, name)                                                               \
  double name(double, type);                                                                      \
  float name##f(float, type);                                                                     \
  long double name##l(long double, type);
__ROOFLINT_F1(sqrt) __ROOFLINT_F1(cbrt) __ROOFLINT_F1(fabs)
__ROOFLINT_F1(sin) __ROOFLINT_F1(cos) __ROOFLINT_F1(tan)
__ROOFLINT_F1(asin) __ROOFLINT_F1(acos) __ROOFLINT_F1(atan)
__ROOFLINT_F1(sinh) __ROOFLINT_F1(cosh) __ROOFLINT_F1(tanh)
__ROOFLINT_F1(asinh) __ROOFLINT_F1(acosh) __ROOFLINT_F1(atanh)
__ROOFLINT_F1(exp) __ROOFLINT_F1(exp2) __ROOFLINT_F1(expm1)
__ROOFLINT_F1(log) __ROOFLINT_F1(log2) __ROOFLINT_F1(log10) __ROOFLINT_F1(log1p) __ROOFLINT_F1(logb)
__ROOFLINT_F1(erf) __ROOFLINT_F1(erfc) __ROOFLINT_F1(tgamma) __ROOFLINT_F1(lgamma)
__ROOFLINT_F1(ceil) __ROOFLINT_F1(floor) __ROOFLINT_F1(trunc) __ROOFLINT_F1(round)
__ROOFLINT_F1(rint) __ROOFLINT_F1(nearbyint)
__ROOFLINT_F2(pow) __ROOFLINT_F2(atan2) __ROOFLINT_F2(hypot) __ROOFLINT_F2(fmod)
__ROOFLINT_F2(remainder) __ROOFLINT_F2(fdim) __ROOFLINT_F2(fmax) __ROOFLINT_F2(fmin)
__ROOFLINT_F2(copysign) __ROOFLINT_F2(nextafter)
__ROOFLINT_TO(int, ilogb)
__ROOFLINT_TO(long, lrint) __ROOFLINT_TO(long, lround)
__ROOFLINT_TO(long long, llrint) __ROOFLINT_TO(long long, llround)
__ROOFLINT_WITH(int, ldexp) __ROOFLINT_WITH(int, scalbn) __ROOFLINT_WITH(long, scalbln)
__ROOFLINT_WITH(int *, frexp) __ROOFLINT_WITH(long double, nexttoward)
double fma(double, double, double);
float fmaf(float, float, float);
long double fmal(long double, long double, long double);
double modf(double, double *);
float modff(float, float *);
long double modfl(long double, long double *);
double remquo(double, double, int *);
float remquof(float, float, int *);
long double remquol(long double, long double, int *);
double nan(const char *);
float nanf(const char *);
long double nanl(const char *);
#ifndef __STRICT_ANSI__
__ROOFLINT_F1(j0) __ROOFLINT_F1(j1) __ROOFLINT_F1(y0) __ROOFLINT_F1(y1)
double jn(int, double);
double yn(int, double);
double gamma(double);
double drem(double, double);
int finite(double);
int finitef(float);
double lgamma_r(double, int *);
extern int signgam;
#endif
#ifdef _GNU_SOURCE
__ROOFLINT_F1(exp10)
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
void sincosl(long double, long double *, long double *);
#endif
#if __FLT_EVAL_METHOD__ == 2
typedef long double float_t, double_t;
#else
typedef float float_t;
typedef double double_t;
#endif
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define MAXFLOAT __FLT_MAX__
#define HUGE __FLT_MAX__
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 3
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifdef _GNU_SOURCE
#define M_PIl 3.141592653589793238462643383279502884L
#define M_PIf 3.14159265358979323846f
#endif
//@ complex.h
#ifndef __cplusplus
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#define CMPLXL(re, im) __builtin_complex((long double)(re), (long double)(im))
#define __ROOFLINT_C1(name)                                                                       \
  double _Complex name(double _Complex);                                                          \
  float _Complex name##f(float _Complex);                                                         \
  long double _Complex name##l(long double _Complex);
#define __ROOFLINT_CR(name)                                                                       \
  double name(double _Complex); float name##f(float _Complex); long double name##l(long double _Complex);
__ROOFLINT_C1(csqrt) __ROOFLINT_C1(cexp) __ROOFLINT_C1(clog) __ROOFLINT_C1(conj) __ROOFLINT_C1(cproj)
__ROOFLINT_C1(csin) __ROOFLINT_C1(ccos) __ROOFLINT_C1(ctan)
__ROOFLINT_C1(casin) __ROOFLINT_C1(cacos) __ROOFLINT_C1(catan)
__ROOFLINT_C1(csinh) __ROOFLINT_C1(ccosh) __ROOFLINT_C1(ctanh)
__ROOFLINT_C1(casinh) __ROOFLINT_C1(cacosh) __ROOFLINT_C1(catanh)
__ROOFLINT_CR(cabs) __ROOFLINT_CR(carg) __ROOFLINT_CR(creal) __ROOFLINT_CR(cimag)
double _Complex cpow(double _Complex, double _Complex);
float _Complex cpowf(float _Complex, float _Complex);
long double _Complex cpowl(long double _Complex, long double _Complex);
#endif
//@ fenv.h
typedef struct { unsigned short __control[16]; unsigned int __mxcsr; } fenv_t;
typedef unsigned short fexcept_t;
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
#define FE_DFL_ENV ((const fenv_t *)-1)
int feclearexcept(int);
int feraiseexcept(int);
int fetestexcept(int);
int fegetexceptflag(fexcept_t *, int);
int fesetexceptflag(const fexcept_t *, int);
int fegetround(void);
int fesetround(int);
int fegetenv(fenv_t *);
int fesetenv(const fenv_t *);
int feholdexcept(fenv_t *);
int feupdateenv(const fenv_t *);
int feenableexcept(int);
int fedisableexcept(int);
//@ tgmath.h
/* Overloads instead of macros: a call keeps the name of the function and has the right type. */
#include <math.h>
#include <complex.h>
#ifndef __cplusplus
#define __ROOFLINT_OVERLOAD __attribute__((overloadable))
#define __ROOFLINT_REAL(name)                                                                     \
  float __ROOFLINT_OVERLOAD name(float);                                                          \
  long double __ROOFLINT_OVERLOAD name(long double);                                              \
  double __ROOFLINT_OVERLOAD name(int);                                                           \
  double __ROOFLINT_OVERLOAD name(long);
#define __ROOFLINT_REAL2(name)                                                                    \
  float __ROOFLINT_OVERLOAD name(float, float);                                                   \
  double __ROOFLINT_OVERLOAD name(float, double);                                                 \
  double __ROOFLINT_OVERLOAD name(double, float);                                                 \
  double __ROOFLINT_OVERLOAD name(double, int);                                                   \
  double __ROOFLINT_OVERLOAD name(float, int);                                                    \
  double __ROOFLINT_OVERLOAD name(int, double);                                                   \
  double __ROOFLINT_OVERLOAD name(int, float);                                                    \
  double __ROOFLINT_OVERLOAD name(int, int);                                                      \
  long double __ROOFLINT_OVERLOAD name(long double, long double);
#define __ROOFLINT_COMPLEX(name)                                                                  \
  __ROOFLINT_REAL(name)                                                                           \
  float _Complex __ROOFLINT_OVERLOAD name(float _Complex);                                        \
  double _Complex __ROOFLINT_OVERLOAD name(double _Complex);
#define __ROOFLINT_PART(name)                                                                     \
  float __ROOFLINT_OVERLOAD name(float _Complex);                                                 \
  double __ROOFLINT_OVERLOAD name(double);                                                        \
  float __ROOFLINT_OVERLOAD name(float);
__ROOFLINT_COMPLEX(sqrt) __ROOFLINT_COMPLEX(exp) __ROOFLINT_COMPLEX(log)
__ROOFLINT_COMPLEX(sin) __ROOFLINT_COMPLEX(cos) __ROOFLINT_COMPLEX(tan)
__ROOFLINT_COMPLEX(asin) __ROOFLINT_COMPLEX(acos) __ROOFLINT_COMPLEX(atan)
__ROOFLINT_COMPLEX(sinh) __ROOFLINT_COMPLEX(cosh) __ROOFLINT_COMPLEX(tanh)
__ROOFLINT_REAL(fabs) __ROOFLINT_REAL(cbrt) __ROOFLINT_REAL(exp2) __ROOFLINT_REAL(expm1)
__ROOFLINT_REAL(log2) __ROOFLINT_REAL(log10) __ROOFLINT_REAL(log1p) __ROOFLINT_REAL(erf)
__ROOFLINT_REAL(tgamma) __ROOFLINT_REAL(lgamma) __ROOFLINT_REAL(ceil) __ROOFLINT_REAL(floor)
__ROOFLINT_REAL(trunc) __ROOFLINT_REAL(round) __ROOFLINT_REAL(rint)
__ROOFLINT_REAL2(pow) __ROOFLINT_REAL2(atan2) __ROOFLINT_REAL2(hypot) __ROOFLINT_REAL2(fmod)
__ROOFLINT_REAL2(fmax) __ROOFLINT_REAL2(fmin) __ROOFLINT_REAL2(copysign)
double _Complex __ROOFLINT_OVERLOAD pow(double _Complex, double _Complex);
float __ROOFLINT_OVERLOAD fabs(float _Complex);
double __ROOFLINT_OVERLOAD fabs(double _Complex);
float __ROOFLINT_OVERLOAD fma(float, float, float);
__ROOFLINT_PART(creal) __ROOFLINT_PART(cimag) __ROOFLINT_PART(carg)
#endif
