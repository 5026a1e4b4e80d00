/* Row independence: the promise under every claim of privacy is that replacing one record changes
 * one row. Here it is a conformance suite. `inputs` (tests/support/input_paths.h) lists every way
 * by which records come in; through each of them go random data sets twice, the second time with
 * one record replaced by a hostile one (tests/support/hostile_records.h). Then either the second is
 * refused (it cannot be read, or no private fit accepts it), and for that record's sake, or all but
 * its row is the same to the bit: the number of rows, their order, every other row, label and
 * group, the names of the classes, the number of columns, the bound on the norm.
 *
 * A new input is one line in the table: what its records are made of, how they look, and a function
 * that takes a set of them to a `seen`. Inputs of Python are in
 * python/tests/test_row_independence.py, with the same hostile list. DPERM_ROW_TRIALS multiplies
 * the number of trials. */
#include <stdlib.h>

#include "base/thread_pool.h"
#include "input_paths.h"

/* What is different but row `place`; NULL for nothing. */
static const char *difference(const seen *a, const seen *b, size_t place) {
  if (a->rows != b->rows) {
    return "the number of rows";
  }
  if (a->dims != b->dims || a->norm != b->norm) {
    return "the columns, or the bound on the norm";
  }
  if (!class_list_equal(&a->classes, &b->classes)) {
    return "the classes";
  }
  for (size_t i = 0; i < a->rows; i++) {
    if (i != place &&
        (memcmp(a->x[i], b->x[i], sizeof *a->x) != 0 || a->groups[i] != b->groups[i] ||
         memcmp(&a->labels[i], &b->labels[i], sizeof *a->labels) != 0)) {
      return "another row";
    }
  }
  return NULL;
}

/* Whether the record is refused where there is nothing else but one record before it, which makes
 * it the second, if it was not the first. */
static bool refused_alone(const input *d, const record_set *set, size_t place) {
  record two[2] = {set->at[0], set->at[place]};
  record_set few = *set;
  few.at = place > 0 ? two : two + 1;
  few.count = place > 0 ? 2 : 1;
  seen s = seen_new(few.count);
  d->pass(d, &few, &s);
  bool no = refused(&s);
  seen_free(&s);
  return no;
}

typedef struct tally {
  size_t passed, refused;
} tally;

static void replace_one(const input *d, random_source *r, record_set *set, const seen *before,
                        size_t number, size_t place, tally *t) {
  const char *name = NULL, *trouble = NULL;
  bool by_others = false;
  record hostile, was = set->at[place];
  if (!hostile_draw(r, set, place, number, &hostile, &name, &by_others)) {
    record_clear(&hostile);
    return;
  }
  set->at[place] = hostile;
  seen after = seen_new(set->count);
  d->pass(d, set, &after);
  if (!refused(&after)) {
    t->passed++;
    trouble = difference(before, &after, place);
  } else {
    t->refused++;
    if (!by_others && !refused_alone(d, set, place)) {
      trouble = "refused, but not for its own sake: the answer";
    }
  }
  if (trouble) {
    fail_msg("%s: hostile record %zu (\"%.40s\") in place %zu of %zu (fields %s) changed %s; %zu "
             "rows instead of %zu; %s",
             d->name, number, name, place, set->count, set->layout ? set->layout->fields : "-",
             trouble, after.rows, before->rows, after.why.message);
  }
  set->at[place] = was;
  record_clear(&hostile);
  seen_free(&after);
}

static size_t trials_of(const input *d) {
  const char *more = getenv("DPERM_ROW_TRIALS");
  size_t times = more ? (size_t)strtoul(more, NULL, 10) : 1;
  return (d->records == LARGE ? 2 : d->how & ENCODED ? 3 : RECORD_LAYOUTS) * (times ? times : 1);
}

/* Often the last: what ends a file is as special as what it begins with. */
static size_t some_place(random_source *r, size_t count) {
  return random_bits(r) % 4 == 0 ? count - 1 : (size_t)(random_bits(r) % count);
}

/* So many data sets; in each, every hostile record in some place, and in the first if the file
 * begins with it. */
static void one_record_changes_one_row(void **state) {
  const input *d = *state;
  tally t = {0, 0};
  random_source r;
  assert_ok(random_seeded(1000 + (uint64_t)(d - inputs), &r, err));
  thread_scope scope = threads_enter(d->threads ? d->threads : 1);
  for (size_t trial = 0; trial < trials_of(d); trial++) {
    size_t count = d->records == LARGE ? LARGE : 1 + (size_t)(random_bits(&r) % d->records);
    record_set set =
        records_draw(&r, d->family, 2 * trial, d->how & QUOTED, d->how & UNENDED, count);
    seen before = seen_new(count);
    d->pass(d, &set, &before);
    if (refused(&before)) {
      fail_msg("%s: fine records are refused: %s", d->name, before.why.message);
    }
    assert_int_equal(before.rows, count);
    bool begins = d->records == SMALL && (d->family == RECORDS_SVMLIGHT ||
                                          (d->family == RECORDS_CSV && !set.layout->header));
    for (size_t h = 0; h < hostile_count(d->family); h++) {
      replace_one(d, &r, &set, &before, h, some_place(&r, count), &t);
      if (begins) {
        replace_one(d, &r, &set, &before, h, 0, &t);
      }
    }
    seen_free(&before);
    records_free(&set);
  }
  threads_leave(&scope);
  assert_true(t.passed > 20 && t.refused > 20); /* else nothing was tried */
}

int main(void) {
  struct CMUnitTest tests[64];
  assert_true(input_count <= sizeof tests / sizeof *tests);
  for (size_t i = 0; i < input_count; i++) {
    tests[i] = (struct CMUnitTest){
        .name = inputs[i].name,
        .test_func = one_record_changes_one_row,
        .initial_state = (void *)(uintptr_t)&inputs[i],
    };
  }
  cmocka_set_test_filter(getenv("DPERM_ROW_INPUTS"));
  return _cmocka_run_group_tests("one record changes one row", tests, input_count, NULL, NULL);
}
