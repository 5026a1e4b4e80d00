/* The rest of platform_windows.h, for what is no file: streams in memory, the machine, locales,
 * signals, arguments, and what happens as the library or the command is loaded.
 */
#include "base/windows_inside.h"

#include <cpuid.h>
#include <ntsecapi.h>

#undef fclose
#undef system

/* ---- streams in memory: few at a time */

typedef struct memory_stream {
  FILE *stream; /* NULL if this one is free */
  char **bytes;
  size_t *length;
} memory_stream;

static memory_stream streams[64];
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

static FILE *open_temporary(void) {
  wchar_t folder[MAX_PATH + 1];
  char *place = GetTempPathW(MAX_PATH + 1, folder) ? windows_narrow(folder) : NULL, *path = NULL;
  const int fd = place && asprintf(&path, "%sdperm.XXXXXX", place) > 0 ? mkostemp(path, 0) : -1;
  FILE *stream = fd >= 0 ? fdopen(fd, "w+b") : NULL;
  if (fd >= 0 && !stream) {
    (void)close(fd);
  }
  free(place);
  free(path);
  return stream;
}

FILE *open_memstream(char **bytes, size_t *length) {
  FILE *stream = open_temporary();
  (void)pthread_mutex_lock(&streams_lock);
  memory_stream *free_one = NULL;
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    free_one = streams[i].stream ? free_one : &streams[i];
  }
  if (stream && free_one) {
    *free_one = (memory_stream){stream, bytes, length};
  }
  (void)pthread_mutex_unlock(&streams_lock);
  if (stream && !free_one) {
    (void)fclose(stream);
    errno = EMFILE;
    return NULL;
  }
  return stream;
}

/* What was written, for the caller to free. */
static bool take_bytes(const memory_stream *from) {
  FILE *stream = from->stream;
  const off_t end = fflush(stream) == 0 && !ferror(stream) ? ftello(stream) : -1;
  char *bytes = end >= 0 ? malloc((size_t)end + 1) : NULL;
  if (!bytes || fseeko(stream, 0, SEEK_SET) != 0 ||
      fread(bytes, 1, (size_t)end, stream) != (size_t)end) {
    free(bytes);
    return false;
  }
  bytes[end] = '\0';
  *from->bytes = bytes;
  *from->length = (size_t)end;
  return true;
}

int windows_fclose(FILE *stream) {
  memory_stream found = {0};
  (void)pthread_mutex_lock(&streams_lock);
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    if (streams[i].stream == stream) {
      found = streams[i];
      streams[i].stream = NULL;
    }
  }
  (void)pthread_mutex_unlock(&streams_lock);
  const bool taken = !found.stream || take_bytes(&found);
  const int closed = fclose(stream);
  return taken ? closed : EOF;
}

ssize_t getdelim(char **line, size_t *capacity, int end, FILE *stream) {
  size_t used = 0;
  int c = 0;
  while ((c = getc(stream)) != EOF) {
    if (used + 2 > *capacity) {
      char *grown = realloc(*line, 2 * used + 128);
      if (!grown) {
        return -1;
      }
      *line = grown;
      *capacity = 2 * used + 128;
    }
    (*line)[used++] = (char)c;
    (*line)[used] = '\0';
    if (c == end) {
      break;
    }
  }
  return used > 0 ? (ssize_t)used : -1;
}

/* ---- the machine */

/* What libsodium's randombytes takes its bits from here. */
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  (void)flags;
  const bool well = count <= ULONG_MAX && RtlGenRandom(bytes, (ULONG)count);
  errno = well ? errno : EIO;
  return well ? (ssize_t)count : -1;
}

long sysconf(int what) {
  SYSTEM_INFO about;
  MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
  GetSystemInfo(&about);
  if (what == _SC_PAGESIZE) {
    return (long)about.dwPageSize;
  }
  return GlobalMemoryStatusEx(&memory) ? (long)(memory.ullTotalPhys / about.dwPageSize) : -1;
}

static struct {
  bool avx2, fma, avx512f;
} has; /* asked once: a virtual machine takes long to tell */

static void __attribute__((constructor)) ask_processor(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const DWORD64 kept = GetEnabledXStateFeatures();
  const bool keeps_256 = kept & XSTATE_MASK_AVX;
  has.fma = keeps_256 && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_FMA);
  const bool tells = __get_cpuid_count(7, 0, &a, &b, &c, &d);
  has.avx2 = keeps_256 && tells && (b & bit_AVX2);
  has.avx512f = tells && (b & bit_AVX512F) && (kept & XSTATE_MASK_AVX512) == XSTATE_MASK_AVX512;
}

bool windows_cpu_supports(const char *what) {
  return strcmp(what, "avx2") == 0 ? has.avx2 : strcmp(what, "fma") == 0 ? has.fma : has.avx512f;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  DWORD_PTR mine = 0, all = 0;
  (void)pid, (void)size; /* of this process: the only use */
  const bool known = GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) && mine != 0;
  set->count = __builtin_popcountll(mine);
  return known ? 0 : -1;
}

/* ---- locales */

static char c_locale[] = "C";
static _Thread_local int threads_own; /* what uselocale() has replaced, beside a name */

locale_t newlocale(int mask, const char *name, locale_t base) {
  (void)mask, (void)name, (void)base; /* that of C: the only use */
  return c_locale;
}

/* Nothing is replaced where numbers already have a point. */
locale_t uselocale(locale_t locale) {
  if (locale != c_locale) {
    (void)setlocale(LC_NUMERIC, locale);
    (void)_configthreadlocale(threads_own);
    free(locale);
    return c_locale;
  }
  if (strcmp(localeconv()->decimal_point, ".") == 0) {
    return NULL;
  }
  threads_own = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
  char *before = _strdup(setlocale(LC_NUMERIC, NULL));
  (void)setlocale(LC_NUMERIC, "C");
  return before;
}

double strtod_l(const char *text, char **end, locale_t locale) {
  const locale_t before = uselocale(locale);
  const double value = strtod(text, end);
  if (before) {
    (void)uselocale(before);
  }
  return value;
}

/* ---- signals */

static void (*on_lost_page)(int);

/* The disk failed under a mapped file. (Nobody can cut one here.) */
static LONG WINAPI look_at_exception(EXCEPTION_POINTERS *about) {
  if (about->ExceptionRecord->ExceptionCode == (DWORD)EXCEPTION_IN_PAGE_ERROR) {
    on_lost_page(SIGBUS);
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  (void)before;
  if (number == SIGBUS) {
    on_lost_page = action->sa_handler;
    return AddVectoredExceptionHandler(1, look_at_exception) ? 0 : -1;
  }
  const bool comes = number == SIGINT || number == SIGTERM || number == SIGBREAK;
  return comes && signal(number, action->sa_handler) == SIG_ERR ? -1 : 0;
}

int pause(void) {
  Sleep(INFINITE);
  return -1;
}

/* ---- other programs */

int windows_no_shell(const char *line) {
  (void)line;
  errno = ENOSYS;
  return -1;
}

FILE *windows_no_pipe(const char *line, const char *mode) {
  (void)line, (void)mode;
  errno = ENOSYS;
  return NULL;
}

char *windows_mkdtemp(char *path) {
  return mkdir(path, 0700) == 0 ? path : NULL;
}

/* ---- as it is loaded */

/* What they return lives as long as the process. */
char *windows_getenv(const char *name) {
  wide_path wide;
  const wchar_t *value = windows_widen(name, &wide) ? _wgetenv(wide.text) : NULL;
  return value ? windows_narrow(value) : NULL;
}

char **windows_arguments(int count, wchar_t **wide) {
  char **out = calloc((size_t)count + 1, sizeof *out);
  for (int i = 0; i < count; i++) {
    if (!out || !(out[i] = windows_narrow(wide[i]))) {
      abort();
    }
  }
  for (int fd = 0; fd <= 2; fd++) {
    (void)_setmode(fd, _O_BINARY);
  }
  HANDLE screen = GetStdHandle(STD_ERROR_HANDLE);
  DWORD mode = 0;
  if (GetConsoleMode(screen, &mode)) {
    (void)SetConsoleMode(screen, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  (void)SetConsoleOutputCP(CP_UTF8);
  return out;
}

/* Our threads sleep between calls: code and data stay where they are when a program unloads it. */
static void __attribute__((constructor)) stay(void) {
  HMODULE mine = NULL;
  (void)GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                           (const wchar_t *)(const void *)&stay, &mine);
}
