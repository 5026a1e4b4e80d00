/* Encoded files: the records come back as they went in, of tables and of sparse rows; damage, cuts
 * and what no record becomes are refused, also when all sums are right; and what is trained on them
 * is the same to the bit. encoded_pages_test.c has several pages, and every flipped bit. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/dataset.h"
#include "dperm/score.h"
#include "encoded_image.h"
#include "model/model.h"

static const char schema_text[] =
    "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]},\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":10},"
    "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\",\"w\"],\"weight\":0.5},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":-1,\"max\":1}],\"intercept\":true}";

static char *some_records(size_t rows) {
  OWNED_MEMORY char *text = malloc(rows * 32 + 16);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "a,b,c,y\n");
  for (size_t i = 0; i < rows; i++) {
    used += (size_t)sprintf(text + used, "%zu.%zu,%s,%s0.%zu,%s\n", i % 11, i % 7,
                            i % 5 == 4 ? "" : &"u\0v\0w\0x"[2 * (i % 4)], i % 2 ? "-" : "",
                            i * i % 97, (i * 7 + i / 3) % 3 ? "n" : "p");
  }
  char *path = file_with(text, used);
  return path;
}

enum { SPARSE_DIMS = 60 };

/* Most rows are short and some are long, as texts are: sums are cut by their mean. So many of them
 * are different, or all. */
static char *some_sparse_rows(size_t rows, size_t kinds) {
  OWNED_MEMORY char *text = malloc(rows * 400);
  size_t used = 0;
  assert_non_null(text);
  for (size_t i = 0; i < rows; i++) {
    size_t kind = i % kinds, step = kind % 50 == 0 ? 2 : 29;
    used += (size_t)sprintf(text + used, "%d", (i * 7 + i / 3) % 3 ? 1 : -1);
    for (size_t j = kind % step; j < SPARSE_DIMS; j += step) {
      used += (size_t)sprintf(text + used, " %zu:.%zu", j + 1, 1 + (kind + j) % 9);
    }
    text[used++] = '\n';
  }
  char *path = file_with(text, used);
  return path;
}

static dperm_status read_encoded(const char *path, dperm_data **data, dperm_error *err) {
  const dperm_source source = {.path = path};
  return dperm_data_read(&source, NULL, data, err);
}

static void assert_same_encoding(const dperm_data *a, const dperm_data *b) {
  assert_same_rows(a, b);
  assert_int_equal(a->x->row_entries, b->x->row_entries);
  assert_int_equal(a->x->sum_depth, b->x->sum_depth);
}

/* Without a mechanism, so that no lattice hides the last bits of sums. */
static dperm_model *trained(const dperm_data *data) {
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.epsilon = (double)NAN;
  options.lambda = 0.001;
  assert_ok(dperm_train(data, &options, &model, err));
  return model;
}

static void assert_same_models(const dperm_data *a, const dperm_data *b) {
  auto_model *one = trained(a), *other = trained(b);
  assert_int_equal(one->dims, other->dims);
  assert_memory_equal(one->weights, other->weights, one->dims * sizeof *one->weights);
}

TEST(records_come_back_as_they_went_in) {
  auto_schema *schema = schema_quoted(schema_text);
  auto_file *csv = some_records(5000), *svm = some_sparse_rows(5000, 5000);
  auto_file *repeated = some_sparse_rows(5000, 21);
  const dperm_source sources[] = {
      {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema},
      {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = SPARSE_DIMS},
      {.path = repeated, .format = DPERM_FORMAT_SVMLIGHT, .dims = SPARSE_DIMS}};
  for (size_t i = 0; i < 3; i++) {
    auto_file *path = encoded_of(&sources[i]);
    auto_data *read = NULL, *mapped = NULL;
    assert_ok(dperm_data_read(&sources[i], NULL, &read, err));
    assert_ok(read_encoded(path, &mapped, err));
    assert_same_encoding(read, mapped);
    assert_same_models(read, mapped);
    assert_memory_equal(read->file_digest, mapped->file_digest, FILE_DIGEST_SIZE);
    assert_true(read->from_file && mapped->from_file);
    assert_true(i > 0 || json_equal(read->schema->json, mapped->schema->json));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
  }
}

/* ---- damage */

static encoded_image small_image(void) {
  auto_schema *schema = schema_quoted(schema_text);
  auto_file *csv = some_records(300);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  encoded_image m = image_of(&source);
  return m;
}

TEST(a_cut_file_is_refused_at_any_length) {
  encoded_image m = small_image();
  for (size_t size = 0; size < m.size; size++) {
    dperm_data *data = NULL;
    dperm_error error = {DPERM_OK, ""};
    assert_int_equal(image_read(&m, size, &data, &error), DPERM_INVALID_DATA);
    assert_null(data);
    assert_true(strlen(error.message) > 20);
  }
  image_free(&m);
}

/* A file of another version, whose sums are right. */
TEST(files_of_other_versions_are_refused) {
  encoded_image m = small_image();
  dperm_data *data = NULL;
  for (uint32_t version = 0; version < 7; version++) {
    memcpy(m.bytes + offsetof(encoded_header, version), &version, sizeof version);
    encoded_seal(m.bytes, m.size);
    if (version == ENCODED_VERSION) {
      assert_ok(image_read(&m, m.size, &data, err));
    } else {
      assert_fails(image_read(&m, m.size, &data, err), DPERM_UNSUPPORTED,
                   version < ENCODED_VERSION ? "encode the records again" : "update dperm");
    }
  }
  dperm_data_free(data);
  image_free(&m);
}

/* ---- what no record becomes, under sums that are right */

static const char impossible[] = "holds what no record becomes";

/* `size` bytes at `at`, counted from the beginning of the page. */
static void refuse_at(encoded_image *m, size_t at, const void *bytes, size_t size,
                      const char *what) {
  unsigned char before[sizeof(encoded_column)], *place = m->bytes + image_page(m, 0).offset + at;
  dperm_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  assert_true(at + size <= image_page(m, 0).size);
  memcpy(before, place, size);
  memcpy(place, bytes, size);
  encoded_seal(m->bytes, m->size);
  if (image_read(m, m->size, &data, &error) != DPERM_INVALID_DATA ||
      !strstr(error.message, impossible)) {
    fail_msg("%s: %s", what, error.message);
  }
  memcpy(place, before, size);
  encoded_seal(m->bytes, m->size);
}
#define REFUSE(m, at, number, what) refuse_at(m, at, &(number), sizeof(number), what)

static encoded_column column_of(const encoded_image *m, size_t c) {
  encoded_column out;
  memcpy(&out, m->bytes + image_page(m, 0).offset + c * sizeof out, sizeof out);
  return out;
}

TEST(cells_outside_their_schema_are_refused) {
  encoded_image m = small_image();
  const double endless = (double)INFINITY, nothing = (double)NAN, half = 0.5, minus = -1;
  const double above[] = {nextafter(10, 11), 5, nextafter(1, 2), 2}; /* a, b, c, label */
  const double below[] = {-0x1p-1074, minus, nextafter(-1, -2), minus};
  for (size_t c = 0; c < 4; c++) {
    const encoded_column column = column_of(&m, c);
    const size_t last = (size_t)column.values + (column.distinct - 1) * sizeof(double);
    assert_int_equal(column.width, 1); /* few different numbers */
    REFUSE(&m, last, above[c], "a cell above its range");
    REFUSE(&m, last, below[c], "a cell below its range");
    REFUSE(&m, last, endless, "a cell that is infinite");
    if (c % 2 == 1) { /* codes; a number may be missing, or a half */
      REFUSE(&m, last, nothing, "a code that is no number");
      REFUSE(&m, last, half, "a code that is not whole");
    }
    const uint8_t beyond = (uint8_t)column.distinct;
    REFUSE(&m, last + sizeof(double) + 17, beyond, "an index beyond the last number");
  }
  dperm_data *data = NULL;
  assert_ok(image_read(&m, m.size, &data, err)); /* all put back */
  dperm_data_free(data);
  image_free(&m);
}

TEST(columns_that_cannot_be_are_refused) {
  encoded_image m = small_image();
  const encoded_page page = image_page(&m, 0);
  for (size_t c = 0; c < 4; c++) {
    const encoded_column was = column_of(&m, c);
    const encoded_column wrong[] = {{0, was.width, was.values},
                                    {page.rows + 1, was.width, was.values},
                                    {UINT32_MAX, was.width, was.values},
                                    {was.distinct, 0, was.values},
                                    {was.distinct, 3, was.values},
                                    {was.distinct, 8, was.values},
                                    {was.distinct, UINT32_MAX, was.values},
                                    {was.distinct, was.width, was.values + 4},
                                    {was.distinct, was.width, page.size},
                                    {was.distinct, was.width, page.size + 8},
                                    {was.distinct, was.width, UINT64_MAX - 7}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      REFUSE(&m, c * sizeof was, wrong[i], "a column that cannot be");
    }
  }
  dperm_data *data = NULL;
  assert_ok(image_read(&m, m.size, &data, err)); /* all put back */
  dperm_data_free(data);
  image_free(&m);
}

TEST(sparse_rows_that_cannot_be_are_refused) {
  enum { ROWS = 4 };
  auto_file *svm = file_with_text("1 1:.5 3:-.25\n-1\n1 2:1\n-1 1:.3 2:.4 4:.5\n");
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = 5};
  encoded_image m = image_of(&source);
  const size_t labels = (ROWS + 1) * sizeof(uint64_t), values = labels + ROWS * sizeof(double),
               columns = values + 6 * sizeof(double);
  const double large = 1.5, negative = -1.5, nothing = (double)NAN, zero = 0, two = 2, one = 1,
               above_norm = nextafter(1, 2), near = 0.99;
  REFUSE(&m, values, large, "an entry above 1");
  REFUSE(&m, values, negative, "an entry below -1");
  REFUSE(&m, values, nothing, "an entry that is no number");
  REFUSE(&m, values + 16, above_norm, "an entry one step above 1");
  REFUSE(&m, values + 24, one, "a row above norm 1");
  REFUSE(&m, values + 8, near, "a row above norm 1");
  REFUSE(&m, labels + 8, zero, "a label of 0");
  REFUSE(&m, labels, two, "a label of 2");
  REFUSE(&m, labels, nothing, "a label that is no number");
  const uint32_t again = 0, beyond = 5, back = 0;
  REFUSE(&m, columns + 4, again, "a column twice");
  REFUSE(&m, columns + 20, beyond, "a column beyond the last");
  REFUSE(&m, columns + 16, back, "columns that go back");
  const uint64_t far = 7, less = 1, next = 3, most = UINT64_MAX;
  REFUSE(&m, 0, less, "rows that do not begin at the first entry");
  REFUSE(&m, 8, far, "a row that begins beyond the end");
  REFUSE(&m, 16, less, "a row that begins before the last one");
  REFUSE(&m, 32, less, "rows that end early");
  REFUSE(&m, 32, far, "rows that end late");
  REFUSE(&m, 32, most, "rows of more entries than any file has");
  REFUSE(&m, 8, next, "a row that takes the next one's entries"); /* and a column twice */
  m.trailer.most_entries = 2;
  memcpy(m.bytes + m.size - sizeof m.trailer, &m.trailer, sizeof m.trailer);
  encoded_seal(m.bytes, m.size);
  dperm_data *data = NULL;
  assert_fails(image_read(&m, m.size, &data, err), DPERM_INVALID_DATA, impossible);
  image_free(&m);
}

/* All sums are right, and its schema would be one that a program is given. */
TEST(a_schema_whose_persons_have_no_column_is_refused) {
  auto_schema *schema =
      schema_quoted("{'label': {'column': 'y', 'positive': ['p'], 'negative': ['n']}, 'person': "
                    "'whose', 'columns': [{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 10}]}");
  auto_file *csv = file_with_text("a,whose,y\n1,x,p\n2,z,n\n");
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  encoded_image m = image_of(&source);
  auto_data *data = NULL;
  assert_ok(image_read(&m, m.size, &data, err));
  char *text = (char *)m.bytes + sizeof m.header; /* ends with padding, or not: it has the name */
  char *person = strstr(text, "\"person\"");
  assert_non_null(person);
  memcpy(strstr(person, "whose"), "whoso", 5);
  encoded_seal(m.bytes, m.size);
  dperm_data *none = NULL;
  assert_fails(image_read(&m, m.size, &none, err), DPERM_INVALID_DATA,
               "its persons have no column");
  image_free(&m);
}

/* Every norm that the encoder makes is accepted, the longest included. */
TEST(rows_at_their_bound_are_accepted) {
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
  auto_file *svm = file_with(text, used);
  free(text);
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = COLUMNS};
  auto_file *path = encoded_of(&source);
  auto_data *data = NULL;
  assert_ok(read_encoded(path, &data, err));
  assert_int_equal(data->x->rows, ROWS);
}

/* ---- use */

TEST(another_schema_is_refused) {
  auto_schema *schema = schema_quoted(schema_text), *same = schema_quoted(schema_text);
  auto_schema *other =
      schema_quoted("{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":"
                    "[\"n\"]},\"columns\":[{\"name\":\"a\",\"type\":\"numeric\","
                    "\"min\":0,\"max\":9}]}");
  auto_file *csv = some_records(50);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  auto_file *path = encoded_of(&source);
  dperm_data *data = NULL;
  const dperm_source wrong = {.path = path, .schema = other},
                     right = {.path = path, .schema = same}, dims = {.path = path, .dims = 6};
  assert_fails(dperm_data_read(&wrong, NULL, &data, err), DPERM_INVALID_SCHEMA,
               "encode them under that one");
  assert_fails(dperm_data_read(&dims, NULL, &data, err), DPERM_INVALID_DATA, "has a schema inside");
  assert_ok(dperm_data_read(&right, NULL, &data, err));
  dperm_data_free(data);
  assert_fails(dperm_encode_file(&right, csv, NULL, NULL, err), DPERM_INVALID_ARGUMENT,
               "encoded already");
}

/* Writes to the file, what stood there so that a fit still works, and puts the time of the last
 * change of its content back. The system's clock for such times is coarse: again until it moves. */
static void change_and_put_back(const char *path, const struct stat *before) {
  const struct timespec times[2] = {before->st_atim, before->st_mtim};
  struct stat now;
  do {
    FILE *file = fopen(path, "r+b");
    assert_true(file && fseek(file, -200, SEEK_END) == 0);
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

TEST(nothing_is_released_from_a_file_that_changes_meanwhile) {
  auto_schema *schema = schema_quoted(schema_text);
  auto_file *csv = some_records(2000);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  auto_file *path = encoded_of(&source);
  struct stat before;
  auto_data *data = NULL;
  dperm_model *model = NULL, *released = NULL;
  dperm_private_score score;
  dperm_score_options how;
  dperm_options options = USUAL(dperm_options);
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
  dperm_data *part = NULL; /* a copy, which would not show it */
  assert_fails(dperm_data_select(data, (const size_t[]){1, 2}, 2, &part, err), DPERM_INVALID_DATA,
               "was changed");
  assert_null(part);
  dperm_model_free(released);
}
