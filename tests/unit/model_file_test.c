/* Model files: written and read back bit for bit; damaged, foreign, newer and inconsistent ones
 * refused with a message that says what is wrong; nothing left behind where writing fails. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "model/model_file.h"
#include "support.h"
#include "written_models.h"

static bool same_double(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Without a mechanism a file holds no epsilon and no noise. */
static bool same_plan(const privacy_plan *a, const privacy_plan *b) {
  bool same = a->mechanism == b->mechanism && same_double(a->lambda, b->lambda) &&
              same_double(a->delta_reg, b->delta_reg);
  if (a->mechanism == DPERM_MECHANISM_NONE) {
    return same;
  }
  return same && a->analysis == b->analysis && a->noise.dims == b->noise.dims &&
         same_double(a->epsilon, b->epsilon) && same_double(a->noise.beta, b->noise.beta) &&
         a->noise.kind == b->noise.kind && noise_rms_norm(&a->noise) == noise_rms_norm(&b->noise);
}

static bool same_model(const dperm_model *a, const dperm_model *b) {
  bool schemas = !a->schema && !b->schema;
  if (a->schema && b->schema) {
    schemas = json_equal(a->schema->json, b->schema->json);
  }
  bool reasons = !a->reason && !b->reason;
  if (a->reason && b->reason) {
    reasons = strcmp(a->reason, b->reason) == 0;
  }
  return schemas && reasons && dperm_model_is_private(a) == dperm_model_is_private(b) &&
         same_plan(&a->plan, &b->plan) && strcmp(a->loss, b->loss) == 0 &&
         same_double(a->loss_h, b->loss_h) && a->rows == b->rows &&
         a->rows_fitted == b->rows_fitted && a->origin == b->origin &&
         same_double(a->norm_bound, b->norm_bound) && class_list_equal(&a->classes, &b->classes) &&
         a->dims == b->dims && same_double(a->claim.epsilon_class, b->claim.epsilon_class) &&
         memcmp(a->weights, b->weights, class_fits(a->classes.count) * a->dims * sizeof(double)) ==
             0;
}

/* ---- there and back */

static void check_round_trip(dperm_model *model) {
  auto_model *back = NULL;
  size_t length = 0, again = 0;
  OWNED_MEMORY char *text = model_text(model, &length);
  assert_ok(model_read_bytes(text, length, &back, err));
  assert_true(same_model(model, back));
  OWNED_MEMORY char *second = model_text(back, &again);
  assert_int_equal(again, length);
  assert_memory_equal(second, text, length);
  dperm_model_free(model);
}

TEST(models_of_every_origin_come_back_whole) {
  check_round_trip(schema_model());
  check_round_trip(memory_model(1.0));
  check_round_trip(memory_model(0.1 + 0.2));
  check_round_trip(svmlight_model());
}

TEST(private_models_come_back_with_their_claim) {
  check_round_trip(mixed_model());
  for (int way = 0; way < 16; way++) {
    auto_random *random = NULL;
    if (way & 4) {
      assert_ok(dperm_random_seeded(7, &random, err));
    }
    dperm_model *model =
        train_under(memory_data(way & 8 ? 5 : 1), "smooth-hinge", (dperm_mechanism)(way & 1),
                    (dperm_analysis)(way >> 1 & 1), random);
    assert_int_equal(dperm_model_is_private(model), random == NULL);
    assert_true(!model->reason == !random);
    assert_true(model->claim.epsilon == 0.1 && model->plan.epsilon == model->release.epsilon.core &&
                model->plan.noise.beta > 0);
    if (model->plan.mechanism == DPERM_MECHANISM_OUTPUT) {
      model->plan.analysis = DPERM_ANALYSIS_TIGHT; /* has none, and none is written */
    }
    check_round_trip(model);
  }
}

TEST(weights_of_every_size_come_back_bit_for_bit) {
  static const double odd[] = {0.0,       -0.0,
                               0x1p-1074, -0x1.8p-1060,
                               0x1p-1022, 0x1.fffffffffffffp+1023,
                               1e308,     -1e-308,
                               0.1,       1.0 / 3,
                               -2,        1e22,
                               1e23,      5e-324,
                               0x1p53,    0x1.0000000000001p0};
  random_source r;
  assert_ok(random_seeded(1, &r, err));
  for (size_t round = 0; round < 40; round++) {
    dperm_model *model = memory_model(1.0);
    for (size_t j = 0; j < 3; j++) {
      uint64_t bits = random_bits(&r);
      memcpy(&model->weights[j], &bits, sizeof bits);
      if (!isfinite(model->weights[j]) || round < 16) {
        model->weights[j] = odd[(round + j) % 16];
      }
    }
    check_round_trip(model);
  }
}

/* ---- damage */

static void check_damaged(const dperm_model *model, const char *text, size_t length,
                          size_t *refused) {
  dperm_model *back = NULL;
  dperm_error err = {DPERM_OK, ""};
  dperm_status status = model_read_bytes(text, length, &back, &err);
  if (status == DPERM_OK) {
    assert_true(same_model(model, back));
    dperm_model_free(back);
  } else {
    assert_true(status == DPERM_INVALID_MODEL || status == DPERM_INVALID_SCHEMA);
    assert_true(strlen(err.message) > 10);
    assert_null(back);
    ++*refused;
  }
}

TEST(every_changed_byte_is_refused_or_harmless) {
  static const char others[] = {'0', '9', ' ', '"', '}', ',', 'e', '-', '\0', '\xff'};
  auto_model *model = schema_model();
  size_t length = 0, refused = 0, tried = 0;
  OWNED_MEMORY char *text = model_text(model, &length);
  for (size_t i = 0; i < length; i++) {
    char before = text[i];
    for (size_t change = 0; change < 8 + sizeof others; change++) {
      text[i] = (char)(change < 8 ? before ^ (1 << change) : others[change - 8]);
      if (text[i] != before) {
        check_damaged(model, text, length, &refused);
        tried++;
      }
    }
    text[i] = before;
  }
  assert_true(refused > tried * 9 / 10);
}

TEST(every_truncation_is_refused) {
  auto_model *model = schema_model();
  size_t length = 0, refused = 0;
  OWNED_MEMORY char *text = model_text(model, &length);
  assert_true(text[length - 1] == '\n' && text[length - 2] == '}');
  for (size_t cut = 0; cut < length - 1; cut++) {
    check_damaged(model, text, cut, &refused);
  }
  assert_int_equal(refused, length - 1);
}

TEST(blanks_and_order_do_not_matter) {
  auto_model *model = schema_model(), *back = NULL;
  size_t length = 0;
  OWNED_MEMORY char *text = model_text(model, &length);
  json_auto_t *root = json_loadb(text, length, 0, NULL);
  OWNED_MEMORY char *dense =
      json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  assert_non_null(dense);
  assert_ok(model_read_bytes(dense, strlen(dense), &back, err));
  assert_true(same_model(model, back));
}

TEST(other_files_are_no_models) {
  static const char *const texts[] = {"{}",
                                      "[]",
                                      "[1, 2]",
                                      "{\"format\": 1}",
                                      "{\"format\": \"dperm-model/x\"}",
                                      "{\"format\": \"dperm-model/0\"}",
                                      schema_of_models};
  dperm_model *model = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_fails(model_read_bytes(texts[i], strlen(texts[i]), &model, err), DPERM_INVALID_MODEL,
                 "not a dperm model");
  }
  assert_fails(model_read_bytes("", 0, &model, err), DPERM_INVALID_MODEL, "not valid JSON");
  assert_fails(model_read_bytes("a,b,c\n1,2,3\n", 12, &model, err), DPERM_INVALID_MODEL, ":1:");
  assert_fails(dperm_model_read("no/such/file.json", &model, err), DPERM_IO_ERROR,
               "no/such/file.json");
  assert_null(model);
}

/* ---- places that cannot be written */

static size_t files_in(const char *folder) {
  size_t count = 0;
  DIR *open = opendir(folder);
  assert_non_null(open);
  while (readdir(open)) {
    count++;
  }
  closedir(open);
  return count;
}

TEST(writing_that_fails_leaves_nothing) {
  auto_model *model = memory_model(1);
  char folder[1024], path[1100];
  folder_new("dperm-model", folder, sizeof folder);
  size_t empty = files_in(folder);
  (void)snprintf(path, sizeof path, "%s/missing/model.json", folder);
  assert_fails(dperm_model_write(model, path, err), DPERM_IO_ERROR, "cannot write");
  assert_fails(dperm_model_write(model, folder, err), DPERM_IO_ERROR, "cannot write");
  assert_int_equal(files_in(folder), empty);
  if (access("/dev/full", W_OK) == 0) {
    assert_fails(dperm_model_write(model, "/dev/full", err), DPERM_IO_ERROR, "cannot write");
  }
  (void)snprintf(path, sizeof path, "%s/model.json", folder);
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_write(model, path, err)); /* and over itself */
  assert_int_equal(files_in(folder), empty + 1);
  unlink(path);
  rmdir(folder);
}

/* As some editors leave it. */
TEST(a_byte_order_mark_is_skipped) {
  auto_model *model = schema_model(), *read = NULL, *parsed = NULL;
  char *text = NULL, marked[1 << 15] = "\xef\xbb\xbf";
  size_t length = 0;
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  assert_true(length + 4 < sizeof marked);
  memcpy(marked + 3, text, length + 1);
  dperm_text_free(text);
  auto_file *path = file_with_text(marked), *cut = file_with_text("\xef\xbb\xbf{");
  assert_ok(dperm_model_read(path, &read, err));
  assert_ok(dperm_model_parse(marked, length + 3, "a text", &parsed, err));
  dperm_model *none = NULL;
  assert_fails(dperm_model_read(cut, &none, err), DPERM_INVALID_MODEL, "not valid JSON");
  assert_null(none);
}

/* The same bytes, through memory and through a file. */
TEST(a_model_goes_through_memory) {
  auto_model *model = schema_model(), *back = NULL;
  char *text = NULL, *again = NULL, *content = NULL;
  size_t length = 0, length_again = 0, length_file = 0;
  assert_int_equal(dperm_model_classes(model), 2);
  assert_int_equal(dperm_model_schema(model)->classes.count, 2);
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  assert_int_equal(strlen(text), length);
  auto_file *path = file_with_text("");
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(file_read_all(path, 1 << 20, &content, &length_file, err));
  assert_int_equal(length, length_file);
  assert_memory_equal(text, content, length);
  assert_ok(dperm_model_parse(text, length, "a text", &back, err));
  assert_ok(dperm_model_to_text(back, &again, &length_again, err));
  assert_string_equal(text, again);
  dperm_model *none = NULL;
  assert_fails(dperm_model_parse(text, length / 2, "a text", &none, err), DPERM_INVALID_MODEL,
               "a text:");
  assert_null(none);
  dperm_text_free(text);
  dperm_text_free(again);
  dperm_text_free(NULL);
  free(content);
}

/* ---- without memory */

static long allocations_left;

static void *allocate_some(size_t size) {
  return allocations_left-- == 0 ? NULL : malloc(size);
}

/* What jansson cannot allocate it leaves out, here and there without a word: then the file would
 * not be the model that was committed to a ledger, or not one at all. */
static void written_whole_or_not_at_all(dperm_model *model) {
  size_t length = 0;
  char *whole = model_text(model, &length), *text = NULL;
  dperm_status status = DPERM_OUT_OF_MEMORY;
  char digest[DPERM_DIGEST_SIZE], again[DPERM_DIGEST_SIZE];
  assert_ok(model_content_digest(model, digest, err));
  for (long first = 0; status != DPERM_OK; first++) {
    allocations_left = first;
    json_set_alloc_funcs(allocate_some, free);
    status = dperm_model_to_text(model, &text, &length, NULL);
    json_set_alloc_funcs(malloc, free);
    if (status == DPERM_OK) {
      assert_string_equal(text, whole);
      dperm_text_free(text);
    }
    bool failed = status != DPERM_OK;
    assert_true(failed == (allocations_left < 0));
    allocations_left = first;
    json_set_alloc_funcs(allocate_some, free);
    dperm_status digested = model_content_digest(model, again, NULL);
    json_set_alloc_funcs(malloc, free);
    assert_true(digested == DPERM_OUT_OF_MEMORY || strcmp(digest, again) == 0);
  }
  free(whole);
  dperm_model_free(model);
}

TEST(memory_that_runs_out_leaves_nothing_out) {
  dperm_model *weighed = schema_model(), *constant = memory_model(1);
  assert_ok(memory_new(2, sizeof *weighed->class_weights, &weighed->class_weights, err));
  weighed->class_weights[0] = weighed->class_weights[1] = 1;
  constant->intercept = 0.5;
  written_whole_or_not_at_all(weighed);
  written_whole_or_not_at_all(constant);
  written_whole_or_not_at_all(private_model());
}
