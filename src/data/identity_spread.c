/* The identity of rows from memory that are spread over processes: that of the same rows in one.
 * The first process with rows needs the prints of all, ascending and in their places, and never has
 * more than a piece of each other's in memory. */
#include <sodium.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/identity.h"

enum { PIECE = 4096 }; /* prints */

static void begin(crypto_generichash_state *state, const char kind[8]) {
  (void)crypto_generichash_init(state, NULL, 0, IDENTITY_SIZE);
  (void)crypto_generichash_update(state, (const unsigned char *)kind, 8);
}

static void add(crypto_generichash_state *state, const void *bytes, size_t size) {
  (void)crypto_generichash_update(state, bytes, size);
}

static int compare_prints(const void *a, const void *b) {
  return memcmp(a, b, sizeof(row_fingerprint));
}

/* Of one process: those that are here, and how many are to come. */
typedef struct print_stream {
  const row_fingerprint *here;
  row_fingerprint *piece;
  size_t at, count, left;
} print_stream;

typedef struct gathering {
  ranks *r;
  uint64_t *rows;        /* of each process */
  row_fingerprint *own;  /* ascending */
  row_fingerprint *room; /* a piece for each process */
  print_stream *streams;
} gathering;

static void gathering_close(gathering *g) {
  free(g->rows);
  free(g->own);
  free(g->room);
  free(g->streams);
}

static dperm_status gathering_open(const dperm_data *data, gathering *g, dperm_error *err) {
  const size_t here = data->x->rows, count = g->r->count;
  TRY(memory_new(count, sizeof *g->rows, &g->rows, err));
  TRY(memory_new(here, sizeof *g->own, &g->own, err));
  TRY(memory_new(count * PIECE, sizeof *g->room, &g->room, err));
  TRY(memory_new(count, sizeof *g->streams, &g->streams, err));
  g->rows[g->r->rank] = here;
  memcpy(g->own, data->prints, here * sizeof *g->own);
  qsort(g->own, here, sizeof *g->own, compare_prints);
  FAIL_IF(sodium_init() < 0, err, DPERM_UNSUPPORTED,
          "libsodium could not start; check the installation");
  return DPERM_OK;
}

/* ---- what the others send, and the first takes piece by piece */

static size_t piece_of(size_t left) {
  return left < PIECE ? left : PIECE;
}

static bool send_all(ranks *r, const void *items, size_t size, size_t count) {
  bool fine = true;
  for (size_t at = 0; fine && at < count; at += PIECE) {
    fine =
        ranks_send(r, r->rows_from, (const char *)items + at * size, piece_of(count - at) * size);
  }
  return fine;
}

/* Items in the order of the processes. */
static bool add_in_order(gathering *g, const void *own, size_t size,
                         crypto_generichash_state *state) {
  bool fine = true;
  const size_t first = g->r->rows_from;
  add(state, own, (size_t)g->rows[first] * size);
  for (size_t p = first + 1; p < g->r->count; p++) {
    for (size_t left = (size_t)g->rows[p], some = 0; fine && left > 0; left -= some) {
      some = piece_of(left);
      fine = ranks_receive(g->r, p, g->room, some * size);
      add(state, g->room, some * size);
    }
  }
  return fine;
}

/* The next print of a stream, or NULL at its end. */
static const row_fingerprint *next_print(gathering *g, size_t p, bool *fine) {
  print_stream *s = &g->streams[p];
  if (s->at == s->count && s->left > 0) {
    s->count = piece_of(s->left);
    s->left -= s->count;
    s->at = 0;
    *fine = *fine && ranks_receive(g->r, p, s->piece, s->count * sizeof *s->piece);
  }
  return s->at < s->count ? &s->here[s->at] : NULL;
}

static bool add_ascending(gathering *g, crypto_generichash_state *state) {
  const size_t first = g->r->rows_from;
  bool fine = true, more = true;
  g->streams[first] = (print_stream){.here = g->own, .count = (size_t)g->rows[first]};
  for (size_t p = first + 1; p < g->r->count; p++) {
    row_fingerprint *piece = g->room + p * PIECE;
    g->streams[p] = (print_stream){.here = piece, .piece = piece, .left = (size_t)g->rows[p]};
  }
  while (fine && more) {
    const row_fingerprint *least = NULL;
    size_t from = 0;
    for (size_t p = first; fine && p < g->r->count; p++) {
      const row_fingerprint *one = next_print(g, p, &fine);
      if (one && (!least || compare_prints(one, least) < 0)) {
        least = one;
        from = p;
      }
    }
    more = least != NULL;
    if (fine && more) {
      add(state, least, sizeof *least);
      g->streams[from].at++;
    }
  }
  return fine;
}

static bool gather(const dperm_data *data, gathering *g, data_identity *out) {
  const size_t here = data->x->rows;
  const uint64_t total = rows_in_all(data->x);
  crypto_generichash_state state;
  if (g->r->rank != g->r->rows_from) {
    return send_all(g->r, g->own, sizeof *g->own, here) &&
           send_all(g->r, data->prints, sizeof *data->prints, here) &&
           send_all(g->r, data->labels, sizeof *data->labels, here);
  }
  begin(&state, "given   ");
  add(&state, &total, sizeof total);
  bool fine = add_ascending(g, &state);
  (void)crypto_generichash_final(&state, out->given, IDENTITY_SIZE);
  memcpy(out->encoded, out->given, IDENTITY_SIZE);
  begin(&state, "places  ");
  fine = fine && add_in_order(g, data->prints, sizeof *data->prints, &state) &&
         add_in_order(g, data->labels, sizeof *data->labels, &state);
  (void)crypto_generichash_final(&state, out->order, IDENTITY_SIZE);
  out->ordered = true;
  return fine;
}

dperm_status identity_of_spread(const dperm_data *data, data_identity *out, dperm_error *err) {
  OWNED(gathering_close) gathering g = {.r = data->x->spread};
  *out = (data_identity){.ordered = false};
  dperm_status status = gathering_open(data, &g, err);
  TRY(ranks_add(g.r, status, g.rows, g.r->count, err));
  bool fine = gather(data, &g, out) && ranks_broadcast(g.r, g.r->rows_from, out, sizeof *out);
  return fine ? DPERM_OK : ranks_fail(g.r, err);
}
