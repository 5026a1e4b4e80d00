/* The records' choice between lines and bins. Both sums that decide it are as far apart as one
 * record can make them (bins_evidence_test.c shows that none moves them farther): zero for the one
 * data set, their reach for the other. What leaves is one bit, so the bound stays well below ε;
 * without noise the bit tells the two apart for certain. */
#include "audit/attack.h"
#include "audit/audit_cases.h"
#include "refine/bins_evidence.h"

enum { REACH = 1 << 20 };

typedef struct bins_target {
  bins_evidence exact[2]; /* of each data set */
  double epsilon;
} bins_target;

static dperm_status draw_choice(const attack *a, int side, random_source *source, double *score,
                                double *outcome, dperm_error *err) {
  const bins_target *t = a->context;
  (void)err;
  *outcome = *score = bins_wanted(&t->exact[side], t->epsilon, source);
  return DPERM_OK;
}

dperm_status audit_bins(const dperm_audit_options *options, int unused, dperm_audit_result *out,
                        dperm_error *err) {
  bins_target t = {.exact = {{{REACH, REACH}, {REACH, REACH}}, {{0, REACH}, {0, REACH}}},
                   .epsilon = options->epsilon};
  const attack a = {.context = &t, .usual_draws = 200000, .block = 1024, .draw = draw_choice};
  (void)unused;
  return attack_run(&a, options, out, err);
}
