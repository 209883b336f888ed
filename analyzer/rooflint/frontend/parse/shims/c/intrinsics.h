/* x86 vector types and intrinsics. A line "//@ name.h [alias.h ...]" starts the virtual file. */
//@ immintrin.h x86intrin.h xmmintrin.h emmintrin.h pmmintrin.h tmmintrin.h smmintrin.h nmmintrin.h wmmintrin.h ammintrin.h mmintrin.h avxintrin.h avx2intrin.h avx512fintrin.h fmaintrin.h zmmintrin.h ia32intrin.h popcntintrin.h f16cintrin.h bmiintrin.h bmi2intrin.h intrin.h
#include <mm_malloc.h>
#define __ROOFLINT_VECTOR(type, name, bytes)                                                       \
  typedef type name __attribute__((__vector_size__(bytes), __aligned__(bytes), __may_alias__));    \
  typedef type name##_u __attribute__((__vector_size__(bytes), __aligned__(1), __may_alias__));
typedef long long __m64 __attribute__((__vector_size__(8), __aligned__(8)));
__ROOFLINT_VECTOR(float, __m128, 16)
__ROOFLINT_VECTOR(double, __m128d, 16)
__ROOFLINT_VECTOR(long long, __m128i, 16)
__ROOFLINT_VECTOR(float, __m256, 32)
__ROOFLINT_VECTOR(double, __m256d, 32)
__ROOFLINT_VECTOR(long long, __m256i, 32)
__ROOFLINT_VECTOR(float, __m512, 64)
__ROOFLINT_VECTOR(double, __m512d, 64)
__ROOFLINT_VECTOR(long long, __m512i, 64)
typedef unsigned char __mmask8;
typedef unsigned short __mmask16;
typedef unsigned int __mmask32;
typedef unsigned long long __mmask64;
typedef short __m256bh __attribute__((__vector_size__(32)));
typedef short __m512bh __attribute__((__vector_size__(64)));
typedef short __m512h __attribute__((__vector_size__(64)));
#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_T2 1
#define _MM_HINT_NTA 0
#define _MM_FROUND_TO_NEAREST_INT 0
#define _MM_FROUND_TO_NEG_INF 1
#define _MM_FROUND_TO_POS_INF 2
#define _MM_FROUND_TO_ZERO 3
#define _MM_FROUND_CUR_DIRECTION 4
#define _MM_FROUND_NO_EXC 8
#define _MM_FROUND_NINT 0
#define _MM_ROUND_NEAREST 0
#define _MM_ROUND_DOWN 0x2000
#define _MM_ROUND_UP 0x4000
#define _MM_ROUND_TOWARD_ZERO 0x6000
#define _MM_FLUSH_ZERO_ON 0x8000
#define _MM_DENORMALS_ZERO_ON 0x40
#define _MM_SHUFFLE(z, y, x, w) (((z) << 6) | ((y) << 4) | ((x) << 2) | (w))
#define _MM_SHUFFLE2(x, y) (((x) << 1) | (y))
#define _MM_SET_FLUSH_ZERO_MODE(mode) _mm_setcsr((_mm_getcsr() & ~0x8000u) | (mode))
#define _MM_SET_DENORMALS_ZERO_MODE(mode) _mm_setcsr((_mm_getcsr() & ~0x40u) | (mode))
#define _CMP_EQ_OQ 0
#define _CMP_LT_OS 1
#define _CMP_LE_OS 2
#define _CMP_UNORD_Q 3
#define _CMP_NEQ_UQ 4
#define _CMP_NLT_US 5
#define _CMP_ORD_Q 7
#define _CMP_NEQ_OQ 12
#define _CMP_GE_OS 13
#define _CMP_GT_OS 14
#define _CMP_LT_OQ 17
#define _CMP_LE_OQ 18
#define _CMP_GE_OQ 29
#define _CMP_GT_OQ 30
#define _MM_CMPINT_EQ 0
#define _MM_CMPINT_LT 1
#define _MM_CMPINT_LE 2
unsigned int _mm_getcsr(void);
void _mm_setcsr(unsigned int);
#define _mm_prefetch(address, hint) __builtin_prefetch((const void *)(address))
void _mm_pause(void);
void _mm_sfence(void);
void _mm_lfence(void);
void _mm_mfence(void);
void _mm_clflush(const void *);
void _mm_clflushopt(const void *);
void _mm256_zeroupper(void);
void _mm256_zeroall(void);
void _mm_stream_si32(int *, int);
void _mm_stream_si64(long long *, long long);
unsigned long long __rdtsc(void);
unsigned long long __rdtscp(unsigned int *);
#define _rdtsc() __rdtsc()
int _mm_popcnt_u32(unsigned int);
long long _mm_popcnt_u64(unsigned long long);
unsigned int _mm_crc32_u32(unsigned int, unsigned int);
unsigned int _pext_u32(unsigned int, unsigned int);
unsigned int _pdep_u32(unsigned int, unsigned int);
unsigned long long _pext_u64(unsigned long long, unsigned long long);
unsigned long long _pdep_u64(unsigned long long, unsigned long long);
unsigned int _tzcnt_u32(unsigned int);
unsigned long long _tzcnt_u64(unsigned long long);
unsigned int _lzcnt_u32(unsigned int);
unsigned long long _lzcnt_u64(unsigned long long);
unsigned short _cvtss_sh(float, int);
float _cvtsh_ss(unsigned short);
int _may_i_use_cpu_feature(unsigned long long);
/* p: prefix, e: element suffix, V: vector, I: integer vector of the same bytes, S: scalar */
#define __ROOFLINT_FLOATING(p, e, V, S)                                                            \
  V p##_add_##e(V, V); V p##_sub_##e(V, V); V p##_mul_##e(V, V); V p##_div_##e(V, V);              \
  V p##_min_##e(V, V); V p##_max_##e(V, V); V p##_sqrt_##e(V);                                     \
  V p##_and_##e(V, V); V p##_or_##e(V, V); V p##_xor_##e(V, V); V p##_andnot_##e(V, V);            \
  V p##_fmadd_##e(V, V, V); V p##_fmsub_##e(V, V, V);                                              \
  V p##_fnmadd_##e(V, V, V); V p##_fnmsub_##e(V, V, V);                                            \
  V p##_loadu_##e(const S *); V p##_load_##e(const S *);                                           \
  void p##_storeu_##e(S *, V); void p##_store_##e(S *, V); void p##_stream_##e(S *, V);            \
  V p##_set1_##e(S); V p##_setzero_##e(void);                                                      \
  V p##_unpacklo_##e(V, V); V p##_unpackhi_##e(V, V);                                              \
  V p##_exp_##e(V); V p##_log_##e(V); V p##_sin_##e(V); V p##_cos_##e(V); V p##_pow_##e(V, V);
/* what SSE and AVX have and AVX-512 has otherwise */
#define __ROOFLINT_FLOATING_SHORT(p, e, V, S)                                                      \
  V p##_addsub_##e(V, V); V p##_hadd_##e(V, V); V p##_hsub_##e(V, V); V p##_fmaddsub_##e(V, V, V); \
  V p##_round_##e(V, int); V p##_floor_##e(V); V p##_ceil_##e(V); V p##_undefined_##e(void);       \
  V p##_blend_##e(V, V, int); V p##_blendv_##e(V, V, V); V p##_dp_##e(V, V, int);                  \
  V p##_cmp_##e(V, V, int); int p##_movemask_##e(V); V p##_shuffle_##e(V, V, int);                 \
  V p##_permute_##e(V, int);
#define __ROOFLINT_INTEGER(p, b, V)                                                                \
  V p##_add_epi##b(V, V); V p##_sub_epi##b(V, V);                                                  \
  V p##_unpacklo_epi##b(V, V); V p##_unpackhi_epi##b(V, V);                                        \
  V p##_cmpeq_epi##b(V, V); V p##_cmpgt_epi##b(V, V);
#define __ROOFLINT_INTEGER_ALL(p, V, bits)                                                         \
  __ROOFLINT_INTEGER(p, 8, V) __ROOFLINT_INTEGER(p, 16, V)                                         \
  __ROOFLINT_INTEGER(p, 32, V) __ROOFLINT_INTEGER(p, 64, V)                                        \
  V p##_adds_epi8(V, V); V p##_adds_epi16(V, V); V p##_subs_epi8(V, V); V p##_subs_epi16(V, V);    \
  V p##_adds_epu8(V, V); V p##_subs_epu8(V, V); V p##_avg_epu8(V, V); V p##_sad_epu8(V, V);        \
  V p##_mul_epu32(V, V); V p##_mul_epi32(V, V); V p##_mulhi_epi16(V, V); V p##_mulhrs_epi16(V, V); \
  V p##_mullo_epi16(V, V); V p##_mullo_epi32(V, V); V p##_mullo_epi64(V, V);                       \
  V p##_madd_epi16(V, V); V p##_maddubs_epi16(V, V); V p##_hadd_epi16(V, V); V p##_hadd_epi32(V, V); \
  V p##_min_epi32(V, V); V p##_max_epi32(V, V); V p##_min_epi8(V, V); V p##_max_epi8(V, V);        \
  V p##_min_epi16(V, V); V p##_max_epi16(V, V); V p##_min_epu8(V, V); V p##_max_epu8(V, V);        \
  V p##_abs_epi8(V); V p##_abs_epi16(V); V p##_abs_epi32(V);                                       \
  V p##_sign_epi8(V, V); V p##_sign_epi16(V, V); V p##_sign_epi32(V, V);                           \
  V p##_slli_epi16(V, int); V p##_slli_epi32(V, int); V p##_slli_epi64(V, int);                    \
  V p##_srli_epi16(V, int); V p##_srli_epi32(V, int); V p##_srli_epi64(V, int);                    \
  V p##_srai_epi16(V, int); V p##_srai_epi32(V, int); V p##_slli_si##bits(V, int);                 \
  V p##_srli_si##bits(V, int); V p##_sllv_epi32(V, V); V p##_srlv_epi32(V, V);                     \
  V p##_srav_epi32(V, V); V p##_sllv_epi64(V, V); V p##_srlv_epi64(V, V);                          \
  V p##_and_si##bits(V, V); V p##_or_si##bits(V, V); V p##_xor_si##bits(V, V);                     \
  V p##_andnot_si##bits(V, V); V p##_setzero_si##bits(void); V p##_undefined_si##bits(void);       \
  V p##_load_si##bits(const void *); V p##_loadu_si##bits(const void *);                           \
  V p##_lddqu_si##bits(const void *); void p##_store_si##bits(void *, V);                          \
  void p##_storeu_si##bits(void *, V); void p##_stream_si##bits(void *, V);                        \
  V p##_stream_load_si##bits(const void *);                                                        \
  V p##_set1_epi8(char); V p##_set1_epi16(short); V p##_set1_epi32(int);                           \
  V p##_shuffle_epi8(V, V); V p##_shuffle_epi32(V, int); V p##_packs_epi16(V, V);                  \
  V p##_packs_epi32(V, V); V p##_packus_epi16(V, V); V p##_packus_epi32(V, V);                     \
  V p##_alignr_epi8(V, V, int); int p##_movemask_epi8(V); V p##_blendv_epi8(V, V, V);              \
  V p##_dpbusd_epi32(V, V, V); V p##_dpbusd_avx_epi32(V, V, V); V p##_dpwssd_epi32(V, V, V);
#define __ROOFLINT_CASTS(p, n, F, D, N)                                                            \
  F p##_castsi##n##_ps(N); D p##_castsi##n##_pd(N); N p##_castps_si##n(F); N p##_castpd_si##n(D);  \
  F p##_castpd_ps(D); D p##_castps_pd(F); F p##_cvtepi32_ps(N); N p##_cvtps_epi32(F);              \
  N p##_cvttps_epi32(F); F p##_rcp_ps(F); F p##_rsqrt_ps(F); D p##_movedup_pd(D);                  \
  F p##_moveldup_ps(F); F p##_movehdup_ps(F);
__ROOFLINT_FLOATING(_mm, ps, __m128, float)
__ROOFLINT_FLOATING(_mm, pd, __m128d, double)
__ROOFLINT_FLOATING(_mm256, ps, __m256, float)
__ROOFLINT_FLOATING(_mm256, pd, __m256d, double)
__ROOFLINT_FLOATING(_mm512, ps, __m512, void)
__ROOFLINT_FLOATING(_mm512, pd, __m512d, void)
__ROOFLINT_FLOATING_SHORT(_mm, ps, __m128, float)
__ROOFLINT_FLOATING_SHORT(_mm, pd, __m128d, double)
__ROOFLINT_FLOATING_SHORT(_mm256, ps, __m256, float)
__ROOFLINT_FLOATING_SHORT(_mm256, pd, __m256d, double)
__ROOFLINT_INTEGER_ALL(_mm, __m128i, 128)
__ROOFLINT_INTEGER_ALL(_mm256, __m256i, 256)
__ROOFLINT_INTEGER_ALL(_mm512, __m512i, 512)
__ROOFLINT_CASTS(_mm, 128, __m128, __m128d, __m128i)
__ROOFLINT_CASTS(_mm256, 256, __m256, __m256d, __m256i)
__ROOFLINT_CASTS(_mm512, 512, __m512, __m512d, __m512i)
#define __ROOFLINT_SCALAR(e, V)                                                                    \
  V _mm_add_##e(V, V); V _mm_sub_##e(V, V); V _mm_mul_##e(V, V); V _mm_div_##e(V, V);              \
  V _mm_min_##e(V, V); V _mm_max_##e(V, V); V _mm_move_##e(V, V); V _mm_fmadd_##e(V, V, V);
__ROOFLINT_SCALAR(ss, __m128) __ROOFLINT_SCALAR(sd, __m128d)
#define __ROOFLINT_COMPARE(e, V)                                                                   \
  V _mm_cmpeq_##e(V, V); V _mm_cmpneq_##e(V, V); V _mm_cmplt_##e(V, V); V _mm_cmple_##e(V, V);     \
  V _mm_cmpgt_##e(V, V); V _mm_cmpge_##e(V, V); V _mm_cmpord_##e(V, V); V _mm_cmpunord_##e(V, V);
__ROOFLINT_COMPARE(ps, __m128) __ROOFLINT_COMPARE(pd, __m128d)
__m128 _mm_set_ps(float, float, float, float);
__m128 _mm_setr_ps(float, float, float, float);
__m128 _mm_set_ps1(float);
__m128 _mm_set_ss(float);
__m128 _mm_load1_ps(const float *);
__m128 _mm_load_ps1(const float *);
__m128 _mm_load_ss(const float *);
void _mm_store_ss(float *, __m128);
float _mm_cvtss_f32(__m128);
__m128 _mm_sqrt_ss(__m128);
__m128 _mm_movehl_ps(__m128, __m128);
__m128 _mm_movelh_ps(__m128, __m128);
__m128 _mm_broadcast_ss(const float *);
__m128d _mm_set_pd(double, double);
__m128d _mm_setr_pd(double, double);
__m128d _mm_set_sd(double);
__m128d _mm_load_sd(const double *);
__m128d _mm_load1_pd(const double *);
__m128d _mm_loaddup_pd(const double *);
__m128d _mm_loadl_pd(__m128d, const double *);
__m128d _mm_loadh_pd(__m128d, const double *);
void _mm_store_sd(double *, __m128d);
void _mm_storel_pd(double *, __m128d);
void _mm_storeh_pd(double *, __m128d);
double _mm_cvtsd_f64(__m128d);
__m128d _mm_sqrt_sd(__m128d, __m128d);
__m128d _mm_cvtps_pd(__m128);
__m128 _mm_cvtpd_ps(__m128d);
__m128d _mm_cvtepi32_pd(__m128i);
__m128i _mm_cvtpd_epi32(__m128d);
__m128i _mm_cvttpd_epi32(__m128d);
__m128 _mm_cvtph_ps(__m128i);
__m128i _mm_cvtps_ph(__m128, int);
__m128i _mm_set_epi8(char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char);
__m128i _mm_setr_epi8(char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char);
__m128i _mm_set_epi16(short, short, short, short, short, short, short, short);
__m128i _mm_setr_epi16(short, short, short, short, short, short, short, short);
__m128i _mm_set_epi32(int, int, int, int);
__m128i _mm_setr_epi32(int, int, int, int);
__m128i _mm_set_epi64x(long long, long long);
__m128i _mm_set1_epi64x(long long);
__m128i _mm_loadl_epi64(const void *);
void _mm_storel_epi64(void *, __m128i);
__m128i _mm_loadu_si32(const void *);
__m128i _mm_loadu_si64(const void *);
int _mm_cvtsi128_si32(__m128i);
long long _mm_cvtsi128_si64(__m128i);
__m128i _mm_cvtsi32_si128(int);
__m128i _mm_cvtsi64_si128(long long);
int _mm_extract_epi8(__m128i, int);
int _mm_extract_epi16(__m128i, int);
int _mm_extract_epi32(__m128i, int);
long long _mm_extract_epi64(__m128i, int);
__m128i _mm_insert_epi32(__m128i, int, int);
__m128i _mm_cvtepi8_epi16(__m128i);
__m128i _mm_cvtepu8_epi16(__m128i);
__m128i _mm_cvtepi16_epi32(__m128i);
__m128i _mm_cvtepi8_epi32(__m128i);
__m128i _mm_bslli_si128(__m128i, int);
__m128i _mm_bsrli_si128(__m128i, int);
int _mm_testz_si128(__m128i, __m128i);
__m256 _mm256_set_ps(float, float, float, float, float, float, float, float);
__m256 _mm256_setr_ps(float, float, float, float, float, float, float, float);
__m256d _mm256_set_pd(double, double, double, double);
__m256d _mm256_setr_pd(double, double, double, double);
__m256 _mm256_broadcast_ss(const float *);
__m256d _mm256_broadcast_sd(const double *);
__m256 _mm256_broadcastss_ps(__m128);
__m256d _mm256_broadcastsd_pd(__m128d);
__m256i _mm256_broadcastsi128_si256(__m128i);
__m256 _mm256_broadcast_ps(const __m128 *);
__m128 _mm256_castps256_ps128(__m256);
__m128d _mm256_castpd256_pd128(__m256d);
__m128i _mm256_castsi256_si128(__m256i);
__m256 _mm256_castps128_ps256(__m128);
__m256d _mm256_castpd128_pd256(__m128d);
__m256i _mm256_castsi128_si256(__m128i);
__m128 _mm256_extractf128_ps(__m256, int);
__m128d _mm256_extractf128_pd(__m256d, int);
__m128i _mm256_extractf128_si256(__m256i, int);
__m128i _mm256_extracti128_si256(__m256i, int);
int _mm256_extract_epi32(__m256i, int);
long long _mm256_extract_epi64(__m256i, int);
__m256 _mm256_insertf128_ps(__m256, __m128, int);
__m256d _mm256_insertf128_pd(__m256d, __m128d, int);
__m256i _mm256_insertf128_si256(__m256i, __m128i, int);
__m256i _mm256_inserti128_si256(__m256i, __m128i, int);
__m256 _mm256_permute2f128_ps(__m256, __m256, int);
__m256d _mm256_permute2f128_pd(__m256d, __m256d, int);
__m256i _mm256_permute2x128_si256(__m256i, __m256i, int);
__m256i _mm256_permute2f128_si256(__m256i, __m256i, int);
__m256i _mm256_blend_epi16(__m256i, __m256i, int);
__m128i _mm_blend_epi16(__m128i, __m128i, int);
__m256i _mm256_cvtepu16_epi32(__m128i);
__m128i _mm_cvtepu16_epi32(__m128i);
__m128i _mm_maskload_epi32(const int *, __m128i);
__m256i _mm256_maskload_epi32(const int *, __m256i);
void _mm256_maskstore_epi32(int *, __m256i, __m256i);
__m256d _mm256_permute4x64_pd(__m256d, int);
__m256i _mm256_permute4x64_epi64(__m256i, int);
__m256 _mm256_permutevar8x32_ps(__m256, __m256i);
__m256i _mm256_permutevar8x32_epi32(__m256i, __m256i);
__m256d _mm256_cvtps_pd(__m128);
__m128 _mm256_cvtpd_ps(__m256d);
__m256d _mm256_cvtepi32_pd(__m128i);
__m128i _mm256_cvtpd_epi32(__m256d);
__m128i _mm256_cvttpd_epi32(__m256d);
__m256 _mm256_cvtph_ps(__m128i);
__m128i _mm256_cvtps_ph(__m256, int);
float _mm256_cvtss_f32(__m256);
double _mm256_cvtsd_f64(__m256d);
int _mm256_cvtsi256_si32(__m256i);
__m256i _mm256_set_epi8(char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char);
__m256i _mm256_setr_epi8(char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char, char);
__m256i _mm256_set_epi16(short, short, short, short, short, short, short, short, short, short, short, short, short, short, short, short);
__m256i _mm256_setr_epi16(short, short, short, short, short, short, short, short, short, short, short, short, short, short, short, short);
__m128i _mm_blend_epi32(__m128i, __m128i, int);
__m256i _mm256_set_epi32(int, int, int, int, int, int, int, int);
__m256i _mm256_setr_epi32(int, int, int, int, int, int, int, int);
__m256i _mm256_set_epi64x(long long, long long, long long, long long);
__m256i _mm256_setr_epi64x(long long, long long, long long, long long);
__m256i _mm256_set1_epi64x(long long);
__m256i _mm256_set_m128i(__m128i, __m128i);
__m256 _mm256_set_m128(__m128, __m128);
__m256i _mm256_cvtepi8_epi16(__m128i);
__m256i _mm256_cvtepu8_epi16(__m128i);
__m256i _mm256_cvtepi16_epi32(__m128i);
__m256i _mm256_cvtepi8_epi32(__m128i);
__m256i _mm256_cvtepu8_epi32(__m128i);
__m256i _mm256_cvtepi32_epi64(__m128i);
__m256 _mm256_maskload_ps(const float *, __m256i);
__m256d _mm256_maskload_pd(const double *, __m256i);
void _mm256_maskstore_ps(float *, __m256i, __m256);
void _mm256_maskstore_pd(double *, __m256i, __m256d);
__m256 _mm256_i32gather_ps(const float *, __m256i, int);
__m256d _mm256_i32gather_pd(const double *, __m128i, int);
__m256d _mm256_i64gather_pd(const double *, __m256i, int);
__m256i _mm256_i32gather_epi32(const int *, __m256i, int);
__m256i _mm256_bsrli_epi128(__m256i, int);
__m256i _mm256_blend_epi32(__m256i, __m256i, int);
__m512 _mm512_castps256_ps512(__m256);
__m512d _mm512_castpd256_pd512(__m256d);
__m512i _mm512_castsi256_si512(__m256i);
__m256 _mm512_castps512_ps256(__m512);
__m256d _mm512_castpd512_pd256(__m512d);
__m256i _mm512_castsi512_si256(__m512i);
__m256 _mm512_extractf32x8_ps(__m512, int);
__m256d _mm512_extractf64x4_pd(__m512d, int);
__m256i _mm512_extracti64x4_epi64(__m512i, int);
__m256i _mm512_extracti32x8_epi32(__m512i, int);
__m512i _mm512_inserti64x4(__m512i, __m256i, int);
__m512i _mm512_inserti32x8(__m512i, __m256i, int);
__m512 _mm512_insertf32x8(__m512, __m256, int);
float _mm512_reduce_add_ps(__m512);
double _mm512_reduce_add_pd(__m512d);
float _mm512_reduce_max_ps(__m512);
double _mm512_reduce_max_pd(__m512d);
int _mm512_reduce_add_epi32(__m512i);
__m512 _mm512_setr_ps(float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float);
__m512d _mm512_set_pd(double, double, double, double, double, double, double, double);
__m512i _mm512_set_epi32(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
__m512i _mm512_set_epi64(long long, long long, long long, long long, long long, long long, long long, long long);
__m512i _mm512_set1_epi64(long long);
__m512 _mm512_setzero(void);
__m512i _mm512_and_epi32(__m512i, __m512i);
__m512i _mm512_or_epi32(__m512i, __m512i);
__m512i _mm512_xor_epi32(__m512i, __m512i);
__m512i _mm512_loadu_epi32(const void *);
__m512i _mm512_load_epi32(const void *);
void _mm512_storeu_epi32(void *, __m512i);
__m512i _mm512_cvtepi8_epi16(__m256i);
__m512i _mm512_cvtepu8_epi16(__m256i);
__m512i _mm512_cvtepi8_epi32(__m128i);
__m512i _mm512_cvtepu8_epi32(__m128i);
__m512i _mm512_cvtepi16_epi32(__m256i);
__m512 _mm512_cvtph_ps(__m256i);
__m256i _mm512_cvtps_ph(__m512, int);
__m512d _mm512_cvtps_pd(__m256);
__m256 _mm512_cvtpd_ps(__m512d);
__m512d _mm512_cvtepi32_pd(__m256i);
__m512 _mm512_i32gather_ps(__m512i, const void *, int);
__m512d _mm512_i32gather_pd(__m256i, const void *, int);
__m512d _mm512_i64gather_pd(__m512i, const void *, int);
__m512 _mm512_maskz_loadu_ps(__mmask16, const void *);
__m512d _mm512_maskz_loadu_pd(__mmask8, const void *);
__m512 _mm512_mask_loadu_ps(__m512, __mmask16, const void *);
__m512d _mm512_mask_loadu_pd(__m512d, __mmask8, const void *);
void _mm512_mask_storeu_ps(void *, __mmask16, __m512);
void _mm512_mask_storeu_pd(void *, __mmask8, __m512d);
__m512 _mm512_mask_add_ps(__m512, __mmask16, __m512, __m512);
__m512d _mm512_mask_add_pd(__m512d, __mmask8, __m512d, __m512d);
__m512 _mm512_mask_mul_ps(__m512, __mmask16, __m512, __m512);
__m512d _mm512_mask_mul_pd(__m512d, __mmask8, __m512d, __m512d);
__m512 _mm512_mask_blend_ps(__mmask16, __m512, __m512);
__m512d _mm512_mask_blend_pd(__mmask8, __m512d, __m512d);
__mmask16 _mm512_cmp_ps_mask(__m512, __m512, int);
__mmask8 _mm512_cmp_pd_mask(__m512d, __m512d, int);
__m512 _mm512_roundscale_ps(__m512, int);
__m512 _mm512_scalef_ps(__m512, __m512);
__m512 _mm512_abs_ps(__m512);
__m512d _mm512_abs_pd(__m512d);
__m512 _mm512_permutexvar_ps(__m512i, __m512);
__m512d _mm512_permutexvar_pd(__m512i, __m512d);
__m512i _mm512_permutexvar_epi32(__m512i, __m512i);
__m512 _mm512_shuffle_ps(__m512, __m512, int);
__m512d _mm512_shuffle_pd(__m512d, __m512d, int);
//@ mm_malloc.h
void *_mm_malloc(__SIZE_TYPE__, __SIZE_TYPE__);
void _mm_free(void *);
//@ cpuid.h
#define __get_cpuid(leaf, a, b, c, d) __rooflint_cpuid(leaf, a, b, c, d)
int __rooflint_cpuid(unsigned int, unsigned int *, unsigned int *, unsigned int *, unsigned int *);
