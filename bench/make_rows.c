/* make_rows ROWS ENTRIES DIMS: made-up svmlight rows on standard output, as many as one likes, with
 * one entry in each of ENTRIES groups of columns, as one-hot records have. For bench/spread-growth.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static char *put_number(char *at, size_t number) {
  char digits[24];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) {
    *at++ = digits[--count];
  }
  return at;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: make_rows ROWS ENTRIES DIMS\n");
    return 2;
  }
  size_t rows = strtoull(argv[1], NULL, 10), entries = strtoull(argv[2], NULL, 10);
  size_t width = strtoull(argv[3], NULL, 10) / (entries ? entries : 1);
  char *line = malloc(entries * 32 + 16);
  if (!line || width == 0) {
    fprintf(stderr, "make_rows: at least one column for each entry\n");
    return 1;
  }
  for (size_t i = 0; i < rows; i++) {
    char *at = line + 2; /* the label comes last */
    uint64_t side = 0;
    for (size_t e = 0; e < entries; e++) {
      uint64_t bits = next();
      size_t column = (size_t)(bits % width), value = 10 + (size_t)((bits >> 40) % 90);
      side += (column * 2 < width) * value;
      *at++ = ' ';
      at = put_number(at, e * width + column + 1);
      memcpy(at, ":.", 2);
      at = put_number(at + 2, value);
    }
    *at++ = '\n';
    line[1] = side + next() % (8 * entries) > 31 * entries ? '1' : '0';
    if (fwrite(line + 1, 1, (size_t)(at - line - 1), stdout) != (size_t)(at - line - 1)) {
      return 1;
    }
  }
  free(line);
  return fflush(stdout) == 0 ? 0 : 1;
}
