/* A good encoded file with any bytes of it changed and any of its length cut off: damaged, or, half
 * of the time, with its sums made right again. Each five bytes of the input say where (counted from
 * the front or from the end) and what; the first byte says how. Whatever comes of it, rows that are
 * accepted lie within their bounds, and an error is one line. */
#include "memory_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dperm.h"
#include "encoded_seal.h"

static const char schema_text[] =
    "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":\"*\"},\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":-1,\"max\":9,\"weight\":3},"
    "{\"name\":\"b\",\"type\":\"categorical\",\"values\":[\"u\",\"v\"]}],\"intercept\":true}";
static const char records[] = "a,b,y\n1,u,p\n9,v,n\n,u,n\n-1,w,p\n4,,p\n";

static unsigned char *good;
static size_t good_size;

static void make_good(void) {
  char path[] = "/tmp/dperm-fuzz-XXXXXX";
  int fd = mkstemp(path);
  dperm_schema *schema = NULL;
  memory_file csv = memory_file_with(records, sizeof records - 1);
  MUST(fd >= 0);
  MUST(dperm_schema_parse(schema_text, sizeof schema_text - 1, "schema", &schema, NULL) ==
       DPERM_OK);
  const dperm_source source = {.path = csv.path, .format = DPERM_FORMAT_CSV, .schema = schema};
  MUST(dperm_encode_file(&source, path, NULL, NULL, NULL) == DPERM_OK);
  (void)close(fd);
  FILE *file = fopen(path, "rb");
  MUST(file && fseek(file, 0, SEEK_END) == 0);
  good_size = (size_t)ftell(file);
  good = malloc(good_size);
  MUST(good && fseek(file, 0, SEEK_SET) == 0 && fread(good, 1, good_size, file) == good_size);
  (void)fclose(file);
  (void)unlink(path);
  memory_file_close(&csv);
  dperm_schema_free(schema);
}

static void check_rows(const dperm_data *data) {
  for (size_t i = 0; i < dperm_data_rows(data); i++) {
    double row[64], sum = 0;
    MUST(dperm_data_dims(data) <= 64 && dperm_data_row(data, i, row, NULL) == DPERM_OK);
    for (size_t j = 0; j < dperm_data_dims(data); j++) {
      sum += row[j] * row[j];
    }
    MUST(sum <= 1 + 1e-12 && fabs(dperm_data_labels(data)[i]) == 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (!good) {
    make_good();
  }
  if (length < 1) {
    return 0;
  }
  unsigned char *changed = malloc(good_size);
  MUST(changed);
  memcpy(changed, good, good_size);
  size_t size = good_size;
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
  if (data && dperm_data_dims(data) <= 64) {
    check_rows(data);
  }
  dperm_data_free(data);
  memory_file_close(&file);
  free(changed);
  return 0;
}
