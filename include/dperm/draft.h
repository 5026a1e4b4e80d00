/* dperm: a first schema from records that are public, or from a data dictionary. */
#ifndef DPERM_DRAFT_H
#define DPERM_DRAFT_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dperm_draft_options {
  size_t size;       /* set by dperm_draft_options_init */
  int header;        /* 1: the first record names the columns, 0: it does not, -1: guess */
  char separator;    /* '\0': a comma, or what the first line has instead */
  const char *label; /* its column; NULL for the last one */
  const char *const *positive; /* labels of the positive class; NULL if there are two: chooses */
  size_t positive_count;
  const char *const *missing; /* texts that mean "no value"; NULL for the usual ones */
  size_t missing_count;
} dperm_draft_options;

/* Guesses all. */
DPERM_OPTIONS_INIT(dperm_draft_options, DPERM_OPTIONS_DRAFT)

/* Something for a person to check, one line of text, valid during the call only. */
typedef void dperm_remark(void *context, const char *line);

/* A first schema for CSV records that are public, from one pass over them; the rules are in
 * docs/formats.md. `text` are the records, `length` bytes, which `name` stands for in messages; if
 * it is NULL the file called `name` is read. The schema depends on the records, and remarks and
 * errors quote them: a schema for private records must come from what is known about the
 * population. `remark` (may be NULL) is called on success only. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_draft(const char *name, const char *text,
                                                        size_t length,
                                                        const dperm_draft_options *options,
                                                        const dperm_progress *progress,
                                                        dperm_remark *remark, void *context,
                                                        dperm_schema **out, dperm_error *err);

/* What a data dictionary is written in. */
typedef enum dperm_dictionary {
  DPERM_DICTIONARY_AUTO = 0,         /* by its keys */
  DPERM_DICTIONARY_FRICTIONLESS = 1, /* a Table Schema, or a data resource or package with one */
  DPERM_DICTIONARY_CSVW = 2          /* metadata of CSV on the Web: a table, or a group of them */
} dperm_dictionary;
DPERM_NAMES(dictionary, dperm_dictionary, DPERM_WORDS_DICTIONARY)

typedef struct dperm_import_options {
  size_t size;                 /* set by dperm_import_options_init */
  const char *label;           /* its column; required */
  const char *const *positive; /* labels of the positive class; NULL: see docs/formats.md */
  size_t positive_count;
  const char *table;           /* the name, path or url of one of several; NULL if there is one */
  dperm_dictionary dictionary; /* what it is written in */
  int reserved;                /* 0 */
} dperm_import_options;

DPERM_OPTIONS_INIT(dperm_import_options, DPERM_OPTIONS_IMPORT)

/* A schema from a data dictionary (`name`, `text` and `length` as above): ranges, lists of values
 * and missing values as they stand there.
 * No record is read, and nothing is guessed: a column of which the dictionary says too little is
 * ignored, with a remark, and a label of which it does is an error. docs/formats.md has the rules.
 * That the dictionary says what is known in public, and was not counted from the private records,
 * is the caller's to know. `remark` (may be NULL) is called on success only. */
DPERM_API DPERM_CHECKED dperm_status dperm_schema_import(const char *name, const char *text,
                                                         size_t length,
                                                         const dperm_import_options *options,
                                                         dperm_remark *remark, void *context,
                                                         dperm_schema **out, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
