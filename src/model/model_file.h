/* What the files of model/ share about a model file: names, digest, content and length. */
#pragma once

#define MODEL_FORMAT_NAME "dperm-model/"
#define PERSON_RULE "mean" /* how a person's records count together (docs/proofs/persons.md) */
enum { MODEL_FORMAT_NUMBER = 1, DIGEST_TEXT_SIZE = 65 };

#include <jansson.h>

#include "base/file_write.h"
#include "base/json_text.h"
#include "model/model.h"

extern const char *const model_origin_names[3];

/* BLAKE2b-256 of the object without its "digest", in a canonical form that does not depend on
 * blanks or the order of keys: finds a file that was damaged on the way. It is no signature. Fails
 * for want of memory, also where that left no object (NULL). */
dperm_status model_digest(const json_t *object, char out[DIGEST_TEXT_SIZE], dperm_error *err);

enum { MODEL_LIMIT = 1 << 30 }; /* bytes of a file */
/* A model's file as JSON, whatever it holds. Free it, also after a failure. */
dperm_status model_document_read(const char *path, json_document *out, dperm_error *err);
/* The model in it, as dperm_model_read gives it. Without a place for one the document is checked
 * alone: fails on what holds no sound model. */
dperm_status model_of_document(const json_document *doc, dperm_model **out, dperm_error *err);

/* The weights of a noise's blocks: one for each group of the body that states one, in the order of
 * the columns; none where no group does. NULL for want of memory. */
json_t *block_weights_json(const noise_plan *noise);

/* All bytes of a model's file; the caller commits. */
dperm_status model_write_content(const dperm_model *model, output_file *out, dperm_error *err);

/* What of a file's epsilon went to the schema's refinement, and what the model was charged, into
 * its claim; false where the file does not say, or the schema says something else. */
bool model_refined_fits(const json_t *privacy, dperm_model *model);

/* What the steps that made the schema are composed to with the noise, as "composed" of a file. NULL
 * for want of memory. */
json_t *model_composed_json(const composition *composed);

/* A loss's quantile, after its name and h, and the range of a regression's label, after its schema
 * and loss; false where they are not clear. */
bool model_read_quantile(const json_t *loss, dperm_model *model);
bool model_read_label(const json_t *root, dperm_model *model);

/* An evaluation that a file states, into the model, after its claim and its rows; whether it is one
 * that this claim can have, else what is wrong in `doubt`. */
bool model_read_evaluation(const json_t *root, dperm_model *model, char *doubt, size_t size);

/* The object of a share after the fit, with its epsilon; NULL for want of memory. */
json_t *model_share_json(const dperm_model *model, share_id share);
/* The objects of all such shares that a file has, and their epsilons, into the model, after its
 * classes. The first share whose object is not sound, or NULL. */
const share_kind *model_read_shares(const json_t *root, dperm_model *model);
