#include "mpi/group_mpi.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Environment variables of Open MPI's launcher; of MPICH's, Intel's, and srun --mpi=pmi2; of MVAPICH's; of srun
   --mpi=pmix. Slurm's number of tasks is that of the step: SLURM_NTASKS, SLURM_PROCID and SLURM_LOCALID are also set
   in batch scripts, which are one process. With srun without --mpi each task is a separate run. */
static const struct {
  const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
};

static bool environment_number(const char *variable, unsigned *out) {
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
    if (environment_number(launchers[i].rank, &job.rank) && environment_number(launchers[i].size, &job.size) &&
        job.rank < job.size)
      return job;
  return (struct mpi_job){.rank = 0, .size = 1};
}

unsigned mpi_job_local_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                                      "SLURM_LOCALID"};
  unsigned number = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names && mpi_job().size > 1; i++)
    if (environment_number(names[i], &number))
      return number < mpi_job_local_size() ? number : 0;
  return 0;
}

/* Entry for `node` in a list such as "1,4(x2),2", which has one entry per node; the greatest entry if the node is
   not known. 0: it is no list. */
static unsigned long tasks_of(const char *list, bool known, unsigned node) {
  unsigned long most = 0;
  for (unsigned long before = 0; *list >= '0' && *list <= '9';) {
    char *end;
    const unsigned long tasks = strtoul(list, &end, 10);
    const unsigned long nodes = strncmp(end, "(x", 2) == 0 ? strtoul(end + 2, &end, 10) : 1;
    before += nodes;
    if (known && node < before)
      return tasks;
    most = tasks > most ? tasks : most;
    end += *end == ')';
    list = end + (*end == ',');
  }
  return most;
}

static unsigned long tasks_of_step(void) {
  const char *list = getenv("SLURM_STEP_TASKS_PER_NODE");
  unsigned node = 0;
  const bool known = environment_number("SLURM_NODEID", &node);
  return list ? tasks_of(list, known, node) : 0;
}

unsigned mpi_job_local_size(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"};
  const unsigned size = mpi_job().size;
  unsigned number = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (environment_number(names[i], &number) && number > 0)
      return number < size ? number : size;
  const unsigned long tasks = tasks_of_step();
  return tasks == 0 ? 1 : tasks < size ? (unsigned)tasks : size;
}
