/* Trains a private model on one CSV file, predicts another, and prints the error rate: the library
 * in one page.
 *
 *   cc train_and_predict.c $(pkg-config --cflags --libs dperm) -o train_and_predict
 *   ./train_and_predict schema.json train.csv test.csv
 */
#include <dperm.h>
#include <dperm/score.h>
#include <stdio.h>

static int fail(const dperm_error *err) {
  fprintf(stderr, "%s\n", err->message);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s SCHEMA TRAIN.csv TEST.csv\n", argv[0]);
    return 2;
  }
  int exit_status = 1;
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *train = NULL, *test = NULL;
  dperm_model *model = NULL;
  dperm_options options;
  dperm_metrics metrics;

  if (dperm_schema_read(argv[1], &schema, &err) != DPERM_OK) {
    return fail(&err);
  }
  dperm_source train_file = {.path = argv[2], .schema = schema};
  dperm_source test_file = {.path = argv[3], .schema = schema};
  dperm_options_init(&options);
  options.epsilon = 1.0; /* the privacy budget: the one number that has no default */

  if (dperm_data_read(&train_file, NULL, &train, &err) != DPERM_OK ||
      dperm_data_read(&test_file, NULL, &test, &err) != DPERM_OK ||
      dperm_train(train, &options, &model, &err) != DPERM_OK ||
      dperm_model_score(model, test, &metrics, &err) != DPERM_OK) {
    fail(&err);
  } else {
    printf("%zu rows, error rate %.4f\n", metrics.rows, metrics.error_rate);
    exit_status = 0;
  }
  dperm_model_free(model);
  dperm_data_free(test);
  dperm_data_free(train);
  dperm_schema_free(schema);
  dperm_threads_end();
  return exit_status;
}
