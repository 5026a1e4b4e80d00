/* Any bytes as a svmlight file; the first byte is the number of columns. Whatever the bytes, rows
 * lie within norm 1 and an error is one line. */
#include "memory_file.h"

#include <math.h>
#include <string.h>

#include "dperm.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) {
    return 0;
  }
  memory_file file = memory_file_with(bytes + 1, length - 1);
  const dperm_source source = {
      .path = file.path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 1 + bytes[0] % 64u};
  dperm_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  dperm_status status = dperm_data_read(&source, NULL, &data, &error);
  MUST((status == DPERM_OK) == (data != NULL));
  MUST(status == DPERM_OK || (error.message[0] != '\0' && !strchr(error.message, '\n')));
  for (size_t i = 0; data && i < dperm_data_rows(data); i++) {
    double row[64], sum = 0;
    MUST(dperm_data_row(data, i, row, NULL) == DPERM_OK);
    for (size_t j = 0; j < source.dims; j++) {
      sum += row[j] * row[j];
    }
    MUST(sum <= 1 + 1e-12 && fabs(dperm_data_labels(data)[i]) == 1);
  }
  dperm_data_free(data);
  memory_file_close(&file);
  return 0;
}
