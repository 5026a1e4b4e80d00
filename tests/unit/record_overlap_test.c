/* Whether two sets are the same records, or mostly: copies in any disguise are found; other people
 * of the same population are not taken for them, also where rows have few values. */
#include "data/identity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support.h"
#include "thread_ranks.h"

enum { ROWS = 600, MOST = 3 * ROWS, COLS = 5 };

typedef struct records {
  size_t rows;
  double x[MOST * COLS];
} records;

/* `values` for each column, with unequal chances; 0 for any number. */
static void draw(uint64_t seed, size_t rows, unsigned values, records *out) {
  random_source r;
  assert_ok(random_seeded(seed, &r, err));
  out->rows = rows;
  for (size_t i = 0; i < rows * COLS; i++) {
    double u = random_unit(&r);
    out->x[i] = values ? floor(u * u * values) : u;
  }
}

/* Each row of `order` of `from`. */
static void pick(const records *from, const size_t *order, size_t count, records *out) {
  out->rows = count;
  for (size_t i = 0; i < count; i++) {
    memcpy(out->x + i * COLS, from->x + order[i] * COLS, COLS * sizeof *out->x);
  }
}

static dperm_data *data_of(const records *r, double label, bool sparse) {
  double labels[MOST];
  dperm_data *data = NULL;
  for (size_t i = 0; i < r->rows; i++) {
    labels[i] = label;
  }
  if (sparse) {
    size_t starts[MOST + 1];
    uint32_t columns[MOST * COLS];
    for (size_t i = 0; i <= r->rows; i++) {
      starts[i] = i * COLS;
    }
    for (size_t e = 0; e < r->rows * COLS; e++) {
      columns[e] = (uint32_t)(e % COLS);
    }
    assert_ok(dperm_data_from_csr(r->rows, COLS, starts, columns, r->x, labels, 100, &data, err));
  } else {
    assert_ok(dperm_data_from_dense(r->rows, COLS, r->x, labels, 100, &data, err));
  }
  return data;
}

static bool alike(const records *a, const records *b) {
  bool there = false, back = false;
  auto_data *x = data_of(a, 1, false), *y = data_of(b, -1, true);
  assert_ok(records_overlap(x, y, &there, err));
  assert_ok(records_overlap(y, x, &back, err));
  assert_int_equal(there, back);
  return there;
}

/* Turned round, with the first left out, with another in its place, twice over. */
TEST(a_copy_is_found_in_any_disguise) {
  static const unsigned values[] = {0, 2, 3, 10};
  for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
    static records mine, given;
    size_t order[MOST];
    draw(v + 1, ROWS, values[v], &mine);
    for (size_t i = 0; i < MOST; i++) {
      order[i] = ROWS - 1 - i % ROWS;
    }
    for (size_t times = 1; times <= 3; times++) {
      pick(&mine, order, times * ROWS, &given);
      assert_true(alike(&mine, &given));
    }
    pick(&mine, order, ROWS - 1, &given);
    assert_true(alike(&mine, &given));
    pick(&mine, order, ROWS, &given);
    given.x[7] += 1;
    assert_true(alike(&mine, &given));
  }
}

/* Where rows are somebody's own, also a part of them, and they among others. */
TEST(most_of_the_records_are_found) {
  static const unsigned values[] = {0, 50};
  for (size_t v = 0; v < 2; v++) {
    static records mine, given, others;
    size_t order[MOST];
    draw(v + 1, ROWS, values[v], &mine);
    draw(v + 11, MOST, values[v], &others);
    for (size_t i = 0; i < ROWS; i++) {
      order[i] = (i * 7 + 3) % ROWS;
    }
    pick(&mine, order, ROWS / 10, &given);
    assert_true(alike(&mine, &given));
    given = others;
    memcpy(given.x + COLS, mine.x, ROWS * COLS * sizeof *mine.x); /* a third of `given` */
    assert_true(alike(&mine, &given));
    given = others;
    given.rows = ROWS;
    memcpy(given.x, mine.x, ROWS / 5 * COLS * sizeof *mine.x); /* too few to say */
    assert_false(alike(&mine, &given));
  }
}

/* Seeds are fixed, so this is free of chance; that so many pass says how rare a false alarm is. */
TEST(other_people_of_the_population_are_others) {
  static const unsigned values[] = {0, 2, 3, 4, 6, 10, 50};
  static const size_t sizes[][2] = {{ROWS, ROWS}, {60, MOST}, {MOST, ROWS}, {20, 20}};
  for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (uint64_t turn = 0; turn < 25; turn++) {
        static records mine, given;
        draw(1000 + 2 * turn, sizes[s][0], values[v], &mine);
        draw(1001 + 2 * turn, sizes[s][1], values[v], &given);
        if (alike(&mine, &given)) {
          fail_msg("%u values, sizes %zu, turn %d", values[v], s, (int)turn);
        }
      }
    }
  }
}

/* A handful of values: equal numbers of each are the same, others may be chance. */
TEST(a_handful_of_values_is_judged_by_equal_numbers_only) {
  static records mine, given;
  mine.rows = ROWS;
  for (size_t i = 0; i < ROWS * COLS; i++) {
    mine.x[i] = (double)(i / COLS % 3);
  }
  given = mine;
  assert_true(alike(&mine, &given));
  given.x[0] = given.x[1] = given.x[2] = given.x[3] = given.x[4] = 1;
  assert_false(alike(&mine, &given));
}

/* ---- rows among processes */

typedef struct alike_job {
  dperm_source mine, given;
  bool given_whole; /* every process has all of them */
  bool alike[8], failed[8];
} alike_job;

static void ask(ranks *r, void *context) {
  alike_job *job = context;
  auto_data *mine = NULL, *given = NULL;
  job->failed[r->rank] = dperm_data_read_spread(&job->mine, r, NULL, &mine, NULL) != DPERM_OK ||
                         dperm_data_read_spread(&job->given, job->given_whole ? NULL : r, NULL,
                                                &given, NULL) != DPERM_OK ||
                         records_overlap(mine, given, &job->alike[r->rank], NULL) != DPERM_OK;
}

/* Rows from, …, to − 1 of 4000, the last first if `turned`. */
static char *file_of(size_t from, size_t to, bool turned) {
  enum { LINE = 32 };
  OWNED_MEMORY char *text = calloc(to - from + 1, LINE);
  assert_non_null(text);
  for (size_t n = from, at = 0; n < to; n++) {
    size_t i = turned ? to - 1 - (n - from) : n;
    at += (size_t)snprintf(text + at, LINE, "%s 1:0.%zu 2:0.%zu\n", n % 3 ? "+1" : "-1", i + 1000,
                           i % 9 + 1);
  }
  char *path = file_with_text(text);
  return path;
}

TEST(every_process_has_the_same_answer) {
  char *paths[] = {file_of(0, 4000, false), file_of(1, 4000, true), file_of(1000, 1800, false),
                   file_of(4000, 8000, false), file_of(3000, 7000, true)};
  static const bool expected[] = {true, true, true, false, false};
  for (size_t f = 0; f < sizeof paths / sizeof *paths; f++) {
    for (size_t count = 1; count <= 4; count++) {
      for (int whole = 0; whole < 2; whole++) {
        alike_job job = {.mine = {.path = paths[0], .format = DPERM_FORMAT_SVMLIGHT, .dims = 2},
                         .given = {.path = paths[f], .format = DPERM_FORMAT_SVMLIGHT, .dims = 2},
                         .given_whole = whole};
        thread_ranks_run(count, ask, &job);
        for (size_t p = 0; p < count; p++) {
          assert_false(job.failed[p]);
          assert_int_equal(job.alike[p], expected[f]);
        }
      }
    }
  }
  for (size_t f = 0; f < sizeof paths / sizeof *paths; f++) {
    file_remove(paths[f]);
  }
}
