/* Coordinates of a block: its covariance is the identity in them, and what stands in them goes back
 * to the columns; a reference that noise hides has a part all the same. */
#include <math.h>

#include "intervals/interval_blocks.h"
#include "support.h"

enum { COLUMNS = 5, FIRST = 1, VALUES = 3 };

typedef struct example {
  interval_group groups[3];
  interval_design design;
  interval_law law;
} example;

static void open_example(example *e, const double means[VALUES], double noise) {
  *e = (example){.groups = {{INTERVAL_NUMBER, 0, 1, 0, 1, -1},
                            {INTERVAL_BLOCK, FIRST, VALUES, 1, 1, 0},
                            {INTERVAL_BIT, 4, 1, 2, 1, 0}}};
  e->design = (interval_design){.groups = e->groups, .group_count = 3, .columns = COLUMNS};
  for (size_t j = 0; j < COLUMNS; j++) {
    e->design.group_of[j] = j < FIRST ? 0 : j < FIRST + VALUES ? 1 : 2;
  }
  assert_ok(interval_law_new(&e->design, &e->law, err));
  e->law.h0 = 0.2;
  for (size_t i = 0; i < VALUES; i++) {
    e->law.mean[FIRST + i] = means[i];
    e->law.first[FIRST + i] = means[i] * e->law.h0;
    e->law.first_noise[FIRST + i] = noise;
  }
  interval_block_set(&e->law, &e->groups[1]);
}

static double covariance(const interval_law *law, size_t j, size_t l) {
  const double *t = law->first;
  return (j == l ? t[j] : 0) - t[j] * t[l] / law->h0;
}

TEST(a_block_has_no_correlation_in_its_coordinates) {
  static const double means[VALUES] = {0.3, 0.65, 0.03}; /* the reference has 2 percent */
  example e;
  open_example(&e, means, 1e-6);
  const interval_law *law = &e.law;
  assert_close(law->rest[FIRST], 0.02, 1e-12);
  for (size_t i = FIRST; i < FIRST + VALUES; i++) {
    for (size_t k = FIRST; k < FIRST + VALUES; k++) {
      double sum = 0;
      for (size_t j = FIRST; j < FIRST + VALUES; j++) {
        for (size_t l = FIRST; l < FIRST + VALUES; l++) {
          sum += interval_block_entry(law, i, j) * interval_block_entry(law, k, l) *
                 covariance(law, j, l) / sqrt(law->first[j] * law->first[l]);
        }
      }
      assert_close(sum, i == k ? 1 : 0, 1e-12);
    }
  }
  assert_true(interval_block_entry(law, 0, 0) == 1 && interval_block_entry(law, 4, 4) == 1);
  interval_law_free(&e.law);
}

/* The identity there is the covariance's inverse in columns; other groups stay as they are. */
TEST(what_stands_in_coordinates_goes_back_to_columns) {
  static const double means[VALUES] = {0.5, 0.2, 0.2};
  example e;
  double rows[COLUMNS * COLUMNS] = {0};
  open_example(&e, means, 1e-6);
  for (size_t j = 0; j < COLUMNS; j++) {
    rows[j * COLUMNS + j] = 1;
  }
  for (size_t g = 0; g < 3; g++) {
    interval_block_columns(&e.law, &e.groups[g], e.law.rest[FIRST], rows);
  }
  for (size_t j = FIRST; j < FIRST + VALUES; j++) {
    for (size_t k = FIRST; k < FIRST + VALUES; k++) {
      double sum = 0;
      for (size_t l = FIRST; l < FIRST + VALUES; l++) {
        double inverse = 0;
        for (size_t i = 0; i < COLUMNS; i++) {
          inverse += rows[l * COLUMNS + i] * rows[k * COLUMNS + i];
        }
        sum += covariance(&e.law, j, l) * inverse / sqrt(e.law.first[l] * e.law.first[k]);
      }
      assert_close(sum, j == k ? 1 : 0, 1e-12);
    }
  }
  assert_true(rows[0] == 1 && rows[COLUMNS * COLUMNS - 1] == 1);
  interval_law_free(&e.law);
}

TEST(a_reference_that_noise_hides_has_half_of_it) {
  static const double means[VALUES] = {0.5, 0.3, 0.21};
  example e;
  open_example(&e, means, 0.004);
  assert_close(e.law.rest_doubt[FIRST], sqrt(3) * 0.02, 1e-12);
  assert_close(e.law.rest[FIRST], sqrt(3) * 0.01, 1e-12);
  interval_law_free(&e.law);
}
