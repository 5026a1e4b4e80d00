/* The processes of the MPI job that this one belongs to. */
#pragma once

#include <dperm/ranks.h>
#include <stdbool.h>

/* NULL outside of a job. */
dperm_ranks *job_ranks(void);
/* True in one process of the job: the one that charges, prints and writes. */
bool job_leads(void);
/* Joins the job; only the leader prints from now on. `many`: the command can run as several. */
dperm_status job_join(bool many, dperm_error *err);
/* Leaves it; a failure of one process is a failure of all. */
dperm_status job_leave(dperm_status status, dperm_error *err);
