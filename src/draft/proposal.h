/* A schema on its way: draft_schema.c proposes one from public records, import_schema.c from a data
 * dictionary. Both say what each column is taken for; here that becomes JSON, with remarks wherever
 * a person should look, which are given out only once all of it succeeded. Where memory ran out, a
 * list is NULL from then on and the proposal fails in the end. */
#pragma once

#include "base/json_text.h"
#include "dperm/draft.h"
#include "schema/schema.h"

/* What a column is taken for; for those that are ignored, proposal.c says why. */
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
  DRAFT_NAMED, /* whole numbers, under a name that identifiers have */
  DRAFT_MANY,
  DRAFT_LEAK,
  /* or by what a dictionary says or leaves open */
  DRAFT_DATE,
  DRAFT_DRESSED,
  DRAFT_SEVERAL,
  DRAFT_NO_RANGE,
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
  const char *separator, *comment; /* or NULL; checked by the schema's parser */
} proposal;
/* With empty lists and a header. */
proposal proposal_new(void);
void proposal_clear(proposal *p);

/* Adds a line about a column, or about all (NULL), visible (dperm_text_visible); what is too long
 * is cut. */
void proposal_remark(proposal *p, const char *column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next column: one of type "ignore" or "label"; a number; categories, as an object of groups
 * (name → list of texts, or "*"), which is taken over and becomes a list where each has one. */
void proposal_add_plain(proposal *p, const char *name, const char *type);
void proposal_add_number(proposal *p, const char *name, const draft_range *range);
void proposal_add_categories(proposal *p, const char *name, json_t *groups);
/* Where the range or the values of the last one come from, UTF-8. */
void proposal_source(proposal *p, const char *source);
/* Ignored, with a remark that says why. */
void proposal_add_ignored(proposal *p, const char *name, draft_kind kind);

enum {
  FEW_CLASSES = 20,      /* so many need no further reason */
  RECORDS_PER_CLASS = 10 /* more come back so often, or they are no classes */
};

/* What is known of the label's values. */
typedef struct label_values {
  const char *path;   /* of the records or the dictionary, for messages */
  const char *name;   /* of the column */
  json_t *categories; /* name → list of the texts that mean it; NULL if they are not known */
  bool seen;          /* in records, where others may come; a dictionary lists them all */
  size_t records;     /* in which they were seen */
  bool numbers;       /* all of them */
  bool first_rarer;   /* of two that were seen */
  bool truths;        /* false and true */
  const char *const *positive; /* the caller's, or NULL */
  size_t positive_count;
} label_values;
/* A number for the schema's "label", within a range that is known in public. */
dperm_status proposal_add_target(proposal *p, const char *name, double min, double max,
                                 dperm_error *err);
/* Or classes: two by the caller's choice, by custom (no/yes, 0/1), or the rarer value, else the
 * second, is positive; more than two are a class each. */
dperm_status proposal_add_label(proposal *p, const label_values *label, dperm_error *err);

/* Of two labels, whether the second is the positive one by custom: no/yes, 0/1, −1/1, false/true.
 * 1 if so, −1 if it is the first, 0 if custom does not say. */
int draft_custom_label(const char *first, const char *second);

/* The schema, by the parser, which is told `name`; then the remarks are given out. */
dperm_status proposal_finish(proposal *p, const char *name, dperm_remark *remark, void *context,
                             dperm_schema **out, dperm_error *err);

/* Whether a list of texts holds this one. */
bool json_holds_text(const json_t *list, const char *text);
/* The texts of a list for a message, as far as there is space. */
void json_show_texts(const json_t *list, char *out, size_t size);
