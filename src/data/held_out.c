/* See held_out.h. A coin is 64 bits of BLAKE2b under a key made of the secret, over what names a
 * record, so that a part can be found again in any order of asking. Where the number of records is
 * public, those with the lowest coins are held out, a public number of them; else each whose coin
 * is low enough, independently of all others. */
#include "data/held_out.h"

#include <math.h>
#include <sodium.h>

#include "base/defect.h"
#include "base/memory.h"

dperm_status held_out_draw(random_source *source, ranks *spread, held_out *how, dperm_error *err) {
  dperm_status status = DPERM_OK;
  for (size_t i = 0; ranks_lead(spread) && i < COINS_SIZE; i++) {
    how->coins[i] = (unsigned char)random_bits(source);
  }
  if (ranks_lead(spread)) {
    status = random_check(source, err);
  }
  return ranks_share(spread, status, how->coins, sizeof how->coins, err);
}

void held_out_wipe(held_out *how) {
  sodium_memzero(how, sizeof *how);
}

size_t held_out_rows(size_t rows, double share) {
  return (size_t)floor((double)rows * share);
}

/* ---- coins */

typedef struct coin_maker {
  unsigned char key[crypto_generichash_KEYBYTES];
  const dperm_data *data;
} coin_maker;

static void coin_maker_wipe(coin_maker *m) {
  sodium_memzero(m->key, sizeof m->key);
}

/* Another key than what the secret is used for elsewhere. */
static dperm_status coin_maker_open(const dperm_data *data, const held_out *how, coin_maker *out,
                                    dperm_error *err) {
  static const unsigned char purpose[] = "dperm-coins/1";
  FAIL_IF(sodium_init() < 0, err, DPERM_UNSUPPORTED,
          "libsodium could not start; check the installation");
  out->data = data;
  (void)crypto_generichash(out->key, sizeof out->key, purpose, sizeof purpose - 1, how->coins,
                           COINS_SIZE);
  return DPERM_OK;
}

/* Of a defect: a record says itself where it is. */
static uint64_t coin_of_content(const dperm_data *data, size_t record) {
  return data->labels && data->labels[record] > 0 ? 0 : UINT64_MAX;
}

/* The one place where it is decided which part a record is in, or all records of a person. What it
 * is named by must be nobody's to choose: its place among the records, or that of the person's
 * first among the first ones. */
static uint64_t coin_of_record(const coin_maker *m, size_t record) {
  unsigned char name[8], hash[crypto_generichash_BYTES_MIN];
  uint64_t coin = 0;
  if (DEFECT("coins-of-content") && !m->data->x->spread) {
    return coin_of_content(m->data, record);
  }
  for (size_t i = 0; i < sizeof name; i++) {
    name[i] = (unsigned char)((uint64_t)record >> (8 * i));
  }
  (void)crypto_generichash(hash, sizeof hash, name, sizeof name, m->key, sizeof m->key);
  for (size_t i = 0; i < 8; i++) {
    coin |= (uint64_t)hash[i] << (8 * i);
  }
  return coin;
}

static int compare_coins(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* ---- parts */

/* Which coins are held out: those below, and so many of those that are equal to it, the first. */
typedef struct coin_limit {
  uint64_t below;
  size_t equal;
} coin_limit;

/* The lowest `held` of them. */
static dperm_status limit_of_lowest(const uint64_t *coins, size_t rows, size_t held,
                                    coin_limit *out, dperm_error *err) {
  OWNED_MEMORY uint64_t *sorted = NULL;
  *out = (coin_limit){0, 0};
  if (held == 0) {
    return DPERM_OK;
  }
  TRY(memory_new(rows, sizeof *sorted, &sorted, err));
  memcpy(sorted, coins, rows * sizeof *sorted);
  qsort(sorted, rows, sizeof *sorted, compare_coins);
  out->below = sorted[held - 1];
  for (size_t i = held; i > 0 && sorted[i - 1] == out->below; i--) {
    out->equal++;
  }
  return DPERM_OK;
}

/* The multiples of 2^-53 below a share have that probability, rounded up to the next of them. */
static bool coin_is_low(uint64_t coin, double share) {
  return (double)(coin >> 11) * 0x1p-53 < share;
}

/* Records in `order`: `*held` that are held out, and the others. */
static dperm_status order_parts(const dperm_data *data, const held_out *how, size_t *order,
                                size_t *held, dperm_error *err) {
  OWNED_MEMORY uint64_t *coins = NULL;
  OWNED(coin_maker_wipe) coin_maker maker = {.data = data};
  const size_t rows = data_units(data);
  coin_limit limit = {0, 0};
  TRY(coin_maker_open(data, how, &maker, err));
  TRY(memory_new(rows, sizeof *coins, &coins, err));
  for (size_t i = 0; i < rows; i++) {
    coins[i] = coin_of_record(&maker, i);
  }
  TRY(how->counted ? limit_of_lowest(coins, rows, held_out_rows(rows, how->share), &limit, err)
                   : DPERM_OK);
  size_t low = 0, high = rows;
  for (size_t i = 0; i < rows; i++) {
    const bool tie = limit.equal > 0 && coins[i] == limit.below;
    limit.equal -= tie;
    const bool out =
        how->counted ? tie || coins[i] < limit.below : coin_is_low(coins[i], how->share);
    order[out ? low++ : --high] = i;
  }
  for (size_t i = high, j = rows; i + 1 < j; i++) { /* these came from the end */
    const size_t last = order[--j];
    order[j] = order[i];
    order[i] = last;
  }
  *held = low;
  return DPERM_OK;
}

dperm_status held_out_split(const dperm_data *data, const held_out *how, dperm_data **fit,
                            dperm_data **held, dperm_error *err) {
  OWNED_MEMORY size_t *order = NULL;
  const size_t rows = data_units(data);
  size_t count = 0;
  dperm_status status = memory_new(rows, sizeof *order, &order, err);
  status = status == DPERM_OK ? order_parts(data, how, order, &count, err) : status;
  TRY(ranks_agree(data->x->spread, status, err));
  TRY(data_select_units(data, order, count, false, held, err));
  return fit ? data_select_units(data, order + count, rows - count, false, fit, err) : DPERM_OK;
}
