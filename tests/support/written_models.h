/* Small models of every origin, for tests of model files. */
#ifndef DPERM_TESTS_WRITTEN_MODELS_H
#define DPERM_TESTS_WRITTEN_MODELS_H

#include "model/model.h"

extern const char schema_of_models[];

/* The caller frees what these return. Frees `data`. */
dperm_model *train_under(dperm_data *data, const char *loss, dperm_mechanism mechanism,
                         dperm_analysis analysis, dperm_random *random);
dperm_data *memory_data(double norm);
dperm_model *schema_model(void);
dperm_model *mixed_model(void);
dperm_model *memory_model(double norm);
dperm_model *private_model(void);
dperm_model *svmlight_model(void);

/* The bytes of a model's file, and a model of such bytes. */
char *model_text(const dperm_model *model, size_t *length);
dperm_status model_read_bytes(const char *bytes, size_t length, dperm_model **out,
                              dperm_error *err);

#endif
