/* The CSV scanner: RFC 4180 quotes, line ends, blanks, comments, marks, gzip, the place of every
 * mistake, records that lie across the window's edge, and the longest ones. */
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
  assert_ok(csv_open(path, NULL, separator, comment, NULL, false, &reader, err));
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

/* Reads to the end or to the first failure. */
static dperm_status read_all(const char *path, dperm_error *err) {
  csv_reader reader;
  bool found = true;
  dperm_status status = csv_open(path, NULL, ',', "#", NULL, false, &reader, err);
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
  auto_file *path = file_with(bytes, length);
  char expected[4200];
  (void)snprintf(expected, sizeof expected, "%s:%s: ", path, place);
  dperm_error error = {DPERM_OK, ""};
  assert_int_equal(read_all(path, &error), DPERM_INVALID_DATA);
  assert_non_null(strstr(error.message, expected));
  assert_non_null(strstr(error.message, words));
}

/* ---- reading */

TEST(the_grammar_is_that_of_rfc_4180_and_more) {
  static const struct {
    const char *text, *table;
    char separator; /* a comma, if there is none here */
    const char *comment;
  } cases[] = {
      /* plain records are split at separators */
      {"a,b,c\n1,2,3\n", "a|b|c|\n1|2|3|\n", 0, NULL},
      {"a,,c\n,,\n", "a||c|\n|||\n", 0, NULL},
      {"", "", 0, NULL},
      {"\n\n", "", 0, NULL},
      /* the last line may lack its newline */
      {"a,b\n1,2", "a|b|\n1|2|\n", 0, NULL},
      {"a", "a|\n", 0, NULL},
      {"a,", "a||\n", 0, NULL},
      {"a,\"b\"", "a|b|\n", 0, NULL},
      {"a,\"b\"\r", "a|b|\n", 0, NULL},
      {"a,b\r", "a|b|\n", 0, NULL},
      /* CRLF ends a line like LF; a CR elsewhere is content */
      {"a,b\r\n1,2\r\n\r\n3,\"4\"\r\n", "a|b|\n1|2|\n3|4|\n", 0, NULL},
      {"a\rb,c\n", "a\rb|c|\n", 0, NULL},
      /* blanks around unquoted fields are trimmed, inside quotes they are kept */
      {" a ,\tb\t,  c d \n", "a|b|c d|\n", 0, NULL},
      {"a , b \r\n", "a|b|\n", 0, NULL},
      {" , \n", "||\n", 0, NULL},
      {"  \" a \"  ,\" b\"\t\n", " a | b|\n", 0, NULL},
      {"\" a \" \r\n", " a |\n", 0, NULL},
      /* a quoted field may hold separators, doubled quotes and newlines */
      {"\"a,b\",\"say \"\"hi\"\"\"\n", "a,b|say \"hi\"|\n", 0, NULL},
      {"\"\",\"\"\"\",\"\"\"\"\"\"\n", "|\"|\"\"|\n", 0, NULL},
      {"\"a\"\"\",\"\"\"b\",\"c\"\"d\"\n", "a\"|\"b|c\"d|\n", 0, NULL},
      {"\"a\nb\",c\n\"d\r\n\r\ne\",f\n", "a\nb|c|\nd\r\n\r\ne|f|\n", 0, NULL},
      {"\"\n\"\n", "\n|\n", 0, NULL},
      /* a quote inside an unquoted field is content */
      {"5\" pipe,a\"b\"\n", "5\" pipe|a\"b\"|\n", 0, NULL},
      /* blank lines are skipped, but empty quotes are a record */
      {"\n  \na,b\n\t\n\r\n1,2\n\n", "a|b|\n1|2|\n", 0, NULL},
      {"\"\"\n", "|\n", 0, NULL},
      {"a\n \"\" \nb\n", "a|\n|\nb|\n", 0, NULL},
      /* comment lines are skipped */
      {"|head\na,b\n|1x3 \"cross\n1|2,3\n|", "a|b|\n1|2|3|\n", 0, "|"},
      {"## one\n# two\n##", "# two|\n", 0, "##"},
      {"\"a\n#b\"\n#c", "a\n#b|\n", 0, "#"},
      {"a\n#", "a|\n#|\n", 0, "#!"},
      /* the separator may be a semicolon or a tab */
      {"a;b,c;\"d;e\"\n", "a|b,c|d;e|\n", ';', NULL},
      {"a\t b \t\"c\td\"\t\n\t\t\t\n", "a|b|c\td||\n||||\n", '\t', NULL},
      /* a byte-order mark is skipped */
      {"\xef\xbb\xbf\x61,b\n", "a|b|\n", 0, NULL},
      {"\xef\xbb\xbf\"a\"\n", "a|\n", 0, NULL},
      {"\xef\xbb\xbf", "", 0, NULL},
      {"\xef\xbb", "\xef\xbb|\n", 0, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    auto_file *path = file_with_text(cases[i].text);
    OWNED_MEMORY char *got =
        table_of(path, cases[i].separator ? cases[i].separator : ',', cases[i].comment);
    assert_string_equal(got, cases[i].table);
  }
}

TEST(mistakes_are_refused_at_their_place) {
#define BYTES(text) text, sizeof(text) - 1
  static const struct {
    const char *bytes;
    size_t length;
    const char *place, *words;
  } cases[] = {
      {BYTES("\xff\xfe\x61\0,\0"), "1:1", "UTF-16"},
      {BYTES("\xfe\xff\0a\0,"), "1:1", "UTF-16"},
      {BYTES("a,b\n1,x\0y\n"), "2:4", "NUL"},
      {BYTES("a,b\n1,\"x\ny\0\"\n"), "3:2", "NUL"},
      {BYTES("\0"), "1:1", "NUL"},
      {BYTES("a\n \0\n"), "2:2", "NUL"},
      {BYTES("#a\0b\n"), "1:3", "NUL"},
      {BYTES("\"a\"\0\n"), "1:4", ""},
      {BYTES("a,b\n1,\"x\ny\n"), "2:3", "never closed"},
      {BYTES("\""), "1:1", "never closed"},
      {BYTES("a,  \"b\"\"\n"), "1:5", "never closed"},
      {BYTES("\"p\nq\",\"r"), "2:4", "never closed"},
      {BYTES("a\n\"b\"c\n"), "2:4", "after a closing quote"},
      {BYTES("\"b\" c\n"), "1:5", "after a closing quote"},
      {BYTES("\"b\"\rc\n"), "1:4", "after a closing quote"},
      {BYTES("\"x\ny\" \"z\"\n"), "2:4", "after a closing quote"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    refuses_bytes(cases[i].bytes, cases[i].length, cases[i].place, cases[i].words);
  }
}

TEST(lines_are_counted_past_quoted_newlines_blanks_and_comments) {
  static const char text[] = "h\n\"a\n\nb\"\n\n#c\nd\n\"e\"\n\"f\ng\",\"h\ni\"\r\nj";
  static const size_t lines[] = {1, 2, 7, 8, 9, 12};
  auto_file *path = file_with_text(text);
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, NULL, ',', "#", NULL, false, &reader, err));
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
}

TEST(place_of_a_field_counts_lines_within_the_record) {
  auto_file *path = file_with_text("\n\"a\nb\", x,\"c\nd\",y\n");
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, NULL, ',', NULL, NULL, false, &reader, err));
  assert_ok(csv_next(&reader, &found, err));
  static const char *const places[] = {":2:1: ", ":3:5: ", ":3:7: ", ":4:4: "};
  for (size_t i = 0; i < 4; i++) {
    assert_fails(csv_fail_at(&reader, reader.fields[i].offset, err, "x"), DPERM_INVALID_DATA,
                 places[i]);
  }
  csv_close(&reader);
}

TEST(missing_files_and_folders_are_refused) {
  csv_reader reader;
  assert_fails(csv_open("no/such/file.csv", NULL, ',', NULL, NULL, false, &reader, err),
               DPERM_IO_ERROR, "no/such/file.csv: cannot open");
  assert_fails(csv_open("/", NULL, ',', NULL, NULL, false, &reader, err), DPERM_IO_ERROR,
               "directory");
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

TEST(gzip_is_told_by_content) {
  static const char text[] = "\xef\xbb\xbf"
                             "a,b\r\n\"1\n2\",3\r\n";
  auto_file *path = file_with_gzip(text, strlen(text));
  OWNED_MEMORY char *got = table_of(path, ',', NULL);
  assert_string_equal(got, "a|b|\n1\n2|3|\n");
}

/* ---- long records and the window's edge */

TEST(record_longer_than_the_window_is_whole) {
  enum { LONG = 3 << 20 };
  OWNED_MEMORY char *text = malloc(LONG);
  assert_non_null(text);
  memset(text, 'x', LONG);
  memcpy(text, "a,\"", 3);
  memcpy(text + LONG - 4, "\"\nb\n", 4);
  auto_file *path = file_with(text, LONG);
  csv_reader reader;
  bool found = false;
  assert_ok(csv_open(path, NULL, ',', NULL, NULL, false, &reader, err));
  assert_ok(csv_next(&reader, &found, err));
  assert_int_equal(reader.field_count, 2);
  assert_int_equal(reader.fields[1].text.length, LONG - 7);
  assert_ok(csv_next(&reader, &found, err));
  assert_true(found && slice_is(reader.fields[0].text, "b"));
  csv_close(&reader);
}

/* Every construct of the grammar is moved over the first edge of the window, byte by byte. */
TEST(constructs_may_lie_across_the_windows_edge) {
  enum { EDGE = 1 << 18 };
  static const char tail[] = "\"q\"\"r\ns\" ,  t \r\n\r\n#note\n\"\"\"\",#u\r\nlast,\"\"";
  static const char table[] = "q\"r\ns|t|\n\"|#u|\nlast||\n";
  size_t tail_length = strlen(tail);
  OWNED_MEMORY char *text = malloc(EDGE + 4096);
  assert_non_null(text);
  for (size_t shift = 0; shift <= tail_length + 2; shift++) {
    size_t at = EDGE + 15 - tail_length - 4 + shift; /* the first read takes about EDGE bytes */
    for (size_t i = 0; i < at; i++) {
      text[i] = i % 4096 == 4095 || i + 1 == at ? '\n' : 'z';
    }
    memcpy(text + at, tail, tail_length);
    auto_file *path = file_with(text, at + tail_length);
    OWNED_MEMORY char *got = table_of(path, ',', "#");
    const char *end = got + strlen(got) - strlen(table);
    assert_string_equal(end, table);
    assert_int_equal(end[-2], '|');
  }
}

/* ---- how long a record may be: its length alone decides, not the records around it */

TEST(endless_records_are_refused) {
  size_t length = (size_t)4 * RECORD_LIMIT; /* further than a reader looks */
  OWNED_MEMORY char *text = malloc(length);
  assert_non_null(text);
  memset(text, 'x', length);
  memcpy(text, "a\n", 2);
  refuses_bytes(text, length, "2:1", "a record of over 16777216 bytes");
  text[5] = '"';
  text[4] = ',';
  refuses_bytes(text, length, "2:1", "close its quote"); /* it may be closed further on */
}

/* Wherever a window happens to end, with more threads further on: the length alone decides. */
TEST(the_longest_record_does_not_depend_on_the_window) {
  for (size_t before = 0; before < 3; before++) {
    size_t start = 2 + before * 300000, length = start + RECORD_LIMIT + 2;
    OWNED_MEMORY char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'x', length);
    for (size_t i = 1; i < start; i += 2) {
      text[i] = '\n';
    }
    char place[32];
    (void)snprintf(place, sizeof place, "%zu:1", start / 2 + 1);
    text[length - 1] = '\n';
    refuses_bytes(text, length, place, "a record of over 16777216 bytes");
    text[start] = text[length - 2] = '"';
    refuses_bytes(text, length, place, "a record of over 16777216 bytes");
    text[length - 3] = '"';
    text[length - 2] = '\n'; /* as long as one may be */
    auto_file *path = file_with(text, length - 1);
    csv_reader reader;
    bool found = true;
    assert_ok(csv_open(path, NULL, ',', NULL, NULL, false, &reader, err));
    for (size_t i = 0; i <= start / 2; i++) {
      assert_ok(csv_next(&reader, &found, err));
      assert_true(found);
    }
    assert_int_equal(reader.fields[0].text.length, RECORD_LIMIT - 2);
    csv_close(&reader);
  }
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

TEST(random_tables_read_back_equal) {
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
    auto_file *path = below(&source, 3) == 0 ? file_with_gzip(file.bytes, file.length)
                                             : file_with(file.bytes, file.length);
    char *got = table_of(path, ',', "#");
    if (strcmp(got, table.bytes) != 0) {
      fail_msg("table %d differs", round);
    }
    free(got);
    free(file.bytes);
    free(table.bytes);
  }
}
