/* What the guarantee leaves out, and what it rests on. */
#include "report/card.h"

void card_write_limits(report *p, const statement *s) {
  report_heading(p, "What is not promised");
  report_item(p, "That nothing is learned about groups: a model may say what holds for people in "
                 "general, with or without any one of them.");
  report_item(p,
              "Anything about other releases from the same records: their ε and δ must be added%s.",
              s->seen->paid.entry.order > 0 ? ", or composed as this ledger does" : "");
  if (!s->person) {
    report_item(p, "The same strength for someone with several records: k of them are protected at "
                   "k times ε and with a larger δ.");
  }
  report_heading(p, "What is assumed");
  report_item(p,
              "The schema (ranges, categories, labels)%s, the options and the %s %s were chosen "
              "without looking at the records.",
              s->model->claim.shares[SHARE_SCHEMA] > 0
                  ? ", apart from the refinement that the budget covers"
                  : "",
              s->adding ? "estimate of the number of" : "number of", s->units);
  if (s->person_column) {
    report_item(p, "The column \"%.64s\" has one name for each person, and no two have the same.",
                s->person_column);
  } else if (s->person) {
    report_item(p, "No person has more than %zu records in the data.",
                s->model->claim.rows_per_person);
  }
  report_item(p, "The computer's random source is secure: no one can tell its bits from true "
                 "randomness with the computing power there is. Its arithmetic is IEEE 754, "
                 "rounded to nearest, its mathematical functions are accurate to two units in the "
                 "last place, and the program that ran is dperm as published.");
  report_item(p, "Whatever was declared is true: the constants of a custom loss, and that data "
                 "declared public are public.");
  report_item(p, "Run time, memory use and whether a run failed are not part of the release: "
                 "nothing is promised against someone who watches the computer at work.");
}
