/* Environment variables of launchers, according to their manuals and sources (Slurm's srun(1) and its plugins
   mpi/pmi2 and mpi/pmix, Open MPI's, Hydra's). Slurm itself is not needed. Also the assignment of devices to
   processes. */
#include "api/device/gpu_select.h"
#include "mpi/group_mpi.h"
#include "tests/suite.h"

#include <stdlib.h>

#define MOST 12

/* All variables that any launcher sets. */
static const char *const known[] = {
    "FLOE_LIBMPI",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "PMI_RANK",
    "PMI_SIZE",
    "PMIX_RANK",
    "MPI_LOCALRANKID",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "SLURM_JOB_ID",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_TASKS_PER_NODE",
    "SLURM_STEP_ID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_TASKS_PER_NODE",
};

struct launch {
  const char *what;
  const char *set[MOST][2];
  struct mpi_job job;
  unsigned here, number;
};

#define BATCH                                                                                                          \
  {"SLURM_JOB_ID", "17"}, {"SLURM_TASKS_PER_NODE", "4"}, { "SLURM_NODEID", "0" }

static const struct launch launches[] = {
    {"no launcher", {{NULL}}, {0, 1}, 1, 0},
    {"a batch script of several tasks, without srun",
     {BATCH, {"SLURM_NTASKS", "4"}, {"SLURM_NPROCS", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}},
     {0, 1},
     1,
     0},
    {"a batch script of one task",
     {BATCH, {"SLURM_NTASKS", "1"}, {"SLURM_NPROCS", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}},
     {0, 1},
     1,
     0},
    {"salloc's shell on the host it was called on", {BATCH, {"SLURM_NTASKS", "8"}}, {0, 1}, 1, 0},
    {"salloc's shell as a step of its own",
     {BATCH,
      {"SLURM_STEP_ID", "4294967290"},
      {"SLURM_STEP_NUM_TASKS", "1"},
      {"SLURM_STEP_TASKS_PER_NODE", "1"},
      {"SLURM_PROCID", "0"},
      {"SLURM_LOCALID", "0"},
      {"PMIX_RANK", "0"}},
     {0, 1},
     1,
     0},
    {"srun --mpi=none: each task is for itself",
     {BATCH,
      {"SLURM_NTASKS", "4"},
      {"SLURM_STEP_NUM_TASKS", "4"},
      {"SLURM_STEP_TASKS_PER_NODE", "4"},
      {"SLURM_PROCID", "2"},
      {"SLURM_LOCALID", "2"}},
     {0, 1},
     1,
     0},
    {"srun --mpi=pmix",
     {BATCH,
      {"SLURM_STEP_NUM_TASKS", "4"},
      {"SLURM_STEP_TASKS_PER_NODE", "4"},
      {"SLURM_PROCID", "3"},
      {"SLURM_LOCALID", "3"},
      {"PMIX_RANK", "3"}},
     {3, 4},
     4,
     3},
    {"srun -n 1 --mpi=pmix",
     {BATCH,
      {"SLURM_STEP_NUM_TASKS", "1"},
      {"SLURM_STEP_TASKS_PER_NODE", "1"},
      {"SLURM_LOCALID", "0"},
      {"PMIX_RANK", "0"}},
     {0, 1},
     1,
     0},
    {"srun --mpi=pmi2",
     {BATCH,
      {"SLURM_STEP_NUM_TASKS", "2"},
      {"SLURM_STEP_TASKS_PER_NODE", "2"},
      {"SLURM_LOCALID", "1"},
      {"PMI_RANK", "1"},
      {"PMI_SIZE", "2"}},
     {1, 2},
     2,
     1},
    {"srun on nodes with different numbers of tasks: the first",
     {{"SLURM_NODEID", "0"},
      {"SLURM_STEP_TASKS_PER_NODE", "1,4(x2),2"},
      {"SLURM_LOCALID", "0"},
      {"PMI_RANK", "0"},
      {"PMI_SIZE", "11"}},
     {0, 11},
     1,
     0},
    {"the third",
     {{"SLURM_NODEID", "2"},
      {"SLURM_STEP_TASKS_PER_NODE", "1,4(x2),2"},
      {"SLURM_LOCALID", "3"},
      {"PMI_RANK", "8"},
      {"PMI_SIZE", "11"}},
     {8, 11},
     4,
     3},
    {"the last",
     {{"SLURM_NODEID", "3"},
      {"SLURM_STEP_TASKS_PER_NODE", "1,4(x2),2"},
      {"SLURM_LOCALID", "1"},
      {"PMI_RANK", "10"},
      {"PMI_SIZE", "11"}},
     {10, 11},
     2,
     1},
    {"unknown node: the greatest number of a node",
     {{"SLURM_STEP_TASKS_PER_NODE", "1,4(x2),2"}, {"PMI_RANK", "8"}, {"PMI_SIZE", "11"}},
     {8, 11},
     4,
     0},
    {"a node that is not in the list",
     {{"SLURM_NODEID", "7"}, {"SLURM_STEP_TASKS_PER_NODE", "1,4(x2),2"}, {"PMI_RANK", "8"}, {"PMI_SIZE", "11"}},
     {8, 11},
     4,
     0},
    {"no list",
     {{"SLURM_NODEID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "x"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}},
     {1, 2},
     1,
     0},
    {"mpirun in a batch script, whose daemons srun started",
     {BATCH,
      {"SLURM_STEP_NUM_TASKS", "2"},
      {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
      {"PMIX_RANK", "5"},
      {"OMPI_COMM_WORLD_RANK", "5"},
      {"OMPI_COMM_WORLD_SIZE", "8"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}},
     {5, 8},
     4,
     1},
    {"Hydra in a batch script",
     {BATCH,
      {"SLURM_STEP_NUM_TASKS", "1"},
      {"SLURM_STEP_TASKS_PER_NODE", "1"},
      {"PMI_RANK", "2"},
      {"PMI_SIZE", "3"},
      {"MPI_LOCALRANKID", "2"},
      {"MPI_LOCALNRANKS", "3"}},
     {2, 3},
     3,
     2},
    {"MVAPICH's",
     {{"MV2_COMM_WORLD_RANK", "3"},
      {"MV2_COMM_WORLD_SIZE", "4"},
      {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
      {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}},
     {3, 4},
     2,
     1},
    {"PMIx of something else than Slurm", {{"PMIX_RANK", "1"}}, {0, 1}, 1, 0},
    {"a rank out of range", {{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}, {0, 1}, 1, 0},
    {"no number", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2x"}}, {0, 1}, 1, 0},
    {"empty", {{"PMI_RANK", ""}, {"PMI_SIZE", ""}}, {0, 1}, 1, 0},
    {"a launcher, but no module is requested",
     {{"FLOE_LIBMPI", ""}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}},
     {0, 1},
     1,
     0},
};

START_TEST(test_launch) {
  const struct launch *launch = &launches[_i];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    unsetenv(known[i]);
  for (size_t i = 0; i < MOST && launch->set[i][0]; i++)
    setenv(launch->set[i][0], launch->set[i][1], 1);
  const struct mpi_job job = mpi_job();
  ck_assert_msg(job.rank == launch->job.rank && job.size == launch->job.size, "%s: rank %u of %u", launch->what,
                job.rank, job.size);
  ck_assert_msg(mpi_job_local_size() == launch->here, "%s: %u here", launch->what, mpi_job_local_size());
  ck_assert_msg(mpi_job_local_rank() == launch->number, "%s: number %u here", launch->what, mpi_job_local_rank());
}
END_TEST

/* Each device belongs to a process, and to only one if there are enough. */
START_TEST(processes_divide_devices) {
  for (unsigned devices = 1; devices <= 16; devices++)
    for (unsigned processes = 1; processes <= 20; processes++) {
      unsigned uses[16] = {0};
      for (unsigned i = 0; i < processes; i++) {
        const struct member_range part = gpus_of_process(devices, processes, i);
        ck_assert_uint_ge(part.count, 1);
        for (unsigned k = 0; k < part.count; k++)
          uses[part.first + k]++;
      }
      for (unsigned i = 0; i < devices; i++) {
        ck_assert_uint_ge(uses[i], 1);
        ck_assert_uint_le(uses[i], (processes + devices - 1) / devices);
      }
    }
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("environment");
  tcase_add_loop_test(tcase, test_launch, 0, sizeof launches / sizeof *launches);
  tcase_add_test(tcase, processes_divide_devices);
  return run_suite("launchers", CK_FORK_GETENV, tcase);
}
