/* The commands, each in its own file (cmd_train.c): argv[0] is the first word after the command's
 * name, and what they return is the exit status. */
#pragma once

int run_train(int argc, char **argv);
int run_tune(int argc, char **argv);
int run_refine(int argc, char **argv);
int run_plan(int argc, char **argv);
int run_sweep(int argc, char **argv);
int run_predict(int argc, char **argv);
int run_score(int argc, char **argv);
int run_verify(int argc, char **argv);
int run_audit(int argc, char **argv);
int run_statement(int argc, char **argv);
int run_ledger(int argc, char **argv);
int run_encode(int argc, char **argv);
int run_schema(int argc, char **argv);
int run_schema_draft(int argc, char **argv);
int run_schema_import(int argc, char **argv);
int run_demo(int argc, char **argv);
