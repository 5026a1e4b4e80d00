/* A good encoded file, of a table or of sparse rows, with any bytes of it changed and any of its
 * length cut off: damaged, or, half of the time, with its sums made right again. Each five bytes of
 * the input say where (counted from the front or from the end) and what; the first byte says how.
 * Whatever comes of it, rows that are accepted lie within their bounds, under the file's schema and
 * under another that goes with it, and an error is one line. */
#include "memory_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "encoded_seal.h"

#define SCHEMA(bins, more)                                                                         \
  "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":\"*\"},\"columns\":["            \
  "{\"name\":\"a\",\"type\":\"numeric\",\"min\":-1,\"max\":9,\"weight\":3" bins "},"               \
  "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\"]}],\"intercept\":true" more    \
  "}"

static const char schema_text[] = SCHEMA("", ""),
                  other_text[] = SCHEMA(",\"bins\":[1,4],\"line\":2",
                                        ",\"on_missing\":\"category\",\"crosses\":[[\"a\",\"b\"]]");
/* One of each width: all records alike, few numbers, as many as records. */
static const char records[] = "a,b,y\n1,u,p\n9,v,p\n,u,p\n-1,w,p\n4,u,p\n1.5,v,p\n";
static const char sparse[] = "1 1:.5 3:-.25\n-1\n1 2:1\n-1 1:3 2:4 4:5\n";
enum { DIMS = 4, DIMS_MOST = 64 };

typedef struct image {
  unsigned char *bytes;
  size_t size;
} image;

static image good[2];
static dperm_schema *schema, *other;

static image image_of(const dperm_source *source) {
  char path[] = "/tmp/dperm-fuzz-XXXXXX";
  int fd = mkstemp(path);
  image out = {0};
  MUST(fd >= 0 && dperm_encode_file(source, path, NULL, NULL, NULL) == DPERM_OK);
  (void)close(fd);
  FILE *file = fopen(path, "rb");
  MUST(file && fseek(file, 0, SEEK_END) == 0);
  out.size = (size_t)ftell(file);
  out.bytes = malloc(out.size);
  MUST(out.bytes && fseek(file, 0, SEEK_SET) == 0);
  MUST(fread(out.bytes, 1, out.size, file) == out.size);
  (void)fclose(file);
  (void)unlink(path);
  return out;
}

static void make_good(void) {
  memory_file csv = memory_file_with(records, sizeof records - 1);
  memory_file svm = memory_file_with(sparse, sizeof sparse - 1);
  MUST(dperm_schema_parse(schema_text, sizeof schema_text - 1, "schema", &schema, NULL) ==
       DPERM_OK);
  MUST(dperm_schema_parse(other_text, sizeof other_text - 1, "schema", &other, NULL) == DPERM_OK);
  good[0] =
      image_of(&(dperm_source){.path = csv.path, .format = DPERM_FORMAT_CSV, .schema = schema});
  good[1] =
      image_of(&(dperm_source){.path = svm.path, .format = DPERM_FORMAT_SVMLIGHT, .dims = DIMS});
  memory_file_close(&csv);
  memory_file_close(&svm);
}

static void check_rows(const dperm_data *data) {
  for (size_t i = 0; i < dperm_data_rows(data) && dperm_data_dims(data) <= DIMS_MOST; i++) {
    double row[DIMS_MOST], sum = 0;
    MUST(dperm_data_row(data, i, row, NULL) == DPERM_OK);
    for (size_t j = 0; j < dperm_data_dims(data); j++) {
      sum += row[j] * row[j];
    }
    MUST(sum <= 1 + 1e-12 && fabs(dperm_data_labels(data)[i]) == 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (!schema) {
    make_good();
  }
  if (length < 1) {
    return 0;
  }
  const image *from = &good[bytes[0] & 1];
  size_t size = from->size;
  unsigned char *changed = malloc(size);
  MUST(changed);
  memcpy(changed, from->bytes, size);
  for (size_t i = 1; i + 5 <= length; i += 5) {
    size_t at = bytes[i] | (size_t)bytes[i + 1] << 8 | (size_t)bytes[i + 2] << 16;
    at %= size;
    changed[bytes[i + 3] & 1 ? size - 1 - at : at] ^= bytes[i + 4];
  }
  if (bytes[0] & 2) {
    encoded_seal(changed, size);
  }
  if (bytes[0] & 4) {
    size -= (size_t)bytes[0] >> 3;
  }
  memory_file file = memory_file_with(changed, size);
  const dperm_source source = {.path = file.path, .format = DPERM_FORMAT_ENCODED};
  dperm_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = dperm_data_read(&source, NULL, &data, &error);
  MUST((status == DPERM_OK) == (data != NULL));
  MUST(status == DPERM_OK || (error.message[0] != '\0' && !strchr(error.message, '\n')));
  if (data) {
    dperm_data view = {0};
    check_rows(data);
    if (data->table && data_view_open(data, other, &view, NULL) == DPERM_OK) {
      check_rows(&view);
    }
    data_view_close(&view);
  }
  dperm_data_free(data);
  memory_file_close(&file);
  free(changed);
  return 0;
}
