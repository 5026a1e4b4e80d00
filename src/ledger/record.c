/* Reading, digesting and adding records. */
#include "ledger/record.h"

#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/defect.h"
#include "random/random_source.h"

/* ---- fields */

/* The columns of a record, in the order of queries; texts have a size, numbers have none. */
typedef struct field {
  const char *name;
  size_t offset, size;
} field;
#define TEXT(member)                                                                               \
  { #member, offsetof(record, member), sizeof((record *)0)->member }
#define NUMBER(member)                                                                             \
  { #member, offsetof(record, member), 0 }
static const field fields[] = {NUMBER(id),        TEXT(kind),      TEXT(dataset),
                               TEXT(time),        TEXT(command),   TEXT(mechanism),
                               TEXT(epsilon),     TEXT(delta),     TEXT(spent_epsilon),
                               TEXT(spent_delta), TEXT(data),      TEXT(token),
                               NUMBER(entry),     TEXT(artifact),  TEXT(previous),
                               TEXT(digest),      NUMBER(version), NUMBER(rows_per_person),
                               TEXT(terms)};
enum {
  FIELDS = sizeof fields / sizeof *fields,
  FIELDS_SHARED = 10, /* by digest and receipt: id to spent_delta */
  COLUMNS_SIZE = 256,
  HASH_SIZE = 32
};

static const void *field_of(const record *r, size_t i) {
  return (const char *)r + fields[i].offset;
}

/* "id, kind, …"; up to version 3 there are no terms. */
static void write_columns(int version, char out[COLUMNS_SIZE]) {
  size_t used = 0;
  for (size_t i = 0; i < FIELDS; i++) {
    used += (size_t)snprintf(out + used, COLUMNS_SIZE - used, "%s%s", i ? ", " : "",
                             version < 4 && i == FIELDS - 1 ? "''" : fields[i].name);
  }
}

/* ---- reading */

dperm_status record_query(dperm_ledger *ledger, const char *rest, sqlite3_stmt **out,
                          dperm_error *err) {
  char sql[640], columns[COLUMNS_SIZE];
  write_columns(ledger->version, columns);
  (void)snprintf(sql, sizeof sql, "SELECT %s FROM main.records %s %s", columns,
                 DEFECT("index-trusted") ? "" : "NOT INDEXED", rest);
  return store_prepare(ledger, sql, out, err);
}

/* No control characters, which would make digests ambiguous. */
static bool is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
      return false;
    }
  }
  return true;
}

static bool take_text(sqlite3_stmt *query, int column, char *out, size_t size) {
  bool is_text = sqlite3_column_type(query, column) == SQLITE_TEXT;
  const char *text = is_text ? (const char *)sqlite3_column_text(query, column) : NULL;
  size_t length = (size_t)sqlite3_column_bytes(query, column);
  *out = '\0';
  if (!text || length >= size || !is_plain(text, length)) {
    return false;
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
  bool good = true;
  for (int i = 0; i < FIELDS; i++) {
    void *place = (char *)out + fields[i].offset;
    good &=
        fields[i].size ? take_text(query, i, place, fields[i].size) : take_number(query, i, place);
  }
  return good;
}

dperm_status record_next(dperm_ledger *ledger, sqlite3_stmt *query, record *out, bool *found,
                         dperm_error *err) {
  TRY(store_step(ledger, query, found, err));
  if (*found && !take_record(query, out)) {
    out->kind[0] = '\0';
  }
  return DPERM_OK;
}

/* ---- digests */

/* BLAKE2b-256 of lines. One field a line: no field holds a line end. */
typedef crypto_generichash_state hash_state;

static void put_text(hash_state *state, const char *text) {
  (void)crypto_generichash_update(state, (const unsigned char *)text, strlen(text));
  (void)crypto_generichash_update(state, (const unsigned char *)"\n", 1);
}

static void put_number(hash_state *state, int64_t number) {
  char text[24];
  (void)snprintf(text, sizeof text, "%lld", (long long)number);
  put_text(state, text);
}

static void hash_end(hash_state *state, char out[DPERM_DIGEST_SIZE]) {
  unsigned char hash[HASH_SIZE];
  (void)crypto_generichash_final(state, hash, sizeof hash);
  (void)sodium_bin2hex(out, DPERM_DIGEST_SIZE, hash, sizeof hash);
}

/* What digest and receipt share: the first line, which says what is digested and how, and all that
 * is known of a charge without the data. */
static void put_charge(hash_state *state, const char *what, const record *r) {
  char title[40];
  (void)snprintf(title, sizeof title, "%s/%lld", what, (long long)r->version);
  (void)crypto_generichash_init(state, NULL, 0, HASH_SIZE);
  put_text(state, title);
  put_number(state, r->id);
  for (size_t i = 1; i < FIELDS_SHARED; i++) {
    put_text(state, field_of(r, i));
  }
  put_number(state, r->rows_per_person);
  if (r->version >= 4) {
    put_text(state, r->terms);
  }
  put_text(state, r->token);
}

void record_digest(const record *r, char out[DPERM_DIGEST_SIZE]) {
  hash_state state;
  put_charge(&state, "dperm-ledger", r);
  put_text(&state, r->data);
  put_number(&state, r->entry);
  put_text(&state, r->artifact);
  put_text(&state, r->previous);
  hash_end(&state, out);
}

void record_receipt(const record *r, char out[DPERM_DIGEST_SIZE]) {
  hash_state state;
  put_charge(&state, "dperm-receipt", r);
  hash_end(&state, out);
}

void key_digest(const unsigned char key[LEDGER_KEY_SIZE], char out[DPERM_DIGEST_SIZE]) {
  hash_state state;
  (void)crypto_generichash_init(&state, NULL, 0, HASH_SIZE);
  put_text(&state, "dperm-key/1");
  (void)crypto_generichash_update(&state, key, LEDGER_KEY_SIZE);
  hash_end(&state, out);
}

bool record_fits(const record *r) {
  char digest[DPERM_DIGEST_SIZE];
  bool known = r->kind[0] && r->version >= 2 && r->version <= LEDGER_VERSION;
  if (!known || (r->version < 4 && r->terms[0])) {
    return false; /* what a version does not digest, it has not got */
  }
  record_digest(r, digest);
  return strcmp(digest, r->digest) == 0;
}

dperm_status record_read(dperm_ledger *ledger, int64_t id, record *out, dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool found = false;
  out->kind[0] = '\0';
  TRY(record_query(ledger, "WHERE id = ?", &query, err));
  (void)sqlite3_bind_int64(query, 1, id);
  TRY(record_next(ledger, query, out, &found, err));
  if (!found || out->id != id || !record_fits(out)) {
    out->kind[0] = '\0';
  }
  return DPERM_OK;
}

dperm_status record_reserved(dperm_ledger *ledger, uint64_t entry, const char *receipt, record *out,
                             dperm_error *err) {
  char own[DPERM_DIGEST_SIZE] = "";
  TRY(record_read(ledger, (int64_t)entry, out, err));
  if (strcmp(out->kind, "reserve") == 0) {
    record_receipt(out, own);
  }
  if (!own[0] || strcmp(own, receipt) != 0) {
    out->kind[0] = '\0';
  }
  return DPERM_OK;
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
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool more = false;
  *out = (ledger_head){.records = 0};
  TRY(store_prepare(ledger, "SELECT only, key, records, head FROM main.ledger NOT INDEXED", &query,
                    err));
  TRY(store_step(ledger, query, &more, err));
  *sound = more && take_head(query, out);
  if (more) {
    TRY(store_step(ledger, query, &more, err));
  }
  *sound = *sound && !more;
  return DPERM_OK;
}

static dperm_status move_head(dperm_ledger *ledger, const record *r, dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *statement = NULL;
  TRY(store_prepare(ledger, "UPDATE main.ledger SET records = ?, head = ?", &statement, err));
  (void)sqlite3_bind_int64(statement, 1, r->id);
  (void)sqlite3_bind_text(statement, 2, r->digest, -1, SQLITE_STATIC);
  return store_step(ledger, statement, &(bool){false}, err);
}

dperm_status record_append(dperm_ledger *ledger, const record *last, record *r, dperm_error *err) {
  char sql[2 * COLUMNS_SIZE], columns[COLUMNS_SIZE];
  OWNED(sqlite3_finalize_at) sqlite3_stmt *statement = NULL;
  r->id = last->id + 1;
  r->version = LEDGER_VERSION;
  memcpy(r->previous, last->digest, sizeof r->previous);
  record_digest(r, r->digest);
  write_columns(LEDGER_VERSION, columns);
  (void)snprintf(sql, sizeof sql,
                 "INSERT INTO main.records (%s) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                 columns);
  TRY(store_prepare(ledger, sql, &statement, err));
  for (int i = 0; i < FIELDS; i++) {
    const void *value = field_of(r, (size_t)i);
    (void)(fields[i].size ? sqlite3_bind_text(statement, i + 1, value, -1, SQLITE_STATIC)
                          : sqlite3_bind_int64(statement, i + 1, *(const int64_t *)value));
  }
  TRY(store_step(ledger, statement, &(bool){false}, err));
  return move_head(ledger, r, err);
}

dperm_status record_check_name(const char *dataset, dperm_error *err) {
  size_t length = dataset ? strlen(dataset) : 0;
  FAIL_IF(length < 1 || length >= NAME_SIZE || !is_plain(dataset, length), err,
          DPERM_INVALID_ARGUMENT, "a data set's name has 1 to %d bytes and no control characters",
          NAME_SIZE - 1);
  return DPERM_OK;
}

dperm_status record_secret(unsigned char out[LEDGER_KEY_SIZE], dperm_error *err) {
  random_source source;
  TRY(random_secure(&source, err));
  for (size_t i = 0; i < LEDGER_KEY_SIZE; i++) {
    out[i] = (unsigned char)random_bits(&source);
  }
  dperm_status status = random_check(&source, err);
  random_wipe(&source);
  return status;
}

void record_time_now(const char *last, char out[TIME_SIZE]) {
  time_t now = time(NULL);
  struct tm parts = {0};
  if (!gmtime_r(&now, &parts) || strftime(out, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0 ||
      strcmp(out, last) < 0) {
    (void)snprintf(out, TIME_SIZE, "%s", last);
  }
}
