/* The cost of fifty releases at epsilon 0.1 and delta 1e-8 by a Renyi order, as docs/ledger.md and
 * docs/proofs/composition.md state it: a line "KEY TEXT" for each figure (tools/figures). Plans are
 * those of the program, with the automatic lambda of 300 to 10^7 rows and 1 to 1,000 columns where
 * nothing else is said. */
#include <math.h>
#include <stdio.h>

#include "loss/link.h"
#include "mechanism/privacy_plan.h"
#include "support.h"

static const double epsilon = 0.1, epsilon_num = 1e-4, none = (double)NAN;

static public_numbers numbers(const dperm_loss *loss, size_t rows, size_t columns, double lambda) {
  return (public_numbers){.rows = rows,
                          .dims = columns,
                          .bounds = row_bounds_of_norm(columns, 1),
                          .loss = loss,
                          .epsilon = epsilon - 2 * epsilon_num,
                          .epsilon_core = epsilon - 2 * epsilon_num,
                          .delta_core = 1e-8,
                          .noise = DPERM_NOISE_GAUSSIAN,
                          .mechanism = DPERM_MECHANISM_OBJECTIVE,
                          .analysis = DPERM_ANALYSIS_TIGHT,
                          .lambda = lambda,
                          .delta_reg = none,
                          .norm_guess = none};
}

static privacy_curve planned(const public_numbers *g) {
  privacy_plan plan;
  assert_ok(privacy_plan_make(g, &plan, err));
  privacy_curve curve = plan_curve(g, &plan);
  curve.epsilon_num = epsilon_num;
  return curve;
}

/* ---- what it costs of (total, 1e-6), at the order that this chooses */

static const double converted = 0.999 * 0.5e-6; /* of delta, by the conversion */

static double conversion(double total) {
  return total - renyi_budget(renyi_order_for(total, converted), total, converted);
}

static double fifty(double total, const privacy_curve *c) {
  return conversion(total) + 50 * renyi_of_curve(renyi_order_for(total, converted), c);
}

static void extremes(const dperm_loss *loss, dperm_neighbours neighbours, double *least,
                     double *most) {
  static const double rows[] = {300, 3000, 2e4, 1e5, 1e6, 1e7};
  static const size_t columns[] = {1, 2, 3, 5, 10, 30, 100, 1000};
  for (size_t i = 0; i < 48; i++) {
    public_numbers g = numbers(loss, (size_t)rows[i % 6], columns[i / 6], none);
    g.neighbours = neighbours;
    const privacy_curve c = planned(&g);
    *least = fmin(*least, fifty(2, &c));
    *most = fmax(*most, fifty(2, &c));
  }
}

/* ---- lines; what is "at most" is rounded up */

static void line(const char *key, int places, double value) {
  printf("%s %.*f\n", key, places, value);
}

static double up(double value) {
  return ceil(value * 100) / 100;
}

static void lines_of_noise(const dperm_loss *logistic) {
  public_numbers g = numbers(logistic, 1000, 1, 200 / 1e3);
  g.mechanism = DPERM_MECHANISM_OUTPUT;
  privacy_curve bare = planned(&g);
  double order = renyi_order_for(2, converted), lattice = renyi_of_curve(order, &bare);
  bare.epsilon_num = 0;
  line("noise", 4, renyi_of_curve(order, &bare));
  line("lattice", 4, lattice - renyi_of_curve(order, &bare));
}

/* Much slack: a small fit with many rows. */
static void lines_of_slack(const dperm_loss *hinge) {
  const public_numbers g = numbers(hinge, 20000, 2, none);
  privacy_curve c = planned(&g);
  line("steep_slack", 3, c.slack);
  line("steep_mean", 3, c.mean);
  line("steep", 2, fifty(2, &c));
  c.mean = 0;
  line("steep_alone", 2, fifty(2, &c));
}

static void lines_of_losses(const dperm_loss losses[3]) {
  double least = 2, most[2] = {0, 0};
  for (int i = 0; i < 3; i++) {
    extremes(&losses[i], DPERM_NEIGHBOURS_REPLACE, &least, &most[0]);
    extremes(&losses[i], DPERM_NEIGHBOURS_ADD_REMOVE, &(double){2}, &most[1]);
  }
  line("least", 2, floor(least * 100) / 100);
  line("most", 2, up(most[0]));
  line("most_added", 2, up(most[1]));
}

/* One Gaussian, whatever the rows and classes are. */
static void lines_of_classes(void) {
  const dperm_loss loss = softmax_loss(26);
  public_numbers g = numbers(&loss, 20000, 17, none);
  g.mechanism = DPERM_MECHANISM_DESCENT;
  const privacy_curve c = planned(&g);
  line("classes", 2, up(fifty(2, &c)));
}

int main(void) {
  dperm_loss losses[3] = {dperm_loss_logistic()};
  assert_ok(dperm_loss_huber(0.5, &losses[1], err));
  assert_ok(dperm_loss_smooth_hinge(0.5, &losses[2], err));
  line("order", 0, renyi_order_for(2, converted));
  line("conversion", 2, conversion(2));
  line("pure", 1, conversion(2) + 50 * renyi_of_pure(renyi_order_for(2, converted), epsilon));
  lines_of_noise(&losses[0]);
  lines_of_slack(&losses[2]);
  lines_of_losses(losses);
  lines_of_classes();
  return 0;
}
