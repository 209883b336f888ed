// Loops of machine learning: layers, activations, optimisers, trees, kernels.

// loop: softmax_division
// source: llama2.c, run.c, softmax
// rule: RL202
// data: float *x = floats(n)
// call: x, n, 3.3f
// size: L1 n=4000
// size: memory n=20000000
void before(float *x, int n, float sum) {
  for (int i = 0; i < n; i++) x[i] /= sum;
}
void after(float *x, int n, float sum) {
  float inverse = 1 / sum;
  for (int i = 0; i < n; i++) x[i] *= inverse;
}

// loop: matrix_vector
// source: llama2.c, run.c, matmul
// rule: RL201 omp simd
// data: float *w = floats(n * m)
// data: float *x = floats(n)
// data: float *o = floats(m)
// call: o, x, w, n, m
// size: L2 n=288 m=288
// size: memory n=4096 m=4000
void before(float *o, const float *x, const float *w, int n, int d) {
  for (int i = 0; i < d; i++) {
    float val = 0;
    for (int j = 0; j < n; j++) val += w[i * n + j] * x[j];
    o[i] = val;
  }
}
void after(float *o, const float *x, const float *w, int n, int d) {
  for (int i = 0; i < d; i++) {
    float val = 0;
#pragma omp simd reduction(+ : val)
    for (int j = 0; j < n; j++) val += w[i * n + j] * x[j];
    o[i] = val;
  }
}

// loop: mean_square
// source: llama2.c, run.c, rmsnorm
// rule: RL201 omp simd
// data: float *x = floats(n)
// call: x, n
// size: L1 n=288
// size: L1 n=4096
float before(const float *x, int n) {
  float ss = 0;
  for (int j = 0; j < n; j++) ss += x[j] * x[j];
  return ss / n;
}
float after(const float *x, int n) {
  float ss = 0;
#pragma omp simd reduction(+ : ss)
  for (int j = 0; j < n; j++) ss += x[j] * x[j];
  return ss / n;
}

// loop: best_token
// source: llama2.c, run.c, sample_argmax
// rule: RL201
// data: float *p = floats(n)
// call: p, n
// size: L2 n=32000
float before(const float *p, int n) {
  float most = p[0];
  for (int i = 1; i < n; i++)
    if (p[i] > most) most = p[i];
  return most;
}
float after(const float *p, int n) {
  float most = p[0];
  float most_1 = most;
  float most_2 = most;
  float most_3 = most;
  int i = 1;
  for (; i + 4 <= n; i += 4) {
    if (p[i] > most) most = p[i];
    if (p[i + 1] > most_1) most_1 = p[i + 1];
    if (p[i + 2] > most_2) most_2 = p[i + 2];
    if (p[i + 3] > most_3) most_3 = p[i + 3];
  }
  most = most_1 > most ? most_1 : most;
  most = most_2 > most ? most_2 : most;
  most = most_3 > most ? most_3 : most;
  for (; i < n; i++)
    if (p[i] > most) most = p[i];
  return most;
}

// loop: quantised_groups
// source: llama2.c, runq.c, quantize
// rule: RL311
// data: float *x = sfloats(n)
// data: signed char *q = (signed char *)bytes(n, 0, 9)
// call: n, x, q
// size: L1 n=4000
// after: -fno-math-errno -fno-trapping-math
#include <math.h>
void before(int n, const float *restrict x, signed char *restrict q) {
  for (int i = 0; i < n; i++) q[i] = (signed char)round(x[i] * 100.0f);
}
void after(int n, const float *restrict x, signed char *restrict q) {
  for (int i = 0; i < n; i++) q[i] = (signed char)round(x[i] * 100.0f);
}

// loop: gelu_cubes
// source: llm.c, train_gpt2.c, gelu_forward
// rule: RL204
// data: float *x = floats(n)
// data: float *o = floats(n)
// call: n, x, o
// size: L1 n=3000
#include <math.h>
void before(int n, const float *restrict x, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = 0.8f * (x[i] + 0.044715f * powf(x[i], 3.0f));
}
void after(int n, const float *restrict x, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = 0.8f * (x[i] + 0.044715f * (x[i] * x[i] * x[i]));
}

// loop: layer_mean
// source: llm.c, train_gpt2.c, layernorm_forward
// rule: RL201 omp simd
// data: float *x = floats(n * m)
// data: float *o = floats(m)
// call: n, m, x, o
// size: L2 n=768 m=64
void before(int n, int m, const float *x, float *o) {
  for (int t = 0; t < m; t++) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[t * n + i];
    o[t] = sum / n;
  }
}
void after(int n, int m, const float *x, float *o) {
  for (int t = 0; t < m; t++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += x[t * n + i];
    o[t] = sum / n;
  }
}

// loop: adam_step
// source: llm.c, train_gpt2.c, gpt2_update
// rule: RL311
// data: float *g = sfloats(n)
// data: float *v = floats(n)
// data: float *p = floats(n)
// call: n, g, v, p
// size: L1 n=2000
// size: memory n=8000000
// after: -fno-math-errno
#include <math.h>
void before(int n, const float *restrict g, const float *restrict v, float *restrict p) {
  for (int i = 0; i < n; i++) p[i] -= 1e-9f * g[i] / (sqrtf(v[i] / 0.999f) + 1e-8f);
}
void after(int n, const float *restrict g, const float *restrict v, float *restrict p) {
  for (int i = 0; i < n; i++) p[i] -= 1e-9f * g[i] / (sqrtf(v[i] / 0.999f) + 1e-8f);
}

// loop: residual_and_scale
// source: llm.c, train_gpt2.c, residual_forward
// rule: RL104
// data: float *a = floats(n)
// data: float *b = floats(n)
// data: float *o = floats(n)
// data: float *s = floats(n)
// call: n, a, b, o, s
// size: L1 n=1500
// size: memory n=8000000
void before(int n, const float *restrict a, const float *restrict b, float *restrict o,
            float *restrict s) {
  for (int i = 0; i < n; i++) o[i] = a[i] + b[i];
  for (int i = 0; i < n; i++) s[i] = o[i] * 0.5f;
}
void after(int n, const float *restrict a, const float *restrict b, float *restrict o,
           float *restrict s) {
  for (int i = 0; i < n; i++) {
    o[i] = a[i] + b[i];
    s[i] = o[i] * 0.5f;
  }
}

// loop: batch_normalisation
// source: darknet, src/blas.c, normalize_cpu
// rule: RL209
// data: float *x = floats(n)
// data: float *v = floats(8)
// call: n, x, v
// size: L1 n=3000
// size: L2 n=100000
#include <math.h>
void before(int n, float *x, const float *v) {
  for (int i = 0; i < n; i++) x[i] = (x[i] - 0.1f) / (sqrt(v[3]) + .000001f);
}
void after(int n, float *x, const float *v) {
  float scale = (float)sqrt(v[3]) + .000001f;
  for (int i = 0; i < n; i++) x[i] = (x[i] - 0.1f) / scale;
}

// loop: channel_means
// source: darknet, src/blas.c, mean_cpu
// rule: RL210
// data: float *x = floats(n * m)
// data: float *mean = floats(m)
// call: n, m, x, mean
// size: L1 n=169 m=32
// size: L2 n=2704 m=64
void before(int n, int m, const float *x, float *mean) {
  for (int f = 0; f < m; f++) {
    mean[f] = 0;
    for (int i = 0; i < n; i++) mean[f] += x[f * n + i];
  }
}
void after(int n, int m, const float *x, float *mean) {
  for (int f = 0; f < m; f++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += x[f * n + i];
    mean[f] = sum;
  }
}

// loop: bias_of_channels
// source: darknet, src/convolutional_layer.c, add_bias
// rule: RL301
// data: float *o = floats(n * m)
// data: float *b = floats(m)
// call: o, b, m, n
// size: L1 n=169 m=32
void before(float *o, const float *b, int m, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) o[i * n + j] += b[i];
}
void after(float *restrict o, const float *restrict b, int m, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) o[i * n + j] += b[i];
}

// loop: upsampled_rows
// source: darknet, src/blas.c, upsample_cpu
// rule: RL215
// data: float *x = floats(n)
// data: float *o = floats(n)
// call: n, m, x, o
// size: L1 n=2000 m=3
// size: L2 n=60000 m=3
void before(int n, int m, const float *restrict x, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = x[i / m];
}
void after(int n, int m, const float *restrict x, float *restrict o) {
  for (int i = 0, q = 0; i < n; q++)
    for (int k = 0; k < m && i < n; k++, i++) o[i] = x[q];
}

// loop: smooth_loss
// source: darknet, src/blas.c, smooth_l1_cpu
// rule: RL316
// data: float *p = sfloats(400000)
// data: float *d = floats(400000)
// call: n, p + shift(n, 400000), d + shift(n, 400000)
// size: L2 n=3000
#include <math.h>
void before(int n, const float *restrict p, float *restrict d) {
  for (int i = 0; i < n; i++)
    if (fabsf(p[i]) < 0.5f) d[i] = p[i] * p[i];
}
void after(int n, const float *restrict p, float *restrict d) {
  for (int i = 0; i < n; i++) d[i] = fabsf(p[i]) < 0.5f ? p[i] * p[i] : d[i];
}

// loop: image_columns
// source: darknet, src/im2col.c, im2col_cpu
// rule: RL212
// data: float *c = floats(n)
// call: n, c
// size: L1 n=2000
void before(int n, float *c) {
  for (int i = 0; i < n; i++) c[i] = (float)(i % 9 + 2 * (i / 9 % 3));
}
void after(int n, float *c) {
  for (int i = 0, r = 0, q = 0; i < n; i++) {
    c[i] = (float)(r + 2 * q);
    if (++r == 9) {
      r = 0;
      if (++q == 3) q = 0;
    }
  }
}

// loop: max_of_row
// source: ggml, src/ggml-cpu/vec.h, ggml_vec_max_f32
// rule: RL201 omp simd
// data: float *x = floats(n)
// call: n, x
// size: L1 n=2048
// size: L3 n=2000000
float before(int n, const float *x) {
  float most = -1e30f;
  for (int i = 0; i < n; i++) most = most > x[i] ? most : x[i];
  return most;
}
float after(int n, const float *x) {
  float most = -1e30f;
#pragma omp simd reduction(max : most)
  for (int i = 0; i < n; i++) most = most > x[i] ? most : x[i];
  return most;
}

// loop: sum_in_double
// source: ggml, src/ggml-cpu/vec.h, ggml_vec_sum_f32
// rule: RL201 omp simd
// data: float *x = floats(n)
// data: float *s = floats(8)
// call: n, s, x
// size: L1 n=2048
void before(int n, float *s, const float *x) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += (double)x[i];
  *s = (float)sum;
}
void after(int n, float *s, const float *x) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += (double)x[i];
  *s = (float)sum;
}

// loop: square_roots
// source: ggml, src/ggml-cpu/vec.h, ggml_vec_sqrt_f32
// rule: RL311
// data: float *x = floats(n)
// data: float *y = floats(n)
// call: n, y, x
// size: L1 n=3000
// after: -fno-math-errno
#include <math.h>
void before(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) y[i] = sqrtf(x[i]);
}
void after(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) y[i] = sqrtf(x[i]);
}

// loop: silu_row
// source: ggml, src/ggml-cpu/vec.cpp, ggml_vec_silu_f32
// rule: RL206
// data: float *x = sfloats(n)
// data: float *y = floats(n)
// call: n, y, x
// size: L1 n=2000
#include <math.h>
void before(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) y[i] = x[i] / (1.0f + (float)exp(-x[i]));
}
void after(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) y[i] = x[i] / (1.0f + expf(-x[i]));
}

// loop: unpacked_nibbles
// source: ggml, src/ggml-quants.c, dequantize_row_q4_0
// rule: RL301
// data: unsigned char *q = bytes(16 * n, 0, 256)
// data: float *d = floats(n)
// data: float *y = floats(32 * n)
// call: n, q, d, y
// size: L1 n=120
void before(int n, const unsigned char *q, const float *d, float *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 16; j++) {
      y[i * 32 + j] = ((q[i * 16 + j] & 15) - 8) * d[i];
      y[i * 32 + j + 16] = ((q[i * 16 + j] >> 4) - 8) * d[i];
    }
}
void after(int n, const unsigned char *restrict q, const float *restrict d, float *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 16; j++) {
      y[i * 32 + j] = ((q[i * 16 + j] & 15) - 8) * d[i];
      y[i * 32 + j + 16] = ((q[i * 16 + j] >> 4) - 8) * d[i];
    }
}

// loop: weighted_inputs
// source: fann, src/fann.c, fann_run
// rule: RL201 omp simd
// data: float *w = floats(n * m)
// data: float *v = floats(n)
// data: float *o = floats(m)
// call: n, m, w, v, o
// size: L1 n=40 m=30
// size: L2 n=200 m=200
void before(int n, int m, const float *w, const float *v, float *o) {
  for (int j = 0; j < m; j++) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += w[j * n + i] * v[i];
    o[j] = sum;
  }
}
void after(int n, int m, const float *w, const float *v, float *o) {
  for (int j = 0; j < m; j++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += w[j * n + i] * v[i];
    o[j] = sum;
  }
}

// loop: sign_of_slopes
// source: fann, src/fann_train.c, fann_update_weights_irpropm
// rule: RL316
// data: float *a = sfloats(400000)
// data: float *s = floats(400000)
// call: n, a + shift(n, 400000), s + shift(n, 400000)
// size: L2 n=2500
void before(int n, const float *restrict a, float *restrict s) {
  for (int i = 0; i < n; i++) {
    if (a[i] >= 0) s[i] = 0.5f * s[i] + 0.5f;
  }
}
void after(int n, const float *restrict a, float *restrict s) {
  for (int i = 0; i < n; i++) s[i] = a[i] >= 0 ? 0.5f * s[i] + 0.5f : s[i];
}

// loop: accumulated_rms
// source: kann, kann.c, kann_RMSprop
// rule: RL205
// data: float *g = floats(n)
// data: float *r = floats(n)
// call: n, g, r
// size: L1 n=3000
// size: memory n=10000000
void before(int n, const float *restrict g, float *restrict r) {
  for (int i = 0; i < n; i++) r[i] = 0.9 * r[i] + 0.1 * g[i] * g[i];
}
void after(int n, const float *restrict g, float *restrict r) {
  for (int i = 0; i < n; i++) r[i] = 0.9f * r[i] + 0.1f * g[i] * g[i];
}

// loop: hidden_gradient
// source: genann, genann.c, genann_train
// rule: RL101
// data: double *w = doubles(n * m)
// data: double *d = doubles(m)
// data: double *o = doubles(n)
// call: n, m, w, d, o
// size: L1 n=50 m=40
// size: L2 n=200 m=200
void before(int n, int m, const double *restrict w, const double *restrict d,
            double *restrict o) {
  for (int j = 0; j < n; j++) {
    double delta = 0;
    for (int k = 0; k < m; k++) delta += d[k] * w[k * n + j];
    o[j] = delta;
  }
}
void after(int n, int m, const double *restrict w, const double *restrict d,
           double *restrict o) {
  for (int j = 0; j < n; j++) o[j] = 0;
  for (int k = 0; k < m; k++)
    for (int j = 0; j < n; j++) o[j] += d[k] * w[k * n + j];
}

// loop: squared_total_error
// source: tinn, Tinn.c, toterr
// rule: RL201 omp simd
// data: float *t = floats(n)
// data: float *o = floats(n)
// call: n, t, o
// size: L1 n=10
// size: L1 n=1000
float before(int n, const float *t, const float *o) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += 0.5f * (t[i] - o[i]) * (t[i] - o[i]);
  return sum;
}
float after(int n, const float *t, const float *o) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += 0.5f * (t[i] - o[i]) * (t[i] - o[i]);
  return sum;
}

// loop: word_vectors
// source: word2vec, word2vec.c, TrainModelThread
// rule: RL114
// data: int *w = ints(n, 0, m)
// data: float *v = floats(16 * m)
// data: float *s = floats(n)
// call: n, w, v, s
// size: L2 n=500 m=4000
// size: memory n=50000 m=2000000
void before(int n, const int *w, const float *v, float *restrict s) {
  for (int i = 0; i < n; i++) {
    const float *row = v + 16L * w[i];
    s[i] = row[0] > 1.0f ? row[1] + row[2] : row[3];
  }
}
void after(int n, const int *w, const float *v, float *restrict s) {
  for (int i = 0; i < n; i++) {
    if (i + 16 < n) __builtin_prefetch(v + 16L * w[i + 16]);
    const float *row = v + 16L * w[i];
    s[i] = row[0] > 1.0f ? row[1] + row[2] : row[3];
  }
}

// loop: unigram_powers
// source: word2vec, word2vec.c, InitUnigramTable
// rule: RL204
// data: double *c = doubles(n)
// data: double *p = doubles(n)
// call: n, c, p
// size: L1 n=1500
#include <math.h>
void before(int n, const double *restrict c, double *restrict p) {
  for (int i = 0; i < n; i++) p[i] = pow(c[i], 0.75);
}
void after(int n, const double *restrict c, double *restrict p) {
  for (int i = 0; i < n; i++) {
    double half = sqrt(c[i]);
    p[i] = half * sqrt(half);
  }
}

// loop: weighting_function
// source: GloVe, src/glove.c, glove_thread
// rule: RL201 omp simd
// data: double *a = doubles(n)
// data: double *b = doubles(n)
// call: n, a, b
// size: L1 n=50
// size: L1 n=300
double before(int n, const double *a, const double *b) {
  double diff = 0;
  for (int i = 0; i < n; i++) diff += a[i] * b[i];
  return diff;
}
double after(int n, const double *a, const double *b) {
  double diff = 0;
#pragma omp simd reduction(+ : diff)
  for (int i = 0; i < n; i++) diff += a[i] * b[i];
  return diff;
}

// loop: row_norms
// source: fastText, src/densematrix.cc, l2NormRow
// rule: RL201 omp simd
// data: float *x = floats(n)
// call: n, x
// size: L1 n=100
float before(int n, const float *x) {
  float norm = 0;
  for (int j = 0; j < n; j++) norm += x[j] * x[j];
  return norm;
}
float after(int n, const float *x) {
  float norm = 0;
#pragma omp simd reduction(+ : norm)
  for (int j = 0; j < n; j++) norm += x[j] * x[j];
  return norm;
}

// loop: subword_buckets
// source: fastText, src/dictionary.cc, computeSubwords
// rule: RL215
// data: unsigned *h = (unsigned *)ints(n, 0, 2000000000)
// data: int *b = ints(n, 0, 9)
// call: n, m, h, b
// size: L1 n=2000 m=2000003
void before(int n, unsigned m, const unsigned *restrict h, int *restrict b) {
  for (int i = 0; i < n; i++) b[i] = (int)(h[i] % m);
}
void after(int n, unsigned m, const unsigned *restrict h, int *restrict b) {
  double inverse = 1.0 / (long)m;
  for (int i = 0; i < n; i++) {
    unsigned x = h[i];
    b[i] = (int)(x - (unsigned)((x + 0.5) * inverse) * (long)m);
  }
}

// loop: kernel_exponents
// source: libsvm, svm.cpp, svm_predict_values
// rule: RL201 omp simd
// data: struct feature *a = (struct feature *)doubles(2 * n)
// data: double *w = doubles(n)
// call: n, a, w
// size: L1 n=800
struct feature {
  int index;
  double value;
};
double before(int n, const struct feature *a, const double *w) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d = a[i].value - w[i];
    sum += d * d;
  }
  return sum;
}
double after(int n, const struct feature *a, const double *w) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    double d = a[i].value - w[i];
    sum += d * d;
  }
  return sum;
}

// loop: working_set
// source: libsvm, svm.cpp, select_working_set
// rule: RL201
// data: double *g = sdoubles(n)
// call: n, g
// size: L1 n=3000
// size: memory n=8000000
double before(int n, const double *g) {
  double most = -1e300;
  for (int t = 0; t < n; t++)
    if (-g[t] >= most) most = -g[t];
  return most;
}
double after(int n, const double *g) {
  double most = -1e300;
  double most_1 = most;
  double most_2 = most;
  double most_3 = most;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    if (-g[i] >= most) most = -g[i];
    if (-g[i + 1] >= most_1) most_1 = -g[i + 1];
    if (-g[i + 2] >= most_2) most_2 = -g[i + 2];
    if (-g[i + 3] >= most_3) most_3 = -g[i + 3];
  }
  most = most_1 > most ? most_1 : most;
  most = most_2 > most ? most_2 : most;
  most = most_3 > most ? most_3 : most;
  for (; i < n; i++)
    if (-g[i] >= most) most = -g[i];
  return most;
}
