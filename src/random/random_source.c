/* Bits by the buffer: from the system's source, through libsodium, or from libsodium's ChaCha20
 * stream under a key made of the seed.
 *
 * libsodium ends the whole process when the kernel gives no entropy. So the kernel is asked first,
 * before each buffer, with a few bytes that are thrown away: a failure then becomes an error. What
 * fails between the question and the buffer still ends the process, and nothing is released. */
#define _GNU_SOURCE
#include "random/random_source.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "base/functions.h"
#include "base/memory.h"
#include "dperm/random.h"

/* How often this process, or a parent of it since the first secure source, was forked off: a child
 * must not use bits that its parent drew ahead. (Asking getpid for every word costs more.) */
static atomic_ulong forks;
static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;

static void count_fork(void) {
  atomic_fetch_add(&forks, 1);
}

static void watch_forks(void) {
  (void)pthread_atfork(NULL, NULL, count_fork);
}

/* Whether the kernel gives random bits now; errno if not. */
static bool system_answers(void) {
  unsigned char probe[8];
  ssize_t got = 0;
  do {
    got = getrandom(probe, sizeof probe, 0);
  } while (got < 0 && errno == EINTR);
  sodium_memzero(probe, sizeof probe);
  return got == (ssize_t)sizeof probe;
}

static dperm_status start_libsodium(dperm_error *err) {
  FAIL_IF(sodium_init() < 0, err, DPERM_UNSUPPORTED,
          "libsodium could not start; check the installation");
  return DPERM_OK;
}

dperm_status random_secure(random_source *out, dperm_error *err) {
  FAIL_IF(!system_answers(), err, DPERM_UNSUPPORTED,
          "the system gives no secure random bits (%s); nothing is released", strerror(errno));
  TRY(start_libsodium(err));
  (void)pthread_once(&forks_watched, watch_forks);
  memset(out, 0, sizeof *out);
  out->used = sizeof out->buffer;
  return DPERM_OK;
}

dperm_status random_check(const random_source *source, dperm_error *err) {
  FAIL_IF(source->failed, err, DPERM_UNSUPPORTED,
          "the system's secure random source failed during the work; nothing is released");
  return DPERM_OK;
}

dperm_status random_seeded(uint64_t seed, random_source *out, dperm_error *err) {
  TRY(start_libsodium(err));
  memset(out, 0, sizeof *out);
  out->seeded = true;
  for (size_t i = 0; i < 8; i++) { /* the same key on every byte order */
    out->key[i] = (unsigned char)(seed >> (8 * i));
  }
  out->used = sizeof out->buffer;
  return DPERM_OK;
}

dperm_status random_public(uint64_t seed, const char *purpose, random_source *out,
                           dperm_error *err) {
  TRY(random_seeded(seed, out, err));
  size_t length = strlen(purpose), capacity = sizeof out->key - 8;
  memcpy(out->key + 8, purpose, length < capacity ? length : capacity);
  return DPERM_OK;
}

void random_wipe(random_source *source) {
  bool failed = source->failed;
  sodium_memzero(source, sizeof *source);
  source->used = sizeof source->buffer;
  source->failed = failed;
}

/* The next buffer of the ChaCha20 stream under the source's key. */
static void refill_from_stream(random_source *source) {
  unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
  for (size_t i = 0; i < sizeof nonce; i++) {
    nonce[i] = (unsigned char)(source->block >> (8 * i));
  }
  (void)crypto_stream_chacha20(source->buffer, sizeof source->buffer, nonce, source->key);
  source->block++;
}

/* After a failure the stream under the empty key goes on: everybody can know these bits, but loops
 * that wait for an acceptance still end, and random_check stops what was made of them. */
static void refill(random_source *source) {
  if (!source->seeded && !source->failed) {
    source->failed = !system_answers();
  }
  if (source->seeded || source->failed) {
    refill_from_stream(source);
  } else {
    randombytes_buf(source->buffer, sizeof source->buffer);
  }
  source->drawn_after = atomic_load(&forks);
  source->used = 0;
}

uint64_t random_bits(random_source *source) {
  if (source->used == sizeof source->buffer ||
      (!source->seeded &&
       source->drawn_after != atomic_load_explicit(&forks, memory_order_relaxed))) {
    refill(source);
  }
  uint64_t bits = 0;
  for (size_t i = 0; i < 8; i++) {
    bits |= (uint64_t)source->buffer[source->used + i] << (8 * i);
  }
  source->used += 8;
  return bits;
}

double random_unit(random_source *source) {
  return (double)(random_bits(source) >> 11) * 0x1p-53;
}

size_t random_weighted(random_source *source, const double *weights, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += weights[i];
  }
  double left = random_unit(source) * sum;
  size_t i = 0;
  while (i + 1 < count && left >= weights[i]) {
    left -= weights[i++];
  }
  return i;
}

/* By the polar method. */
double random_normal(random_source *source) {
  for (;;) {
    double u = 2 * random_unit(source) - 1, v = 2 * random_unit(source) - 1, s = u * u + v * v;
    if (s > 0 && s < 1) {
      return u * sqrt(-2 * math_log(s) / s);
    }
  }
}

/* χ_n = √(2·Gamma(n/2)), and Gamma by the rejection of Marsaglia and Tsang (2000): with d = n/2 −
 * 1/3, c = 1/√(9d) and a normal x, d·(1 + cx)³ is one with probability min(1, exp(x²/2 + d − dv +
 * d log v)). */
double random_chi(random_source *source, size_t n) {
  double d = (double)n / 2 - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    double x = random_normal(source), root = 1 + c * x, v = root * root * root;
    double u = 1 - random_unit(source); /* in (0, 1] */
    if (root > 0 && math_log(u) < 0.5 * x * x + d - d * v + d * math_log(v)) {
      return sqrt(2 * d * v);
    }
  }
}

/* ---- what noise is made of
 *
 * With a fair bit c and W uniform on (0, ½), U = c ? W : 1 − W is uniform on (0, 1), and −log U is
 * computed from W itself: −log W, or −log1p(−W). W has a lazily drawn exponent and 63 random bits
 * of mantissa; neither branch cancels. A plain −log of a multiple of 2^−53 would miss the smallest
 * values and be coarse near zero (privacy.md 6).
 *
 * Errors, relative and in units of u. W: its 63 bits cut off an infinite mantissa, 2^−63, and are
 * rounded to a double, 1: together below 1.01. Exponential: both branches have a derivative d log E
 * / d log W of at most 1/log 2 < 1.443, its value at W = ½, so 1.443·1.01 + 4 for the function
 * < 5.5. */

/* The interval [2^−(e+1), 2^−e) has probability 2^−e, e = 1, 2, …: e − 1 zero bits before a one.
 * The search ends after 15 words of zeros, with probability 2^−960, so that W and what is made of
 * it stay among the normal doubles. */
double random_half_uniform(random_source *source) {
  int exponent = 1;
  uint64_t bits = random_bits(source);
  while (bits == 0 && exponent < 1 + 14 * 64) {
    exponent += 64;
    bits = random_bits(source);
  }
  for (bits |= 1; !(bits >> 63); bits <<= 1) {
    exponent++;
  }
  uint64_t mantissa = random_bits(source) | UINT64_C(1) << 63; /* 1 and 63 random bits */
  return ldexp((double)mantissa, -64 - exponent);
}

double random_exponential(random_source *source) {
  uint64_t coin = random_bits(source) >> 63;
  double w = random_half_uniform(source);
  return coin ? -math_log(w) : -math_log1p(-w);
}

double random_gamma(random_source *source, size_t shape) {
  if (shape == 1) {
    return random_exponential(source);
  }
  double left = random_gamma(source, shape / 2);
  return left + random_gamma(source, shape - shape / 2);
}

double random_laplace(random_source *source, double beta) {
  double size = random_exponential(source) / beta;
  return random_bits(source) >> 63 ? -size : size;
}

/* ---- the public handle */

dperm_status dperm_random_seeded(uint64_t seed, dperm_random **out, dperm_error *err) {
  OWNED_MEMORY dperm_random *random = NULL;
  TRY(memory_new(1, sizeof *random, &random, err));
  TRY(random_seeded(seed, &random->source, err));
  *out = TAKE(random);
  return DPERM_OK;
}

void dperm_random_free(dperm_random *random) {
  if (random) {
    random_wipe(&random->source);
    free(random);
  }
}

dperm_status random_given(dperm_random *given, random_source *own, random_source **out,
                          dperm_error *err) {
  *out = given ? &given->source : own;
  return given ? DPERM_OK : random_secure(own, err);
}
