/* The commands, each in its own file (cmd_train.c), and what all of them use. */
#pragma once

#include "arguments/arguments.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"

extern const command ledger_actions[], schema_actions[];
command_run run_train, run_tune, run_refine, run_plan, run_sweep, run_predict, run_score,
    run_explain, run_verify, run_audit, run_statement, run_encode, run_completion, run_demo;
