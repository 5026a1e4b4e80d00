/* Encoded files: the rows come back as they went in, over one block and several; damage, cuts and
 * rows that no encoder makes are refused, also when all sums are right; and what is trained on them
 * is the same to the bit. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "../fuzz/encoded_seal.h"
#include "data/dataset.h"
#include "dperm/score.h"
#include "support.h"

static const char schema_text[] =
    "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]},\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":10},"
    "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\",\"w\"],\"weight\":0.5},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":-1,\"max\":1}],\"intercept\":true}";

static dperm_schema *schema_of(const char *text) {
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(text, strlen(text), "schema", &schema, err));
  return schema;
}

static char *some_records(size_t rows) {
  char *text = malloc(rows * 32 + 16);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "a,b,c,y\n");
  for (size_t i = 0; i < rows; i++) {
    used += (size_t)sprintf(text + used, "%zu.%zu,%s,%s0.%zu,%s\n", i % 11, i % 7,
                            i % 5 == 4 ? "" : &"u\0v\0w\0x"[2 * (i % 4)], i % 2 ? "-" : "",
                            i * i % 97, (i * 7 + i / 3) % 3 ? "n" : "p");
  }
  char *path = file_with(text, used);
  free(text);
  return path;
}

static char *encoded_of(const dperm_source *source) {
  char *path = file_with_text("");
  size_t rows = 0;
  assert_ok(dperm_encode_file(source, path, NULL, &rows, err));
  assert_true(rows > 0);
  return path;
}

static dperm_status read_encoded(const char *path, dperm_data **data, dperm_error *err) {
  const dperm_source source = {.path = path};
  return dperm_data_read(&source, NULL, data, err);
}

static void assert_same_rows(const dperm_data *a, const dperm_data *b) {
  assert_int_equal(a->x->rows, b->x->rows);
  assert_int_equal(a->x->cols, b->x->cols);
  assert_int_equal(a->x->row_entries, b->x->row_entries);
  assert_int_equal(a->x->sum_depth, b->x->sum_depth);
  assert_memory_equal(a->labels, b->labels, a->x->rows * sizeof *a->labels);
  for (size_t i = 0; i < a->x->rows; i++) {
    const uint32_t *columns[2];
    const double *values[2];
    size_t count = a->x->kind->entries(a->x, i, &columns[0], &values[0]);
    assert_int_equal(count, b->x->kind->entries(b->x, i, &columns[1], &values[1]));
    assert_memory_equal(columns[0], columns[1], count * sizeof *columns[0]);
    assert_memory_equal(values[0], values[1], count * sizeof *values[0]);
  }
}

static void rows_come_back_as_they_went_in(void **state) {
  (void)state;
  dperm_schema *schema = schema_of(schema_text);
  char *csv = some_records(5000);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  char *path = encoded_of(&source);
  dperm_data *read = NULL, *mapped = NULL;
  assert_ok(dperm_data_read(&source, NULL, &read, err));
  assert_ok(read_encoded(path, &mapped, err));
  assert_same_rows(read, mapped);
  assert_memory_equal(read->file_digest, mapped->file_digest, FILE_DIGEST_SIZE);
  assert_true(read->from_file && mapped->from_file);
  assert_true(json_equal(read->schema->json, mapped->schema->json));
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0600);
  dperm_data_free(read);
  dperm_data_free(mapped);
  dperm_schema_free(schema);
  file_remove(csv);
  file_remove(path);
}

/* More rows and entries than a block holds. */
static void arrays_of_several_blocks_stand_as_one(void **state) {
  (void)state;
  enum { ROWS = ENCODED_ROWS + 5000 };
  char *text = malloc((size_t)ROWS * 40);
  assert_non_null(text);
  size_t used = 0;
  for (size_t i = 0; i < ROWS; i++) {
    used += (size_t)sprintf(text + used, "%d", i % 3 ? 1 : -1);
    for (size_t j = 0; j < 4 + i % 2; j++) {
      used += (size_t)sprintf(text + used, " %zu:.%zu", 1 + j * 3 + i % 3, 1 + (i + j) % 9);
    }
    text[used++] = '\n';
  }
  char *svm = file_with(text, used);
  free(text);
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 20};
  char *path = encoded_of(&source);
  dperm_data *read = NULL, *mapped = NULL;
  assert_ok(dperm_data_read(&source, NULL, &read, err));
  assert_ok(read_encoded(path, &mapped, err));
  assert_true(mapped->encoded->first[ENCODED_LABELS] == 2); /* two of starts before it */
  assert_true(mapped->encoded->first[ENCODED_ARRAYS] == 8);
  assert_same_rows(read, mapped);
  dperm_data_free(read);
  dperm_data_free(mapped);
  file_remove(svm);
  file_remove(path);
}

/* ---- damage */

typedef struct image {
  unsigned char *bytes;
  size_t size;
  encoded_trailer trailer;
  encoded_block blocks[ENCODED_ARRAYS];
} image;

static image image_of(const char *path) {
  image m = {0};
  FILE *file = fopen(path, "rb");
  assert_true(file && fseek(file, 0, SEEK_END) == 0);
  m.size = (size_t)ftell(file);
  m.bytes = malloc(m.size);
  assert_true(m.bytes && fseek(file, 0, SEEK_SET) == 0);
  assert_int_equal(fread(m.bytes, 1, m.size, file), m.size);
  fclose(file);
  memcpy(&m.trailer, m.bytes + m.size - sizeof m.trailer, sizeof m.trailer);
  assert_int_equal(m.trailer.blocks, ENCODED_ARRAYS);
  memcpy(m.blocks, m.bytes + m.trailer.directory, sizeof m.blocks);
  return m;
}

static image small_image(void) {
  dperm_schema *schema = schema_of(schema_text);
  char *csv = some_records(300);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  char *path = encoded_of(&source);
  image m = image_of(path);
  dperm_schema_free(schema);
  file_remove(csv);
  file_remove(path);
  return m;
}

static dperm_status read_image(const unsigned char *bytes, size_t size, dperm_data **data,
                               dperm_error *err) {
  char *path = file_with((const char *)bytes, size);
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_ENCODED};
  dperm_status status = dperm_data_read(&source, NULL, data, err);
  file_remove(path);
  return status;
}

static void expect_refused(const image *m, size_t size, const char *what) {
  dperm_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = read_image(m->bytes, size, &data, &error);
  if (status == DPERM_OK) {
    fail_msg("accepted: %s", what);
  }
  assert_null(data);
  assert_true(strlen(error.message) > 20);
}

static void every_changed_byte_that_counts_is_noticed(void **state) {
  (void)state;
  image m = small_image();
  encoded_header h;
  memcpy(&h, m.bytes, sizeof h);
  for (size_t at = 0; at < sizeof h + h.schema_length; at++) {
    m.bytes[at] ^= 1;
    expect_refused(&m, m.size, "a changed header");
    m.bytes[at] ^= 1;
  }
  for (size_t at = m.trailer.directory; at < m.size; at++) {
    m.bytes[at] ^= 0x40;
    expect_refused(&m, m.size, "a changed directory or trailer");
    m.bytes[at] ^= 0x40;
  }
  for (size_t a = 0; a < ENCODED_ARRAYS; a++) {
    size_t length = sealed_block_size(&m.trailer, (encoded_array)m.blocks[a].array, 0);
    for (size_t at = 0; at < length; at += 1 + length / 60) {
      dperm_data *data = NULL;
      char place[64];
      (void)snprintf(place, sizeof place, "byte %llu: ", (unsigned long long)m.blocks[a].offset);
      m.bytes[m.blocks[a].offset + at] ^= 0x10;
      assert_fails(read_image(m.bytes, m.size, &data, err), DPERM_INVALID_DATA, place);
      m.bytes[m.blocks[a].offset + at] ^= 0x10;
    }
  }
  free(m.bytes);
}

static void a_cut_file_is_refused_at_any_length(void **state) {
  (void)state;
  image m = small_image();
  for (size_t size = 0; size < m.size; size = size < 100 ? size + 1 : size + 997) {
    expect_refused(&m, size, "a cut file");
  }
  for (size_t size = m.size - 300; size < m.size; size++) {
    expect_refused(&m, size, "a cut file");
  }
  free(m.bytes);
}

/* ---- rows that no encoder makes, under sums that are right */

static unsigned char *number_at(const image *m, encoded_array array, size_t index) {
  for (size_t b = 0; b < ENCODED_ARRAYS; b++) {
    if (m->blocks[b].array == (uint32_t)array) {
      return m->bytes + m->blocks[b].offset + index * encoded_number_size(array);
    }
  }
  return NULL;
}

static void refuse_number(image *m, encoded_array array, size_t index, const void *number,
                          const char *what) {
  unsigned char before[8], *place = number_at(m, array, index);
  size_t size = encoded_number_size(array);
  memcpy(before, place, size);
  memcpy(place, number, size);
  encoded_seal(m->bytes, m->size);
  expect_refused(m, m->size, what);
  memcpy(place, before, size);
  encoded_seal(m->bytes, m->size);
}

static void rows_outside_their_bounds_are_refused(void **state) {
  (void)state;
  image m = small_image();
  dperm_data *data = NULL;
  assert_ok(read_image(m.bytes, m.size, &data, err));
  const double *values = NULL;
  const uint32_t *columns = NULL;
  size_t first = 0, entries = 0, row = 0; /* a row with all four entries */
  while (entries != 4) {
    first += entries;
    entries = data->x->kind->entries(data->x, row++, &columns, &values);
  }
  assert_true(columns[1] >= 1 && columns[1] <= 3 && columns[2] == 4 && columns[3] == 5);
  const double large = 1.5, negative = -1.5, not_a_number = strtod("nan", NULL),
               above_radius = 0.75, one = 1.0, above_norm = 0.9999999, zero = 0, two = 2;
  refuse_number(&m, ENCODED_VALUES, first, &large, "an entry above 1");
  refuse_number(&m, ENCODED_VALUES, first, &negative, "an entry below -1");
  refuse_number(&m, ENCODED_VALUES, first, &not_a_number, "an entry that is no number");
  refuse_number(&m, ENCODED_VALUES, first + 1, &above_radius, "an entry above its radius");
  refuse_number(&m, ENCODED_VALUES, first, &one, "a row above norm 1");
  refuse_number(&m, ENCODED_VALUES, first + 2, &above_norm, "a row above norm 1");
  refuse_number(&m, ENCODED_LABELS, 7, &zero, "a label of 0");
  refuse_number(&m, ENCODED_LABELS, 7, &two, "a label of 2");
  const uint32_t group = columns[1] == 3 ? 2 : columns[1] + 1, beyond = 6, again = columns[1];
  refuse_number(&m, ENCODED_COLUMNS, first + 2, &group, "two entries of one group");
  refuse_number(&m, ENCODED_COLUMNS, first + 3, &beyond, "a column beyond the last");
  refuse_number(&m, ENCODED_COLUMNS, first + 2, &again, "a column twice");
  const uint64_t far = 1u << 30, backward = 0;
  refuse_number(&m, ENCODED_STARTS, 5, &far, "a row that begins beyond the end");
  refuse_number(&m, ENCODED_STARTS, 9, &backward, "a row that begins before the last one");
  refuse_number(&m, ENCODED_STARTS, 300, &backward, "rows that end early");
  dperm_data_free(data);
  assert_ok(read_image(m.bytes, m.size, &data, err)); /* all put back */
  dperm_data_free(data);
  free(m.bytes);
}

/* Every norm that the encoder makes is accepted, the longest included. */
static void rows_at_their_bound_are_accepted(void **state) {
  (void)state;
  enum { ROWS = 20000, COLUMNS = 12 };
  random_source r;
  assert_ok(random_seeded(5, &r, err));
  char *text = malloc((size_t)ROWS * COLUMNS * 30);
  assert_non_null(text);
  size_t used = 0;
  for (size_t i = 0; i < ROWS; i++) {
    text[used++] = i % 2 ? '1' : '0';
    for (size_t j = 0; j < 1 + i % COLUMNS; j++) {
      double v = i % 5 == 0 ? 1.0 : random_normal(&r);
      used += (size_t)sprintf(text + used, " %zu:%.17g", j + 1, v);
    }
    text[used++] = '\n';
  }
  char *svm = file_with(text, used);
  free(text);
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = COLUMNS};
  char *path = encoded_of(&source);
  dperm_data *data = NULL;
  assert_ok(read_encoded(path, &data, err));
  assert_int_equal(data->x->rows, ROWS);
  dperm_data_free(data);
  file_remove(svm);
  file_remove(path);
}

/* ---- use */

static void another_schema_is_refused(void **state) {
  (void)state;
  dperm_schema *schema = schema_of(schema_text), *same = schema_of(schema_text);
  dperm_schema *other = schema_of("{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":"
                                  "[\"n\"]},\"columns\":[{\"name\":\"a\",\"type\":\"numeric\","
                                  "\"min\":0,\"max\":9}]}");
  char *csv = some_records(50);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  char *path = encoded_of(&source);
  dperm_data *data = NULL;
  const dperm_source wrong = {.path = path, .schema = other},
                     right = {.path = path, .schema = same}, dims = {.path = path, .dims = 6};
  assert_fails(dperm_data_read(&wrong, NULL, &data, err), DPERM_INVALID_DATA, "another schema");
  assert_fails(dperm_data_read(&dims, NULL, &data, err), DPERM_INVALID_DATA,
               "leave their number out");
  assert_ok(dperm_data_read(&right, NULL, &data, err));
  dperm_data_free(data);
  assert_fails(dperm_encode_file(&right, csv, NULL, NULL, err), DPERM_INVALID_ARGUMENT,
               "encoded already");
  dperm_schema_free(schema);
  dperm_schema_free(same);
  dperm_schema_free(other);
  file_remove(csv);
  file_remove(path);
}

static void nothing_is_released_from_a_file_that_changes_meanwhile(void **state) {
  (void)state;
  dperm_schema *schema = schema_of(schema_text);
  char *csv = some_records(2000);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  char *path = encoded_of(&source);
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options;
  dperm_options_init(&options);
  options.epsilon = 1;
  assert_ok(read_encoded(path, &data, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_model_free(model);
  model = NULL;
  const struct utimbuf touched = {1000, 1000};
  assert_int_equal(utime(path, &touched), 0);
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA, "was changed");
  assert_null(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
  file_remove(csv);
  file_remove(path);
}

/* Version 2 noted comment lines only: whether its rows are as many as its records is not known. */
static void files_of_version_2_are_for_public_data_only(void **state) {
  (void)state;
  image m = small_image();
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options;
  const uint32_t old = 2;
  dperm_options_init(&options);
  options.epsilon = 1;
  memcpy(m.bytes + offsetof(encoded_header, version), &old, sizeof old);
  encoded_seal(m.bytes, m.size);
  char *path = file_with((const char *)m.bytes, m.size);
  assert_ok(read_encoded(path, &data, err));
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA,
               "encode the records again");
  options.mechanism = DPERM_MECHANISM_NONE;
  options.epsilon = (double)NAN;
  options.lambda = 0.1;
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_model_free(model);
  dperm_data_free(data);
  file_remove(path);
  m.trailer.flags = 2; /* which it did not have */
  memcpy(m.bytes + m.size - sizeof m.trailer, &m.trailer, sizeof m.trailer);
  encoded_seal(m.bytes, m.size);
  expect_refused(&m, m.size, "a flag of another version");
  free(m.bytes);
}

/* Writes to the file, what stood there so that a fit still works, and puts the time of the last
 * change of its content back. The system's clock for such times is coarse: again until it moves. */
static void change_and_put_back(const char *path, const struct stat *before) {
  const struct timespec times[2] = {before->st_atim, before->st_mtim};
  struct stat now;
  do {
    FILE *file = fopen(path, "r+b");
    assert_true(file && fseek(file, -(100 << 10), SEEK_END) == 0);
    int byte = fgetc(file);
    assert_true(fseek(file, -1, SEEK_CUR) == 0 && fputc(byte, file) == byte);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(stat(path, &now), 0);
    assert_int_equal(now.st_size, before->st_size);
    assert_true(now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
                now.st_mtim.tv_nsec == before->st_mtim.tv_nsec);
  } while (now.st_ctim.tv_sec == before->st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before->st_ctim.tv_nsec);
}

static void a_change_shows_though_its_time_is_put_back(void **state) {
  (void)state;
  dperm_schema *schema = schema_of(schema_text);
  char *csv = some_records(2000);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  char *path = encoded_of(&source);
  struct stat before;
  dperm_data *data = NULL;
  dperm_model *model = NULL, *released = NULL;
  dperm_private_score score;
  dperm_score_options how;
  dperm_options options;
  dperm_options_init(&options);
  dperm_score_options_init(&how);
  options.epsilon = how.epsilon = 1;
  assert_int_equal(stat(path, &before), 0);
  assert_ok(read_encoded(path, &data, err));
  assert_ok(dperm_train(data, &options, &released, err));
  assert_ok(dperm_model_score_private(released, data, &how, &score, err));
  change_and_put_back(path, &before);
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA, "was changed");
  assert_null(model);
  assert_fails(dperm_model_score_private(released, data, &how, &score, err), DPERM_INVALID_DATA,
               "was changed");
  dperm_model_free(released);
  dperm_data_free(data);
  dperm_schema_free(schema);
  file_remove(csv);
  file_remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_back_as_they_went_in),
      cmocka_unit_test(arrays_of_several_blocks_stand_as_one),
      cmocka_unit_test(every_changed_byte_that_counts_is_noticed),
      cmocka_unit_test(a_cut_file_is_refused_at_any_length),
      cmocka_unit_test(rows_outside_their_bounds_are_refused),
      cmocka_unit_test(rows_at_their_bound_are_accepted),
      cmocka_unit_test(another_schema_is_refused),
      cmocka_unit_test(nothing_is_released_from_a_file_that_changes_meanwhile),
      cmocka_unit_test(files_of_version_2_are_for_public_data_only),
      cmocka_unit_test(a_change_shows_though_its_time_is_put_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
