/* The CSV scanner: RFC 4180 quotes, line ends, blanks, comments, marks, gzip, the place of every
 * mistake, and records that lie across the window's edge. */
#include "support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "read/csv.h"
#include "text_buffer.h"

/* ---- helpers: a table as text, fields ended by '|', records by '\n' */

/* All records of a file, "a|b|\n" each; the caller frees. */
static char *table_of(const char *path, char separator, const char *comment) {
  csv_reader reader;
  text_buffer work = {0};
  put_bytes(&work, "", 0);
  assert_ok(csv_open(path, separator, comment, NULL, false, &reader, err));
  for (;;) {
    bool found = false;
    assert_ok(csv_next(&reader, &found, err));
    if (!found) {
      break;
    }
    for (size_t i = 0; i < reader.field_count; i++) {
      put_bytes(&work, reader.fields[i].text.start, reader.fields[i].text.length);
      put(&work, "|");
    }
    put(&work, "\n");
  }
  csv_close(&reader);
  return work.bytes;
}

static void reads_bytes(const char *bytes, size_t length, char separator, const char *comment,
                        const char *table) {
  char *path = file_with(bytes, length);
  char *got = table_of(path, separator, comment);
  assert_string_equal(got, table);
  free(got);
  file_remove(path);
}

static void reads(const char *text, const char *table) {
  reads_bytes(text, strlen(text), ',', NULL, table);
}

/* Reads to the end or to the first failure. */
static dperm_status read_all(const char *path, dperm_error *err) {
  csv_reader reader;
  bool found = true;
  dperm_status status = csv_open(path, ',', NULL, NULL, false, &reader, err);
  if (status != DPERM_OK) {
    return status;
  }
  while (status == DPERM_OK && found) {
    status = csv_next(&reader, &found, err);
  }
  csv_close(&reader);
  return status;
}

/* Some record of the file is refused, at `place` ("2:5: ") and with these words. */
static void refuses_bytes(const char *bytes, size_t length, const char *place, const char *words) {
  char *path = file_with(bytes, length);
  char expected[4200];
  (void)snprintf(expected, sizeof expected, "%s:%s: ", path, place);
  dperm_error error = {DPERM_OK, ""};
  assert_int_equal(read_all(path, &error), DPERM_INVALID_DATA);
  assert_non_null(strstr(error.message, expected));
  assert_non_null(strstr(error.message, words));
  file_remove(path);
}

static void refuses(const char *text, const char *place, const char *words) {
  refuses_bytes(text, strlen(text), place, words);
}

/* ---- reading */

static void plain_records_are_split_at_separators(void **state) {
  (void)state;
  reads("a,b,c\n1,2,3\n", "a|b|c|\n1|2|3|\n");
  reads("a,,c\n,,\n", "a||c|\n|||\n");
  reads("", "");
  reads("\n\n", "");
}

static void last_line_may_lack_its_newline(void **state) {
  (void)state;
  reads("a,b\n1,2", "a|b|\n1|2|\n");
  reads("a", "a|\n");
  reads("a,", "a||\n");
  reads("a,\"b\"", "a|b|\n");
  reads("a,\"b\"\r", "a|b|\n");
  reads("a,b\r", "a|b|\n");
}

static void crlf_ends_a_line_like_lf(void **state) {
  (void)state;
  reads("a,b\r\n1,2\r\n\r\n3,\"4\"\r\n", "a|b|\n1|2|\n3|4|\n");
  reads("a\rb,c\n", "a\rb|c|\n"); /* a CR elsewhere is content */
}

static void blanks_round_unquoted_fields_are_trimmed(void **state) {
  (void)state;
  reads(" a ,\tb\t,  c d \n", "a|b|c d|\n");
  reads("a , b \r\n", "a|b|\n");
  reads(" , \n", "||\n");
}

static void blanks_inside_quotes_are_kept_outside_dropped(void **state) {
  (void)state;
  reads("  \" a \"  ,\" b\"\t\n", " a | b|\n");
  reads("\" a \" \r\n", " a |\n");
}

static void quoted_field_may_hold_separators_and_doubled_quotes(void **state) {
  (void)state;
  reads("\"a,b\",\"say \"\"hi\"\"\"\n", "a,b|say \"hi\"|\n");
  reads("\"\",\"\"\"\",\"\"\"\"\"\"\n", "|\"|\"\"|\n");
  reads("\"a\"\"\",\"\"\"b\",\"c\"\"d\"\n", "a\"|\"b|c\"d|\n");
}

static void quoted_field_may_hold_newlines(void **state) {
  (void)state;
  reads("\"a\nb\",c\n\"d\r\n\r\ne\",f\n", "a\nb|c|\nd\r\n\r\ne|f|\n");
  reads("\"\n\"\n", "\n|\n");
}

static void quote_inside_an_unquoted_field_is_content(void **state) {
  (void)state;
  reads("5\" pipe,a\"b\"\n", "5\" pipe|a\"b\"|\n");
}

static void blank_lines_are_skipped_but_empty_quotes_are_a_record(void **state) {
  (void)state;
  reads("\n  \na,b\n\t\n\r\n1,2\n\n", "a|b|\n1|2|\n");
  reads("\"\"\n", "|\n");
  reads("a\n \"\" \nb\n", "a|\n|\nb|\n");
}

static void comment_lines_are_skipped(void **state) {
  (void)state;
  static const char text[] = "|head\na,b\n|1x3 \"cross\n1|2,3\n|";
  reads_bytes(text, strlen(text), ',', "|", "a|b|\n1|2|3|\n");
  static const char longer[] = "## one\n# two\n##";
  reads_bytes(longer, strlen(longer), ',', "##", "# two|\n");
  static const char quoted[] = "\"a\n#b\"\n#c";
  reads_bytes(quoted, strlen(quoted), ',', "#", "a\n#b|\n");
  static const char almost[] = "a\n#";
  reads_bytes(almost, strlen(almost), ',', "#!", "a|\n#|\n");
}

static void separator_may_be_semicolon_or_tab(void **state) {
  (void)state;
  static const char semicolons[] = "a;b,c;\"d;e\"\n";
  reads_bytes(semicolons, strlen(semicolons), ';', NULL, "a|b,c|d;e|\n");
  static const char tabs[] = "a\t b \t\"c\td\"\t\n\t\t\t\n";
  reads_bytes(tabs, strlen(tabs), '\t', NULL, "a|b|c\td||\n||||\n");
}

static void byte_order_mark_is_skipped(void **state) {
  (void)state;
  reads("\xef\xbb\xbf"
        "a,b\n",
        "a|b|\n");
  reads("\xef\xbb\xbf\"a\"\n", "a|\n");
  reads("\xef\xbb\xbf", "");
  reads("\xef\xbb", "\xef\xbb|\n");
}

static void utf16_is_refused_with_advice(void **state) {
  (void)state;
  refuses_bytes("\xff\xfe"
                "a\0,\0",
                6, "1:1", "UTF-16");
  refuses_bytes("\xfe\xff\0a\0,", 6, "1:1", "UTF-16");
}

static void nul_byte_is_refused_at_its_place(void **state) {
  (void)state;
  refuses_bytes("a,b\n1,x\0y\n", 10, "2:4", "NUL");
  refuses_bytes("a,b\n1,\"x\ny\0\"\n", 13, "3:2", "NUL");
  refuses_bytes("\0", 1, "1:1", "NUL");
  refuses_bytes("a\n \0\n", 5, "2:2", "NUL");
  refuses_bytes("\"a\"\0\n", 5, "1:4", "");
}

static void nul_byte_in_a_comment_is_refused(void **state) {
  (void)state;
  char *path = file_with("#a\0b\n", 5);
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, ',', "#", NULL, false, &reader, err));
  assert_fails(csv_next(&reader, &found, err), DPERM_INVALID_DATA, ":1:3: a NUL byte");
  csv_close(&reader);
  file_remove(path);
}

static void unclosed_quote_is_named_where_it_opens(void **state) {
  (void)state;
  refuses("a,b\n1,\"x\ny\n", "2:3", "never closed");
  refuses("\"", "1:1", "never closed");
  refuses("a,  \"b\"\"\n", "1:5", "never closed");
  refuses("\"p\nq\",\"r", "2:4", "never closed");
}

static void text_after_a_closing_quote_is_refused(void **state) {
  (void)state;
  refuses("a\n\"b\"c\n", "2:4", "after a closing quote");
  refuses("\"b\" c\n", "1:5", "after a closing quote");
  refuses("\"b\"\rc\n", "1:4", "after a closing quote");
  refuses("\"x\ny\" \"z\"\n", "2:4", "after a closing quote");
}

static void lines_are_counted_past_quoted_newlines_blanks_and_comments(void **state) {
  (void)state;
  static const char text[] = "h\n\"a\n\nb\"\n\n#c\nd\n\"e\"\n\"f\ng\",\"h\ni\"\r\nj";
  static const size_t lines[] = {1, 2, 7, 8, 9, 12};
  char *path = file_with_text(text);
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, ',', "#", NULL, false, &reader, err));
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    assert_ok(csv_next(&reader, &found, err));
    assert_true(found);
    assert_int_equal(reader.line, lines[i]);
  }
  assert_fails(csv_fail_at(&reader, reader.fields[0].offset, err, "here"), DPERM_INVALID_DATA,
               ":12:1: here");
  assert_ok(csv_next(&reader, &found, err));
  assert_false(found);
  csv_close(&reader);
  file_remove(path);
}

static void place_of_a_field_counts_lines_within_the_record(void **state) {
  (void)state;
  char *path = file_with_text("\n\"a\nb\", x,\"c\nd\",y\n");
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, ',', NULL, NULL, false, &reader, err));
  assert_ok(csv_next(&reader, &found, err));
  static const char *const places[] = {":2:1: ", ":3:5: ", ":3:7: ", ":4:4: "};
  for (size_t i = 0; i < 4; i++) {
    assert_fails(csv_fail_at(&reader, reader.fields[i].offset, err, "x"), DPERM_INVALID_DATA,
                 places[i]);
  }
  csv_close(&reader);
  file_remove(path);
}

static void missing_files_and_folders_are_refused(void **state) {
  (void)state;
  csv_reader reader;
  assert_fails(csv_open("no/such/file.csv", ',', NULL, NULL, false, &reader, err), DPERM_IO_ERROR,
               "no/such/file.csv: cannot open");
  assert_fails(csv_open("/", ',', NULL, NULL, false, &reader, err), DPERM_IO_ERROR, "directory");
}

/* ---- gzip */

static char *file_with_gzip(const char *bytes, size_t length) {
  char *path = file_with("", 0);
  gzFile file = gzopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(gzwrite(file, bytes, (unsigned)length), (int)length);
  assert_int_equal(gzclose(file), Z_OK);
  return path;
}

static size_t whole_file(const char *path, char *bytes, size_t capacity) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(bytes, 1, capacity, file);
  (void)fclose(file);
  return length;
}

static void gzip_is_told_by_content(void **state) {
  (void)state;
  static const char text[] = "\xef\xbb\xbf"
                             "a,b\r\n\"1\n2\",3\r\n";
  char *path = file_with_gzip(text, strlen(text));
  char *got = table_of(path, ',', NULL);
  assert_string_equal(got, "a|b|\n1\n2|3|\n");
  free(got);
  file_remove(path);
}

static void truncated_gzip_is_an_error_wherever_it_is_cut(void **state) {
  (void)state;
  char text[2000], bytes[4096];
  for (size_t i = 0; i < sizeof text; i++) {
    text[i] = i % 10 == 9 ? '\n' : (char)('a' + i * i % 23);
  }
  char *path = file_with_gzip(text, sizeof text);
  size_t length = whole_file(path, bytes, sizeof bytes);
  file_remove(path);
  for (size_t cut = 2; cut < length; cut++) {
    char *part = file_with(bytes, cut);
    assert_fails(read_all(part, err), DPERM_IO_ERROR, "gzip stream ends early");
    file_remove(part);
  }
}

static void damaged_gzip_is_an_error(void **state) {
  (void)state;
  static const char text[] = "a,b\n1,2\n3,4\n5,6\n";
  char bytes[4096];
  char *path = file_with_gzip(text, strlen(text));
  size_t length = whole_file(path, bytes, sizeof bytes);
  file_remove(path);
  bytes[length - 6] = (char)(bytes[length - 6] ^ 1); /* its checksum */
  char *damaged = file_with(bytes, length);
  assert_fails(read_all(damaged, err), DPERM_IO_ERROR, "damaged");
  file_remove(damaged);
}

/* ---- long records and the window's edge */

static void record_longer_than_the_window_is_whole(void **state) {
  (void)state;
  enum { LONG = 3 << 20 };
  char *text = malloc(LONG);
  assert_non_null(text);
  memset(text, 'x', LONG);
  memcpy(text, "a,\"", 3);
  memcpy(text + LONG - 4, "\"\nb\n", 4);
  char *path = file_with(text, LONG);
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, ',', NULL, NULL, false, &reader, err));
  assert_ok(csv_next(&reader, &found, err));
  assert_int_equal(reader.field_count, 2);
  assert_int_equal(reader.fields[1].text.length, LONG - 7);
  assert_ok(csv_next(&reader, &found, err));
  assert_true(found && slice_is(reader.fields[0].text, "b"));
  csv_close(&reader);
  file_remove(path);
  free(text);
}

/* Every construct of the grammar is moved over the first edge of the window, byte by byte. */
static void constructs_may_lie_across_the_windows_edge(void **state) {
  (void)state;
  enum { EDGE = 1 << 18 };
  static const char tail[] = "\"q\"\"r\ns\" ,  t \r\n\r\n#note\n\"\"\"\",#u\r\nlast,\"\"";
  static const char table[] = "q\"r\ns|t|\n\"|#u|\nlast||\n";
  size_t tail_length = strlen(tail);
  char *text = malloc(EDGE + 4096);
  assert_non_null(text);
  for (size_t shift = 0; shift <= tail_length + 2; shift++) {
    size_t at = EDGE + 15 - tail_length - 4 + shift; /* the first read takes about EDGE bytes */
    for (size_t i = 0; i < at; i++) {
      text[i] = i % 4096 == 4095 || i + 1 == at ? '\n' : 'z';
    }
    memcpy(text + at, tail, tail_length);
    char *path = file_with(text, at + tail_length);
    char *got = table_of(path, ',', "#");
    const char *end = got + strlen(got) - strlen(table);
    assert_string_equal(end, table);
    assert_int_equal(end[-2], '|');
    free(got);
    file_remove(path);
  }
  free(text);
}

/* ---- random tables with random quoting */

static size_t below(random_source *source, size_t limit) {
  return (size_t)(random_bits(source) % limit);
}

/* A field's content and one of its spellings. */
static void random_field(random_source *source, text_buffer *file, text_buffer *table,
                         size_t longest) {
  static const char letters[] = "ab \t,;\"\n\r#0\xc3\xa9";
  char content[6000];
  size_t length = below(source, longest + 1);
  bool quoted = below(source, 3) == 0;
  for (size_t i = 0; i < length; i++) {
    char c = letters[below(source, sizeof letters - 1)];
    bool plain = !strchr(",\n\r\"\t #", c);
    content[i] = quoted || plain ? c : 'x';
  }
  static const char *const blanks[] = {"", "", "", " ", "\t", "  "};
  const char *before = blanks[below(source, 6)], *after = blanks[below(source, 6)];
  put(file, "%s", before);
  if (quoted) {
    put(file, "\"");
  }
  for (size_t i = 0; i < length; i++) {
    put_bytes(file, content + i, 1);
    if (content[i] == '"') {
      put(file, "\"");
    }
  }
  if (quoted) {
    put(file, "\"");
  }
  put(file, "%s", after);
  put_bytes(table, content, length);
  put(table, "|");
}

static void random_tables_read_back_equal(void **state) {
  (void)state;
  random_source source;
  assert_ok(random_seeded(5, &source, err));
  for (int round = 0; round < 60; round++) {
    text_buffer file = {0}, table = {0};
    put_bytes(&file, "", 0);
    put_bytes(&table, "", 0);
    /* Some tables are over several windows long, with records of up to a few thousand bytes. */
    size_t longest = round % 3 == 0 ? 5000 : 12, wanted = round % 2 ? 900000 : 3000;
    bool crlf = below(&source, 2);
    while (file.length < wanted) {
      if (below(&source, 10) == 0) {
        static const char *const skipped[] = {"#skip, \"this\n", "  \n", "\n", "#\r\n", "\t\r\n"};
        const char *line = skipped[below(&source, 5)];
        put(&file, "%s", line);
        continue;
      }
      size_t fields = 2 + below(&source, 5);
      for (size_t i = 0; i < fields; i++) {
        if (i > 0) {
          put(&file, ",");
        }
        random_field(&source, &file, &table, longest);
      }
      put(&table, "\n");
      put(&file, "%s", crlf ? "\r\n" : "\n");
    }
    char *path = below(&source, 3) == 0 ? file_with_gzip(file.bytes, file.length)
                                        : file_with(file.bytes, file.length);
    char *got = table_of(path, ',', "#");
    if (strcmp(got, table.bytes) != 0) {
      fail_msg("table %d differs", round);
    }
    free(got);
    free(file.bytes);
    free(table.bytes);
    file_remove(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_records_are_split_at_separators),
      cmocka_unit_test(last_line_may_lack_its_newline),
      cmocka_unit_test(crlf_ends_a_line_like_lf),
      cmocka_unit_test(blanks_round_unquoted_fields_are_trimmed),
      cmocka_unit_test(blanks_inside_quotes_are_kept_outside_dropped),
      cmocka_unit_test(quoted_field_may_hold_separators_and_doubled_quotes),
      cmocka_unit_test(quoted_field_may_hold_newlines),
      cmocka_unit_test(quote_inside_an_unquoted_field_is_content),
      cmocka_unit_test(blank_lines_are_skipped_but_empty_quotes_are_a_record),
      cmocka_unit_test(comment_lines_are_skipped),
      cmocka_unit_test(separator_may_be_semicolon_or_tab),
      cmocka_unit_test(byte_order_mark_is_skipped),
      cmocka_unit_test(utf16_is_refused_with_advice),
      cmocka_unit_test(nul_byte_is_refused_at_its_place),
      cmocka_unit_test(nul_byte_in_a_comment_is_refused),
      cmocka_unit_test(unclosed_quote_is_named_where_it_opens),
      cmocka_unit_test(text_after_a_closing_quote_is_refused),
      cmocka_unit_test(lines_are_counted_past_quoted_newlines_blanks_and_comments),
      cmocka_unit_test(place_of_a_field_counts_lines_within_the_record),
      cmocka_unit_test(missing_files_and_folders_are_refused),
      cmocka_unit_test(gzip_is_told_by_content),
      cmocka_unit_test(truncated_gzip_is_an_error_wherever_it_is_cut),
      cmocka_unit_test(damaged_gzip_is_an_error),
      cmocka_unit_test(record_longer_than_the_window_is_whole),
      cmocka_unit_test(constructs_may_lie_across_the_windows_edge),
      cmocka_unit_test(random_tables_read_back_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
