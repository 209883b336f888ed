// Loops over strings and small buffers: lengths, cases, searches, temporaries.

// loop: folded_case
// source: cJSON, cJSON.c, case_insensitive_strcmp
// rule: RL216
// data: char *s = text(n)
// call: s
// size: L1 n=400
// size: L1 n=3000
#include <string.h>
void before(char *s) {
  for (unsigned long i = 0; i < strlen(s); i++) s[i] = (char)(s[i] ^ 32);
}
void after(char *s) {
  unsigned long n = strlen(s);
  for (unsigned long i = 0; i < n; i++) s[i] = (char)(s[i] ^ 32);
}

// loop: escaped_quotes
// source: cJSON, cJSON.c, print_string_ptr
// rule: RL216
// data: char *s = text(n)
// call: s
// size: L1 n=500
#include <string.h>
int before(const char *s) {
  int quotes = 0;
  for (unsigned long i = 0; i < strlen(s); i++) quotes += s[i] == '"';
  return quotes;
}
int after(const char *s) {
  int quotes = 0;
  unsigned long n = strlen(s);
  for (unsigned long i = 0; i < n; i++) quotes += s[i] == '"';
  return quotes;
}

// loop: packed_text
// source: cJSON, cJSON.c, cJSON_Minify
// rule: RL217
// data: char *s = (char *)bytes(800000, 32, 36)
// data: char *d = (char *)bytes(800000, 32, 36)
// call: n, s + shift(n, 800000), d
// size: L2 n=4000
int before(int n, const char *restrict s, char *restrict d) {
  int m = 0;
  for (int i = 0; i < n; i++)
    if (s[i] != ' ') d[m++] = s[i];
  return m;
}
int after(int n, const char *restrict s, char *restrict d) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    d[m] = s[i];
    m += s[i] != ' ';
  }
  return m;
}

// loop: end_of_string
// source: cJSON, cJSON.c, parse_string
// rule: RL314
// data: char *s = text(n)
// call: s, n
// size: L1 n=16
// size: L1 n=2000
int before(const char *s, int n) {
  for (int i = 0; i < n; i++)
    if (s[i] == '"') return i;
  return n;
}
int after(const char *s, int n) {
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    signed char found = 0;
    for (int k = 0; k < 64; k++) found |= s[i + k] == '"';
    if (found) break;
  }
  for (; i < n; i++)
    if (s[i] == '"') return i;
  return n;
}

// loop: word_hash
// source: word2vec, word2vec.c, GetWordHash
// rule: RL216
// data: char *s = text(n)
// call: s
// size: L1 n=12
// size: L1 n=300
#include <string.h>
unsigned long before(const char *s) {
  unsigned long h = 0;
  for (unsigned long a = 0; a < strlen(s); a++) h = h * 257 + (unsigned char)s[a];
  return h;
}
unsigned long after(const char *s) {
  unsigned long h = 0, n = strlen(s);
  for (unsigned long a = 0; a < n; a++) h = h * 257 + (unsigned char)s[a];
  return h;
}

// loop: separators
// source: redis, src/sds.c, sdssplitlen
// rule: RL217
// data: char *s = (char *)bytes(800000, 32, 64)
// data: int *at = ints(800000, 0, 9)
// call: n, s + shift(n, 800000), at
// size: L2 n=4000
int before(int n, const char *s, int *restrict at) {
  int m = 0;
  for (int i = 0; i < n; i++)
    if (s[i] == ',') at[m++] = i;
  return m;
}
int after(int n, const char *s, int *restrict at) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    at[m] = i;
    m += s[i] == ',';
  }
  return m;
}

// loop: counted_spaces
// source: fastText, src/dictionary.cc, hash
// rule: RL218
// data: char *s = text(n)
// call: s, n
// size: L1 n=200
// size: L2 n=200000
int before(const char *s, int n) {
  int count = 0;
  for (int i = 0; i < n; i++) count += s[i] == ' ';
  return count;
}
int after(const char *s, int n) {
  int count = 0;
  int i = 0;
  for (; i + 192 <= n; i += 192) {
    unsigned char part = 0;
    for (int k = 0; k < 192; k++) part += s[i + k] == ' ';
    count += part;
  }
  for (; i < n; i++) count += s[i] == ' ';
  return count;
}

// loop: row_in_heap
// source: wavelib, src/wavelib.c, dwt_per
// rule: RL113
// data: double *x = doubles(n * m)
// data: double *o = doubles(n * m)
// call: n, m, x, o
// size: L1 n=16 m=60
// size: L2 n=300 m=100
#include <stdlib.h>
void before(int n, int m, const double *restrict x, double *restrict o) {
  for (int r = 0; r < m; r++) {
    double *t = malloc(sizeof(double) * n);
    for (int i = 0; i < n; i++) t[i] = 0.5 * x[r * n + i];
    for (int i = 1; i < n; i++) o[r * n + i] = t[i] + t[i - 1];
    free(t);
  }
}
void after(int n, int m, const double *restrict x, double *restrict o) {
  double *t = malloc(sizeof(double) * n);
  for (int r = 0; r < m; r++) {
    for (int i = 0; i < n; i++) t[i] = 0.5 * x[r * n + i];
    for (int i = 1; i < n; i++) o[r * n + i] = t[i] + t[i - 1];
  }
  free(t);
}

// loop: scratch_of_frames
// source: codec2, src/sine.c, estimate_amplitudes
// rule: RL111
// data: float *x = floats(n)
// data: float *t = floats(n)
// data: float *o = floats(n)
// call: n, x, t, o
// size: L1 n=2000
void before(int n, const float *restrict x, float *restrict t, float *restrict o) {
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) o[i] = t[i] + 1.0f;
}
void after(int n, const float *restrict x, float *restrict t, float *restrict o) {
  for (int i = 0; i < n; i++) {
    t[i] = x[i] * x[i];
    o[i] = t[i] + 1.0f;
  }
}
