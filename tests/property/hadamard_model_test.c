/* Models with fast orthogonal directions: which ones get them, that their files say so and read
 * back to the same scores, that the directions of a seed never change on any machine, and that
 * training stops on request before a charge. */
#include <stdlib.h>

#include "fast_features.h"
#include "model/model.h"
#include "model/model_file.h"
#include "reference.h"

static feature_map *map_of(size_t features, uint64_t seed, size_t inputs) {
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.75, features, 0, seed};
  feature_map *map = NULL;
  assert_ok(feature_map_new(&kernel, inputs, NULL, &map, err));
  return map;
}

/* ---- the directions of a seed, for ever */

/* FNV-1a over the numbers' 64 bits. */
static uint64_t fingerprint(uint64_t hash, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, &values[i], sizeof bits);
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ ((bits >> shift) & 255)) * UINT64_C(1099511628211);
    }
  }
  return hash;
}

/* Model files hold a seed, not directions: whoever finds other fingerprints here has made a new
 * kind, which needs a new name (features.h). */
TEST(directions_of_a_seed_have_these_bits) {
  static const struct {
    size_t inputs, features;
    uint64_t bits;
  } cases[] = {{64, 60, UINT64_C(0xeeeda1d27210fae6)},
               {100, 500, UINT64_C(0xcf405d3150a133a7)},
               {1000, 130, UINT64_C(0xff3523f4e640b2ba)}};
  for (size_t c = 0; c < 3; c++) {
    size_t d = cases[c].inputs, count = cases[c].features / 2;
    OWNED(feature_map_free_at) feature_map *map = map_of(2 * count, 1234567 + c, d);
    uint64_t bits = fingerprint(UINT64_C(14695981039346656037), map->directions, d * count);
    if (bits != cases[c].bits) {
      fail_msg("%zu columns, %zu features: 0x%016llx", d, 2 * count, (unsigned long long)bits);
    }
  }
}

/* The same where they are not written out: angles of a row of sevenths. */
TEST(angles_of_a_seed_have_these_bits) {
  enum { COLS = 5000, D = 7000 };
  static double row[COLS], angles[D / 2];
  OWNED(feature_map_free_at) feature_map *map = map_of(D, 7654321, COLS);
  OWNED_MEMORY double *work = calloc(hadamard_work_size(COLS, D / 2), sizeof *work);
  assert_true(work && !map->directions);
  for (size_t j = 0; j < COLS; j++) {
    row[j] = ((double)(j % 29) - 14) / 7;
  }
  hadamard_angles(map->fast, COLS, NULL, row, angles, work);
  uint64_t bits = fingerprint(UINT64_C(14695981039346656037), angles, D / 2);
  if (bits != UINT64_C(0x8f13e72d66091563)) {
    fail_msg("0x%016llx", (unsigned long long)bits);
  }
}

/* ---- models */

static void init(dperm_options *options, size_t features) {
  dperm_options_init(options);
  options->epsilon = 1;
  options->lambda = 0.01;
  options->kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, features, 0, 5};
}

static dperm_data *data_of(const test_rows *t) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(t->rows, t->cols, t->x, t->labels, 1, &data, err));
  return data;
}

static dperm_model *fitted(const dperm_data *data, size_t features, int independent) {
  dperm_options options;
  dperm_model *model = NULL;
  init(&options, features);
  options.kernel.independent = independent;
  assert_ok(dperm_random_seeded(1, &options.random, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_random_free(options.random);
  return model;
}

static dperm_model *written_and_read(const dperm_model *model) {
  dperm_model *back = NULL;
  auto_file *path = file_with_text("");
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_read(path, &back, err));
  return back;
}

TEST(models_over_many_columns_get_fast_directions_and_say_so) {
  static const struct {
    size_t cols, features;
    int independent;
    feature_kind kind;
  } cases[] = {{63, 10, 0, FEATURES_ORTHOGONAL},
               {64, 10, 0, FEATURES_HADAMARD},
               {64, 300, 0, FEATURES_HADAMARD},
               {64, 10, 1, FEATURES_IID},
               {4100, 4100, 0, FEATURES_HADAMARD}}; /* not written out */
  for (size_t c = 0; c < 5; c++) {
    auto_rows *t = test_rows_random(80 + c, 50, cases[c].cols, 0.2);
    auto_data *data = data_of(t);
    auto_model *model = fitted(data, cases[c].features, cases[c].independent);
    auto_model *back = written_and_read(model);
    double scores[50], again[50];
    assert_int_equal(model->map->kind, cases[c].kind);
    assert_int_equal(back->map->kind, cases[c].kind);
    assert_ok(dperm_model_scores(model, data, scores, err));
    assert_ok(dperm_model_scores(back, data, again, err));
    assert_memory_equal(scores, again, sizeof scores);
  }
}

TEST(kinds_have_names) {
  for (int k = FEATURES_IID; k <= FEATURES_HADAMARD; k++) {
    feature_kind found = FEATURES_IID;
    assert_true(feature_kind_find(feature_kind_name((feature_kind)k), &found));
    assert_int_equal(found, k);
  }
  feature_kind found = FEATURES_IID;
  assert_false(feature_kind_find("qr", &found));
  assert_false(feature_kind_find(NULL, &found));
}

TEST(fast_directions_out_of_their_range_are_refused) {
  dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 1, 10, 0, 1};
  feature_map *map = NULL;
  assert_fails(feature_map_draw(&kernel, FEATURES_HADAMARD, 63, NULL, &map, err),
               DPERM_INVALID_ARGUMENT, "64 columns or more");
  kernel.kind = DPERM_KERNEL_CAUCHY;
  assert_fails(feature_map_draw(&kernel, FEATURES_HADAMARD, 64, NULL, &map, err),
               DPERM_INVALID_ARGUMENT, "gaussian kernel");
  assert_null(map);
}

/* A file whose directions are said to be of another kind than they are. */
static dperm_status read_as(const dperm_model *model, const char *kind, dperm_model **out,
                            dperm_error *err) {
  char *path = file_with_text(""), digest[DIGEST_TEXT_SIZE];
  assert_int_equal(dperm_model_write(model, path, NULL), DPERM_OK);
  json_auto_t *root = json_load_file(path, 0, NULL);
  assert_non_null(root);
  json_t *kernel = json_object_get(root, "kernel");
  assert_int_equal(json_object_set_new(kernel, "kind", json_string(kind)), 0);
  assert_int_equal(model_digest(root, digest, NULL), DPERM_OK);
  assert_int_equal(json_object_set_new(root, "digest", json_string(digest)), 0);
  assert_int_equal(json_dump_file(root, path, JSON_REAL_PRECISION(17)), 0);
  dperm_status status = dperm_model_read(path, out, err);
  file_remove(path);
  return status;
}

/* The file decides, not what a new model would get; and fails closed. */
TEST(a_file_decides_how_its_directions_are_drawn) {
  auto_rows *t = test_rows_random(85, 50, 70, 0.2), *narrow = test_rows_random(86, 50, 4, 1);
  auto_data *data = data_of(t), *few = data_of(narrow);
  dperm_model *model = fitted(data, 20, 0), *small = fitted(few, 20, 0), *back = NULL;
  double scores[50], others[50];
  assert_ok(read_as(model, "orthogonal", &back, err));
  assert_int_equal(back->map->kind, FEATURES_ORTHOGONAL);
  assert_ok(dperm_model_scores(model, data, scores, err));
  assert_ok(dperm_model_scores(back, data, others, err));
  assert_memory_not_equal(scores, others, sizeof scores);
  dperm_model_free(back);
  back = NULL;
  assert_fails(read_as(model, "square", &back, err), DPERM_INVALID_MODEL,
               "directions are of a kind that this dperm");
  assert_fails(read_as(small, "hadamard", &back, err), DPERM_INVALID_MODEL,
               "its kernel is out of range");
  assert_null(back);
  dperm_model_free(model);
  dperm_model_free(small);
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total) {
  *(int *)context += strcmp(stage, "drawing directions") == 0;
  return strcmp(stage, "drawing directions") == 0;
}

/* Of either kind, before anything is charged. */
TEST(training_stops_while_directions_are_drawn) {
  auto_rows *t = test_rows_random(90, 40, 80, 1);
  auto_data *data = data_of(t);
  for (int independent = 0; independent < 2; independent++) {
    dperm_options options;
    dperm_model *model = NULL;
    int asked = 0;
    init(&options, 20);
    options.kernel.independent = independent;
    options.progress = (dperm_progress){stop, &asked};
    assert_fails(dperm_train(data, &options, &model, err), DPERM_CANCELLED,
                 "stopped on request while drawing directions; nothing was written");
    assert_null(model);
    assert_int_equal(asked, 1);
  }
}
