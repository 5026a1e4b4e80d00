/* What the files behind platform_windows.h share: the headers of Windows, which no other file
 * includes, names and errors.
 */
#pragma once

#undef main
#define WIN32_LEAN_AND_MEAN
#include <stdbool.h>
#include <windows.h>

typedef struct wide_path {
  wchar_t text[4096];
} wide_path;
enum { WIDE = sizeof(wide_path) / sizeof(wchar_t) };

/* Others may read, write, rename and unlink what we have open. */
enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* Of a path, which may be one of the names that Linux has for streams and for nothing; or false and
 * errno. */
bool windows_widen(const char *path, wide_path *out);

/* UTF-8 for the caller to free; NULL for want of memory. */
char *windows_narrow(const wchar_t *wide);

/* 0, or -1 and the errno of the last error. */
int windows_done(bool well);

static inline HANDLE windows_handle(int fd) {
  return (HANDLE)_get_osfhandle(fd);
}
