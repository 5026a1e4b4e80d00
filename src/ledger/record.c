/* Reading, digesting and adding records. */
#include "ledger/record.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/defect.h"
#include "ledger/tables.h"

/* ---- reading */

dperm_status record_query(dperm_ledger *ledger, const char *rest, sqlite3_stmt **out,
                          dperm_error *err) {
  char sql[640];
  (void)snprintf(sql, sizeof sql, "SELECT %s FROM main.records %s %s",
                 ledger_columns(ledger->version), DEFECT("index-trusted") ? "" : "NOT INDEXED",
                 rest);
  return store_prepare(ledger, sql, out, err);
}

/* A column as text without control characters, which would make digests ambiguous. */
static bool take_text(sqlite3_stmt *query, int column, char *out, size_t size) {
  const unsigned char *text =
      sqlite3_column_type(query, column) == SQLITE_TEXT ? sqlite3_column_text(query, column) : NULL;
  size_t length = (size_t)sqlite3_column_bytes(query, column);
  *out = '\0';
  if (!text || length >= size) {
    return false;
  }
  for (size_t i = 0; i < length; i++) {
    if (text[i] < 0x20 || text[i] == 0x7f) {
      return false;
    }
  }
  memcpy(out, text, length);
  out[length] = '\0';
  return true;
}

static bool take_number(sqlite3_stmt *query, int column, int64_t *out) {
  *out = sqlite3_column_int64(query, column);
  return sqlite3_column_type(query, column) == SQLITE_INTEGER && *out >= 0;
}

static bool take_record(sqlite3_stmt *query, record *out) {
  bool good = take_number(query, 0, &out->id);
  good &= take_text(query, 1, out->kind, sizeof out->kind);
  good &= take_text(query, 2, out->dataset, sizeof out->dataset);
  good &= take_text(query, 3, out->time, sizeof out->time);
  good &= take_text(query, 4, out->command, sizeof out->command);
  good &= take_text(query, 5, out->mechanism, sizeof out->mechanism);
  good &= take_text(query, 6, out->epsilon, sizeof out->epsilon);
  good &= take_text(query, 7, out->delta, sizeof out->delta);
  good &= take_text(query, 8, out->spent_epsilon, sizeof out->spent_epsilon);
  good &= take_text(query, 9, out->spent_delta, sizeof out->spent_delta);
  good &= take_text(query, 10, out->data, sizeof out->data);
  good &= take_text(query, 11, out->token, sizeof out->token);
  good &= take_number(query, 12, &out->entry);
  good &= take_text(query, 13, out->artifact, sizeof out->artifact);
  good &= take_text(query, 14, out->previous, sizeof out->previous);
  good &= take_text(query, 15, out->digest, sizeof out->digest);
  good &= take_number(query, 16, &out->version);
  return take_number(query, 17, &out->rows_per_person) && good;
}

dperm_status record_next(dperm_ledger *ledger, sqlite3_stmt *query, record *out, bool *found,
                         dperm_error *err) {
  TRY(store_step(ledger, query, found, err));
  if (*found && !take_record(query, out)) {
    out->kind[0] = '\0';
  }
  return DPERM_OK;
}

dperm_status record_first(dperm_ledger *ledger, const char *rest, const char *parameter,
                          record *out, bool *found, dperm_error *err) {
  sqlite3_stmt *query = NULL;
  TRY(record_query(ledger, rest, &query, err));
  if (parameter) {
    (void)sqlite3_bind_text(query, 1, parameter, -1, SQLITE_STATIC);
  }
  dperm_status status = record_next(ledger, query, out, found, err);
  (void)sqlite3_finalize(query);
  return status;
}

/* ---- digests */

/* All fields at their longest, with space for numbers and line ends. */
enum { CONTENT_SIZE = sizeof(record) + 512 };

typedef struct content {
  size_t length;
  char text[CONTENT_SIZE];
} content;

/* One field a line: no field holds a line end. They fit: see CONTENT_SIZE. */
static void put_text(content *c, const char *text) {
  size_t length = strlen(text);
  memcpy(c->text + c->length, text, length);
  c->text[c->length + length] = '\n';
  c->length += length + 1;
}

/* The first line says what is digested, and how. */
static void put_title(content *c, const char *what, int64_t version) {
  char text[40];
  (void)snprintf(text, sizeof text, "%s/%lld", what, (long long)version);
  put_text(c, text);
}

static void put_number(content *c, int64_t number) {
  char text[24];
  (void)snprintf(text, sizeof text, "%lld", (long long)number);
  put_text(c, text);
}

static void finish(const content *c, char out[DPERM_DIGEST_SIZE]) {
  unsigned char hash[32];
  (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)c->text, c->length, NULL, 0);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

/* What digest and receipt share: all that is known of a charge without the data. */
static void put_charge(content *c, const record *r) {
  put_number(c, r->id);
  put_text(c, r->kind);
  put_text(c, r->dataset);
  put_text(c, r->time);
  put_text(c, r->command);
  put_text(c, r->mechanism);
  put_text(c, r->epsilon);
  put_text(c, r->delta);
  put_text(c, r->spent_epsilon);
  put_text(c, r->spent_delta);
  if (r->version > 1) {
    put_number(c, r->rows_per_person);
  }
  put_text(c, r->token);
}

void record_digest(const record *r, char out[DPERM_DIGEST_SIZE]) {
  content c;
  c.length = 0;
  put_title(&c, "dperm-ledger", r->version);
  put_charge(&c, r);
  put_text(&c, r->data);
  put_number(&c, r->entry);
  put_text(&c, r->artifact);
  put_text(&c, r->previous);
  finish(&c, out);
}

void record_receipt(const record *r, char out[DPERM_DIGEST_SIZE]) {
  content c;
  c.length = 0;
  put_title(&c, "dperm-receipt", r->version);
  put_charge(&c, r);
  finish(&c, out);
}

bool record_fits(const record *r) {
  char digest[DPERM_DIGEST_SIZE];
  bool known = r->kind[0] && r->version >= 1 && r->version <= LEDGER_VERSION;
  if (!known || (r->version == 1 && r->rows_per_person != 1)) {
    return false;
  }
  record_digest(r, digest);
  return strcmp(digest, r->digest) == 0;
}

dperm_status record_read_by(dperm_ledger *ledger, sqlite3_stmt *query, int64_t id, record *out,
                            dperm_error *err) {
  bool found = false;
  (void)sqlite3_reset(query);
  (void)sqlite3_bind_int64(query, 1, id);
  TRY(record_next(ledger, query, out, &found, err));
  if (!found || out->id != id || !record_fits(out)) {
    out->kind[0] = '\0';
  }
  return DPERM_OK;
}

dperm_status record_read(dperm_ledger *ledger, int64_t id, record *out, dperm_error *err) {
  sqlite3_stmt *query = NULL;
  TRY(record_query(ledger, "WHERE id = ?", &query, err));
  dperm_status status = record_read_by(ledger, query, id, out, err);
  (void)sqlite3_finalize(query);
  return status;
}

/* ---- the head */

static bool take_head(sqlite3_stmt *query, ledger_head *out) {
  int64_t only = 0;
  bool good = take_number(query, 0, &only) && only == 1;
  good &= sqlite3_column_type(query, 1) == SQLITE_BLOB &&
          sqlite3_column_bytes(query, 1) == LEDGER_KEY_SIZE;
  if (good) {
    memcpy(out->key, sqlite3_column_blob(query, 1), LEDGER_KEY_SIZE);
  }
  good &= take_number(query, 2, &out->records);
  return take_text(query, 3, out->digest, sizeof out->digest) && good;
}

dperm_status record_head(dperm_ledger *ledger, ledger_head *out, bool *sound, dperm_error *err) {
  sqlite3_stmt *query = NULL;
  bool more = false;
  *out = (ledger_head){.records = 0};
  TRY(store_prepare(ledger, "SELECT only, key, records, head FROM main.ledger NOT INDEXED", &query,
                    err));
  dperm_status status = store_step(ledger, query, &more, err);
  *sound = status == DPERM_OK && more && take_head(query, out);
  if (status == DPERM_OK && more) {
    status = store_step(ledger, query, &more, err);
    *sound = *sound && !more;
  }
  (void)sqlite3_finalize(query);
  return status;
}

static dperm_status move_head(dperm_ledger *ledger, const record *r, dperm_error *err) {
  sqlite3_stmt *statement = NULL;
  bool found = false;
  TRY(store_prepare(ledger, "UPDATE main.ledger SET records = ?, head = ?", &statement, err));
  (void)sqlite3_bind_int64(statement, 1, r->id);
  (void)sqlite3_bind_text(statement, 2, r->digest, -1, SQLITE_STATIC);
  dperm_status status = store_step(ledger, statement, &found, err);
  (void)sqlite3_finalize(statement);
  return status;
}

static void bind_record(sqlite3_stmt *statement, const record *r) {
  const char *const texts[] = {r->kind,        r->dataset, r->time,  r->command,
                               r->mechanism,   r->epsilon, r->delta, r->spent_epsilon,
                               r->spent_delta, r->data,    r->token};
  int at = 1;
  (void)sqlite3_bind_int64(statement, at++, r->id);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    (void)sqlite3_bind_text(statement, at++, texts[i], -1, SQLITE_STATIC);
  }
  (void)sqlite3_bind_int64(statement, at++, r->entry);
  (void)sqlite3_bind_text(statement, at++, r->artifact, -1, SQLITE_STATIC);
  (void)sqlite3_bind_text(statement, at++, r->previous, -1, SQLITE_STATIC);
  (void)sqlite3_bind_text(statement, at++, r->digest, -1, SQLITE_STATIC);
  (void)sqlite3_bind_int64(statement, at++, r->version);
  (void)sqlite3_bind_int64(statement, at, r->rows_per_person);
}

dperm_status record_append(dperm_ledger *ledger, const record *last, record *r, dperm_error *err) {
  sqlite3_stmt *statement = NULL;
  bool found = false;
  r->id = last->id + 1;
  r->version = LEDGER_VERSION;
  memcpy(r->previous, last->digest, sizeof r->previous);
  record_digest(r, r->digest);
  TRY(store_prepare(
      ledger,
      "INSERT INTO main.records (id, kind, dataset, time, command, mechanism, epsilon,"
      " delta, spent_epsilon, spent_delta, data, token, entry, artifact, previous,"
      " digest, version, rows_per_person)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      &statement, err));
  bind_record(statement, r);
  dperm_status status = store_step(ledger, statement, &found, err);
  (void)sqlite3_finalize(statement);
  TRY(status);
  return move_head(ledger, r, err);
}

void record_time_now(const char *last, char out[TIME_SIZE]) {
  time_t now = time(NULL);
  struct tm parts = {0};
  if (!gmtime_r(&now, &parts) || strftime(out, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0 ||
      strcmp(out, last) < 0) {
    (void)snprintf(out, TIME_SIZE, "%s", last);
  }
}
