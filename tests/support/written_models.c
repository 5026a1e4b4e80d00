/* See written_models.h. */
#include "written_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

const char schema_of_models[] =
    "{\"label\": {\"column\": \"y\", \"positive\": [\"yes\"], \"negative\": [\"no\"]},"
    " \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 10},"
    " {\"name\": \"c\", \"type\": \"categorical\", \"values\": [\"u\", \"v\\u00e9\"]}],"
    " \"intercept\": true}";

dperm_model *train_under(dperm_data *data, const char *loss, dperm_mechanism mechanism,
                         dperm_analysis analysis, dperm_random *random) {
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  options.mechanism = mechanism;
  options.analysis = analysis;
  options.epsilon = 0.1;
  options.random = random;
  assert_ok(dperm_loss_by_name(loss, 0.3, &options.loss, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_data_free(data);
  return model;
}

static dperm_model *train_on(dperm_data *data, const char *loss) {
  return train_under(data, loss, DPERM_MECHANISM_NONE, DPERM_ANALYSIS_TIGHT, NULL);
}

static dperm_data *schema_data(void) {
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  assert_ok(dperm_schema_parse(schema_of_models, strlen(schema_of_models), "schema", &schema, err));
  char *path = file_with_text("a,c,y\n1,u,yes\n7,v\xc3\xa9,no\n3,u,no\n10,v\xc3\xa9,yes\n");
  const dperm_source source = {.path = path, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  dperm_schema_free(schema);
  file_remove(path);
  return data;
}

dperm_model *schema_model(void) {
  return train_on(schema_data(), "huber");
}

/* A block of two columns beside two that stand alone. */
dperm_model *mixed_model(void) {
  dperm_data *data = schema_data();
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  options.epsilon = 0.1;
  options.noise = DPERM_NOISE_MIXED;
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_data_free(data);
  return model;
}

dperm_data *memory_data(double norm) {
  static const double x[] = {0.5, 0.1, 0, -0.3, 0.2, 0.9}, labels[] = {1, -1};
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(2, 3, x, labels, norm, &data, err));
  return data;
}

dperm_model *memory_model(double norm) {
  return train_on(memory_data(norm), "logistic");
}

dperm_model *private_model(void) {
  return train_under(memory_data(1), "huber", DPERM_MECHANISM_OBJECTIVE, DPERM_ANALYSIS_TIGHT,
                     NULL);
}

dperm_model *svmlight_model(void) {
  dperm_data *data = NULL;
  char *path = file_with_text("+1 1:0.5 3:0.2\n-1 2:0.7\n");
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 4};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  file_remove(path);
  return train_on(data, "smooth-hinge");
}

char *model_text(const dperm_model *model, size_t *length) {
  char *path = file_with("", 0), *text = NULL;
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(file_read_all(path, 1 << 20, &text, length, err));
  file_remove(path);
  return text;
}

dperm_status model_read_bytes(const char *bytes, size_t length, dperm_model **out,
                              dperm_error *err) {
  char *path = file_with(bytes, length);
  dperm_status status = dperm_model_read(path, out, err);
  file_remove(path);
  return status;
}
