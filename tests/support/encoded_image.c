/* See encoded_image.h. */
#include "encoded_image.h"

#include <stdio.h>
#include <stdlib.h>

char *encoded_of(const dperm_source *source) {
  char *path = file_with_text("");
  size_t rows = 0;
  assert_ok(dperm_encode_file(source, path, NULL, &rows, err));
  assert_true(rows > 0 || source->may_be_empty);
  return path;
}

encoded_image image_of(const dperm_source *source) {
  encoded_image m = {0};
  char *path = encoded_of(source);
  FILE *file = fopen(path, "rb");
  assert_true(file && fseek(file, 0, SEEK_END) == 0);
  m.size = (size_t)ftell(file);
  m.bytes = malloc(m.size);
  assert_true(m.bytes && fseek(file, 0, SEEK_SET) == 0);
  assert_int_equal(fread(m.bytes, 1, m.size, file), m.size);
  (void)fclose(file);
  file_remove(path);
  memcpy(&m.header, m.bytes, sizeof m.header);
  memcpy(&m.trailer, m.bytes + m.size - sizeof m.trailer, sizeof m.trailer);
  return m;
}

void image_free(encoded_image *m) {
  free(m->bytes);
  *m = (encoded_image){0};
}

encoded_page image_page(const encoded_image *m, size_t page) {
  encoded_page out;
  assert_true(page < m->trailer.pages);
  memcpy(&out, m->bytes + m->trailer.directory + page * sizeof out, sizeof out);
  return out;
}

dperm_status image_read(const encoded_image *m, size_t size, dperm_data **data, dperm_error *err) {
  char *path = file_with((const char *)m->bytes, size);
  const dperm_source source = {
      .path = path, .format = DPERM_FORMAT_ENCODED, .may_be_empty = m->trailer.rows == 0};
  dperm_status status = dperm_data_read(&source, NULL, data, err);
  file_remove(path);
  return status;
}
