/* An encoded file in memory, to be changed by hand and read again. */
#ifndef DPERM_TESTS_ENCODED_IMAGE_H
#define DPERM_TESTS_ENCODED_IMAGE_H

#include "../fuzz/encoded_seal.h"
#include "support.h"

typedef struct encoded_image {
  unsigned char *bytes;
  size_t size;
  encoded_header header; /* as they were made, as these: */
  encoded_trailer trailer;
} encoded_image;

/* Encodes the source into a new file, to be given to file_remove. */
char *encoded_of(const dperm_source *source);
encoded_image image_of(const dperm_source *source);
void image_free(encoded_image *m);

/* A line of the directory. */
encoded_page image_page(const encoded_image *m, size_t page);
/* Reads the first `size` bytes as a file. */
dperm_status image_read(const encoded_image *m, size_t size, dperm_data **data, dperm_error *err);

#endif
