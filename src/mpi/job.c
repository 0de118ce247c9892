#include "mpi/group_mpi.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/* Who sets them: Open MPI's launcher; MPICH's, Intel's, and srun --mpi=pmi2; MVAPICH's; srun --mpi=pmix. Slurm's number
   of tasks is that of the step: SLURM_NTASKS is set in batch scripts as well, of which there is one process. */
static const struct {
  const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
};

static bool read_number(const char *variable, unsigned *out) {
  const char *text = getenv(variable);
  if (!text || *text < '0' || *text > '9')
    return false;
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  *out = (unsigned)number;
  return !*end && number <= INT_MAX;
}

struct mpi_job mpi_job(void) {
  const char *module = getenv("FLOE_LIBMPI"); /* set but empty: no MPI */
  struct mpi_job job;
  if (module && !*module)
    return (struct mpi_job){.rank = 0, .size = 1};
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    if (read_number(launchers[i].rank, &job.rank) && read_number(launchers[i].size, &job.size) && job.rank < job.size)
      return job;
  return (struct mpi_job){.rank = 0, .size = 1};
}

unsigned mpi_job_number_here(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                                      "SLURM_LOCALID"};
  unsigned number = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names && mpi_job().size > 1; i++)
    if (read_number(names[i], &number))
      return number < mpi_job_here() ? number : 0;
  return 0;
}

/* Slurm's is a list as "4(x2),1": its first number. */
unsigned mpi_job_here(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"};
  const unsigned size = mpi_job().size;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    const unsigned long number = text ? strtoul(text, NULL, 10) : 0;
    if (number > 0)
      return number < size ? (unsigned)number : size;
  }
  return 1;
}
