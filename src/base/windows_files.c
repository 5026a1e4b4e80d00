/* What platform_windows.h says of files, by the interfaces of Windows. Files are opened by
 * CreateFile: the C library's own open() would stand in the way of those who rename or unlink, and
 * knows no rights.
 */
#include "base/windows_inside.h"

#include <aclapi.h>
#include <stdarg.h>

#undef open
#undef fopen
#undef fclose
#undef read
#undef write
#undef dup
#undef strrchr

/* ---- errors and names */

static int errno_of(DWORD error) {
  static const struct {
    DWORD error;
    int number;
  } known[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
               {ERROR_PATH_NOT_FOUND, ENOENT},
               {ERROR_INVALID_NAME, ENOENT},
               {ERROR_BAD_PATHNAME, ENOENT},
               {ERROR_BAD_NETPATH, ENOENT},
               {ERROR_DIRECTORY, ENOTDIR},
               {ERROR_ACCESS_DENIED, EACCES},
               {ERROR_SHARING_VIOLATION, EACCES},
               {ERROR_WRITE_PROTECT, EROFS},
               {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
               {ERROR_ALREADY_EXISTS, EEXIST},
               {ERROR_FILE_EXISTS, EEXIST},
               {ERROR_DISK_FULL, ENOSPC},
               {ERROR_HANDLE_DISK_FULL, ENOSPC},
               {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
               {ERROR_OUTOFMEMORY, ENOMEM},
               {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
               {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
               {ERROR_BROKEN_PIPE, EPIPE},
               {ERROR_NO_DATA, EPIPE},
               {ERROR_NOT_SUPPORTED, ENOTSUP},
               {ERROR_INVALID_FUNCTION, ENOTSUP}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].error == error) {
      return known[i].number;
    }
  }
  return EIO;
}

int windows_done(bool well) {
  errno = well ? errno : errno_of(GetLastError());
  return well ? 0 : -1;
}

/* Of a file that is open: its name, in full and behind all links. */
static bool name_of(HANDLE file, wide_path *out) {
  const DWORD length = GetFinalPathNameByHandleW(file, out->text, WIDE, 0);
  if (length == 0 || length >= WIDE) {
    errno = length ? ENAMETOOLONG : errno_of(GetLastError());
    return false;
  }
  static const wchar_t far_away[] = L"\\\\?\\UNC\\";
  const bool is_far = wcsncmp(out->text, far_away, 8) == 0;
  const size_t cut = is_far ? 6 : wcsncmp(out->text, far_away, 4) == 0 ? 4 : 0;
  memmove(out->text, out->text + cut, (length + 1 - cut) * sizeof *out->text);
  out->text[0] = is_far ? L'\\' : out->text[0];
  return true;
}

/* The names that Linux has for streams and for nothing are known too. */
bool windows_widen(const char *path, wide_path *out) {
  static const char stream[] = "/proc/self/fd/";
  if (strncmp(path, stream, sizeof stream - 1) == 0) {
    return name_of(windows_handle(path[sizeof stream - 1] - '0'), out);
  }
  path = strcmp(path, "/dev/null") == 0 ? "NUL" : path;
  if (!*path || !MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out->text, WIDE)) {
    errno = *path && GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
    return false;
  }
  return true;
}

char *windows_narrow(const wchar_t *wide) {
  const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
  char *out = size > 0 ? malloc((size_t)size) : NULL;
  if (out) {
    (void)WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, size, NULL, NULL);
  }
  return out;
}

char *windows_last_separator(const char *path) {
  char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
  return !slash || (back && back > slash) ? back : slash;
}

char *windows_dirname(char *path) {
  char *last = windows_last_separator(path);
  if (!last) {
    return path[0] && path[1] == ':' ? (path[2] = '\0', path) : ".";
  }
  last[last == path || last[-1] == ':'] = '\0'; /* the root keeps its slash */
  return path;
}

/* ---- rights */

/* Of the user that runs this, and of the owner of what they make: administrators share theirs. */
static bool is_mine(PSID owner) {
  static const TOKEN_INFORMATION_CLASS kinds[] = {TokenUser, TokenOwner};
  HANDLE token = NULL;
  bool mine = false;
  for (int i = 0; i < 2 && OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token); i++) {
    union {
      TOKEN_USER user;
      TOKEN_OWNER owner;
      char space[256];
    } about;
    DWORD size = 0;
    mine = mine || (GetTokenInformation(token, kinds[i], &about, sizeof about, &size) &&
                    EqualSid(owner, i == 0 ? about.user.User.Sid : about.owner.Owner));
    (void)CloseHandle(token);
  }
  return mine;
}

/* As root is elsewhere: they can take any file. A creator's entry is for files to come. */
static bool is_trusted(PSID who, PSID owner) {
  return EqualSid(who, owner) || is_mine(who) || IsWellKnownSid(who, WinLocalSystemSid) ||
         IsWellKnownSid(who, WinBuiltinAdministratorsSid) ||
         IsWellKnownSid(who, WinCreatorOwnerSid) || IsWellKnownSid(who, WinCreatorOwnerRightsSid);
}

/* The mode's bits of others: 077 unless the list of rights is one that we understand. */
static unsigned rights_of_others(PACL list, PSID owner) {
  unsigned bits = list ? 0 : 077;
  for (DWORD i = 0; list && i < list->AceCount; i++) {
    ACCESS_ALLOWED_ACE *entry = NULL;
    if (!GetAce(list, i, (void **)&entry)) {
      return 077;
    }
    const bool denies = entry->Header.AceType == ACCESS_DENIED_ACE_TYPE;
    const bool allows = entry->Header.AceType == ACCESS_ALLOWED_ACE_TYPE;
    if (!denies && !(allows && is_trusted(&entry->SidStart, owner))) {
      const DWORD reads = FILE_READ_DATA | GENERIC_READ | GENERIC_ALL;
      bits |= allows ? 022 | (entry->Mask & reads ? 044U : 0) : 077;
    }
  }
  return bits;
}

static void describe_rights(HANDLE file, struct windows_stat *about) {
  PSECURITY_DESCRIPTOR all = NULL;
  PSID owner = NULL;
  PACL list = NULL;
  const DWORD failed =
      GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                      &owner, NULL, &list, NULL, &all);
  about->st_uid = failed || !owner || !is_mine(owner);
  about->st_mode |= 0600 | (failed || !owner ? 077 : rights_of_others(list, owner));
  (void)LocalFree(all);
}

/* A list of rights with one entry: all, for the user. */
typedef struct own_rights {
  union {
    ACL list;
    char space[256];
  } list;
  SECURITY_DESCRIPTOR all;
} own_rights;

static bool make_own_rights(own_rights *out) {
  union {
    TOKEN_USER user;
    char space[256];
  } about;
  HANDLE token = NULL;
  DWORD size = 0;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
    return false;
  }
  const bool made =
      GetTokenInformation(token, TokenUser, &about, sizeof about, &size) &&
      InitializeAcl(&out->list.list, sizeof out->list, ACL_REVISION) &&
      AddAccessAllowedAce(&out->list.list, ACL_REVISION, FILE_ALL_ACCESS, about.user.User.Sid) &&
      InitializeSecurityDescriptor(&out->all, SECURITY_DESCRIPTOR_REVISION) &&
      SetSecurityDescriptorDacl(&out->all, TRUE, &out->list.list, FALSE) &&
      SetSecurityDescriptorControl(&out->all, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
  (void)CloseHandle(token);
  return made;
}

int windows_fchmod(int fd, unsigned mode) {
  own_rights own;
  if (mode & 077) {
    return 0; /* those of the folder, which it has */
  }
  if (!make_own_rights(&own)) {
    return windows_done(false);
  }
  SetLastError(SetSecurityInfo(windows_handle(fd), SE_FILE_OBJECT,
                               DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                               NULL, NULL, &own.list.list, NULL));
  return windows_done(GetLastError() == ERROR_SUCCESS);
}

/* ---- opening */

/* A descriptor of the handle, which it owns; -1 and errno. */
static int take_handle(HANDLE file, int flags) {
  if (file == INVALID_HANDLE_VALUE) {
    return windows_done(false);
  }
  const int fd = _open_osfhandle((intptr_t)file, flags | _O_BINARY);
  if (fd < 0) {
    (void)CloseHandle(file);
  }
  return fd;
}

static int open_as(const char *path, int flags, unsigned mode, DWORD more) {
  static const DWORD rights[] = {GENERIC_READ, GENERIC_WRITE | FILE_READ_ATTRIBUTES,
                                 GENERIC_READ | GENERIC_WRITE};
  const bool fresh = (flags & O_CREAT) && (flags & O_EXCL), folder = flags & O_DIRECTORY;
  wide_path wide;
  own_rights own;
  SECURITY_ATTRIBUTES security = {.nLength = sizeof security, .lpSecurityDescriptor = &own.all};
  const bool private = (flags & O_CREAT) && !(mode & 077);
  if (!windows_widen(path, &wide) || (private && !make_own_rights(&own))) {
    return -1;
  }
  return take_handle(
      CreateFileW(wide.text,
                  (folder ? GENERIC_READ | GENERIC_WRITE : rights[flags & O_ACCMODE]) |
                      (fresh ? WRITE_DAC : 0U),
                  SHARED, private ? &security : NULL,
                  fresh             ? CREATE_NEW
                  : flags & O_CREAT ? OPEN_ALWAYS
                                    : OPEN_EXISTING,
                  FILE_ATTRIBUTE_NORMAL | (folder ? FILE_FLAG_BACKUP_SEMANTICS : 0U) | more, NULL),
      flags & O_ACCMODE);
}

int windows_open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  const unsigned mode = flags & O_CREAT ? va_arg(args, unsigned) : 0666;
  va_end(args);
  return open_as(path, flags, mode, 0);
}

/* The last six letters of a name, until it is free. */
static bool next_name(char *path) {
  uint64_t bits = 0;
  const bool drawn = getrandom(&bits, sizeof bits, 0) == (ssize_t)sizeof bits;
  char *at = path + strlen(path) - 6;
  for (int i = 0; i < 6; i++, bits /= 32) {
    at[i] = "abcdefghijklmnopqrstuvwxyz234567"[bits % 32];
  }
  return drawn;
}

int windows_mkostemp(char *path, int flags) {
  int fd = -1;
  for (int attempt = 0; fd < 0 && attempt < 100 && next_name(path); attempt++) {
    fd = open_as(path, flags | O_RDWR | O_CREAT | O_EXCL, 0600,
                 FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    attempt = fd < 0 && errno != EEXIST ? 100 : attempt;
  }
  return fd;
}

FILE *windows_fopen(const char *path, const char *mode) {
  wide_path wide;
  const wchar_t *how = *mode == 'r' ? L"rbN" : *mode == 'w' ? L"wbN" : L"abN";
  return windows_widen(path, &wide) ? _wfopen(wide.text, how) : NULL;
}

int windows_dup(int fd) {
  const int copy = _dup(fd);
  if (copy >= 0) {
    (void)_setmode(copy, _O_BINARY);
  }
  return copy;
}

/* ---- what a file is */

static struct timespec time_of(LARGE_INTEGER hundreds) { /* of nanoseconds since 1601 */
  const int64_t since = hundreds.QuadPart - INT64_C(116444736000000000);
  return (struct timespec){.tv_sec = since / 10000000, .tv_nsec = (long)(since % 10000000) * 100};
}

static int describe(HANDLE file, struct windows_stat *out) {
  BY_HANDLE_FILE_INFORMATION about;
  FILE_BASIC_INFO times;
  FILE_STANDARD_INFO size;
  memset(out, 0, sizeof *out);
  const DWORD type = GetFileType(file);
  if (type != FILE_TYPE_DISK) {
    out->st_mode = type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
    out->st_nlink = 1;
    return windows_done(type != FILE_TYPE_UNKNOWN);
  }
  if (!GetFileInformationByHandleEx(file, FileBasicInfo, &times, sizeof times) ||
      !GetFileInformationByHandleEx(file, FileStandardInfo, &size, sizeof size)) {
    return windows_done(false);
  }
  const bool link = times.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT; /* not followed */
  out->st_mode = link ? S_IFLNK : size.Directory ? S_IFDIR : S_IFREG;
  out->st_size = size.EndOfFile.QuadPart;
  out->st_nlink = size.NumberOfLinks;
  out->st_mtim = time_of(times.LastWriteTime);
  out->st_ctim = time_of(times.ChangeTime);
  if (GetFileInformationByHandle(file, &about)) { /* (wine: not of what the shell has opened) */
    out->st_dev = about.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
  }
  describe_rights(file, out);
  return 0;
}

static HANDLE look_at(const char *path, DWORD more) {
  wide_path wide;
  HANDLE file = INVALID_HANDLE_VALUE;
  if (windows_widen(path, &wide)) {
    const DWORD how = FILE_FLAG_BACKUP_SEMANTICS | more;
    file = CreateFileW(wide.text, FILE_READ_ATTRIBUTES | READ_CONTROL, SHARED, NULL, OPEN_EXISTING,
                       how, NULL);
    if (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_ACCESS_DENIED) {
      file = CreateFileW(wide.text, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING, how, NULL);
    }
    (void)windows_done(file != INVALID_HANDLE_VALUE);
  }
  return file;
}

static int stat_as(const char *path, DWORD more, struct windows_stat *about) {
  HANDLE file = look_at(path, more);
  const int status = file == INVALID_HANDLE_VALUE ? -1 : describe(file, about);
  (void)(file != INVALID_HANDLE_VALUE && CloseHandle(file));
  return status;
}

int windows_stat(const char *path, struct windows_stat *about) {
  return stat_as(path, 0, about);
}

int windows_lstat(const char *path, struct windows_stat *about) {
  return stat_as(path, FILE_FLAG_OPEN_REPARSE_POINT, about);
}

int windows_fstat(int fd, struct windows_stat *about) {
  return describe(windows_handle(fd), about);
}

char *windows_realpath(const char *path, char *out) {
  (void)out; /* NULL, the only use */
  wide_path wide;
  HANDLE file = look_at(path, 0);
  if (file == INVALID_HANDLE_VALUE) {
    return NULL;
  }
  char *name = name_of(file, &wide) ? windows_narrow(wide.text) : NULL;
  (void)CloseHandle(file);
  return name;
}

int windows_access(const char *path, int how) {
  wide_path wide;
  return windows_widen(path, &wide) ? _waccess(wide.text, how) : -1;
}

int fcntl(int fd, int what, ...) {
  (void)what;
  return GetFileType(windows_handle(fd)) == FILE_TYPE_UNKNOWN ? (errno = EBADF, -1) : O_RDWR;
}

int fstatvfs(int fd, struct statvfs *out) {
  wide_path wide;
  ULARGE_INTEGER mine, all;
  if (!name_of(windows_handle(fd), &wide)) {
    return -1;
  }
  wchar_t *name = wcsrchr(wide.text, L'\\');
  if (name) {
    name[1] = L'\0';
  }
  if (!GetDiskFreeSpaceExW(wide.text, &mine, &all, NULL)) {
    return windows_done(false);
  }
  *out = (struct statvfs){.f_blocks = all.QuadPart, .f_bavail = mine.QuadPart, .f_frsize = 1};
  return 0;
}

/* ---- names that change: on the disk before the call returns, where the file system can */

static int move(const char *from, const char *to, DWORD how) {
  wide_path old, new;
  return windows_widen(from, &old) && windows_widen(to, &new)
             ? windows_done(MoveFileExW(old.text, new.text, how | MOVEFILE_WRITE_THROUGH))
             : -1;
}

int windows_rename(const char *from, const char *to) {
  return move(from, to, MOVEFILE_REPLACE_EXISTING);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  (void)from_folder, (void)to_folder, (void)flags; /* never over another: the only use */
  return move(from, to, 0);
}

int windows_unlink(const char *path) {
  wide_path wide;
  return windows_widen(path, &wide) ? windows_done(DeleteFileW(wide.text)) : -1;
}

int windows_mkdir(const char *path) {
  wide_path wide;
  return windows_widen(path, &wide) ? windows_done(CreateDirectoryW(wide.text, NULL)) : -1;
}
