/* CSV on the Web (w3.org/TR/tabular-metadata): the metadata of a table, or of one in a group, with
 * its schema and dialect. Annotations and vocabularies of other standards are not looked at. */
#include <math.h>

#include "base/owned.h"
#include "draft/dictionary.h"

/* How wide a machine's integers are says nothing about the values; that they are not negative does.
 */
static const type_words types[] = {
    {" number decimal double float ", DICTIONARY_NUMBER, false, NAN, NAN},
    {" integer long int short byte gYear ", DICTIONARY_NUMBER, true, NAN, NAN},
    {" nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte ", DICTIONARY_NUMBER,
     true, 0, NAN},
    {" positiveInteger ", DICTIONARY_NUMBER, true, 1, NAN},
    {" nonPositiveInteger ", DICTIONARY_NUMBER, true, NAN, 0},
    {" negativeInteger ", DICTIONARY_NUMBER, true, NAN, -1},
    {" boolean ", DICTIONARY_BOOLEAN, false, NAN, NAN},
    {" date dateTime datetime dateTimeStamp time duration dayTimeDuration yearMonthDuration gDay "
     "gMonth gMonthDay gYearMonth ",
     DICTIONARY_DATE, false, NAN, NAN},
    {" string normalizedString token language Name NMTOKEN any anyAtomicType ", DICTIONARY_TEXT,
     false, NAN, NAN}};

/* A number's format: a pattern of zeros and # with a point, or an object of signs. */
static bool is_dressed(const json_t *format) {
  const char *pattern =
      json_is_object(format) ? dictionary_text(format, "pattern") : json_string_value(format);
  return dictionary_dressed(format) || (pattern && strspn(pattern, "0#.+-Ee") != strlen(pattern));
}

/* "Y|N": true first. */
static dperm_status take_truths(dictionary_column *column, const char *format, dperm_error *err) {
  const char *bar = format ? strchr(format, '|') : NULL;
  json_auto_t *both = NULL;
  TRY(json_made(!format ? json_pack("[[s, s], [s, s]]", "true", "1", "false", "0")
                : bar   ? json_pack("[[s%], [s]]", format, (size_t)(bar - format), bar + 1)
                        : json_pack("[[], []]"),
                &both, err));
  return dictionary_truths(json_array_get(both, 1), json_array_get(both, 0), &column->categories,
                           err);
}

static dperm_status take_datatype(dictionary_column *column, const json_t *datatype,
                                  dperm_error *err) {
  const char *word =
      json_is_object(datatype) ? dictionary_text(datatype, "base") : json_string_value(datatype);
  const json_t *format = json_object_get(datatype, "format");
  const char *pattern = json_string_value(format);
  dictionary_take_type(column, word ? word : "string", types, sizeof types / sizeof *types);
  dictionary_take_bounds(column, datatype);
  if (column->kind == DICTIONARY_BOOLEAN) {
    return take_truths(column, pattern, err);
  }
  column->dressed = column->kind == DICTIONARY_NUMBER && is_dressed(format);
  return column->kind == DICTIONARY_TEXT && pattern
             ? dictionary_pattern(pattern, &column->categories, err)
             : DPERM_OK;
}

/* The first of a column's titles, which are a text, a list, or either for each language; and
 * whether there are more. */
static const char *first_title(const json_t *titles, bool *more) {
  if (json_is_object(titles)) {
    void *member = json_object_iter((json_t *)titles);
    *more = *more || json_object_size(titles) > 1;
    titles = member ? json_object_iter_value(member) : NULL;
  }
  if (json_is_array(titles)) {
    *more = *more || json_array_size(titles) > 1;
    titles = json_array_get(titles, 0);
  }
  return json_string_value(titles);
}

/* A header has titles; names are the dictionary's own, and stand in for titles where there are
 * none. */
static dperm_status take_names(dictionary *d, dictionary_column *column, dperm_error *err) {
  bool more = false;
  const char *name = dictionary_text(column->place, "name");
  const char *title = first_title(json_object_get(column->place, "titles"), &more);
  column->name = title && (d->p.header || !name) ? title : name;
  column->other_name = name;
  if (!column->name) {
    return json_fail_at(d->doc, column->place, err,
                        "a column has neither \"name\" nor \"titles\"; add what stands in the "
                        "header");
  }
  if (more && column->name == title) {
    proposal_remark(&d->p, title,
                    "has several titles, and this one is taken to stand in the header");
  }
  return DPERM_OK;
}

static dperm_status read_column(dictionary *d, dictionary_column *column, dperm_error *err) {
  const json_t *owner = NULL;
  TRY(take_names(d, column, err));
  TRY(take_datatype(column, dictionary_get(d, "datatype", &owner), err));
  const json_t *separator = dictionary_get(d, "separator", &owner);
  column->several = separator && !json_is_null(separator);
  const char *standing_in = json_string_value(dictionary_get(d, "default", &owner));
  if (standing_in && *standing_in) {
    proposal_remark(&d->p, column->name,
                    "an empty field stands for \"%.64s\" there and is missing here: write the "
                    "value into the file",
                    standing_in);
  }
  return DPERM_OK;
}

const dictionary_format dictionary_csvw = {
    .signs = {"@context", "tableSchema", "tables", "columns"},
    .tables = "tables",
    .names = {"url", "@id"},
    .schema = "tableSchema",
    .columns = "columns",
    .column = "column",
    .no_schema =
        "there is no \"tableSchema\" with \"columns\": this is no CSVW metadata of a table",
    .missing = "null",
    .inherits = true,
    .list_hint = "a string with a \"format\" such as \"low|high\"",
    .read_column = read_column};
