/* The commands, each in its own file (cmd_train.c), and what all of them use. argv[0] is the first
 * word after the command's name; what they return is the exit status. */
#pragma once

#include "arguments/arguments.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include "output/progress_bar.h"

extern const command ledger_actions[], schema_actions[];
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
int run_encode(int argc, char **argv);
int run_demo(int argc, char **argv);
