/* What platform_windows.h says of a file's bytes, by the interfaces of Windows: reading and writing
 * at a place, space, locks, attributes, mappings; and SQLite's journals.
 */
#include "base/windows_inside.h"

#include <sqlite3.h>

#undef read
#undef write

/* ---- bytes */

enum { PIECE = 1 << 30 };

ssize_t windows_read(int fd, void *bytes, size_t count) {
  return _read(fd, bytes, count < PIECE ? (unsigned)count : PIECE);
}

ssize_t windows_write(int fd, const void *bytes, size_t count) {
  return _write(fd, bytes, count < PIECE ? (unsigned)count : PIECE);
}

static OVERLAPPED place_of(off_t at) {
  return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at) {
  OVERLAPPED place = place_of(at);
  DWORD got = 0;
  const DWORD ask = count < PIECE ? (DWORD)count : PIECE;
  const bool well =
      ReadFile(windows_handle(fd), bytes, ask, &got, &place) || GetLastError() == ERROR_HANDLE_EOF;
  return windows_done(well) == 0 ? (ssize_t)got : -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  OVERLAPPED place = place_of(at);
  DWORD put = 0;
  const DWORD ask = count < PIECE ? (DWORD)count : PIECE;
  return windows_done(WriteFile(windows_handle(fd), bytes, ask, &put, &place)) == 0 ? (ssize_t)put
                                                                                    : -1;
}

int windows_set_size(int fd, off_t size) {
  FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = size};
  return windows_done(
      SetFileInformationByHandle(windows_handle(fd), FileEndOfFileInfo, &end, sizeof end));
}

int posix_fallocate(int fd, off_t from, off_t count) {
  LARGE_INTEGER now;
  const bool known = GetFileSizeEx(windows_handle(fd), &now);
  const bool well =
      known && (now.QuadPart >= from + count || windows_set_size(fd, from + count) == 0);
  return well ? 0 : known ? errno : EBADF;
}

/* On a byte that no file has: locks of Windows keep others from reading. */
int flock(int fd, int how) {
  (void)how;
  OVERLAPPED place = place_of((off_t)1 << 62);
  return windows_done(LockFileEx(
      windows_handle(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place));
}

static HANDLE open_attribute(const char *path, const char *name, DWORD rights, DWORD how) {
  char *whole = NULL;
  wide_path wide;
  const bool named = asprintf(&whole, "%s:%s", path, name) > 0 && windows_widen(whole, &wide);
  free(whole);
  return named ? CreateFileW(wide.text, rights, SHARED, NULL, how, 0, NULL) : INVALID_HANDLE_VALUE;
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size) {
  HANDLE file = open_attribute(path, name, GENERIC_READ, OPEN_EXISTING);
  DWORD got = 0;
  const bool well = file != INVALID_HANDLE_VALUE && ReadFile(file, value, (DWORD)size, &got, NULL);
  const int status = windows_done(well);
  (void)(file != INVALID_HANDLE_VALUE && CloseHandle(file));
  return status == 0 ? (ssize_t)got : -1;
}

int setxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
  (void)flags;
  HANDLE file = open_attribute(path, name, GENERIC_WRITE, OPEN_ALWAYS);
  DWORD put = 0;
  const bool well = file != INVALID_HANDLE_VALUE &&
                    WriteFile(file, value, (DWORD)size, &put, NULL) && FlushFileBuffers(file);
  const int status = windows_done(well);
  (void)(file != INVALID_HANDLE_VALUE && CloseHandle(file));
  return status;
}

void *mmap(void *where, size_t size, int rights, int flags, int fd, off_t from) {
  (void)where, (void)rights, (void)flags; /* any place, to read: the only use */
  HANDLE mapping = CreateFileMappingW(windows_handle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
  void *place = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, (DWORD)((uint64_t)from >> 32),
                                        (DWORD)from, size)
                        : NULL;
  const int status = windows_done(place != NULL);
  (void)(mapping && CloseHandle(mapping)); /* the view keeps it */
  return status == 0 ? place : MAP_FAILED;
}

int munmap(void *place, size_t size) {
  (void)size;
  return windows_done(UnmapViewOfFile(place));
}

/* SQLite asks for the folder to be flushed once a journal is gone (synchronous EXTRA), which its
 * own code for Windows leaves out. */
static int (*sqlite_delete)(sqlite3_vfs *, const char *, int);

static int delete_durably(sqlite3_vfs *vfs, const char *path, int flush) {
  const int code = sqlite_delete(vfs, path, flush);
  char *copy = code == SQLITE_OK && flush ? _strdup(path) : NULL;
  const int fd = copy ? windows_open(windows_dirname(copy), O_RDONLY | O_DIRECTORY) : -1;
  if (fd >= 0) {
    (void)_commit(fd);
    (void)close(fd);
  }
  free(copy);
  return code;
}

static void __attribute__((constructor)) flush_folders(void) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (vfs) {
    sqlite_delete = vfs->xDelete;
    vfs->xDelete = delete_durably;
  }
}
