// Loops of image and video codecs: pixels, filters, histograms, conversions.

// loop: colour_rotation
// source: openjpeg, src/lib/openjp2/mct.c, opj_mct_encode
// rule: RL301
// data: int *r = ints(n, 0, 256)
// data: int *g = ints(n, 0, 256)
// data: int *b = ints(n, 0, 256)
// call: r, g, b, n
// size: L1 n=2000
// size: memory n=6000000
void before(int *r, int *g, int *b, long n) {
  for (long i = 0; i < n; i++) {
    int y = (r[i] + 2 * g[i] + b[i]) >> 2, u = b[i] - g[i], v = r[i] - g[i];
    r[i] = y & 255;
    g[i] = u & 255;
    b[i] = v & 255;
  }
}
void after(int *restrict r, int *restrict g, int *restrict b, long n) {
  for (long i = 0; i < n; i++) {
    int y = (r[i] + 2 * g[i] + b[i]) >> 2, u = b[i] - g[i], v = r[i] - g[i];
    r[i] = y & 255;
    g[i] = u & 255;
    b[i] = v & 255;
  }
}

// loop: wavelet_lines
// source: openjpeg, src/lib/openjp2/dwt.c, opj_idwt53_h_cas0
// rule: RL102
// data: int *a = ints(n * n, 0, 256)
// data: int *d = ints(n * n, 0, 256)
// call: n, a, d
// size: L2 n=256
// size: L3 n=1000
void before(int n, const int *restrict a, int *restrict d) {
  for (int x = 0; x < n; x++)
    for (int y = 1; y < n - 1; y++)
      d[y * n + x] = a[y * n + x] - ((a[(y - 1) * n + x] + a[(y + 1) * n + x] + 2) >> 2);
}
void after(int n, const int *restrict a, int *restrict d) {
  for (int y = 1; y < n - 1; y++)
    for (int x = 0; x < n; x++)
      d[y * n + x] = a[y * n + x] - ((a[(y - 1) * n + x] + a[(y + 1) * n + x] + 2) >> 2);
}

// loop: squared_error
// source: libwebp, src/enc/picture_psnr_enc.c, AccumulateSSE
// rule: RL218
// data: unsigned char *a = bytes(n * m, 0, 256)
// data: unsigned char *b = bytes(n * m, 0, 256)
// call: a, b, n, m
// size: L1 n=320 m=40
// size: L2 n=1024 m=200
unsigned before(const unsigned char *a, const unsigned char *b, int n, int m) {
  unsigned total = 0;
  for (int y = 0; y < m; y++)
    for (int x = 0; x < n; x++) total += a[y * n + x] > b[y * n + x];
  return total;
}
unsigned after(const unsigned char *a, const unsigned char *b, int n, int m) {
  unsigned total = 0;
  for (int y = 0; y < m; y++) {
    int x = 0;
    for (; x + 192 <= n; x += 192) {
      unsigned char part = 0;
      for (int k = 0; k < 192; k++) part += a[y * n + x + k] > b[y * n + x + k];
      total += part;
    }
    for (; x < n; x++) total += a[y * n + x] > b[y * n + x];
  }
  return total;
}

// loop: all_opaque
// source: libwebp, src/dsp/alpha_processing.c, ExtractAlpha_C
// rule: RL312
// data: struct plane *p = plane_of(width)
// call: p
// size: L1 width=8000
// size: L2 width=200000
struct plane {
  int width;
  unsigned char gain;
  unsigned char *pixel;
};
void before(struct plane *p) {
  for (int x = 0; x < p->width; x++) p->pixel[x] = (unsigned char)(p->pixel[x] * p->gain >> 7);
}
void after(struct plane *p) {
  int width = p->width;
  unsigned char gain = p->gain, *pixel = p->pixel;
  for (int x = 0; x < width; x++) pixel[x] = (unsigned char)(pixel[x] * gain >> 7);
}

// loop: luma_of_rows
// source: libwebp, src/dsp/yuv.c, ConvertRGBToY_C
// rule: RL308
// data: unsigned char *p = bytes(3 * n, 0, 256)
// data: unsigned char *y = bytes(n, 0, 256)
// call: p, y, n
// size: L1 n=4000
void before(const unsigned char *restrict p, unsigned char *restrict y, int n) {
  for (int i = 0; i < n; i++, p += 3)
    y[i] = (unsigned char)((16839 * p[0] + 33059 * p[1] + 6420 * p[2] + (1 << 15)) >> 16);
}
void after(const unsigned char *restrict p, unsigned char *restrict y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = (unsigned char)((16839 * p[3 * i] + 33059 * p[3 * i + 1] + 6420 * p[3 * i + 2] +
                            (1 << 15)) >> 16);
}

// loop: horizontal_predictor
// source: lodepng, lodepng.cpp, filterScanline
// rule: RL301
// data: unsigned char *s = bytes(n, 0, 256)
// data: unsigned char *d = bytes(n, 0, 256)
// call: d, s, n
// size: L1 n=8000
void before(unsigned char *d, const unsigned char *s, unsigned long n) {
  for (unsigned long i = 4; i < n; i++) d[i] = s[i] - s[i - 4];
}
void after(unsigned char *restrict d, const unsigned char *restrict s, unsigned long n) {
  for (unsigned long i = 4; i < n; i++) d[i] = s[i] - s[i - 4];
}

// loop: absolute_filter_sum
// source: lodepng, lodepng.cpp, filter
// rule: RL218
// data: unsigned char *s = bytes(n, 0, 256)
// call: s, n
// size: L1 n=6000
// size: L3 n=4000000
unsigned long before(const unsigned char *s, long n) {
  unsigned long total = 0;
  for (long i = 0; i < n; i++) total += s[i] < 128 ? s[i] : 255 - s[i];
  return total;
}
unsigned long after(const unsigned char *s, long n) {
  unsigned long count = 0;
  int i = 0;
  for (; i + 256 <= n; i += 256) {
    unsigned short part = 0;
    for (int k = 0; k < 256; k++) part += (s[i + k] < 128 ? s[i + k] : 255 - s[i + k]);
    count += part;
  }
  for (; i < n; i++) count += (s[i] < 128 ? s[i] : 255 - s[i]);
  return count;
}

// loop: to_linear_light
// source: stb, stb_image.h, stbi__ldr_to_hdr
// rule: RL206
// data: unsigned char *d = bytes(n, 0, 256)
// data: float *o = floats(n)
// call: n, d, o
// size: L1 n=1500
#include <math.h>
void before(int n, const unsigned char *restrict d, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = (float)(pow(d[i] / 255.0f, 2.2f) * 1.5f);
}
void after(int n, const unsigned char *restrict d, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = powf(d[i] / 255.0f, 2.2f) * 1.5f;
}

// loop: transparent_colour
// source: stb, stb_image.h, stbi__compute_transparency
// rule: RL316
// data: unsigned char *p = bytes(800000, 0, 3)
// call: p + shift(2 * n, 800000), n
// size: L2 n=4000
void before(unsigned char *p, int n) {
  for (int i = 0; i < n; i++)
    if (p[2 * i] == 1) p[2 * i + 1] = 0;
}
void after(unsigned char *p, int n) {
  for (int i = 0; i < n; i++) p[2 * i + 1] = p[2 * i] == 1 ? 0 : p[2 * i + 1];
}

// loop: grey_histogram
// source: leptonica, src/pix4.c, pixGetGrayHistogram
// rule: RL219
// data: unsigned char *p = bytes(n, 0, 16)
// data: int *count = ints(300, 0, 1)
// call: n, p, count
// size: L1 n=8000
// size: L2 n=300000
void before(int n, const unsigned char *p, int *count) {
  for (int i = 0; i < n; i++) count[p[i] & 15]++;
}
void after(int n, const unsigned char *p, int *count) {
  int part[4][16] = {{0}};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    part[0][p[i] & 15]++;
    part[1][p[i + 1] & 15]++;
    part[2][p[i + 2] & 15]++;
    part[3][p[i + 3] & 15]++;
  }
  for (; i < n; i++) part[0][p[i] & 15]++;
  for (int k = 0; k < 16; k++) count[k] += part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

// loop: grey_histogram_full
// source: leptonica, src/pix4.c, pixGetGrayHistogram
// rule: RL219
// data: unsigned char *p = bytes(n, 0, 256)
// data: int *count = ints(300, 0, 1)
// call: n, p, count
// size: L1 n=600
// size: L2 n=300000
void before(int n, const unsigned char *p, int *count) {
  for (int i = 0; i < n; i++) count[p[i]]++;
}
void after(int n, const unsigned char *p, int *count) {
  int part[4][256] = {{0}};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    part[0][p[i]]++;
    part[1][p[i + 1]]++;
    part[2][p[i + 2]]++;
    part[3][p[i + 3]]++;
  }
  for (; i < n; i++) part[0][p[i]]++;
  for (int k = 0; k < 256; k++) count[k] += part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

// loop: brighter_than
// source: leptonica, src/grayquant.c, thresholdToBinaryLineLow
// rule: RL218
// data: unsigned char *p = bytes(n, 0, 256)
// call: p, n, 100
// size: L1 n=8000
// size: memory n=60000000
int before(const unsigned char *p, int n, int limit) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (p[i] < limit) count++;
  return count;
}
int after(const unsigned char *p, int n, int limit) {
  int count = 0;
  int i = 0;
  for (; i + 192 <= n; i += 192) {
    unsigned char part = 0;
    for (int k = 0; k < 192; k++) part += p[i + k] < limit;
    count += part;
  }
  for (; i < n; i++) count += p[i] < limit;
  return count;
}

// loop: largest_of_list
// source: leptonica, src/numafunc1.c, numaGetMax
// rule: RL201
// data: float *v = floats(n)
// call: n, v
// size: L1 n=5000
float before(int n, const float *v) {
  float most = -1e9f;
  for (int i = 0; i < n; i++)
    if (v[i] > most) most = v[i];
  return most;
}
float after(int n, const float *v) {
  float most = -1e9f;
  float most_1 = most;
  float most_2 = most;
  float most_3 = most;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    if (v[i] > most) most = v[i];
    if (v[i + 1] > most_1) most_1 = v[i + 1];
    if (v[i + 2] > most_2) most_2 = v[i + 2];
    if (v[i + 3] > most_3) most_3 = v[i + 3];
  }
  most = most_1 > most ? most_1 : most;
  most = most_2 > most ? most_2 : most;
  most = most_3 > most ? most_3 : most;
  for (; i < n; i++)
    if (v[i] > most) most = v[i];
  return most;
}

// loop: bilinear_rows
// source: leptonica, src/scale1.c, scaleGrayLILow
// rule: RL215
// data: int *s = ints(n, 0, 60000)
// data: int *d = ints(n, 0, 9)
// call: n, m, s, d
// size: L1 n=2500 m=17
// size: L2 n=60000 m=17
void before(int n, int m, const int *restrict s, int *restrict d) {
  for (int i = 0; i < n; i++) d[i] = s[i] * 16 / m;
}
void after(int n, int m, const int *restrict s, int *restrict d) {
  double inverse = 1.0 / m;
  for (int i = 0; i < n; i++) {
    int v = s[i] * 16, q = (int)(v * inverse), r = v - q * m;
    d[i] = q + (r >= m) - (r < 0);
  }
}

// loop: blur_column_taps
// source: guetzli, third_party/butteraugli/butteraugli/butteraugli.cc, Convolution
// rule: RL102
// data: float *a = floats(n * n)
// data: float *o = floats(n * n)
// data: float *w = floats(9)
// call: n, a, w, o
// size: L2 n=300
// size: memory n=2500
void before(int n, const float *restrict a, const float *restrict w, float *restrict o) {
  for (int x = 0; x < n; x++)
    for (int y = 4; y < n - 4; y++) {
      float sum = 0;
      for (int k = 0; k < 9; k++) sum += a[(y + k - 4) * n + x] * w[k];
      o[y * n + x] = sum;
    }
}
void after(int n, const float *restrict a, const float *restrict w, float *restrict o) {
  for (int y = 4; y < n - 4; y++)
    for (int x = 0; x < n; x++) {
      float sum = 0;
      for (int k = 0; k < 9; k++) sum += a[(y + k - 4) * n + x] * w[k];
      o[y * n + x] = sum;
    }
}

// loop: column_convolution
// source: vlfeat, vl/imopv.c, vl_imconvcol_vf
// rule: RL103
// data: float *a = floats(n * n)
// data: float *o = floats(n * n)
// call: n, a, o
// size: L2 n=200
// size: memory n=3000
void before(int n, const float *restrict a, float *restrict o) {
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) o[y * n + x] = 0.5f * a[x * n + y];
}
void after(int n, const float *restrict a, float *restrict o) {
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 16)
      for (int i = ii; i < (ii + 16 < n ? ii + 16 : n); i++)
        for (int j = jj; j < (jj + 16 < n ? jj + 16 : n); j++) o[i * n + j] = 0.5f * a[j * n + i];
}

// loop: endpoint_errors
// source: astc-encoder, Source/astcenc_averages_and_directions.cpp, compute_error_squared_rgba
// rule: RL201 omp simd
// data: float *r = floats(n)
// data: float *g = floats(n)
// data: float *w = floats(n)
// call: n, r, g, w
// size: L1 n=144
// size: L1 n=2000
float before(int n, const float *r, const float *g, const float *w) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += w[i] * (r[i] * r[i] + g[i] * g[i]);
  return sum;
}
float after(int n, const float *r, const float *g, const float *w) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += w[i] * (r[i] * r[i] + g[i] * g[i]);
  return sum;
}

// loop: integer_grid
// source: meshoptimizer, src/simplifier.cpp, computeVertexIds
// rule: RL313
// data: float *v = floats(n)
// data: float *o = floats(n)
// call: n, 31.0f, v, o
// size: L1 n=3000
// after: -fno-trapping-math -fno-math-errno
#include <math.h>
void before(int n, float scale, const float *restrict v, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = floorf(v[i] * scale + 0.5f);
}
void after(int n, float scale, const float *restrict v, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = floorf(v[i] * scale + 0.5f);
}

// loop: unit_quaternions
// source: meshoptimizer, src/vertexfilter.cpp, decodeFilterOct
// rule: RL311
// data: float *x = sfloats(n)
// data: float *y = sfloats(n)
// data: float *o = floats(n)
// call: n, x, y, o
// size: L1 n=2500
// size: L2 n=60000
// after: -fno-math-errno
#include <math.h>
void before(int n, const float *restrict x, const float *restrict y, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = 127.0f / sqrtf(x[i] * x[i] + y[i] * y[i] + 1.0f - x[i]);
}
void after(int n, const float *restrict x, const float *restrict y, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = 127.0f / sqrtf(x[i] * x[i] + y[i] * y[i] + 1.0f - x[i]);
}
