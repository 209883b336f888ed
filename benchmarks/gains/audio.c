// Loops of audio codecs and signal processing: correlations, filters, conversions.

// loop: lagged_products
// source: opus, silk/float/autocorrelation_FLP.c, silk_autocorrelation_FLP
// rule: RL201 omp simd
// data: float *x = floats(n + 32)
// data: float *r = floats(32)
// call: r, x, n
// size: L1 n=320
void before(float *r, const float *x, int n) {
  for (int lag = 0; lag < 16; lag++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * (double)x[i + lag];
    r[lag] = (float)sum;
  }
}
void after(float *r, const float *x, int n) {
  for (int lag = 0; lag < 16; lag++) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += x[i] * (double)x[i + lag];
    r[lag] = (float)sum;
  }
}

// loop: pitch_inner
// source: opus, celt/pitch.h, celt_inner_prod_c
// rule: RL201 omp simd
// data: float *x = floats(n)
// data: float *y = floats(n)
// call: x, y, n
// size: L1 n=480
float before(const float *x, const float *y, int n) {
  float xy = 0;
  for (int i = 0; i < n; i++) xy = xy + x[i] * y[i];
  return xy;
}
float after(const float *x, const float *y, int n) {
  float xy = 0;
#pragma omp simd reduction(+ : xy)
  for (int i = 0; i < n; i++) xy = xy + x[i] * y[i];
  return xy;
}

// loop: comb_taps
// source: opus, celt/celt.c, comb_filter_const_c
// rule: RL301
// data: float *x = floats(n + 300)
// data: float *y = floats(n)
// call: y, x + 290, 100, n
// size: L1 n=960
void before(float *y, const float *x, int lag, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] + 0.3f * x[i - lag] + 0.2f * (x[i - lag + 1] + x[i - lag - 1]) +
           0.1f * (x[i - lag + 2] + x[i - lag - 2]);
}
void after(float *restrict y, const float *restrict x, int lag, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] + 0.3f * x[i - lag] + 0.2f * (x[i - lag + 1] + x[i - lag - 1]) +
           0.1f * (x[i - lag + 2] + x[i - lag - 2]);
}

// loop: haar_step
// source: opus, celt/bands.c, haar1
// rule: RL102
// data: float *x = floats(2 * n * m)
// call: x, n, m
// size: L1 n=60 m=16
// size: L2 n=400 m=64
void before(float *x, int n, int m) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float a = 0.7071f * x[m * 2 * j + i], b = 0.7071f * x[m * (2 * j + 1) + i];
      x[m * 2 * j + i] = a + b;
      x[m * (2 * j + 1) + i] = a - b;
    }
}
void after(float *x, int n, int m) {
  for (int j = 0; j < n; j++)
#pragma omp simd
    for (int i = 0; i < m; i++) {
      float a = 0.7071f * x[m * 2 * j + i], b = 0.7071f * x[m * (2 * j + 1) + i];
      x[m * 2 * j + i] = a + b;
      x[m * (2 * j + 1) + i] = a - b;
    }
}

// loop: direct_resampling
// source: speexdsp, libspeexdsp/resample.c, resampler_basic_direct_single
// rule: RL201 omp simd
// data: float *t = floats(m)
// data: float *x = floats(n + m)
// data: float *o = floats(n)
// call: n, m, t, x, o
// size: L1 n=160 m=48
// size: L1 n=160 m=128
void before(int n, int m, const float *t, const float *x, float *o) {
  for (int k = 0; k < n; k++) {
    float sum = 0;
    for (int j = 0; j < m; j++) sum += t[j] * x[k + j];
    o[k] = sum;
  }
}
void after(int n, int m, const float *t, const float *x, float *o) {
  for (int k = 0; k < n; k++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < m; j++) sum += t[j] * x[k + j];
    o[k] = sum;
  }
}

// loop: echo_spectrum
// source: speexdsp, libspeexdsp/mdf.c, power_spectrum
// rule: RL108
// data: float *x = floats(2 * n)
// data: float *p = floats(n)
// call: x, p, n
// size: L1 n=2000
void before(const float *restrict x, float *restrict p, int n) {
  for (int i = 1, j = 1; i < 2 * n - 1; i += 2, j++) p[j] = x[i] * x[i] + x[i + 1] * x[i + 1];
}
void after(const float *restrict x, float *restrict p, int n) {
  for (int j = 1; j < n; j++) p[j] = x[2 * j - 1] * x[2 * j - 1] + x[2 * j] * x[2 * j];
}

// loop: noise_update
// source: speexdsp, libspeexdsp/preprocess.c, update_noise_prob
// rule: RL316
// data: float *s = floats(400000)
// data: float *low = floats(400000)
// call: n, s + shift(n, 400000), low + shift(n, 400000)
// size: L2 n=2000
void before(int n, const float *restrict s, float *restrict low) {
  for (int i = 0; i < n; i++)
    if (s[i] > 1.05f) low[i] = 0.9f * low[i] + 0.1f;
}
void after(int n, const float *restrict s, float *restrict low) {
  for (int i = 0; i < n; i++) low[i] = s[i] > 1.05f ? 0.9f * low[i] + 0.1f : low[i];
}

// loop: dc_notch
// source: speexdsp, libspeexdsp/mdf.c, filter_dc_notch16
// rule: RL214
// data: float *x = floats(n)
// data: float *b = floats(n)
// data: float *y = floats(n)
// call: n, x, b, y
// size: L1 n=1500
void before(int n, const float *restrict x, const float *restrict b, float *restrict y) {
  for (int i = 1; i < n; i++) y[i] = 0.5f * y[i - 1] + x[i] - b[i] + 0.25f * x[i - 1];
}
void after(int n, const float *restrict x, const float *restrict b, float *restrict y) {
  for (int i = 1; i < n; i++) y[i] = 0.5f * y[i - 1] + (x[i] - b[i] + 0.25f * x[i - 1]);
}

// loop: second_difference
// source: flac, src/libFLAC/fixed.c, FLAC__fixed_compute_residual
// rule: RL301
// data: int *x = ints(n + 4, 0, 30000)
// data: int *r = ints(n, 0, 9)
// call: x + 4, n, r
// size: L1 n=3000
// size: L2 n=60000
void before(const int *x, unsigned n, int *r) {
  for (int i = 0; i < (int)n; i++) r[i] = x[i] - 2 * x[i - 1] + x[i - 2];
}
void after(const int *restrict x, unsigned n, int *restrict r) {
  for (int i = 0; i < (int)n; i++) r[i] = x[i] - 2 * x[i - 1] + x[i - 2];
}

// loop: best_predictor_sums
// source: flac, src/libFLAC/fixed.c, FLAC__fixed_compute_best_predictor
// rule: RL213
// data: int *x = ints(n + 4, 0, 30000)
// call: x + 4, n
// size: L1 n=4000
#include <stdlib.h>
unsigned before(const int *x, int n) {
  int last = x[-1], change = x[-1] - x[-2];
  unsigned total = 0;
  for (int i = 0; i < n; i++) {
    int e0 = x[i], e1 = e0 - last, e2 = e1 - change;
    total += (unsigned)abs(e2);
    last = e0;
    change = e1;
  }
  return total;
}
unsigned after(const int *x, int n) {
  unsigned total = 0;
  for (int i = 0; i < n; i++) total += (unsigned)abs(x[i] - 2 * x[i - 1] + x[i - 2]);
  return total;
}

// loop: windowed_samples
// source: flac, src/libFLAC/lpc.c, FLAC__lpc_window_data
// rule: RL301
// data: int *x = ints(n, 0, 30000)
// data: float *w = floats(n)
// data: float *o = floats(n)
// call: x, w, o, n
// size: L1 n=2000
void before(const int *x, const float *w, float *o, unsigned n) {
  for (unsigned i = 0; i < n; i++) o[i] = x[i] * w[i];
}
void after(const int *restrict x, const float *restrict w, float *restrict o, unsigned n) {
  for (unsigned i = 0; i < n; i++) o[i] = x[i] * w[i];
}

// loop: quantised_prediction
// source: flac, src/libFLAC/lpc.c, FLAC__lpc_compute_residual_from_qlp_coefficients
// rule: RL306
// data: int *x = ints(n + 16, 0, 3000)
// data: int *q = ints(16, 0, 100)
// data: int *r = ints(n, 0, 9)
// call: x + 16, n, q, r
// size: L1 n=2000
void before(const int *x, int n, const int *q, int *restrict r) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < 12; j++) sum += q[j] * x[i - j - 1];
    r[i] = x[i] - (sum >> 8);
  }
}
void after(const int *x, int n, const int *q, int *restrict r) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int sum = q[0] * x[i - 1] + q[1] * x[i - 2] + q[2] * x[i - 3] + q[3] * x[i - 4] +
              q[4] * x[i - 5] + q[5] * x[i - 6] + q[6] * x[i - 7] + q[7] * x[i - 8] +
              q[8] * x[i - 9] + q[9] * x[i - 10] + q[10] * x[i - 11] + q[11] * x[i - 12];
    r[i] = x[i] - (sum >> 8);
  }
}

// loop: hann_window
// source: flac, src/libFLAC/window.c, FLAC__window_hann
// rule: RL206
// data: float *w = floats(n)
// call: w, n
// size: L1 n=2000
#include <math.h>
void before(float *w, int n) {
  for (int i = 0; i < n; i++) w[i] = (float)(0.5f - 0.5f * cos(6.2831853f * i / (n - 1)));
}
void after(float *w, int n) {
  for (int i = 0; i < n; i++) w[i] = 0.5f - 0.5f * cosf(6.2831853f * i / (n - 1));
}

// loop: samples_to_float
// source: dr_libs, dr_wav.h, drwav_s16_to_f32
// rule: RL301
// data: short *x = shorts(n, -9000, 9000)
// data: float *o = floats(n)
// call: o, x, n
// size: L1 n=4000
// size: memory n=20000000
void before(float *o, const short *x, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) *o++ = x[i] * 0.000030517578125f;
}
void after(float *restrict o, const short *restrict x, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) o[i] = x[i] * 0.000030517578125f;
}

// loop: bytes_to_float
// source: dr_libs, dr_wav.h, drwav_u8_to_f32
// rule: RL205
// data: unsigned char *x = bytes(n, 0, 256)
// data: float *o = floats(n)
// call: o, x, n
// size: L1 n=4000
// size: memory n=30000000
void before(float *restrict o, const unsigned char *restrict x, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) o[i] = (x[i] / 255.0) * 2 - 1;
}
void after(float *restrict o, const unsigned char *restrict x, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) o[i] = (x[i] / 255.0f) * 2 - 1;
}

// loop: clipped_shorts
// source: libsamplerate, src/samplerate.c, src_float_to_short_array
// rule: RL311
// data: float *x = sfloats(n)
// data: short *o = shorts(n, 0, 9)
// call: x, o, n
// size: L1 n=3000
// after: -fno-math-errno -fno-trapping-math
#include <math.h>
void before(const float *restrict x, short *restrict o, int n) {
  for (int i = 0; i < n; i++) o[i] = (short)lrintf(x[i] * 32767.0f);
}
void after(const float *restrict x, short *restrict o, int n) {
  for (int i = 0; i < n; i++) o[i] = (short)lrintf(x[i] * 32767.0f);
}

// loop: norm_of_vector
// source: aubio, src/mathutils.c, fvec_alpha_norm
// rule: RL204
// data: float *x = floats(n)
// data: float *o = floats(n)
// call: n, x, o
// size: L1 n=1500
#include <math.h>
void before(int n, const float *restrict x, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = powf(fabsf(x[i]), 3.0f);
}
void after(int n, const float *restrict x, float *restrict o) {
  for (int i = 0; i < n; i++) {
    float a = fabsf(x[i]);
    o[i] = a * a * a;
  }
}

// loop: length_in_record
// source: aubio, src/mathutils.c, fvec_sum
// rule: RL201 omp simd
// data: struct signal *s = signal_of(length)
// call: s
// size: L1 length=1024
struct signal {
  unsigned length;
  float *data;
};
float before(struct signal *s) {
  float sum = 0;
  for (unsigned j = 0; j < s->length; j++) sum += s->data[j];
  return sum;
}
float after(struct signal *s) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (unsigned j = 0; j < s->length; j++) sum += s->data[j];
  return sum;
}

// loop: lpc_autocorrelation
// source: codec2, src/lpc.c, autocorrelate
// rule: RL210
// data: float *x = floats(n + 16)
// data: float *r = floats(16)
// call: x, r, n
// size: L1 n=320
// size: L1 n=1500
void before(const float *x, float *r, int n) {
  for (int j = 0; j < 11; j++) {
    r[j] = 0;
    for (int i = 0; i < n - j; i++) r[j] += x[i] * x[i + j];
  }
}
void after(const float *x, float *r, int n) {
  for (int j = 0; j < 11; j++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n - j; i++) sum += x[i] * x[i + j];
    r[j] = sum;
  }
}

// loop: butterflies
// source: kissfft, kiss_fft.c, kf_bfly2
// rule: RL301
// data: float *f = floats(4 * n)
// data: float *t = floats(2 * n)
// call: f, t, n
// size: L1 n=500
void before(float *f, const float *t, int n) {
  for (int i = 0; i < n; i++) {
    float re = f[2 * n + 2 * i] * t[2 * i] * 0.3f, im = f[2 * n + 2 * i + 1] * t[2 * i + 1] * 0.3f;
    f[2 * n + 2 * i] = 0.5f * (f[2 * i] - re);
    f[2 * n + 2 * i + 1] = 0.5f * (f[2 * i + 1] - im);
  }
}
void after(float *restrict f, const float *restrict t, int n) {
  for (int i = 0; i < n; i++) {
    float re = f[2 * n + 2 * i] * t[2 * i] * 0.3f, im = f[2 * n + 2 * i + 1] * t[2 * i + 1] * 0.3f;
    f[2 * n + 2 * i] = 0.5f * (f[2 * i] - re);
    f[2 * n + 2 * i + 1] = 0.5f * (f[2 * i + 1] - im);
  }
}

// loop: spectrum_in_place
// source: World, src/common.cpp, LinearSmoothing
// rule: RL202
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// call: n, 3.7, x, y
// size: L1 n=1500
// size: L2 n=40000
void before(int n, double width, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n - 1; i++) y[i] = (x[i + 1] - x[i]) / width;
}
void after(int n, double width, const double *restrict x, double *restrict y) {
  double inverse = 1 / width;
  for (int i = 0; i < n - 1; i++) y[i] = (x[i + 1] - x[i]) * inverse;
}

// loop: bin_of_frequency
// source: World, src/matlabfunctions.cpp, histc
// rule: RL317
// data: double *edge = sorted(m)
// data: double *x = doubles(400000)
// data: int *at = ints(400000, 0, 9)
// call: n, m, x + shift(n, 400000), edge, at
// size: L1 n=500 m=512
void before(int n, int m, const double *x, const double *edge, int *at) {
  for (int k = 0; k < n; k++) {
    int low = 0, high = m;
    while (low < high) {
      int middle = (low + high) / 2;
      if (edge[middle] < x[k])
        low = middle + 1;
      else
        high = middle;
    }
    at[k] = low;
  }
}
#ifdef __clang__
#define UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define UNPREDICTABLE(condition) (condition)
#endif
void after(int n, int m, const double *x, const double *edge, int *at) {
  for (int k = 0; k < n; k++) {
    int start = 0, length = m;
    while (length > 1) {
      int half = length / 2;
      start += UNPREDICTABLE(edge[start + half - 1] < x[k]) ? half : 0;
      length -= half;
    }
    at[k] = start + (edge[start] < x[k]);
  }
}

// loop: rounded_frames
// source: World, src/matlabfunctions.cpp, matlab_round
// rule: RL311
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// call: n, x, y
// size: L1 n=1500
// after: -fno-math-errno -fno-trapping-math
#include <math.h>
void before(int n, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] = round(x[i] * 100.0);
}
void after(int n, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] = round(x[i] * 100.0);
}

// loop: channel_energy
// source: libebur128, ebur128/ebur128.c, ebur128_calc_gating_block
// rule: RL201 omp simd
// data: double *x = doubles(5 * n)
// call: n, x
// size: L2 n=4800
double before(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[5 * i] * x[5 * i];
  return sum;
}
double after(int n, const double *x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[5 * i] * x[5 * i];
  return sum;
}
