// Loops of compressors, databases and genomics: matches, bits, tables, sequences.

// loop: slide_tables
// source: zlib, deflate.c, slide_hash
// rule: RL308
// data: unsigned short *p = (unsigned short *)shorts(n, 0, 30000)
// call: p, n, m
// size: L1 n=8000 m=3
// size: L2 n=65536 m=3
void before(unsigned short *p, unsigned n, unsigned w) {
  p += n;
  do {
    unsigned v = *--p;
    *p = (unsigned short)(v >= w ? v - w : 0);
  } while (--n);
}
void after(unsigned short *p, unsigned n, unsigned w) {
  for (unsigned i = 0; i < n; i++) p[i] = (unsigned short)(p[i] >= w ? p[i] - w : 0);
}

// loop: two_checksums
// source: zlib, adler32.c, adler32_z
// rule: RL213
// data: unsigned char *p = bytes(n, 0, 256)
// call: p, n
// size: L1 n=5000
unsigned before(const unsigned char *p, int n) {
  unsigned a = 1, b = 0;
  for (int i = 0; i < n; i++) {
    a += p[i];
    b += a;
  }
  return b % 65521 << 16 | a % 65521;
}
unsigned after(const unsigned char *p, int n) {
  unsigned a = 0, b = 0;
  for (int i = 0; i < n; i++) {
    a += p[i];
    b += (unsigned)(n - i) * p[i];
  }
  return (b + n) % 65521 << 16 | (a + 1) % 65521;
}

// loop: longest_equal
// source: zlib, deflate.c, longest_match
// rule: RL314
// data: unsigned char *a = bytes(n, 0, 1)
// data: unsigned char *b = bytes(n, 0, 1)
// call: a, b, n
// size: L1 n=258
// size: L1 n=6000
int before(const unsigned char *a, const unsigned char *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return i;
  return n;
}
int after(const unsigned char *a, const unsigned char *b, int n) {
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    signed char found = 0;
    for (int k = 0; k < 64; k++) found |= a[i + k] != b[i + k];
    if (found) break;
  }
  for (; i < n; i++)
    if (a[i] != b[i]) return i;
  return n;
}

// loop: tree_frequencies
// source: zlib, trees.c, scan_tree
// rule: RL219
// data: unsigned char *s = bytes(n, 0, 20)
// data: int *f = ints(64, 0, 1)
// call: n, s, f
// size: L1 n=3000
void before(int n, const unsigned char *s, int *f) {
  for (int i = 0; i < n; i++) f[s[i]]++;
}
void after(int n, const unsigned char *s, int *f) {
  int part[4][32] = {{0}};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    part[0][s[i]]++;
    part[1][s[i + 1]]++;
    part[2][s[i + 2]]++;
    part[3][s[i + 3]]++;
  }
  for (; i < n; i++) part[0][s[i]]++;
  for (int k = 0; k < 20; k++) f[k] += part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

// loop: text_or_binary
// source: zlib, trees.c, detect_data_type
// rule: RL314
// data: unsigned short *f = (unsigned short *)shorts(n, 0, 1)
// call: f, n
// size: L1 n=256
int before(const unsigned short *f, int n) {
  for (int i = 0; i < n; i++)
    if (f[i] != 0) return i;
  return n;
}
int after(const unsigned short *f, int n) {
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    short found = 0;
    for (int k = 0; k < 64; k++) found |= f[i + k] != 0;
    if (found) break;
  }
  for (; i < n; i++)
    if (f[i] != 0) return i;
  return n;
}

// loop: equal_prefix
// source: lz4, lib/lz4.c, LZ4_count
// rule: RL314
// data: unsigned *a = (unsigned *)ints(n, 0, 1)
// data: unsigned *b = (unsigned *)ints(n, 0, 1)
// call: a, b, n
// size: L1 n=12
// size: L1 n=2000
long before(const unsigned *a, const unsigned *b, long n) {
  long i = 0;
  while (i < n && a[i] == b[i]) i++;
  return i;
}
long after(const unsigned *a, const unsigned *b, long n) {
  long i = 0;
  for (; i + 64 <= n; i += 64) {
    int found = 0;
    for (int k = 0; k < 64; k++) found |= a[i + k] != b[i + k];
    if (found) break;
  }
  while (i < n && a[i] == b[i]) i++;
  return i;
}

// loop: hash_of_positions
// source: snappy, snappy.cc, CompressFragment
// rule: RL215
// data: unsigned *v = (unsigned *)ints(n, 0, 2000000000)
// data: unsigned *h = (unsigned *)ints(n, 0, 9)
// call: n, m, v, h
// size: L1 n=3000 m=12289
void before(int n, unsigned m, const unsigned *restrict v, unsigned *restrict h) {
  for (int i = 0; i < n; i++) h[i] = v[i] * 0x1e35a7bdu % m;
}
void after(int n, unsigned m, const unsigned *restrict v, unsigned *restrict h) {
  double inverse = 1.0 / (long)m;
  for (int i = 0; i < n; i++) {
    unsigned x = v[i] * 0x1e35a7bdu;
    h[i] = (unsigned)(x - (unsigned)((x + 0.5) * inverse) * (long)m);
  }
}

// loop: bucket_counts
// source: bzip2, blocksort.c, mainSort
// rule: RL219
// data: unsigned char *p = bytes(n + 1, 0, 256)
// data: int *count = ints(65537, 0, 1)
// call: p, n, count
// size: L2 n=200000
void before(const unsigned char *p, int n, int *count) {
  for (int i = 0; i < n; i++) count[p[i] << 8 | p[i + 1]]++;
}
void after(const unsigned char *p, int n, int *count) {
  static int part[2][65536];
  for (int k = 0; k < 65536; k++) part[0][k] = part[1][k] = 0;
  for (int i = 0; i + 2 <= n; i += 2) {
    part[0][p[i] << 8 | p[i + 1]]++;
    part[1][p[i + 1] << 8 | p[i + 2]]++;
  }
  for (int k = 0; k < 65536; k++) count[k] += part[0][k] + part[1][k];
}

// loop: used_symbols
// source: bzip2, compress.c, sendMTFValues
// rule: RL306
// data: unsigned short *m = (unsigned short *)shorts(50 * n, 0, 250)
// data: unsigned short *l = (unsigned short *)shorts(260, 1, 20)
// data: int *o = ints(n, 0, 9)
// call: n, m, l, o
// size: L1 n=200
void before(int n, const unsigned short *m, const unsigned short *l, int *restrict o) {
  for (int i = 0; i < n; i++) {
    int cost = 0;
    for (int k = 0; k < 50; k++) cost += l[m[50 * i + k]];
    o[i] = cost;
  }
}
void after(int n, const unsigned short *m, const unsigned short *l, int *restrict o) {
  for (int i = 0; i < n; i++) {
    int one = 0, two = 0;
    for (int k = 0; k < 50; k += 2) {
      one += l[m[50 * i + k]];
      two += l[m[50 * i + k + 1]];
    }
    o[i] = one + two;
  }
}

// loop: lower_names
// source: redis, src/sds.c, sdstolower
// rule: RL312
// data: struct buffer *b = buffer_of(length)
// call: b
// size: L1 length=4000
struct buffer {
  int length;
  char *text;
};
void before(struct buffer *b) {
  for (int i = 0; i < b->length; i++) b->text[i] |= 32;
}
void after(struct buffer *b) {
  int length = b->length;
  char *text = b->text;
  for (int i = 0; i < length; i++) text[i] |= 32;
}

// loop: replaced_characters
// source: redis, src/sds.c, sdsmapchars
// rule: RL316
// data: char *s = (char *)bytes(800000, 97, 101)
// call: s + shift(n, 800000), n
// size: L2 n=4000
void before(char *s, int n) {
  for (int i = 0; i < n; i++)
    if (s[i] == 'b') s[i] = 'c';
}
void after(char *s, int n) {
  for (int i = 0; i < n; i++) s[i] = s[i] == 'b' ? 'c' : s[i];
}

// loop: register_histogram
// source: redis, src/hyperloglog.c, hllDenseRegHisto
// rule: RL219
// data: unsigned char *r = bytes(n, 1, 8)
// data: int *h = ints(64, 0, 1)
// call: n, r, h
// size: L1 n=16384
void before(int n, const unsigned char *r, int *h) {
  for (int i = 0; i < n; i++) h[r[i]]++;
}
void after(int n, const unsigned char *r, int *h) {
  int part[4][64] = {{0}};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    part[0][r[i]]++;
    part[1][r[i + 1]]++;
    part[2][r[i + 2]]++;
    part[3][r[i + 3]]++;
  }
  for (; i < n; i++) part[0][r[i]]++;
  for (int k = 0; k < 64; k++) h[k] += part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

// loop: merged_registers
// source: redis, src/hyperloglog.c, hllMerge
// rule: RL316
// data: unsigned char *a = bytes(800000, 0, 40)
// data: unsigned char *b = bytes(800000, 0, 40)
// call: a + shift(n, 800000), b + shift(n, 800000), n
// size: L2 n=16000
void before(unsigned char *restrict a, const unsigned char *restrict b, int n) {
  for (int i = 0; i < n; i++)
    if (b[i] > a[i]) a[i] = b[i] & 31;
}
void after(unsigned char *restrict a, const unsigned char *restrict b, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] > a[i] ? b[i] & 31 : a[i];
}

// loop: members_of_set
// source: redis, src/intset.c, intsetSearch
// rule: RL317
// data: long *s = sorted_longs(m)
// data: long *want = longs(400000, 0, 1000000000)
// data: int *at = ints(400000, 0, 9)
// call: n, m, want + shift(n, 400000), s, at
// size: L1 n=500 m=512
// size: L3 n=500 m=400000
void before(int n, int m, const long *want, const long *s, int *at) {
  for (int k = 0; k < n; k++) {
    int low = 0, high = m - 1, found = -1;
    while (high >= low) {
      int middle = (low + high) / 2;
      if (want[k] > s[middle])
        low = middle + 1;
      else if (want[k] < s[middle])
        high = middle - 1;
      else {
        found = middle;
        break;
      }
    }
    at[k] = found < 0 ? low : found;
  }
}
#ifdef __clang__
#define UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define UNPREDICTABLE(condition) (condition)
#endif
void after(int n, int m, const long *want, const long *s, int *at) {
  for (int k = 0; k < n; k++) {
    int start = 0, length = m;
    while (length > 1) {
      int half = length / 2;
      start += UNPREDICTABLE(s[start + half - 1] < want[k]) ? half : 0;
      length -= half;
    }
    at[k] = start + (s[start] < want[k]);
  }
}

// loop: slot_of_keys
// source: redis, src/dict.c, dictGenHashFunction
// rule: RL215
// data: unsigned *v = (unsigned *)ints(n, 0, 2000000000)
// data: int *slot = ints(n, 0, 9)
// call: n, m, v, slot
// size: L1 n=3000 m=1009
// size: memory n=15000000 m=1009
void before(int n, unsigned m, const unsigned *restrict v, int *restrict slot) {
  for (int i = 0; i < n; i++) slot[i] = (int)(v[i] % m);
}
void after(int n, unsigned m, const unsigned *restrict v, int *restrict slot) {
  double inverse = 1.0 / (long)m;
  for (int i = 0; i < n; i++) {
    unsigned x = v[i];
    slot[i] = (int)(x - (unsigned)((x + 0.5) * inverse) * (long)m);
  }
}

// loop: probe_of_keys
// source: redis, src/dict.c, dictFind
// rule: RL114
// data: unsigned *v = (unsigned *)ints(n, 0, 2000000000)
// data: long *t = longs(m, 0, 9)
// data: long *o = longs(n, 0, 9)
// call: n, m, v, t, o
// size: L2 n=2000 m=16384
// size: memory n=100000 m=16777216
void before(int n, int m, const unsigned *v, const long *t, long *restrict o) {
  for (int i = 0; i < n; i++) {
    unsigned h = v[i] * 2654435761u >> 3 & (unsigned)(m - 1);
    long e = t[h];
    o[i] = e > 4 ? e * 3 : e;
  }
}
void after(int n, int m, const unsigned *v, const long *t, long *restrict o) {
  for (int i = 0; i < n; i++) {
    if (i + 16 < n)
      __builtin_prefetch(&t[v[i + 16] * 2654435761u >> 3 & (unsigned)(m - 1)]);
    unsigned h = v[i] * 2654435761u >> 3 & (unsigned)(m - 1);
    long e = t[h];
    o[i] = e > 4 ? e * 3 : e;
  }
}

// loop: page_list_search
// source: lmdb, libraries/liblmdb/midl.c, mdb_midl_search
// rule: RL317
// data: long *ids = sorted_longs(m)
// data: long *want = longs(400000, 0, 1000000000)
// data: int *at = ints(400000, 0, 9)
// call: n, m, want + shift(n, 400000), ids, at
// size: L2 n=400 m=30000
void before(int n, int m, const long *want, const long *ids, int *at) {
  for (int k = 0; k < n; k++) {
    int base = 0, length = m;
    while (length > 0) {
      int half = length / 2;
      if (ids[base + half] < want[k]) {
        base += half + 1;
        length -= half + 1;
      } else
        length = half;
    }
    at[k] = base;
  }
}
#ifdef __clang__
#define UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define UNPREDICTABLE(condition) (condition)
#endif
void after(int n, int m, const long *want, const long *ids, int *at) {
  for (int k = 0; k < n; k++) {
    int start = 0, length = m;
    while (length > 1) {
      int half = length / 2;
      start += UNPREDICTABLE(ids[start + half - 1] < want[k]) ? half : 0;
      length -= half;
    }
    at[k] = start + (ids[start] < want[k]);
  }
}

// loop: selected_rectangles
// source: rtree.c, rtree.c, node_choose_least_enlargement
// rule: RL106
// data: struct rect *r = (struct rect *)doubles(4 * n)
// call: n, r
// size: L1 n=64
// size: memory n=3000000
struct rect {
  double min[2], max[2];
};
double before(int n, const struct rect *r) {
  double least = 1e300;
  for (int i = 0; i < n; i++) least = r[i].min[0] < least ? r[i].min[0] : least;
  return least;
}
extern double *low;
// data: double *low = doubles(n)
double after(int n, const struct rect *r) {
  double least = 1e300;
  for (int i = 0; i < n; i++) least = low[i] < least ? low[i] : least;
  return least;
}

// loop: boxes_that_meet
// source: rtree.c, rtree.c, rect_intersects
// rule: RL217
// data: float *x = floats(400000)
// data: float *y = floats(400000)
// data: int *hit = ints(400000, 0, 9)
// call: n, x + shift(n, 400000), y + shift(n, 400000), hit
// size: L2 n=3000
int before(int n, const float *x, const float *y, int *restrict hit) {
  int m = 0;
  for (int i = 0; i < n; i++)
    if (x[i] <= y[i]) hit[m++] = i;
  return m;
}
int after(int n, const float *x, const float *y, int *restrict hit) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    hit[m] = i;
    m += x[i] <= y[i];
  }
  return m;
}

// loop: rare_rows
// source: rtree.c, rtree.c, rtree_search
// rule: RL217
// data: float *x = floats(400000)
// data: int *hit = ints(400000, 0, 9)
// call: n, x + shift(n, 400000), hit
// size: L2 n=3000
int before(int n, const float *x, int *restrict hit) {
  int m = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 1.49f) hit[m++] = i;
  return m;
}
int after(int n, const float *x, int *restrict hit) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    hit[m] = i;
    m += x[i] > 1.49f;
  }
  return m;
}

// loop: reversed_bases
// source: bwa, bwaseqio.c, seq_reverse
// rule: RL301
// data: unsigned char *s = bytes(n, 0, 4)
// data: unsigned char *d = bytes(n, 0, 4)
// call: n, s, d
// size: L1 n=150
// size: L1 n=6000
void before(int n, const unsigned char *s, unsigned char *d) {
  for (int i = 0; i < n; i++) d[n - 1 - i] = s[i] < 4 ? 3 - s[i] : 4;
}
void after(int n, const unsigned char *restrict s, unsigned char *restrict d) {
  for (int i = 0; i < n; i++) d[n - 1 - i] = s[i] < 4 ? 3 - s[i] : 4;
}

// loop: query_profile
// source: bwa, ksw.c, ksw_qinit
// rule: RL109
// data: unsigned char *q = bytes(n, 0, 5)
// data: signed char *mat = (signed char *)bytes(32, 0, 5)
// data: signed char *qp = (signed char *)bytes(n, 0, 5)
// call: n, q, mat, qp
// size: L1 n=3000
void before(int n, const unsigned char *q, const signed char *mat, signed char *restrict qp) {
  for (int i = 0; i < n; i++) qp[i] = mat[q[i]];
}
void after(int n, const unsigned char *q, const signed char *mat, signed char *restrict qp) {
  for (int i = 0; i < n; i++) {
    signed char v = mat[0];
    for (int k = 1; k < 5; k++) v = q[i] == k ? mat[k] : v;
    qp[i] = v;
  }
}

// loop: quality_trim
// source: bwa, bwaseqio.c, bwa_trim_read
// rule: RL213
// data: unsigned char *q = bytes(n, 10, 60)
// call: q, n
// size: L1 n=4000
int before(const unsigned char *q, int n) {
  int s = 0, most = 0;
  for (int i = n - 1; i >= 0; i--) {
    s += 30 - q[i];
    if (s > most) most = s;
  }
  return most;
}
int after(const unsigned char *q, int n) {
  int s = 0, most = 0;
  for (int i = n - 1; i >= 0; i--) {
    s += 30 - q[i];
    most = s > most ? s : most;
  }
  return most;
}

// loop: row_of_scores
// source: bwa, ksw.c, ksw_extend2
// rule: RL213
// data: int *h = ints(n, 0, 50)
// data: int *e = ints(n, 0, 50)
// data: signed char *q = (signed char *)bytes(n, 0, 5)
// call: n, h, e, q
// size: L1 n=600
int before(int n, int *restrict h, int *restrict e, const signed char *q) {
  int f = 0, last = 0;
  for (int j = 0; j < n; j++) {
    int m = h[j] + q[j] - 2, g = m > e[j] ? m : e[j];
    g = g > f ? g : f;
    h[j] = last;
    last = g & 63;
    int t = m - 7;
    e[j] = (e[j] - 1 > t ? e[j] - 1 : t) & 63;
    f = f - 1 > t ? f - 1 : t;
  }
  return f;
}
int after(int n, int *restrict h, int *restrict e, const signed char *q) {
  int f = 0, last = 0;
  for (int j = 0; j < n; j++) {
    int m = h[j] + q[j] - 2, g = m > e[j] ? m : e[j], t = m - 7;
    g = g > f ? g : f;
    h[j] = last;
    last = g & 63;
    e[j] = (e[j] - 1 > t ? e[j] - 1 : t) & 63;
    f--;
    f = f > t ? f : t;
  }
  return f;
}

// loop: minimizer_hashes
// source: minimap2, sketch.c, hash64
// rule: RL301
// data: unsigned long *key = (unsigned long *)longs(n, 0, 1000000000)
// data: unsigned long *h = (unsigned long *)longs(n, 0, 9)
// call: n, key, h
// size: L1 n=1500
void before(int n, const unsigned long *k, unsigned long *h) {
  for (int i = 0; i < n; i++) {
    unsigned long x = ~k[i] + (k[i] << 21);
    x ^= x >> 24;
    x = x + (x << 3) + (x << 8);
    x ^= x >> 14;
    h[i] = x + (x << 31);
  }
}
void after(int n, const unsigned long *restrict k, unsigned long *restrict h) {
  for (int i = 0; i < n; i++) {
    unsigned long x = ~k[i] + (k[i] << 21);
    x ^= x >> 24;
    x = x + (x << 3) + (x << 8);
    x ^= x >> 14;
    h[i] = x + (x << 31);
  }
}

// loop: chain_scores
// source: minimap2, lchain.c, comput_sc
// rule: RL315
// data: float *a = floats(n + m)
// data: float *o = floats(n)
// call: n, m, a, o
// size: L1 n=2500 m=100
void before(unsigned n, unsigned m, const float *restrict a, float *restrict o) {
  for (unsigned i = 0; i < n; i++) o[i] = 0.5f * a[i + m];
}
void after(unsigned n, unsigned m, const float *restrict a, float *restrict o) {
  const float *from = a + m;
  for (unsigned long i = 0; i < n; i++) o[i] = 0.5f * from[i];
}

// loop: kept_regions
// source: minimap2, hit.c, mm_filter_regs
// rule: RL106
// data: struct region *r = (struct region *)ints(16 * n, 0, 100)
// call: n, r
// size: L2 n=5000
// size: memory n=1000000
struct region {
  int id, count, rid, score, qs, qe, rs, re, parent, sub, as, more[5];
};
int before(int n, const struct region *r) {
  int total = 0;
  for (int i = 0; i < n; i++) total += r[i].score > 40;
  return total;
}
extern int *score;
// data: int *score = ints(n, 0, 100)
int after(int n, const struct region *r) {
  int total = 0;
  for (int i = 0; i < n; i++) total += score[i] > 40;
  return total;
}
