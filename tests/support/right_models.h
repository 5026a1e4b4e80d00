/* Model files whose privacy claim is right, as JSON trees: every mechanism, analysis, loss, way of
 * selection, kind of rows and of noise. Their numbers are worked out in long doubles, with a
 * margin, by neither the trainer's nor the verifier's code. */
#ifndef DPERM_TESTS_RIGHT_MODELS_H
#define DPERM_TESTS_RIGHT_MODELS_H

#include <jansson.h>

typedef enum test_loss { LOGISTIC, HUBER, SMOOTH_HINGE, CUSTOM, LOSSES } test_loss;
typedef enum test_claim { OUTPUT, TIGHT, PAPER, CLAIMS } test_claim;
typedef enum test_choice { NONE, SPLIT, LOGARITHMIC, GEOMETRIC, PUBLIC, CHOICES } test_choice;
typedef enum test_rows { MEMORY, SCHEMA, KERNEL, ROWS } test_rows;
typedef enum test_noise {
  NOISE_L2,
  NOISE_L1,
  NOISE_GROUP,
  NOISE_LINF,
  NOISE_MIXED,
  NOISES
} test_noise;

typedef struct model_kind {
  test_loss loss;
  test_claim claim;
  test_choice choice;
  test_rows rows;
  test_noise noise; /* other than l2 not with OUTPUT, mixed with SCHEMA only */
} model_kind;

/* Without a digest; give it back with json_decref. */
json_t *right_model(model_kind k);

/* epsilon(A) of objective perturbation, by looking at many margins, then closer. */
long double right_cost(model_kind k, long double kappa, long double a);
double right_smoothness(model_kind k);

#endif
