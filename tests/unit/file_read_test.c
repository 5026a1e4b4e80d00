/* Bytes from files: every byte of a gzip file counts, as for `gzip -t`. Members follow each other,
 * and anything else behind a member is an error: what is dropped without a word would be rows. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file_read.h"
#include "support.h"

typedef struct bytes {
  unsigned char at[1 << 16];
  size_t length;
} bytes;

static void put(bytes *b, const void *more, size_t length) {
  assert_true(b->length + length <= sizeof b->at);
  memcpy(b->at + b->length, more, length);
  b->length += length;
}

static void put_member(bytes *b, const char *text) {
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (unsigned char *)(uintptr_t)text;
  z.avail_in = (unsigned)strlen(text);
  z.next_out = b->at + b->length;
  z.avail_out = (unsigned)(sizeof b->at - b->length);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  b->length += z.total_out;
  assert_int_equal(deflateEnd(&z), Z_OK);
}

/* All bytes of a source, some at a time. */
static dperm_status read_some_at_a_time(const char *path, size_t some, char *out, size_t work,
                                        dperm_error *err) {
  byte_source *source = NULL;
  size_t got = 0, used = 0;
  dperm_status status = byte_source_open(path, NULL, &source, err);
  while (status == DPERM_OK) {
    assert_true(used + some < work);
    status = byte_source_read(source, out + used, some, &got, err);
    used += status == DPERM_OK ? got : 0;
    if (status != DPERM_OK || got == 0) {
      break;
    }
  }
  out[used] = '\0';
  if (status == DPERM_OK) {
    assert_int_equal(byte_source_ends_line(source), used == 0 || out[used - 1] == '\n');
  }
  byte_source_close(source);
  return status;
}

/* NULL for an error with these words. */
static void reads_as(const bytes *b, const char *text, const char *words) {
  static const size_t sizes[] = {1, 7, 4096};
  char *path = file_with((const char *)b->at, b->length), out[1 << 14];
  for (size_t i = 0; i < 3; i++) {
    if (text) {
      assert_ok(read_some_at_a_time(path, sizes[i], out, sizeof out, err));
      assert_string_equal(out, text);
    } else {
      assert_fails(read_some_at_a_time(path, sizes[i], out, sizeof out, err), DPERM_IO_ERROR,
                   words);
    }
  }
  file_remove(path);
}

TEST(members_follow_each_other) {
  bytes b = {.length = 0};
  put_member(&b, "1,2\n3,");
  put_member(&b, "");
  put_member(&b, "4\n");
  reads_as(&b, "1,2\n3,4\n", NULL);
}

TEST(anything_else_behind_a_member_is_an_error) {
  static const char *const garbage[] = {"\x1f",  "g",  "0",        "garbage",
                                        "1,2\n", "\n", "\x8b\x1f", "PK"};
  bytes b = {.length = 0};
  put_member(&b, "1,2\n");
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
    bytes more = b;
    put(&more, garbage[i], strlen(garbage[i]));
    reads_as(&more, NULL, "stands behind the packed data");
  }
}

/* A bit that does not count (the time in the header, what fills the last byte up) may change; any
 * other is an error, and so is an end before the end. */
TEST(nothing_of_a_second_member_is_dropped) {
  bytes b = {.length = 0};
  put_member(&b, "1,2\n");
  size_t first = b.length;
  put_member(&b, "3,4\n5,6\n7,8\n");
  size_t harmless = 0;
  for (size_t at = first; at < b.length; at++) {
    bytes damaged = b;
    for (unsigned bit = 1; bit < 256; bit *= 2) {
      damaged.at[at] = (unsigned char)(b.at[at] ^ bit);
      char *path = file_with((const char *)damaged.at, damaged.length), out[1 << 14];
      if (read_some_at_a_time(path, 4096, out, sizeof out, NULL) == DPERM_OK) {
        assert_string_equal(out, "1,2\n3,4\n5,6\n7,8\n");
        harmless++;
      }
      file_remove(path);
    }
    bytes cut = b;
    cut.length = at;
    if (at == first) {
      reads_as(&cut, "1,2\n", NULL);
    } else {
      reads_as(&cut, NULL, at == first + 1 ? "stands behind" : "gzip stream ends early");
    }
  }
  assert_in_range(harmless, 6 * 8, 8 * 8); /* time, level, system, perhaps "this is text" */
}

TEST(short_files_are_plain) {
  static const char *const texts[] = {"", "a", "\x1f", "ab", "\x1fz", "a\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bytes b = {.length = 0};
    put(&b, texts[i], strlen(texts[i]));
    reads_as(&b, texts[i], NULL);
  }
}

/* ---- a pipe, whose bytes come one by one */

typedef struct sender {
  const bytes *what;
  int to;
} sender;

static void *send_slowly(void *context) {
  const sender *s = context;
  for (size_t i = 0; i < s->what->length; i++) {
    if (write(s->to, s->what->at + i, 1) != 1) {
      break;
    }
  }
  (void)close(s->to);
  return NULL;
}

TEST(a_pipe_may_be_packed_too) {
  for (int damaged = 0; damaged < 2; damaged++) {
    int ends[2], before = dup(STDIN_FILENO);
    char out[4096];
    pthread_t thread;
    bytes b = {.length = 0};
    put_member(&b, "1,2\n");
    put_member(&b, "3,4\n");
    put(&b, "x", (size_t)damaged);
    assert_int_equal(pipe(ends), 0);
    sender s = {&b, ends[1]};
    assert_true(before >= 0 && dup2(ends[0], STDIN_FILENO) >= 0);
    assert_int_equal(pthread_create(&thread, NULL, send_slowly, &s), 0);
    if (damaged) {
      assert_fails(read_some_at_a_time("-", 64, out, sizeof out, err), DPERM_IO_ERROR,
                   "standard input: something that is not gzip");
    } else {
      assert_ok(read_some_at_a_time("-", 64, out, sizeof out, err));
      assert_string_equal(out, "1,2\n3,4\n");
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(dup2(before, STDIN_FILENO) >= 0);
    (void)close(before);
    (void)close(ends[0]);
  }
}
