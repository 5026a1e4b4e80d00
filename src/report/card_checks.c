/* What was spent, and how anybody can check it: for people with the command at hand. */
#include "report/card.h"

void card_write_spending(report *p, const statement *s) {
  const dperm_model *model = s->model;
  report_heading(p, "What was spent, and what is left");
  if (s->seen->paid.found) {
    payment_write(p, model, &s->seen->paid, &s->seen->paid_for_schema);
  } else if (model->ledger_entry) {
    report_text(p,
                "The release was charged to a ledger, as entry %llu (receipt %.16s…). The "
                "custodian can add what is left: dperm statement --model … --ledger …",
                (unsigned long long)model->ledger_entry, model->ledger_digest);
  } else {
    report_text(p,
                "No ledger was charged. Budgets of several releases from the same records add up, "
                "and without a ledger only the custodian's own notes say how many there were.");
  }
}

void card_write_checks(report *p, const statement *s) {
  report_heading(p, "How to check it");
  report_text(p,
              s->seen->holds
                  ? "dperm %s derived the claim again from the file, with independent arithmetic: "
                    "all %zu steps hold. Anyone who has the file can repeat this:"
                  : "dperm %s could not derive the claim from the file: not all of %zu steps hold. "
                    "To see which fail:",
              dperm_version(), s->seen->steps);
  report_add(p, REPORT_LINE, "dperm verify --model %s", s->path);
  report_text(p, "Anyone who has the program can measure its privacy from outside, and the "
                 "custodian can check the ledger of what was spent:");
  report_add(p, REPORT_LINE, "dperm audit --all");
  report_add(p, REPORT_LINE, "dperm ledger verify LEDGER;  dperm ledger show LEDGER --model %s",
             s->path);
  report_text(p, "The proofs are in dperm's docs/privacy.md; SECURITY.md says what is defended "
                 "against whom. The program wrote this page from the file and repeats what the "
                 "file says; it is not legal advice.");
}
