/* A schema on its way: draft_schema.c proposes one from public records, import_schema.c from a data
 * dictionary. Both say what each column is taken for; here that becomes JSON, with remarks wherever
 * a person should look, which are given out only once all of it succeeded. Where memory ran out, a
 * list is NULL from then on and the proposal fails in the end. */
#pragma once

#include "base/json_text.h"
#include "base/text.h"
#include "dperm/draft.h"
#include "schema/schema.h"

/* What a column is taken for; for those that are ignored, proposal.c and import_schema.c say why.
 */
typedef enum draft_kind {
  DRAFT_FLAG,       /* 0 and 1, or −1 and 1: a number with these bounds */
  DRAFT_NUMBER,     /* a number */
  DRAFT_CATEGORIES, /* each value a category */
  DRAFT_GROUPS,     /* the frequent values categories, all others one together */
  DRAFT_LABEL,
  /* ignored, by what the records are like, */
  DRAFT_EMPTY,
  DRAFT_CONSTANT,
  DRAFT_EXTREME,
  DRAFT_IDENTIFIER,
  DRAFT_DATE,
  DRAFT_AMOUNT,
  DRAFT_MANY,
  DRAFT_LEAK,
  /* or by what a dictionary says or leaves open */
  DRAFT_KEY,
  DRAFT_UNIQUE,
  DRAFT_SEVERAL,
  DRAFT_NO_RANGE,
  DRAFT_HALF_RANGE,
  DRAFT_EMPTY_RANGE,
  DRAFT_NO_LIST,
  DRAFT_NO_TRUTH,
  DRAFT_OTHER,
  DRAFT_MISSING_CLASH
} draft_kind;

static inline bool draft_is_used(draft_kind kind) {
  return kind <= DRAFT_LABEL;
}

/* Numbers within such bounds cannot be scaled. */
bool draft_is_extreme(double low, double high);

typedef struct draft_range {
  double min, max;
  bool center, log1p;
} draft_range;

typedef struct proposal {
  json_t *remarks, *missing, *columns, *label;
  bool header;
  char separator;
  const char *comment; /* or NULL */
} proposal;
/* With empty lists, a header and commas. */
proposal proposal_new(void);
void proposal_clear(proposal *p);

/* Adds a line about a column, or about all (NULL), visible (dperm_text_visible); what is too long
 * is cut. */
void proposal_remark(proposal *p, const char *column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next column: one of type "ignore" or "label"; a number; categories, as a list of values or as
 * an object of groups, which is taken over. */
void proposal_add_plain(proposal *p, const char *name, const char *type);
void proposal_add_number(proposal *p, const char *name, const draft_range *range, bool auto_bins);
void proposal_add_categories(proposal *p, const char *name, json_t *members);
/* Ignored, with a remark that says why; no kind whose reason needs more words than these. */
void proposal_add_ignored(proposal *p, const char *name, draft_kind kind);

/* What is known of the label's values. */
typedef struct label_values {
  const char *name;       /* of the column */
  json_t *categories;     /* each a list of the texts that mean it; NULL if they are not known */
  const uint64_t *counts; /* how often each was seen; NULL if a dictionary lists them all */
  bool truths;            /* false and true */
  const char *const *positive; /* the caller's, or NULL */
  size_t positive_count;
  /* Where errors are: in a file of records, or at a place of a document. */
  const char *path;
  const json_document *doc;
  const json_t *place;
  /* Results: which of the categories are positive, or whether each is a class of its own. */
  bool *chosen;
  bool several;
} label_values;
/* The schema's "label": two classes by the caller's choice, by custom (no/yes, 0/1), or the rarer
 * value, else the second, is positive; a few more than two are a class each. */
dperm_status proposal_add_label(proposal *p, label_values *label, dperm_error *err);

/* Of two labels, whether the second is the positive one by custom: no/yes, 0/1, −1/1, false/true.
 * 1 if so, −1 if it is the first, 0 if custom does not say. */
int draft_custom_label(slice first, slice second);

/* The caller's positive labels: at least one if any, each once, in UTF-8. */
dperm_status proposal_check_positive(const char *const *positive, size_t count, dperm_error *err);

/* The schema, by the parser, which is told `name`; then the remarks are given out. */
dperm_status proposal_finish(proposal *p, const char *name, dperm_remark *remark, void *context,
                             dperm_schema **out, dperm_error *err);

/* Whether a list of texts holds this one. */
bool json_holds_text(const json_t *list, const char *text);
