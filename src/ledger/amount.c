/* Schoolbook arithmetic on decimal digits. */
#include "ledger/amount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool amount_parse(const char *text, amount *out) {
  static const char digits[] = "0123456789";
  size_t whole = strspn(text, digits), point = text[whole] == '.';
  size_t decimals = point ? strspn(text + whole + 1, digits) : 0;
  const char *end = text + whole + point + decimals;
  int exponent = 0;
  if (whole + decimals == 0 || !parse_exponent(slice_of(end), &exponent)) {
    return false;
  }
  memset(out, 0, sizeof *out);
  long place = AMOUNT_WHOLE - (long)whole - exponent; /* of the first digit */
  for (const char *at = text; at < end; at++) {
    if (*at == '.') {
      continue;
    }
    bool fits = place >= 0 && place < AMOUNT_DIGITS;
    if (!fits && *at != '0') {
      return false;
    }
    if (fits) {
      out->digits[place] = (unsigned char)(*at - '0');
    }
    place++;
  }
  return true;
}

bool amount_halve(amount *a) {
  int rest = 0;
  for (int i = 0; i < AMOUNT_DIGITS; i++) {
    int value = rest * 10 + a->digits[i];
    a->digits[i] = (unsigned char)(value / 2);
    rest = value % 2;
  }
  return rest == 0;
}

bool amount_of_double(double value, amount *out) {
  enum { EXACT_BITS = 24 };
  int exponent = 0;
  char text[DOUBLE_TEXT_SIZE];
  if (!(value >= 0 && isfinite(value))) {
    return false;
  }
  double mantissa = ldexp(frexp(value, &exponent), EXACT_BITS);
  bool exact = mantissa == floor(mantissa);
  (void)format_double(exact ? mantissa : value, false, text);
  bool fits = amount_parse(text, out);
  for (int i = exponent - EXACT_BITS; exact && fits && i != 0; i += i < 0 ? 1 : -1) {
    fits = i < 0 ? amount_halve(out) : amount_add(out, out, out);
  }
  return fits;
}

bool amount_add(const amount *a, const amount *b, amount *sum) {
  int carry = 0;
  for (int i = AMOUNT_DIGITS - 1; i >= 0; i--) {
    int value = a->digits[i] + b->digits[i] + carry;
    carry = value >= 10;
    sum->digits[i] = (unsigned char)(value - 10 * carry);
  }
  return carry == 0;
}

void amount_subtract(const amount *a, const amount *b, amount *difference) {
  int borrow = 0;
  for (int i = AMOUNT_DIGITS - 1; i >= 0; i--) {
    int value = a->digits[i] - b->digits[i] - borrow;
    borrow = value < 0;
    difference->digits[i] = (unsigned char)(value + 10 * borrow);
  }
}

int amount_compare(const amount *a, const amount *b) {
  return memcmp(a->digits, b->digits, AMOUNT_DIGITS);
}

void amount_text(const amount *a, char out[DPERM_AMOUNT_SIZE]) {
  int first = 0, last = AMOUNT_DIGITS - 1;
  while (first < AMOUNT_WHOLE - 1 && a->digits[first] == 0) {
    first++;
  }
  while (last >= AMOUNT_WHOLE && a->digits[last] == 0) {
    last--;
  }
  for (int i = first; i <= last || i < AMOUNT_WHOLE; i++) {
    if (i == AMOUNT_WHOLE) {
      *out++ = '.';
    }
    *out++ = (char)('0' + a->digits[i]);
  }
  *out = '\0';
}

void amount_brief(const amount *a, char out[DPERM_AMOUNT_SIZE]) {
  enum { LONG = 20 };
  int first = 0;
  amount_text(a, out);
  if (strlen(out) <= LONG) {
    return;
  }
  while (first < AMOUNT_DIGITS - 3 && a->digits[first] == 0) {
    first++;
  }
  if (first < AMOUNT_WHOLE) {
    out[LONG] = '\0';
  } else {
    bool round = a->digits[first + 1] == 0 && a->digits[first + 2] == 0;
    (void)snprintf(out, DPERM_AMOUNT_SIZE, round ? "%d" : "%d.%d%d", a->digits[first],
                   a->digits[first + 1], a->digits[first + 2]);
    size_t used = strlen(out);
    (void)snprintf(out + used, DPERM_AMOUNT_SIZE - used, "e%d", AMOUNT_WHOLE - 1 - first);
  }
}

/* ---- both amounts */

bool amounts_parse(const char *epsilon, const char *delta, amounts *out) {
  return amount_parse(epsilon, &out->epsilon) && amount_parse(delta, &out->delta);
}

bool amounts_add(const amounts *a, const amounts *b, amounts *sum) {
  return amount_add(&a->epsilon, &b->epsilon, &sum->epsilon) &&
         amount_add(&a->delta, &b->delta, &sum->delta);
}

bool amounts_cover(const amounts *total, const amounts *sums) {
  return amount_compare(&sums->epsilon, &total->epsilon) <= 0 &&
         amount_compare(&sums->delta, &total->delta) <= 0;
}

void amounts_subtract(const amounts *a, const amounts *b, amounts *difference) {
  amount_subtract(&a->epsilon, &b->epsilon, &difference->epsilon);
  amount_subtract(&a->delta, &b->delta, &difference->delta);
}

void amounts_text(const amounts *a, char epsilon[DPERM_AMOUNT_SIZE],
                  char delta[DPERM_AMOUNT_SIZE]) {
  amount_text(&a->epsilon, epsilon);
  amount_text(&a->delta, delta);
}
