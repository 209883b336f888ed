/* Replays the accesses of a function through LRU caches, line by line.
 *
 * A program is an array of 64-bit integers (see program.py for its layout): loops, walks, straight
 * accesses, branches and exits, with bounds and addresses as small expressions. The kernel counts,
 * for each reference and level, what crosses the link below that level. It reads and writes
 * nothing else, never ends the process and never asks for the time: it stops at a limit of work.
 *
 * portable.py is the same algorithm; tests demand identical counts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* As in native.py, which takes no other kernel: a checkout may have one of an earlier build. */
EXPORT const int rooflint_replay_layout = 4;

enum { OK, LIMIT, NO_MEMORY, INVALID, UNDEFINED, VARYING, SETTLED };  /* status */
enum { SEQUENCE, LOOP, WALK, ACCESSES, BRANCH, EXIT, ASSIGN, REPEAT }; /* nodes */
enum { AFFINE, POSTFIX };                                             /* expressions */
enum { CONSTANT, SLOT, ADD, MULTIPLY, FLOORDIV, MOD, MIN, MAX, SELECT, CEILLOG,
       LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, AND, OR, NOT };            /* tokens */
enum { GO_ON, BREAK, CONTINUE, RETURN };                              /* exits */
enum { WRITES = 1, NONTEMPORAL = 2 };                                 /* references */
enum { WRITE_BACK = 1, WRITE_ALLOCATE = 2, INCLUSIVE = 4, VICTIM = 8, HASHED = 16 }; /* levels */
enum { MISSES, EVICTS, PASSED, AT_EDGE, BEYOND_EDGE, UNSURE, COLUMNS }; /* counters */
enum { DISCARDED = 1 }; /* the bank of what is played only to fill the levels */
enum { STACK = 64, DEPTH = 200, MOST_REFERENCES = 256, MOST_LINES = 18, CLASSES = 64 };
enum { ROOM = MOST_REFERENCES * MOST_LINES };
enum { MOST_POINTS = 16, FIRST_POINT = 512 };
enum { COPIED = 16 };   /* entries that are copied and compared in the time of a touch */
enum { MANY_TRIPS = 8 }; /* of a loop that is looked at whether its iterations are alike */

#define UNKNOWN INT64_MIN
#define NO_LINE 0 /* memory that is fresh has none; see key_of */
#define NOWHERE (-1)
#define TAKEN ((i64)1 << 54) /* in place of the line that left a set last: lines were taken out */
#define FEW_ENTRIES 256 /* of a hashed level at first */

typedef struct {
  i64 line;
  i64 owner; /* reference + 1 of the store that made the line dirty, else 0 */
} Entry;

typedef struct {
  i64 sets, ways, flags;
  i64 mask;       /* sets - 1 for a power of two, else -1 */
  i64 slots;      /* entries of one set, with one for the line that has just left */
  Entry *entries; /* by set, most recent first */
  /* a hashed level is one fully associative set: a table of entries in a list */
  int32_t *table, *before, *after;
  i64 size, room, used, newest, oldest, unused;
  int failed;  /* no memory to grow */
  int evicted; /* a line has left for another one */
  i64 taken;   /* lines taken out of it: by an inclusive level, by a store past the caches, by a hit */
  i64 left, left_before; /* lines that left for others; with those taken, before an iteration */
} Level;

typedef struct {
  i64 line, reference;
} Touch;

typedef struct {
  i64 address, stride, bytes, reference, next;
} Reference;

/* Parts of a long loop that are played in place of the whole: see windows.py. */
typedef struct {
  i64 begin, end, bank, empties;
} Piece;

/* What the first run had counted and the levels held when it came to a place of the program. */
typedef struct {
  i64 *counters;
  Entry *entries;
  i64 held;
} Point;

typedef struct {
  const i64 *code;
  i64 length;
  i64 *slots;
  i64 slot_count, references;
  const i64 *kinds, *widths;
  i64 *combining; /* the line that each reference stored past the caches last */
  Level *levels;
  i64 level_count, shift, plain;
  i64 *counters; /* [half][level][reference][COLUMNS] of the present run and bank */
  i64 *snapshot; /* of counters */
  i64 size;      /* counters of one half */
  i64 offset;    /* of the counters of the half that the present line belongs to */
  i64 *run_counters, bank, bank_count;
  const i64 *windows;
  i64 window_count;
  int unknown; /* lines that a level does not have may have been left out */
  Point points[MOST_POINTS];
  i64 point_count, point, steps, next_point; /* steps of the present run, alike in all runs */
  enum { IGNORES, KEEPS, COMPARES } at_points; /* what the present run does there */
  i64 work, limit, repeat_work; /* of the last iteration of a loop that repeats */
  i64 plays;                    /* groups of touches, other code's among them */
  struct { i64 body, plays, *change, *slots; } last; /* a loop that repeats: see keep_last */
  int status;
  i64 modulus;
  i64 halves;
  unsigned char chosen[CLASSES]; /* 1: of the first half, 2: of the second one, ... */
  unsigned char ahead[CLASSES], behind[CLASSES]; /* lines to the next chosen class, 1 at least */
  unsigned char hops[CLASSES][CLASSES]; /* steps of so many lines until a chosen one; 0: not asked yet */
} Replay;

/* Arithmetic that wraps: addresses far out of range give a wrong line, never undefined behaviour. */
static i64 plus(i64 a, i64 b) { return (i64)((uint64_t)a + (uint64_t)b); }
static i64 times(i64 a, i64 b) { return (i64)((uint64_t)a * (uint64_t)b); }

/* Lines as the levels know them: all but the one that no address has are another number than 0. */
static i64 key_of(i64 line) { return line ^ INT64_MIN; }

static i64 floor_division(i64 a, i64 b) {
  i64 quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

static i64 binary(Replay *r, i64 token, i64 a, i64 b) {
  int unknown = a == UNKNOWN || b == UNKNOWN;
  switch (token) {
  case AND: return a == 0 || b == 0 ? 0 : unknown ? UNKNOWN : 1;
  case OR: return (a != UNKNOWN && a) || (b != UNKNOWN && b) ? 1 : unknown ? UNKNOWN : 0;
  }
  if (unknown) return UNKNOWN;
  switch (token) {
  case ADD: return plus(a, b);
  case MULTIPLY: return times(a, b);
  case MIN: return a < b ? a : b;
  case MAX: return a > b ? a : b;
  case LESS: return a < b;
  case LESS_EQUAL: return a <= b;
  case EQUAL: return a == b;
  case NOT_EQUAL: return a != b;
  case FLOORDIV:
  case MOD:
    if (b == 0 || (b == -1 && a == INT64_MIN)) { r->status = UNDEFINED; return 0; }
    return token == FLOORDIV ? floor_division(a, b) : a - times(b, floor_division(a, b));
  case CEILLOG: {
    i64 steps = 0, power = 1;
    if (b < 2) { r->status = UNDEFINED; return 0; }
    while (power < a) { if (power > INT64_MAX / b) return steps + 1; power *= b; steps++; }
    return steps;
  }
  }
  r->status = INVALID;
  return 0;
}

static i64 postfix(Replay *r, const i64 *token, const i64 *end) {
  i64 stack[STACK], depth = 0;
  while (token < end) {
    i64 kind = *token++;
    if (kind == CONSTANT || kind == SLOT) {
      if (depth == STACK || token == end) { r->status = INVALID; return 0; }
      if (kind == SLOT && (*token < 0 || *token >= r->slot_count)) { r->status = INVALID; return 0; }
      stack[depth++] = kind == CONSTANT ? *token : r->slots[*token];
      token++;
    } else if (kind == NOT && depth > 0) {
      if (stack[depth - 1] != UNKNOWN) stack[depth - 1] = !stack[depth - 1];
    } else if (kind == SELECT && depth > 2) {
      i64 condition = stack[depth - 3];
      depth -= 2;
      stack[depth - 1] = condition == UNKNOWN ? UNKNOWN : condition >= 0 ? stack[depth] : stack[depth + 1];
    } else if (depth > 1) {
      depth--;
      stack[depth - 1] = binary(r, kind, stack[depth - 1], stack[depth]);
    } else { r->status = INVALID; return 0; }
  }
  if (depth != 1) { r->status = INVALID; return 0; }
  return stack[0];
}

static i64 value(Replay *r, i64 at) {
  if (at < 0 || at + 2 >= r->length) { r->status = INVALID; return 0; }
  const i64 *e = r->code + at;
  i64 count = e[1];
  if (count < 0 || count > r->length || at + (e[0] == POSTFIX ? 2 + count : 3 + 2 * count) > r->length) {
    r->status = INVALID;
    return 0;
  }
  if (e[0] == POSTFIX) return postfix(r, e + 2, e + 2 + count);
  i64 total = e[2];
  for (i64 n = 0; n < count; n++) {
    i64 slot = e[3 + 2 * n];
    if (slot < 0 || slot >= r->slot_count) { r->status = INVALID; return 0; }
    total = plus(total, times(r->slots[slot], e[4 + 2 * n]));
  }
  return total;
}

static i64 *counter(Replay *r, i64 level, i64 reference) {
  return r->counters + r->offset + (level * r->references + reference) * COLUMNS;
}

/* Counters from now on are those of the half that a line belongs to. */
static void use_half(Replay *r, i64 line) {
  if (r->halves > 1) r->offset = (r->chosen[line & (r->modulus - 1)] - 1) * r->size;
}

/* Hashed levels: open addressing over nodes of a list, newest first. */

static i64 bucket(const Level *l, i64 line) {
  uint64_t mixed = (uint64_t)line * 0x9E3779B97F4A7C15ull;
  return (i64)(mixed >> 20) & (l->size - 1);
}

static i64 hashed_place(const Level *l, i64 line) {
  i64 place = bucket(l, line);
  while (l->table[place] != NOWHERE && l->entries[l->table[place]].line != line) {
    place = (place + 1) & (l->size - 1);
  }
  return place;
}

static void unlink_node(Level *l, i64 node) {
  i64 before = l->before[node], after = l->after[node];
  if (before == NOWHERE) l->newest = after; else l->after[before] = (int32_t)after;
  if (after == NOWHERE) l->oldest = before; else l->before[after] = (int32_t)before;
}

static void link_newest(Level *l, i64 node) {
  l->before[node] = NOWHERE;
  l->after[node] = (int32_t)l->newest;
  if (l->newest == NOWHERE) l->oldest = node; else l->before[l->newest] = (int32_t)node;
  l->newest = node;
}

static i64 hashed_remove(Level *l, i64 line) {
  i64 hole = hashed_place(l, line), mask = l->size - 1, node = l->table[hole];
  i64 owner = l->entries[node].owner;
  unlink_node(l, node);
  l->after[node] = (int32_t)l->unused;
  l->unused = node;
  l->used--;
  l->table[hole] = NOWHERE;
  for (i64 next = (hole + 1) & mask; l->table[next] != NOWHERE; next = (next + 1) & mask) {
    i64 home = bucket(l, l->entries[l->table[next]].line);
    if (((next - home) & mask) >= ((next - hole) & mask)) {
      l->table[hole] = l->table[next];
      l->table[next] = NOWHERE;
      hole = next;
    }
  }
  return owner;
}

/* Entries and a table for so many lines, filled again with those that there are. */
static int grow(Level *l, i64 room) {
  i64 size = 16;
  while (size < 2 * room) size *= 2;
  Entry *entries = realloc(l->entries, room * sizeof *entries);
  if (entries) l->entries = entries;
  int32_t *before = realloc(l->before, room * sizeof *before);
  if (before) l->before = before;
  int32_t *after = realloc(l->after, room * sizeof *after);
  if (after) l->after = after;
  int32_t *table = realloc(l->table, size * sizeof *table);
  if (table) l->table = table;
  if (!entries || !before || !after || !table) return 0;
  l->size = size;
  memset(table, 0xff, size * sizeof *table); /* NOWHERE */
  for (i64 node = l->newest; node != NOWHERE; node = after[node]) {
    table[hashed_place(l, entries[node].line)] = (int32_t)node;
  }
  for (i64 node = l->room; node < room; node++) after[node] = (int32_t)(node + 1 < room ? node + 1 : l->unused);
  if (room > l->room) l->unused = l->room;
  l->room = l->slots = room;
  return 1;
}

/* One level: find, insert, remove. */

static Entry *set_of(const Level *l, i64 line) {
  i64 set = l->mask < 0 ? line % l->sets : line & l->mask;
  return l->entries + (set < 0 ? set + l->sets : set) * l->slots;
}

/* The entry of a line, moved to the front if the line is used; depth: its place, NOWHERE without. */
static Entry *find(Level *l, i64 line, int use, i64 *depth) {
  *depth = NOWHERE;
  if (l->flags & HASHED) {
    i64 node = l->table[hashed_place(l, line)];
    if (node == NOWHERE) return 0;
    if (use && l->newest != node) { unlink_node(l, node); link_newest(l, node); }
    return l->entries + node;
  }
  Entry *set = set_of(l, line);
  i64 ways = l->ways, n = 0;
  while (n <= ways && set[n].line != line) n++;
  if (n > ways) return 0;
  *depth = n;
  if (n == ways) return 0;
  if (n == 0 || !use) return set + n;
  Entry entry = set[n];
  for (; n > 0; n--) set[n] = set[n - 1];
  set[0] = entry;
  return set;
}

/* Makes a line the most recent one; the entry that leaves for it, or NO_LINE. */
static Entry insert(Level *l, i64 line, i64 owner) {
  Entry left = {NO_LINE, 0}, fresh = {line, owner};
  if (l->flags & HASHED) {
    if (l->used == l->ways) {
      l->evicted = 1;
      l->left++;
      left.line = l->entries[l->oldest].line;
      left.owner = hashed_remove(l, left.line);
    } else if (l->used == l->room && !grow(l, 4 * l->room < l->ways ? 4 * l->room : l->ways)) {
      l->failed = 1;
      return left;
    }
    i64 node = l->unused;
    l->unused = l->after[node];
    l->used++;
    l->entries[node] = fresh;
    l->table[hashed_place(l, line)] = (int32_t)node;
    link_newest(l, node);
    return left;
  }
  Entry *set = set_of(l, line);
  i64 last = l->ways;
  while (last > 0 && set[last - 1].line == NO_LINE) last--;
  if (last == l->ways) { left = set[last - 1]; l->evicted = 1; l->left++; }
  for (i64 n = last; n > 0; n--) set[n] = set[n - 1];
  set[0] = fresh;
  return left;
}

/* Whether a line that comes would take a place that no other has. */
static int has_room(const Level *l, i64 line) {
  return l->flags & HASHED ? l->used < l->ways : set_of(l, line)[l->ways - 1].line == NO_LINE;
}

/* Whether a line that comes has never been there, since no line ever left. */
static int is_fresh(const Level *l, i64 line) {
  if (l->flags & HASHED) return !l->evicted;
  const Entry *set = set_of(l, line);
  return set[l->ways - 1].line == NO_LINE && set[l->ways].line == NO_LINE;
}

static i64 removed(Level *l, i64 line) {
  if (l->flags & HASHED) {
    if (l->table[hashed_place(l, line)] == NOWHERE) return 0;
    l->taken++;
    return hashed_remove(l, line);
  }
  Entry *set = set_of(l, line), empty = {NO_LINE, 0};
  for (i64 n = 0; n < l->ways; n++) {
    if (set[n].line != line) continue;
    i64 owner = set[n].owner;
    for (; n + 1 < l->ways; n++) set[n] = set[n + 1];
    set[n] = empty;
    if (set[l->ways].line == NO_LINE) set[l->ways].line = TAKEN;
    l->taken++;
    return owner;
  }
  return 0;
}

/* All levels. A dirty line that leaves goes to the next level that has it, else to memory. */

static void write_back(Replay *r, i64 level, i64 line, i64 owner) {
  for (; level < r->level_count; level++) {
    i64 depth;
    counter(r, level, owner - 1)[EVICTS]++;
    if (level + 1 == r->level_count || !(r->levels[level + 1].flags & WRITE_BACK)) continue;
    Entry *below = find(r->levels + level + 1, line, 0, &depth);
    if (below) { below->owner = owner; return; }
  }
}

static void place(Replay *r, i64 level, i64 line, i64 owner) {
  Level *l = r->levels + level;
  Entry left = insert(l, line, owner);
  if (left.line == NO_LINE) return;
  if (l->flags & INCLUSIVE) {
    for (i64 nearer = 0; nearer < level; nearer++) {
      i64 dirty = removed(r->levels + nearer, left.line);
      if (dirty) { counter(r, nearer, dirty - 1)[EVICTS]++; left.owner = dirty; }
    }
  }
  if (level + 1 < r->level_count && (r->levels[level + 1].flags & VICTIM)) {
    if (left.owner) counter(r, level, left.owner - 1)[EVICTS]++;
    place(r, level + 1, left.line, left.owner);
  } else if (left.owner) {
    write_back(r, level, left.line, left.owner);
  }
}

static i64 request(Replay *r, i64 level, i64 line, i64 reference, int modifies);

static void pass_on(Replay *r, i64 level, i64 line, i64 reference) {
  counter(r, level, reference)[PASSED]++;
  request(r, level + 1, line, reference, 1);
}

/* The line is needed at a level; its owner if it comes dirty from a victim cache. */
static i64 request(Replay *r, i64 level, i64 line, i64 reference, int modifies) {
  if (level == r->level_count) return 0;
  Level *l = r->levels + level;
  i64 depth, *count = counter(r, level, reference);
  Entry *entry = find(l, line, 1, &depth);
  if (entry) {
    if (l->flags & VICTIM) return removed(l, line);
    if (depth == l->ways - 1) count[AT_EDGE]++;
    if (modifies && (l->flags & WRITE_BACK)) entry->owner = reference + 1;
    else if (modifies) pass_on(r, level, line, reference);
    return 0;
  }
  if (modifies && !(l->flags & WRITE_ALLOCATE)) { pass_on(r, level, line, reference); return 0; }
  count[MISSES]++;
  if (depth == l->ways) count[BEYOND_EDGE]++;
  if (r->window_count ? r->unknown && has_room(l, line) : is_fresh(l, line)) count[UNSURE]++;
  i64 dirty = request(r, level + 1, line, reference, 0);
  if (l->flags & VICTIM) return dirty;
  int keeps = modifies && (l->flags & WRITE_BACK);
  place(r, level, line, keeps ? reference + 1 : dirty);
  if (modifies && !keeps) pass_on(r, level, line, reference);
  return 0;
}

/* Stores to a line combine until the reference goes on to another one. */
static void past_the_caches(Replay *r, i64 line, i64 reference) {
  r->plays++;
  if (r->combining[reference] == line) return;
  r->combining[reference] = line;
  for (i64 level = 0; level < r->level_count; level++) {
    Level *l = r->levels + level;
    i64 taken = l->taken;
    removed(l, line);
    l->evicted |= l->taken != taken;
  }
  counter(r, r->level_count - 1, reference)[EVICTS]++;
}

static i64 first_misses(const Replay *r, const Touch *touches, i64 count) {
  i64 total = 0;
  for (i64 half = 0; half < r->halves; half++) {
    for (i64 n = 0; n < count; n++) {
      const i64 *each = r->counters + half * r->size + touches[n].reference * COLUMNS;
      total += each[MISSES] + each[PASSED];
    }
  }
  return total;
}

static void play_once(Replay *r, const Touch *touches, i64 count) {
  for (i64 n = 0; n < count; n++) {
    i64 reference = touches[n].reference, kind = r->kinds[reference];
    use_half(r, touches[n].line);
    if (kind & NONTEMPORAL) past_the_caches(r, touches[n].line, reference);
    else request(r, 0, touches[n].line, reference, kind & WRITES);
  }
  r->plays++;
  r->work += count;
  if (r->work > r->limit) r->status = LIMIT;
}

static void copy_counters(Replay *r, const Touch *touches, i64 count) {
  for (i64 n = 0; n < count; n++) {
    use_half(r, touches[n].line);
    for (i64 level = 0; level < r->level_count; level++) {
      i64 *each = counter(r, level, touches[n].reference);
      memcpy(r->snapshot + (each - r->counters), each, COLUMNS * sizeof *each);
    }
  }
}

/* What was counted since the copy so often again; once, if a reference has several touches. */
static void add_repeats(Replay *r, const Touch *touches, i64 count, i64 repeats) {
  for (i64 n = 0; n < count; n++) {
    use_half(r, touches[n].line);
    for (i64 level = 0; level < r->level_count; level++) {
      i64 *each = counter(r, level, touches[n].reference), *old = r->snapshot + (each - r->counters);
      for (i64 k = 0; k < COLUMNS; k++) {
        each[k] += (each[k] - old[k]) * repeats;
        old[k] = each[k];
      }
    }
  }
}

/* The same touches so often.
 *
 * Fewer touches than ways all hit from the second pass on, and none of them at the last way, unless a
 * further level takes lines back. A pass without a miss leaves the lines in the order of their last
 * touches, so that all passes after the next one are like the next one. With misses a set holds that
 * order, too: from the second pass on the nearest level sees the same hits and misses each time, and
 * each further level one pass later.
 */
static void play(Replay *r, Touch *touches, i64 count, i64 repeats) {
  i64 kept = 0;
  if (!count) return;
  if (repeats > 1) { /* stores past the caches combine until the line is full */
    for (i64 n = 0; n < count; n++) {
      use_half(r, touches[n].line);
      if (r->kinds[touches[n].reference] & NONTEMPORAL) past_the_caches(r, touches[n].line, touches[n].reference);
      else touches[kept++] = touches[n];
    }
    count = kept;
    if (!count) return;
  }
  Level *nearest = r->levels;
  if (repeats == 1 || ((nearest->flags & ~HASHED) == (WRITE_BACK | WRITE_ALLOCATE) && count < nearest->ways)) {
    i64 taken = nearest->taken;
    play_once(r, touches, count);
    if (--repeats == 0 || nearest->taken == taken) return;
  }
  i64 lead = r->plain ? r->level_count + 2 : repeats;
  if (lead > repeats) lead = repeats;
  for (i64 n = 0; n < lead && r->status == OK; n++) {
    i64 before = first_misses(r, touches, count);
    if (n + 1 == lead) copy_counters(r, touches, count);
    play_once(r, touches, count);
    if (lead > n + 2 && first_misses(r, touches, count) == before) lead = n + 2;
  }
  add_repeats(r, touches, count, repeats - lead);
}

static int is_chosen(const Replay *r, i64 line) {
  return r->modulus <= 1 || r->chosen[line & (r->modulus - 1)];
}

static inline i64 touched(Replay *r, i64 address, i64 bytes, i64 reference, Touch *touches, i64 count) {
  i64 last = (address + bytes - 1) >> r->shift;
  for (i64 line = address >> r->shift; line <= last; line++) {
    if (count == ROOM) { r->status = INVALID; return count; }
    if (!is_chosen(r, line)) continue;
    touches[count].line = key_of(line);
    touches[count++].reference = reference;
  }
  return count;
}

static inline int any_chosen(const Replay *r, i64 first, i64 last) {
  if (r->modulus <= 1 || last - first >= r->modulus) return 1;
  for (i64 line = first; line <= last; line++) if (r->chosen[line & (r->modulus - 1)]) return 1;
  return 0;
}

/* Strides of more than 0 until so many bytes are behind: at most all classes of lines. */
static i64 strides_over(i64 distance, i64 stride) {
  if (distance <= stride) return 1;
  if (distance + stride > UINT32_MAX) return (distance + stride - 1) / stride;
  return (uint32_t)(distance + stride - 1) / (uint32_t)stride; /* half the time of 64 bits */
}

/* Iterations until a reference that leaves no line out by its stride comes to a chosen one. */
static i64 steps_to_chosen(const Replay *r, i64 address, i64 stride, i64 bytes) {
  i64 size = (i64)1 << r->shift, end = address + bytes - 1;
  i64 first = address >> r->shift, last = end >> r->shift;
  if (stride > 0) return strides_over((last + r->ahead[last & (r->modulus - 1)]) * size - end, stride);
  i64 behind = r->behind[first & (r->modulus - 1)];
  return strides_over(address - ((first - behind) * size + size - 1), -stride);
}

/* Iterations until a reference whose stride is so many whole lines comes to a chosen one from this one:
 * as many as there are classes where it never does. */
static i64 hops_to_chosen(Replay *r, i64 line, i64 lines) {
  unsigned char *hops = &r->hops[lines & (r->modulus - 1)][line & (r->modulus - 1)];
  if (!*hops) {
    i64 steps = 1;
    while (steps < r->modulus && !r->chosen[plus(line, times(steps, lines)) & (r->modulus - 1)]) steps++;
    *hops = (unsigned char)steps;
  }
  return *hops;
}

/* Iterations from now on until the reference touches other lines, chosen ones if it now has none.
 * Lines of a long stride repeat their classes after as many iterations as there are classes. */
static i64 steps_to_change(Replay *r, i64 address, i64 stride, i64 bytes) {
  if (!stride) return INT64_MAX;
  i64 size = (i64)1 << r->shift, end = address + bytes - 1;
  i64 first = address >> r->shift, last = end >> r->shift;
  if (!any_chosen(r, first, last)) {
    if (stride <= size && stride >= -size) return steps_to_chosen(r, address, stride, bytes);
    if (first == last && stride % size == 0) return hops_to_chosen(r, first, stride / size);
    i64 steps = 0;
    do {
      address = plus(address, stride);
      end = plus(address, bytes - 1);
      steps++;
    } while (steps < r->modulus && !any_chosen(r, address >> r->shift, end >> r->shift));
    return steps;
  }
  if (stride > 0) {
    i64 by_end = strides_over((last + 1) * size - end, stride);
    if (first == last) return by_end;
    i64 by_begin = strides_over((first + 1) * size - address, stride);
    return by_end < by_begin ? by_end : by_begin;
  }
  if (stride == INT64_MIN) return 1;
  i64 by_begin = strides_over(address - (first * size - 1), -stride);
  if (first == last) return by_begin;
  i64 by_end = strides_over(end - (last * size - 1), -stride);
  return by_begin < by_end ? by_begin : by_end;
}

/* A second run of the program comes to hold what the first one held at the same place: from there on
 * it counts what that one did, but for lines of sets that never lost one, which are still there.
 *
 * Places are steps that double, so that few are kept. */

static i64 point_size(const Replay *r) { return r->bank_count * r->halves * r->size; }

/* Whether a set with a place for another line has every line that ever came to it. */
static int has_lost_none(const Entry *set, i64 ways) {
  return set[ways - 1].line == NO_LINE && set[ways].line == NO_LINE;
}

/* Whether a run that holds the same in all other sets asks each level for the same lines: what sets
 * that lost none no longer ask for goes to sets that lost none, either. */
static int may_settle(const Replay *r) {
  for (i64 n = 0; n < r->level_count; n++) {
    const Level *l = r->levels + n, *above = r->levels + (n ? n - 1 : 0);
    if (l->flags & VICTIM && (l->evicted || !(l->flags & HASHED))) return 0;
    if (n && above->flags & HASHED && l->evicted) return 0;
    if (l->flags & HASHED || !n) continue;
    for (i64 set = 0; set < l->sets; set++) {
      if (has_lost_none(l->entries + set * l->slots, l->ways)) continue;
      if (above->flags & HASHED || l->sets % above->sets) return 0;
      if (has_lost_none(above->entries + set % above->sets * above->slots, above->ways)) return 0;
    }
  }
  return 1;
}

/* What a level holds that has lost lines: for a hashed one all of it, newest first. */
static i64 held(const Level *l, Entry *copy) {
  i64 count = 0;
  if (!(l->flags & HASHED)) {
    memcpy(copy, l->entries, l->sets * l->slots * sizeof *copy);
    return l->sets * l->slots;
  }
  for (i64 node = l->newest; l->evicted && node != NOWHERE; node = l->after[node]) copy[count++] = l->entries[node];
  return count;
}

static i64 held_count(const Level *l) {
  return l->flags & HASHED ? l->evicted ? l->used : 0 : l->sets * l->slots;
}

static int holds_the_same(const Replay *r, const Point *p) {
  const Entry *entries = p->entries, *end = entries + p->held;
  for (i64 n = 0; n < r->level_count; n++) {
    const Level *l = r->levels + n;
    if (l->flags & HASHED) {
      for (i64 node = l->newest; l->evicted && node != NOWHERE; node = l->after[node], entries++) {
        if (entries == end || memcmp(l->entries + node, entries, sizeof *entries)) return 0;
      }
      continue;
    }
    for (i64 set = 0; set < l->sets; set++, entries += l->slots) {
      const Entry *now = l->entries + set * l->slots;
      if (!has_lost_none(now, l->ways) && memcmp(now, entries, l->slots * sizeof *entries)) return 0;
    }
  }
  return entries == end;
}

static int keep_point(Replay *r, int with_entries) {
  Point *p = r->points + r->point_count;
  i64 room = 1;
  for (i64 n = 0; n < r->level_count; n++) room += held_count(r->levels + n);
  p->counters = malloc(point_size(r) * sizeof *p->counters);
  p->entries = with_entries ? malloc(room * sizeof *p->entries) : 0;
  r->point_count++;
  if (!p->counters || (with_entries && !p->entries)) { r->status = NO_MEMORY; return 0; }
  memcpy(p->counters, r->run_counters, point_size(r) * sizeof *p->counters);
  for (i64 n = 0; with_entries && n < r->level_count; n++) p->held += held(r->levels + n, p->entries + p->held);
  return 1;
}

static void look_at_point(Replay *r) {
  r->next_point = r->point + 1 < MOST_POINTS ? 2 * r->next_point : 0;
  if (r->at_points == KEEPS) { keep_point(r, 1); r->point++; return; }
  if (r->point < r->point_count && holds_the_same(r, r->points + r->point)) { r->status = SETTLED; return; }
  if (++r->point >= r->point_count) r->next_point = 0;
}

/* Adds what the first run counted behind the point. */
static void add_rest(Replay *r, const i64 *first) {
  const i64 *then = r->points[r->point].counters;
  for (i64 n = 0; n < point_size(r); n += COLUMNS) {
    for (i64 k = 0; k < COLUMNS; k++) r->run_counters[n + k] += first[n + k] - then[n + k];
    if (!r->window_count) r->run_counters[n + MISSES] -= first[n + UNSURE] - then[n + UNSURE];
  }
  r->status = OK;
}

/* The references of one iteration of a walk, or of a loop where all iterations make the same ones. */
typedef struct {
  Reference each[MOST_REFERENCES];
  i64 count;
} Moving;

/* Iterations block by block: in one no reference changes its line. ``groups``: of a loop over straight
 * accesses, how many in an iteration; the work and steps are those of its iterations one by one. */
static void play_blocks(Replay *r, Moving *m, i64 begin, i64 trips, i64 groups) {
  Touch touches[ROOM];
  for (i64 n = 0; n < m->count; n++) {
    Reference *own = m->each + n;
    own->bytes = r->widths[own->reference];
    own->address = plus(own->address, times(own->stride, begin));
    own->next = steps_to_change(r, own->address, own->stride, own->bytes);
  }
  for (i64 trip = 0; trip < trips && r->status == OK;) {
    i64 until = trips, used = 0;
    for (i64 n = 0; n < m->count; n++) {
      const Reference *own = m->each + n;
      if (own->next < until) until = own->next;
      used = touched(r, own->address, own->bytes, own->reference, touches, used);
    }
    i64 repeats = until - trip, done = r->work + (groups ? repeats * (1 + used) : 0);
    r->work++;
    r->steps += groups ? groups * repeats : 1;
    if (r->work > r->limit || done > r->limit) { r->status = LIMIT; return; }
    if (r->next_point && r->steps >= r->next_point) { look_at_point(r); if (r->status != OK) return; }
    play(r, touches, used, repeats);
    if (groups) r->work = done;
    if (until == trips) return;
    for (i64 n = 0; n < m->count; n++) {
      Reference *own = m->each + n;
      if (!own->stride) continue;
      own->address = plus(own->address, times(own->stride, repeats));
      if (own->next > until) continue;
      own->next = plus(until, steps_to_change(r, own->address, own->stride, own->bytes));
    }
    trip = until;
  }
}

static void walk(Replay *r, const i64 *node, i64 begin, i64 trips) {
  Moving m;
  m.count = node[5];
  for (i64 n = 0; n < m.count; n++) {
    const i64 *each = node + 6 + 3 * n;
    m.each[n].reference = each[2];
    m.each[n].address = value(r, each[0]);
    m.each[n].stride = value(r, each[1]);
    if (r->status != OK) return;
  }
  play_blocks(r, &m, begin, trips, 0);
}

/* How much an expression grows with a slot; UNKNOWN where that is no number. */
static i64 growth(const Replay *r, i64 at, i64 slot) {
  if (at < 0 || at + 2 >= r->length) return UNKNOWN;
  const i64 *e = r->code + at;
  i64 total = 0, size = e[0] == POSTFIX ? 2 : 3, width = e[0] == POSTFIX ? 1 : 2;
  if (e[1] < 0 || e[1] > r->length || at + size + width * e[1] > r->length) return UNKNOWN;
  if (e[0] == POSTFIX) {
    for (i64 n = 0; n < e[1]; n++) {
      if (e[2 + n] == SLOT && n + 1 < e[1] && e[3 + n] == slot) return UNKNOWN;
      if (e[2 + n] == SLOT || e[2 + n] == CONSTANT) n++;
    }
    return 0;
  }
  for (i64 n = 0; n < e[1]; n++) if (e[3 + 2 * n] == slot) total = plus(total, e[4 + 2 * n]);
  return total;
}

/* Adds the accesses of a node; 0 where iterations may differ in more than their addresses. */
static int add_straight(Replay *r, const i64 *node, i64 slot, i64 step, Moving *m, i64 *groups) {
  if (node[0] == SEQUENCE) {
    for (i64 n = 0; n < node[1]; n++) {
      if (!add_straight(r, r->code + node[2 + n], slot, step, m, groups)) return 0;
    }
    return 1;
  }
  if (node[0] == BRANCH) {
    if (growth(r, node[1], slot)) return 0;
    i64 taken = value(r, node[1]);
    if (taken != UNKNOWN) return add_straight(r, r->code + node[taken ? 2 : 3], slot, step, m, groups);
    return (node[4] == 1 || add_straight(r, r->code + node[2], slot, step, m, groups)) &&
           (node[4] == 0 || add_straight(r, r->code + node[3], slot, step, m, groups));
  }
  if (node[0] != ACCESSES || m->count + node[1] > MOST_REFERENCES) return 0;
  ++*groups;
  for (i64 n = 0; n < node[1]; n++) {
    const i64 *each = node + 2 + 2 * n;
    i64 grown = growth(r, each[0], slot);
    if (grown == UNKNOWN || r->kinds[each[1]] & NONTEMPORAL) return 0;
    Reference *next = m->each + m->count++;
    next->reference = each[1];
    next->address = value(r, each[0]);
    next->stride = times(grown, step);
  }
  return 1;
}

/* Whether iterations of a loop were played as those of a walk are. */
static int run_straight(Replay *r, const i64 *node, i64 lower, i64 step, i64 begin, i64 end) {
  Moving m;
  i64 groups = 0;
  if (end - begin < MANY_TRIPS) return 0;
  m.count = 0;
  r->slots[node[1]] = lower;
  if (!add_straight(r, r->code + node[5], node[1], step, &m, &groups) || r->status != OK) return 0;
  if (groups) play_blocks(r, &m, begin, end - begin, groups);
  else r->work += end - begin;
  return 1;
}

static int run(Replay *r, i64 at, int depth);

/* Iterations of a loop or a walk: how control leaves them. */
static int run_trips(Replay *r, const i64 *node, i64 lower, i64 step, i64 begin, i64 end, int depth) {
  if (node[0] == WALK) {
    r->slots[node[1]] = lower;
    walk(r, node, begin, end - begin);
    return GO_ON;
  }
  if (run_straight(r, node, lower, step, begin, end)) return GO_ON;
  for (i64 trip = begin; trip < end && r->status == OK; trip++) {
    r->slots[node[1]] = lower + trip * step;
    if (++r->work > r->limit) { r->status = LIMIT; break; }
    int signal = run(r, node[5], depth + 1);
    if (signal == BREAK || signal == RETURN) return signal;
  }
  return GO_ON;
}

static void count_dirty_lines(Replay *r, i64 sign);

/* Another bank of counters. A line that becomes dirty in a bank leaves in it: what is dirty at its
 * end counts, what was dirty at its begin does not. */
static void use_bank(Replay *r, i64 bank) {
  if (r->bank != DISCARDED) count_dirty_lines(r, 1);
  r->bank = bank;
  r->counters = r->run_counters + bank * r->halves * r->size;
  if (bank != DISCARDED) count_dirty_lines(r, -1);
}

static void empty(Replay *r);

/* The record of a loop that is played in pieces: its node, trips, number of pieces, the pieces. */
static const i64 *window_of(const Replay *r, const i64 *node) {
  const i64 *each = r->windows;
  for (i64 n = 0; n < r->window_count; n++, each += 3 + 4 * each[2]) {
    if (each[0] == node - r->code) return each;
  }
  return 0;
}

static int run_pieces(Replay *r, const i64 *node, const i64 *window, i64 lower, i64 step, int depth) {
  i64 outer = r->bank;
  const Piece *pieces = (const Piece *)(window + 3);
  for (i64 n = 0; n < window[2] && r->status == OK; n++) {
    use_bank(r, pieces[n].bank); /* counts what is dirty now */
    if (pieces[n].empties) {
      if (r->at_points == KEEPS && !r->point_count && !keep_point(r, 0)) break;
      if (r->at_points == COMPARES) { r->status = SETTLED; return GO_ON; } /* the rest is as in the first run */
      empty(r);
    }
    if (run_trips(r, node, lower, step, pieces[n].begin, pieces[n].end, depth) != GO_ON) r->status = VARYING;
  }
  if (r->status == OK) use_bank(r, outer);
  return GO_ON;
}

/* Whether entries are of the same lines, whoever owns these. */
static int has_lines(const Entry *entries, const Entry *then, i64 count) {
  for (i64 n = 0; n < count; n++) if (entries[n].line != then[n].line) return 0;
  return 1;
}

/* Whether all levels hold what they held when it was copied, before an iteration; one that lost no
 * line, as many. Nobody asks for the owners of lines that all stayed, and an iteration that sets them
 * sets them again. */
static int is_unchanged(const Replay *r, const Entry *then) {
  for (i64 n = 0; n < r->level_count; n++) {
    const Level *l = r->levels + n;
    if (!(l->flags & HASHED)) {
      i64 count = l->sets * l->slots;
      int all_stayed = l->left + l->taken == l->left_before;
      if (all_stayed ? !has_lines(l->entries, then, count) : memcmp(l->entries, then, count * sizeof *then) != 0) return 0;
      then += count;
      continue;
    }
    if (then++->line != l->used + l->evicted) return 0;
    for (i64 node = l->newest; l->evicted && node != NOWHERE; node = l->after[node]) {
      if (memcmp(l->entries + node, then++, sizeof *then)) return 0;
    }
  }
  return 1;
}

static Entry *copy_of_state(Replay *r, Entry *copy) {
  i64 room = 0;
  for (i64 n = 0; n < r->level_count; n++) r->levels[n].left_before = r->levels[n].left + r->levels[n].taken;
  for (i64 n = 0; n < r->level_count; n++) room += 1 + held_count(r->levels + n);
  Entry *next = realloc(copy, room * sizeof *copy);
  if (!next) { r->status = NO_MEMORY; return copy; }
  copy = next;
  for (i64 n = 0; n < r->level_count; n++) {
    const Level *l = r->levels + n;
    if (l->flags & HASHED) next++->line = l->used + l->evicted;
    next += held(l, next);
  }
  return copy;
}

/* The last touches of a run are those of a loop whose iterations have become alike. */
static void keep_last(Replay *r, i64 body, const i64 *change, i64 size) {
  if (r->at_points != KEEPS || r->window_count) return;
  i64 *own = realloc(r->last.change, (size + r->slot_count) * sizeof *own);
  if (!own) { r->status = NO_MEMORY; return; }
  memcpy(own, change, size * sizeof *own);
  memcpy(own + size, r->slots, r->slot_count * sizeof *own);
  r->last.change = own, r->last.slots = own + size, r->last.body = body, r->last.plays = r->plays;
}

/* Whether a run begins with the iterations that the one before ended with: nothing was touched since. */
static int goes_on(const Replay *r, i64 body) {
  return r->at_points != KEEPS && r->last.change && r->last.body == body && r->last.plays == r->plays &&
         !memcmp(r->last.slots, r->slots, r->slot_count * sizeof *r->slots);
}

/* Iterations that all ask for the same lines. One that leaves the levels as it found them is like
 * all after it. Very short ones cost less than to compare levels: a set holds the order of their last
 * touches, so that the nearest level sees the same hits and misses from the second iteration on, and
 * each further level one later. Levels that do not only follow the one before are believed when two
 * iterations change all counters alike. */
static void run_repeats(Replay *r, i64 body, i64 trips, int depth) {
  i64 size = point_size(r), same = 0, entries = 0;
  if (goes_on(r, body)) {
    for (i64 n = 0; n < size; n++) r->run_counters[n] += r->last.change[n] * trips;
    r->next_point = 0;
    return;
  }
  i64 *old = calloc(2 * size, sizeof *old), *change = old + size;
  Entry *state = 0;
  if (!old) { r->status = NO_MEMORY; return; }
  for (i64 n = 0; n < r->level_count; n++) entries += held_count(r->levels + n);
  for (i64 played = 1; played <= trips && r->status == OK; played++) {
    i64 work = r->work;
    memcpy(old, r->run_counters, size * sizeof *old);
    if (++r->work > r->limit) { r->status = LIMIT; break; }
    if (r->repeat_work * COPIED > entries) state = copy_of_state(r, state);
    if (r->status == OK) run(r, body, depth + 1);
    same = 1;
    for (i64 n = 0; n < size; n++) {
      i64 now = r->run_counters[n] - old[n];
      same &= now == change[n];
      change[n] = now;
    }
    r->repeat_work = r->work - work;
    if (r->status != OK) break;
    if (!(state && is_unchanged(r, state)) && (played < r->level_count + 2 || !same)) continue;
    for (i64 n = 0; n < size; n++) r->run_counters[n] += change[n] * (trips - played);
    keep_last(r, body, change, size);
    break;
  }
  free(old), free(state);
}

static int run_loop(Replay *r, const i64 *node, int depth) {
  i64 lower = value(r, node[2]), upper = value(r, node[3]), step = value(r, node[4]);
  if (r->status != OK) return GO_ON;
  if (step == 0) { r->status = UNDEFINED; return GO_ON; }
  i64 span = step > 0 ? upper - lower : lower - upper, size = step > 0 ? step : -step;
  i64 trips = span <= 0 ? 0 : (span - 1) / size + 1;
  const i64 *window = r->window_count ? window_of(r, node) : 0;
  if (window && window[1] != trips) { r->status = VARYING; return GO_ON; }
  if (trips == 0) return GO_ON;
  if (window) return run_pieces(r, node, window, lower, step, depth);
  if (node[0] == REPEAT && trips > 2) {
    r->slots[node[1]] = lower;
    run_repeats(r, node[5], trips, depth);
    return GO_ON;
  }
  return run_trips(r, node, lower, step, 0, trips, depth) == RETURN ? RETURN : GO_ON;
}

static void run_accesses(Replay *r, const i64 *node) {
  Touch touches[ROOM];
  i64 used = 0;
  for (i64 n = 0; n < node[1]; n++) {
    const i64 *each = node + 2 + 2 * n;
    i64 address = value(r, each[0]);
    if (r->status != OK) return;
    used = touched(r, address, r->widths[each[1]], each[1], touches, used);
  }
  if (++r->steps == r->next_point) { look_at_point(r); if (r->status != OK) return; }
  if (used) play_once(r, touches, used);
}

/* Integers that a node of each kind has at least. */
static const i64 HEADS[] = {2, 6, 6, 2, 5, 2, 3, 6};

static int run(Replay *r, i64 at, int depth) {
  if (depth > DEPTH || at < 0 || at >= r->length || r->code[at] < SEQUENCE || r->code[at] > REPEAT ||
      at + HEADS[r->code[at]] > r->length) {
    r->status = INVALID;
    return GO_ON;
  }
  const i64 *node = r->code + at;
  switch (node[0]) {
  case SEQUENCE:
    for (i64 n = 0; n < node[1] && r->status == OK; n++) {
      int signal = run(r, node[2 + n], depth + 1);
      if (signal != GO_ON) return signal;
    }
    return GO_ON;
  case ACCESSES: run_accesses(r, node); return GO_ON;
  case EXIT: return (int)node[1];
  case ASSIGN: r->slots[node[1]] = value(r, node[2]); return GO_ON;
  case BRANCH: {
    i64 taken = value(r, node[1]);
    if (r->status != OK) return GO_ON;
    if (taken != UNKNOWN) return run(r, node[taken ? 2 : 3], depth + 1);
    /* nothing leaves a loop where only the data could say so */
    if (node[4] != 1) run(r, node[2], depth + 1);
    if (node[4] != 0) run(r, node[3], depth + 1);
    return GO_ON;
  }
  default: return run_loop(r, node, depth);
  }
}

/* Lists, slots and references of all nodes lie within their arrays. */
static int is_valid(const Replay *r, i64 at, int depth, i64 *seen) {
  if (++*seen > r->length || depth > DEPTH || at < 0 || at >= r->length || r->code[at] < SEQUENCE || r->code[at] > REPEAT) return 0;
  const i64 *node = r->code + at;
  if (at + HEADS[node[0]] > r->length) return 0;
  i64 slots = r->slot_count, kind = node[0];
  if (kind == SEQUENCE) {
    if (node[1] < 0 || node[1] > r->length - at - 2) return 0;
    for (i64 n = 0; n < node[1]; n++) if (!is_valid(r, node[2 + n], depth + 1, seen)) return 0;
    return 1;
  }
  if (kind == ACCESSES || kind == WALK) {
    i64 head = kind == WALK ? 6 : 2, width = kind == WALK ? 3 : 2, count = node[head - 1];
    if (count < 0 || count > MOST_REFERENCES || count * width > r->length - at - head) return 0;
    if (kind == WALK && (node[1] < 0 || node[1] >= slots)) return 0;
    for (i64 n = 0; n < count; n++) {
      i64 reference = node[head + width * n + width - 1];
      if (reference < 0 || reference >= r->references) return 0;
    }
    return 1;
  }
  if (kind == BRANCH) {
    return node[4] >= 0 && node[4] <= 2 && is_valid(r, node[2], depth + 1, seen) &&
           is_valid(r, node[3], depth + 1, seen);
  }
  if (kind == EXIT) return node[1] >= BREAK && node[1] <= RETURN;
  if (node[1] < 0 || node[1] >= slots) return 0;
  return kind == ASSIGN || is_valid(r, node[5], depth + 1, seen);
}

static int prepare(Level *l) {
  l->mask = l->sets & (l->sets - 1) ? -1 : l->sets - 1;
  if (!(l->flags & HASHED)) {
    l->slots = l->ways + 1;
    l->entries = calloc(l->sets * l->slots, sizeof *l->entries);
    return l->entries != 0;
  }
  l->newest = l->oldest = l->unused = NOWHERE;
  return l->ways <= INT32_MAX && grow(l, l->ways < FEW_ENTRIES ? l->ways : FEW_ENTRIES);
}

/* Classes belong to the halves in turns. */
static void choose(Replay *r, const i64 *classes, i64 count) {
  for (i64 n = 0; n < count; n++) r->chosen[classes[n] & (r->modulus - 1)] = 1 + n % r->halves;
  for (i64 n = 0; n < r->modulus; n++) {
    i64 ahead = 1, behind = 1;
    while (ahead < r->modulus && !r->chosen[(n + ahead) & (r->modulus - 1)]) ahead++;
    while (behind < r->modulus && !r->chosen[(n - behind) & (r->modulus - 1)]) behind++;
    r->ahead[n] = (unsigned char)ahead;
    r->behind[n] = (unsigned char)behind;
  }
}

/* Nothing is known of the lines that the levels hold. */
static void empty(Replay *r) {
  r->unknown = 1;
  for (i64 n = 0; n < r->level_count; n++) {
    Level *l = r->levels + n;
    if (!(l->flags & HASHED)) {
      memset(l->entries, 0, l->sets * l->slots * sizeof *l->entries);
      continue;
    }
    memset(l->table, 0xff, l->size * sizeof *l->table); /* NOWHERE */
    for (i64 node = 0; node < l->room; node++) l->after[node] = (int32_t)(node + 1 < l->room ? node + 1 : NOWHERE);
    l->newest = l->oldest = NOWHERE;
    l->unused = l->used = 0;
  }
}

/* A dirty line crosses all links from the nearest level that has it so. */
static void count_dirty(Replay *r, i64 level, Entry entry, i64 sign) {
  i64 depth;
  if (!entry.owner || entry.line == NO_LINE) return;
  for (i64 nearer = 0; nearer < level; nearer++) {
    Entry *other = find(r->levels + nearer, entry.line, 0, &depth);
    if (other && other->owner) return;
  }
  use_half(r, entry.line);
  for (; level < r->level_count; level++) counter(r, level, entry.owner - 1)[EVICTS] += sign;
}

static void count_dirty_lines(Replay *r, i64 sign) {
  for (i64 level = 0; level < r->level_count; level++) {
    Level *l = r->levels + level;
    if (l->flags & HASHED) {
      for (i64 n = l->newest; n != NOWHERE; n = l->after[n]) count_dirty(r, level, l->entries[n], sign);
      continue;
    }
    for (i64 n = 0; n < l->sets * l->slots; n++) {
      if (l->entries[n].owner && n % l->slots != l->ways) count_dirty(r, level, l->entries[n], sign);
    }
  }
}

/* Lines that are dirty after the first run. */
static void count_remaining(Replay *r, i64 *remaining) {
  r->counters = remaining;
  count_dirty_lines(r, 1);
}

/* Other code between two calls touches so many lines, none of the function's. */
static void disturb(Replay *r, i64 lines) {
  i64 base = (i64)1 << 56;
  for (i64 n = 0; n < lines && r->status == OK; n++) {
    if (!is_chosen(r, base + n)) continue;
    use_half(r, base + n);
    request(r, 0, key_of(base + n), 0, 0);
    r->plays++;
    if (++r->work > r->limit) r->status = LIMIT;
  }
}

/* Pieces lie within their loops, one behind the other, and banks within the counters. */
static int are_windows(const Replay *r, i64 banks) {
  const i64 *each = r->windows;
  for (i64 n = 0; n < r->window_count; n++, each += 3 + 4 * each[2]) {
    if (each[2] < 0) return 0;
    const Piece *pieces = (const Piece *)(each + 3);
    for (i64 k = 0; k < each[2]; k++) {
      if (pieces[k].begin < (k ? pieces[k - 1].end : 0) || pieces[k].end < pieces[k].begin) return 0;
      if (pieces[k].end > each[1] || pieces[k].bank < 0 || pieces[k].bank >= banks) return 0;
      if (pieces[k].empties && pieces[k].bank != DISCARDED) return 0;
    }
  }
  return 1;
}

/* Lines that other code brings in push out dirty ones: they leave for the next run. */
static int run_between(Replay *r, i64 lines) {
  i64 size = r->halves * r->size, *scratch = calloc(size, sizeof *scratch), *own = r->counters;
  if (!scratch) return 0;
  r->counters = scratch;
  disturb(r, lines);
  if (!r->window_count) {
    for (i64 k = 0; k < size; k++) if (k % COLUMNS == EVICTS) own[k] += scratch[k];
  }
  free(scratch);
  r->counters = own;
  return 1;
}

/* Replays a program ``runs`` times.
 *
 * settings  root node, shift of a line, limit of work, runs, lines touched between runs, modulus of
 *           the classes of sets (1: all sets), halves that they form, banks, number of chosen
 *           classes, the classes, number of loops played in pieces, of each its node, trips,
 *           number of pieces, and of each piece its first trip, the one behind its last, bank,
 *           whether the levels are emptied before it
 * shapes    sets, ways and flags of each level, nearest first
 * kinds     flags of each reference; widths: its bytes
 * counters  [run][bank][half][level][reference][COLUMNS], and behind the runs, by half, what the
 *           first one leaves dirty; zeroed
 * work      touches and steps made
 */
EXPORT int rooflint_replay(const i64 *code, i64 length, i64 slots, const i64 *settings,
                           const i64 *shapes, i64 levels, const i64 *kinds, const i64 *widths,
                           i64 references, i64 *counters, i64 *work) {
  Replay r = {0};
  i64 seen = 0, runs = settings[3], banks = settings[7], classes = settings[8];
  r.code = code, r.length = length, r.slot_count = slots, r.references = references;
  r.kinds = kinds, r.widths = widths, r.level_count = levels;
  r.shift = settings[1], r.limit = settings[2], r.modulus = settings[5], r.halves = settings[6];
  r.bank_count = banks;
  r.windows = settings + 10 + classes, r.window_count = settings[9 + classes];
  if (slots < 0 || levels < 1 || references < 1 || r.modulus < 1 || r.modulus > CLASSES) return INVALID;
  if (r.halves < 1 || r.halves > CLASSES || banks < 1 || !are_windows(&r, banks)) return INVALID;
  if (r.modulus & (r.modulus - 1) || !is_valid(&r, settings[0], 0, &seen)) return INVALID;
  r.size = levels * references * COLUMNS;
  r.slots = calloc(slots + 1, sizeof *r.slots);
  r.levels = calloc(levels, sizeof *r.levels);
  r.snapshot = calloc(r.halves * r.size, sizeof *r.snapshot);
  r.combining = malloc(references * sizeof *r.combining);
  r.plain = 1;
  if (!r.slots || !r.levels || !r.snapshot || !r.combining) r.status = NO_MEMORY;
  for (i64 n = 0; n < references && r.combining; n++) r.combining[n] = INT64_MIN;
  for (i64 n = 0; n < levels && r.status == OK; n++) {
    Level *l = r.levels + n;
    l->sets = shapes[3 * n], l->ways = shapes[3 * n + 1], l->flags = shapes[3 * n + 2];
    if (l->sets < 1 || l->ways < 1 || ((l->flags & HASHED) && l->sets != 1)) r.status = INVALID;
    else if (!prepare(l)) r.status = NO_MEMORY;
    r.plain &= (l->flags & ~HASHED) == (WRITE_BACK | WRITE_ALLOCATE);
  }
  choose(&r, settings + 9, classes);
  i64 size = banks * r.halves * r.size;
  for (i64 n = 0; n < runs && r.status == OK; n++) {
    r.run_counters = counters + n * size;
    r.counters = r.run_counters;
    if (n && !run_between(&r, settings[4])) r.status = NO_MEMORY;
    if (r.status != OK) break;
    r.at_points = runs != 2 ? IGNORES : !n ? KEEPS : r.window_count || may_settle(&r) ? COMPARES : IGNORES;
    r.steps = r.point = 0;
    r.next_point = r.at_points == IGNORES || r.window_count ? 0 : FIRST_POINT;
    if (r.window_count) count_dirty_lines(&r, -1);
    run(&r, settings[0], 0);
    if (r.status == SETTLED) add_rest(&r, counters);
    else if (r.status == OK && r.window_count) count_dirty_lines(&r, 1);
    if (!n && r.status == OK && !r.window_count) count_remaining(&r, counters + runs * size);
  }
  /* with all iterations played, lines that a set has room for are no matter of doubt */
  for (i64 n = UNSURE; !r.window_count && n < runs * size; n += COLUMNS) counters[n] = 0;
  for (i64 n = 0; n < r.point_count; n++) free(r.points[n].counters), free(r.points[n].entries);
  *work = r.work;
  for (i64 n = 0; r.levels && n < levels; n++) if (r.levels[n].failed) r.status = NO_MEMORY;
  for (i64 n = 0; r.levels && n < levels; n++) {
    Level *l = r.levels + n;
    free(l->entries), free(l->table), free(l->before), free(l->after);
  }
  free(r.slots), free(r.levels), free(r.snapshot), free(r.combining), free(r.last.change);
  return r.status;
}
