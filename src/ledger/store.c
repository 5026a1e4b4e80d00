/* SQLite as a durable file. A rollback journal rather than a write-ahead log, so that the ledger is
 * one file and can be carried away whole; synchronous EXTRA, which also flushes the folder after
 * the journal is gone: with less, a loss of power could bring back spent budget with it. */
#define _GNU_SOURCE
#include "ledger/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/memory.h"

enum { WAIT_MILLISECONDS = 30000 };

/* ---- failures */

dperm_status store_fail_damaged(const dperm_ledger *ledger, const char *what, dperm_error *err) {
  FAIL(err, DPERM_INVALID_LEDGER,
       "%s: damaged ledger, %s; see 'dperm ledger verify', and never go back to a copy from before "
       "the last release",
       ledger->path, what);
}

/* A finding may quote the file, which anybody may have written: one line of plain characters. */
dperm_status store_unsound(dperm_ledger *ledger, int64_t record, dperm_error *err,
                           const char *format, ...) {
  char *line = ledger->finding;
  const size_t size = sizeof ledger->finding;
  va_list args;
  int used = record != NO_RECORD ? snprintf(line, size, "record %lld: ", (long long)record) : 0;
  va_start(args, format);
  (void)vsnprintf(line + used, size - (size_t)used, format, args);
  va_end(args);
  for (char *c = line; *c; c++) {
    *c = (char)(*c < 0x20 || *c > 0x7e ? '?' : *c);
  }
  return store_fail_damaged(ledger, line, err);
}

/* Not the advice to make one, which would fail here again. */
static dperm_status fail_foreign(const char *path, dperm_error *err) {
  FAIL(err, DPERM_INVALID_LEDGER, "%s: is there and is no dperm ledger; name another file", path);
}

static dperm_status fail_system(const char *path, const char *what, int reason, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR, "%s: %s (%s); check the place, its permissions and free space", path,
       what, strerror(reason));
}

static dperm_status fail_read_only(const dperm_ledger *ledger, dperm_error *err) {
  FAIL(err, DPERM_IO_ERROR,
       "%s: the ledger cannot be written, and nothing is released without it; make the file and "
       "its folder writable",
       ledger->path);
}

/* SQLite's last failure, in our words. */
static dperm_status fail_sqlite(const dperm_ledger *ledger, dperm_error *err) {
  const char *path = ledger->path;
  int code = ledger->db ? sqlite3_extended_errcode(ledger->db) : SQLITE_NOMEM;
  int reason = ledger->db ? sqlite3_system_errno(ledger->db) : 0;
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    FAIL(err, DPERM_IO_ERROR,
         "%s: another program has held the ledger for too long; try again when it is done", path);
  case SQLITE_READONLY:
    return fail_read_only(ledger, err);
  case SQLITE_FULL:
    return fail_system(path, "no space is left for the ledger", ENOSPC, err);
  case SQLITE_NOTADB:
    return fail_foreign(path, err);
  case SQLITE_NOMEM:
    FAIL(err, DPERM_OUT_OF_MEMORY, "%s: out of memory", path);
  case SQLITE_CANTOPEN: /* it, or its journal */
  case SQLITE_IOERR:
    return fail_system(path, "the ledger cannot be read or written", reason ? reason : EIO, err);
  default:
    return store_fail_damaged(ledger, ledger->db ? sqlite3_errmsg(ledger->db) : "", err);
  }
}

/* ---- statements */

dperm_status store_prepare(dperm_ledger *ledger, const char *sql, sqlite3_stmt **out,
                           dperm_error *err) {
  return sqlite3_prepare_v2(ledger->db, sql, -1, out, NULL) == SQLITE_OK ? DPERM_OK
                                                                         : fail_sqlite(ledger, err);
}

dperm_status store_step(dperm_ledger *ledger, sqlite3_stmt *statement, bool *found,
                        dperm_error *err) {
  int code = sqlite3_step(statement);
  *found = code == SQLITE_ROW;
  return code == SQLITE_ROW || code == SQLITE_DONE ? DPERM_OK : fail_sqlite(ledger, err);
}

dperm_status store_run(dperm_ledger *ledger, const char *sql, dperm_error *err) {
  return sqlite3_exec(ledger->db, sql, NULL, NULL, NULL) == SQLITE_OK ? DPERM_OK
                                                                      : fail_sqlite(ledger, err);
}

/* What a pragma says, as text; "" for nothing. */
static dperm_status read_pragma(dperm_ledger *ledger, const char *sql, char out[24],
                                dperm_error *err) {
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  bool found = false;
  TRY(store_prepare(ledger, sql, &query, err));
  TRY(store_step(ledger, query, &found, err));
  const char *text = found ? (const char *)sqlite3_column_text(query, 0) : "";
  if (!text) { /* for want of memory: it says nothing about the file */
    return fail_sqlite(ledger, err);
  }
  (void)snprintf(out, 24, "%s", text);
  return DPERM_OK;
}

/* ---- opening */

/* Nothing in the file is executed: no triggers, not even our own, and no views. */
static dperm_status settle(dperm_ledger *ledger, dperm_error *err) {
  (void)sqlite3_busy_timeout(ledger->db, WAIT_MILLISECONDS);
  (void)sqlite3_db_config(ledger->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  (void)sqlite3_db_config(ledger->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  (void)sqlite3_db_config(ledger->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  return store_run(ledger,
                   "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
                   "PRAGMA synchronous=EXTRA; PRAGMA fullfsync=ON;",
                   err);
}

/* SQLite's absolute name of the file: a change of the working folder leads neither elsewhere. */
static const char *store_file(const dperm_ledger *ledger) {
  return sqlite3_db_filename(ledger->db, "main");
}

/* It refuses the thread that has it, rather than wait for ever. */
static dperm_status make_turn(pthread_mutex_t *turn, dperm_error *err) {
  pthread_mutexattr_t how;
  bool made = pthread_mutexattr_init(&how) == 0 &&
              pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ERRORCHECK) == 0 &&
              pthread_mutex_init(turn, &how) == 0;
  return made ? DPERM_OK : error_set(err, DPERM_OUT_OF_MEMORY, "out of memory for a lock");
}

static dperm_status open_database(const char *path, dperm_ledger **out, dperm_error *err) {
  OWNED(store_close_at) dperm_ledger *ledger = NULL;
  FAIL_IF(sodium_init() < 0, /* it also chooses the fast code for digests */
          err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  TRY(memory_new(1, sizeof *ledger, &ledger, err));
  TRY(make_turn(&ledger->turn, err));
  ledger->process = getpid();
  ledger->space = -1;
  TRY(memory_copy_text(path, strlen(path), &ledger->path, err));
  int how = access(path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  /* not a name that SQLite takes for one of its own: ":memory:", "file:...?mode=..." */
  OWNED_MEMORY char *plain = realpath(path, NULL);
  RETURN_IF(!plain, fail_system(path, "the ledger cannot be found", errno, err));
  int code = sqlite3_open_v2(plain, &ledger->db, how | SQLITE_OPEN_FULLMUTEX, NULL);
  RETURN_IF(code != SQLITE_OK, fail_sqlite(ledger, err));
  RETURN_IF(stat(store_file(ledger), &ledger->about) != 0,
            fail_system(path, "the ledger is gone", errno, err));
  TRY(settle(ledger, err));
  *out = TAKE(ledger);
  return DPERM_OK;
}

void store_close(dperm_ledger *ledger) {
  if (ledger) {
    (void)sqlite3_close(ledger->db);
    (void)pthread_mutex_destroy(&ledger->turn);
    if (ledger->space >= 0) {
      (void)close(ledger->space);
    }
    free(ledger->path);
    free(ledger);
  }
}

static dperm_status check_kind(dperm_ledger *ledger, dperm_error *err) {
  char text[24];
  TRY(read_pragma(ledger, "PRAGMA application_id", text, err));
  RETURN_IF(strtol(text, NULL, 10) != LEDGER_MARK, fail_foreign(ledger->path, err));
  TRY(read_pragma(ledger, "PRAGMA user_version", text, err));
  ledger->version = (int)strtol(text, NULL, 10);
  FAIL_IF(ledger->version > LEDGER_VERSION, err, DPERM_INVALID_LEDGER,
          "%s: ledger version %d is newer than this dperm (%s) knows; install a newer dperm",
          ledger->path, ledger->version, dperm_version());
  return ledger->version >= 2 ? DPERM_OK
                              : store_fail_damaged(ledger, "its version is of no release", err);
}

/* With a write-ahead log it is two files, and may be carried away without its last charges. */
static dperm_status check_journal(dperm_ledger *ledger, dperm_error *err) {
  char mode[24];
  TRY(read_pragma(ledger, "PRAGMA main.journal_mode", mode, err));
  return strcmp(mode, "delete") == 0
             ? DPERM_OK
             : store_fail_damaged(ledger, "somebody has given it a write-ahead log", err);
}

/* Everywhere else "-" is standard input or output, and a ledger cannot be either. */
static dperm_status check_path(const char *path, dperm_error *err) {
  FAIL_IF(strcmp(path, "-") == 0, err, DPERM_INVALID_ARGUMENT,
          "-: a ledger is a file, never standard input or output; name it (./- for one called so)");
  return DPERM_OK;
}

dperm_status dperm_ledger_open(const char *path, dperm_ledger **out, dperm_error *err) {
  OWNED(store_close_at) dperm_ledger *ledger = NULL;
  struct stat about;
  TRY(check_path(path, err));
  if (stat(path, &about) != 0) {
    TRY(output_link_check(path, err)); /* init cannot make one there */
    FAIL(err, DPERM_IO_ERROR, "%s: no such ledger (%s); make one with 'dperm ledger init'", path,
         strerror(errno));
  }
  FAIL_IF(!S_ISREG(about.st_mode), err, DPERM_IO_ERROR, "%s: not a file; name a ledger", path);
  TRY(open_database(path, &ledger, err));
  TRY(check_kind(ledger, err));
  *out = TAKE(ledger);
  return DPERM_OK;
}

/* ---- making */

dperm_status store_create(const char *path, dperm_ledger **out, char **temporary,
                          dperm_error *err) {
  size_t size = strlen(path) + 48;
  TRY(check_path(path, err));
  TRY(memory_new(size, 1, temporary, err));
  (void)snprintf(*temporary, size, "%s.new-%lx", path, (unsigned long)getpid());
  (void)unlink(*temporary); /* of a process with our number that was killed here */
  int fd = open(*temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  RETURN_IF(fd < 0, fail_system(path, "the ledger cannot be made", errno, err));
  (void)close(fd);
  TRY(open_database(*temporary, out, err));
  return store_run(*out, "BEGIN IMMEDIATE", err);
}

/* Never over another ledger; never with two names, where file system and C library can do that. */
static int put_in_place(const char *temporary, const char *path) {
#ifdef RENAME_NOREPLACE
  int failed = renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE);
  if (!failed || (errno != ENOSYS && errno != EINVAL)) {
    return failed;
  }
#endif
  return link(temporary, path);
}

dperm_status store_publish(dperm_ledger *ledger, const char *temporary, const char *path,
                           bool *taken, dperm_error *err) {
  TRY(store_run(ledger, "COMMIT", err));
  (void)sqlite3_close(ledger->db); /* SQLite must not know one file by two names */
  ledger->db = NULL;
  if (put_in_place(temporary, path) != 0) {
    *taken = errno == EEXIST;
    return fail_system(path, "the ledger cannot be put in its place", errno, err);
  }
  *taken = false;
  file_sync_folder(path);
  return DPERM_OK;
}

void store_unlink(char **temporary) {
  if (*temporary) {
    (void)unlink(*temporary);
  }
  free(*temporary);
}

/* ---- the noted head: by the file's name, as closing a descriptor would give up SQLite's locks */

static const char head_attribute[] = "user.dperm.head";
enum { HEAD_LENGTH = DPERM_DIGEST_SIZE - 1 };

void store_noted_head(const dperm_ledger *ledger, char out[DPERM_DIGEST_SIZE]) {
  ssize_t got = getxattr(store_file(ledger), head_attribute, out, HEAD_LENGTH);
  out[got == HEAD_LENGTH ? HEAD_LENGTH : 0] = '\0';
}

void store_note_head(const dperm_ledger *ledger, const char *digest) {
  if (strlen(digest) == HEAD_LENGTH) {
    (void)setxattr(store_file(ledger), head_attribute, digest, HEAD_LENGTH, 0);
  }
}

/* ---- space for what must not fail */

/* A commit adds a record of less than a page, moves the head and counts the change: it writes four
 * or five pages of 4,096 bytes, one or two of them new, with the old ones in a journal; rarely a
 * few more, where the tree of pages grows. */
enum { COMMIT_SPACE = 1 << 16 };

dperm_status store_hold_space(dperm_ledger *ledger, dperm_error *err) {
  int reason =
      space_hold(store_file(ledger), (ledger->reserved + 1) * COMMIT_SPACE, &ledger->space);
  RETURN_IF(reason, fail_system(ledger->path, "no space is left for the ledger", reason, err));
  ledger->reserved++;
  return DPERM_OK;
}

void store_free_space(dperm_ledger *ledger) {
  if (ledger->reserved > 0) {
    ledger->reserved--;
    (void)!ftruncate(ledger->space, (off_t)(ledger->reserved * COMMIT_SPACE));
  }
}

/* ---- transactions */

/* Owner, mode and noted head of another file under this name say nothing of the one we have. */
static dperm_status check_place(const dperm_ledger *ledger, struct stat *about, dperm_error *err) {
  int moved = 0;
  RETURN_IF(stat(store_file(ledger), about) != 0,
            fail_system(ledger->path, "the ledger is gone", errno, err));
  (void)sqlite3_file_control(ledger->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  FAIL_IF(moved || about->st_dev != ledger->about.st_dev || about->st_ino != ledger->about.st_ino,
          err, DPERM_IO_ERROR,
          "%s: another file has taken the ledger's place since it was opened; put the ledger back, "
          "or open the one that is there now",
          ledger->path);
  return DPERM_OK;
}

/* The file must be accessible to its owner alone: its digests of the data are secret, and write
 * access is enough to spend. And it has one name: a journal is found by that, and left under one
 * name by a crash it would undo what was charged under the other meanwhile. */
static dperm_status check_owner(const dperm_ledger *ledger, const struct stat *about,
                                dperm_error *err) {
  FAIL_IF(about->st_uid != geteuid() || (about->st_mode & 077) != 0 || about->st_nlink != 1, err,
          DPERM_IO_ERROR,
          "%s: the ledger must be yours alone, under one name, and it is of user %lu, mode %03o "
          "and has %lu name%s; run dperm as its owner, chmod 600 it, and remove other hard links",
          ledger->path, (unsigned long)about->st_uid, (unsigned)about->st_mode & 0777,
          (unsigned long)about->st_nlink, about->st_nlink == 1 ? "" : "s");
  return DPERM_OK;
}

/* One thread after the other. A visitor that asks the ledger which it is shown would wait for
 * itself; a handle that went through fork() would share SQLite's locks with its parent. */
static dperm_status take_turn(dperm_ledger *ledger, dperm_error *err) {
  FAIL_IF(getpid() != ledger->process, err, DPERM_INVALID_ARGUMENT,
          "%s: this handle belongs to another process; open the ledger in the process that uses it",
          ledger->path);
  FAIL_IF(pthread_mutex_lock(&ledger->turn) != 0, err, DPERM_INVALID_ARGUMENT,
          "%s: a visitor cannot use the ledger that it is shown; ask when the visit is over",
          ledger->path);
  return DPERM_OK;
}

dperm_status store_begin(dperm_ledger *ledger, bool write, dperm_ledger **held, dperm_error *err) {
  TRY(take_turn(ledger, err));
  *held = ledger;
  struct stat about;
  TRY(check_place(ledger, &about, err));
  if (write) {
    TRY(check_owner(ledger, &about, err));
    TRY(sqlite3_db_readonly(ledger->db, "main") == 1 ? fail_read_only(ledger, err) : DPERM_OK);
  }
  TRY(store_run(ledger, write ? "BEGIN IMMEDIATE" : "BEGIN", err));
  TRY(check_kind(ledger, err)); /* another program may have changed it since */
  return check_journal(ledger, err);
}

void store_rollback(dperm_ledger *ledger) {
  if (!sqlite3_get_autocommit(ledger->db)) { /* SQLite ends some failed ones itself */
    (void)sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
  }
  (void)pthread_mutex_unlock(&ledger->turn);
}

dperm_status store_commit(dperm_ledger **held, dperm_error *err) {
  TRY(store_run(*held, "COMMIT", err));
  (void)pthread_mutex_unlock(&(*held)->turn);
  *held = NULL;
  return DPERM_OK;
}
