/* Each situation on each carrier that can meet it: the outcome is that of one CPU, or all members end alike. Members
   are CPUs; with EMULATED emulated GPUs, and CPUs among them. */
#include "engine/trace/level_archive.h"
#include "members.h"
#include "tests/suite.h"

#include "gpu/kernel/base/control.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#ifdef EMULATED
#include "tests/gpu/device/emulated_suite.h"
#define WITH_GPUS true
#else
#define WITH_GPUS false
#endif

/* ---- carriers ------------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  struct carrier carrier;
} carriers[] = {
    /* GPUs of one process; apart: the first two have no access to each other's memory */
    {"gpus2", {.processes = 1, .gpus = {2}}},
    {"gpus3", {.processes = 1, .gpus = {3}}},
    {"gpus4", {.processes = 1, .gpus = {4}}},
    {"gpus10", {.processes = 1, .gpus = {GPU_MOST_LINKED + 2}}}, /* more than can have mailboxes for each other */
    {"gpus2apart", {.processes = 1, .gpus = {2}, .apart = 3}},
    {"gpus3apart", {.processes = 1, .gpus = {3}, .apart = 3}},
    /* processes that send each other messages; some without GPU */
    {"messages2", {.processes = 2}},
    {"messages3", {.processes = 3}},
    {"messages4", {.processes = 4}},
    {"cpu0", {.processes = 3, .cpus = 1}},
    {"cpu1", {.processes = 3, .cpus = 2}},
    {"cpu2", {.processes = 3, .cpus = 4}},
    {"gpu1", {.processes = 4, .cpus = 0xd}},
    {"cpus2", {.processes = 2, .cpus = ALL_CPUS}},
    {"cpus3", {.processes = 3, .cpus = ALL_CPUS}},
    {"cpus4", {.processes = 4, .cpus = ALL_CPUS}},
    {"cpus5", {.processes = 5, .cpus = ALL_CPUS}},
    /* processes of one machine with mailboxes; apart, cpu: not all have them */
    {"linked2", {.processes = 2, .here = 2}},
    {"linked3", {.processes = 3, .here = 3}},
    {"linked4", {.processes = 4, .here = 4}},
    {"linked3apart", {.processes = 3, .here = 3, .apart = 6}},
    {"linked3cpu", {.processes = 3, .here = 3, .cpus = 4}},
    /* of two machines */
    {"machines22", {.processes = 4, .here = 2}},
    {"machines21", {.processes = 3, .here = 2}},
    {"machines12", {.processes = 3, .here = 1}},
    {"machines31", {.processes = 4, .here = 3}},
    {"machines22apart", {.processes = 4, .here = 2, .apart = 0xc}}, /* if one machine has no mailboxes, none has */
    /* the same, which send from device memory */
    {"far4", {.processes = 4, .here = 4, .sends_devices = true}},
    {"far4cpu", {.processes = 4, .here = 4, .cpus = 4, .sends_devices = true}},
    {"far31", {.processes = 4, .here = 3, .sends_devices = true}},
    {"far22", {.processes = 4, .here = 2, .sends_devices = true}},
    /* processes with several GPUs: of one machine, or of two */
    {"nested22", {.processes = 2, .here = 2, .gpus = {2, 2}}},
    {"nested21", {.processes = 2, .here = 2, .gpus = {2, 1}}},
    {"nested31", {.processes = 2, .here = 2, .gpus = {3, 1}}},
    {"nested3331", {.processes = 4, .here = 4, .gpus = {3, 3, 3, 1}}},
    {"nested2-2", {.processes = 2, .here = 1, .gpus = {2, 2}}},
    {"nested2-3", {.processes = 2, .here = 1, .gpus = {2, 3}}},
    {"nested21-1", {.processes = 3, .here = 2, .gpus = {2, 1, 1}}},
    {"nested21-2", {.processes = 3, .here = 2, .gpus = {2, 1, 2}}},
    /* rank 0's first GPU begins alone */
    {"first3", {.processes = 3, .here = 3, .first_alone = true}},
    {"first212", {.processes = 3, .here = 3, .gpus = {2, 1, 2}, .first_alone = true}},
};
enum { CARRIERS = sizeof carriers / sizeof *carriers };

/* ---- situations ---------------------------------------------------------------------------------- */

enum expected {
  SAME,    /* as on one CPU; each member does a part */
  FIRST,   /* the same; the first GPU does all */
  ENDS,    /* all end early, with whole levels as on one CPU */
  FAILS,   /* on all members */
  VANISHES /* one member, the others fail; or the timeout came first, and with fewer calls it does not */
};

/* What must have happened. Most of it depends on how members run beside each other (RANDOM): it must happen in one of
   several runs with other seeds. */
enum {
  CLOSED = 1 << 0, /* kernels closed levels; OPEN: hosts closed all */
  OPEN = 1 << 1,
  LEFT_OUT = 1 << 2, /* states had no room in a mailbox; ROOM: all had */
  ROOM = 1 << 3,
  REHASHED = 1 << 4,  /* tables grew */
  REPLACED = 1 << 5,  /* a larger ring replaced a full one, on each GPU at most once */
  SPILLED = 1 << 6,   /* states went to host memory */
  MAILBOXES = 1 << 7, /* all states went through mailboxes; PACKETS: not all */
  PACKETS = 1 << 8,
  SHARED = 1 << 9, /* mailboxes within each machine that has several members; UNSHARED: none */
  UNSHARED = 1 << 10,
  FAR = 1 << 11, /* packets went from device to device; NEAR: none did */
  NEAR = 1 << 12,
  ARCHIVED = 1 << 13, /* processes' archives have every level once */
  STAGED = 1 << 14,   /* copies between GPUs apart */
  RANDOM = CLOSED | LEFT_OUT | REHASHED | REPLACED | SPILLED | SHARED | FAR
};
#define MOST_RUNS 20

struct situation {
  struct subject subject;
  const char *on, *more; /* carriers; `more`: with FLOE_TEST_LONG=1 */
  const char *test_settings;
  enum expected expected;
  floe_end end;       /* ENDS */
  floe_status status; /* FAILS: of all members; FLOE_OK: any error */
  unsigned must;      /* have happened */
  const char *table;
  uint64_t slots, tree_slots, memory; /* initial; of each GPU in MiB; 0: default */
  uint32_t max_depth;                 /* 0: none */
  uint64_t max_states;
  double timeout;          /* of all members */
  bool stops;              /* at the first violation */
  bool each;               /* the fault is any member's, one after the other */
  bool late;               /* words sent to other GPUs arrive late */
  bool unequally_late;     /* results of levels arrive at one GPU long after they have arrived at another */
  const char *lost;        /* the word sent to another GPU that is lost */
  unsigned seeds, threads; /* repetitions; 0: one; seeds: with FLOE_TEST_LONG=1 */
  struct fault fault;
};

#define PETERSON                                                                                                       \
  {                                                                                                                    \
    "peterson", {                                                                                                      \
      { "N", "3" }                                                                                                     \
    }                                                                                                                  \
  }
#define LARGE                                                                                                          \
  {                                                                                                                    \
    "peterson", {                                                                                                      \
      { "N", "5" }                                                                                                     \
    }                                                                                                                  \
  }
#define ALTBIT                                                                                                         \
  {                                                                                                                    \
    "altbit", {                                                                                                        \
      { NULL, NULL }                                                                                                   \
    }                                                                                                                  \
  }
#define PHILOSOPHERS                                                                                                   \
  {                                                                                                                    \
    "philosophers", {                                                                                                  \
      { "N", "5" }                                                                                                     \
    }                                                                                                                  \
  }
#define MUTANT                                                                                                         \
  {                                                                                                                    \
    "philosophers", {                                                                                                  \
      {"N", "6"}, { "LEFT", "0" }                                                                                      \
    }                                                                                                                  \
  }
#define CHAINS                                                                                                         \
  {                                                                                                                    \
    "tests/gpu/engine/chains", {                                                                                       \
      { NULL, NULL }                                                                                                   \
    }                                                                                                                  \
  } /* multiword states */
#define COUNTERS(n, k)                                                                                                 \
  {                                                                                                                    \
    "counters", {                                                                                                      \
      {"N", n}, { "K", k }                                                                                             \
    }                                                                                                                  \
  }
#define BAKERY(n)                                                                                                      \
  {                                                                                                                    \
    "bakery", {                                                                                                        \
      { "N", n }                                                                                                       \
    }                                                                                                                  \
  }
#define ERROR(name)                                                                                                    \
  {                                                                                                                    \
    "tests/engine/errors/" name, {                                                                                     \
      { NULL, NULL }                                                                                                   \
    }                                                                                                                  \
  }
#define CPU_SIZES "cpus2 cpus3 cpus5"
#define FEW_CPUS "cpus2 cpus3 cpus4"
#define TOLD "alone=20,tell=1"
#define SMALL_MAILBOXES TOLD ",blocks=1,agree_us=1000000000,"

static const struct situation situations[] = {
    /* plain models */
    {PETERSON, "gpus2 linked2", .must = MAILBOXES},
    {PETERSON, .on = "messages2 cpu1", .more = "cpu0 cpu2"},
    {PETERSON, "linked3apart linked3cpu gpus2apart", .must = PACKETS},
    {PETERSON, "linked3", .test_settings = "packets=1", .must = PACKETS},
    {PETERSON, "gpus2apart gpus3apart", .must = STAGED},
    {PETERSON, "gpus10", .test_settings = "alone=20,mailboxes=2"},
    {PETERSON, "machines22 machines21 machines12 nested22 nested2-3 nested21-1", "machines31 nested3331", TOLD,
     .must = SHARED},
    {PETERSON, "", "machines22apart", TOLD, .must = UNSHARED},
    {PETERSON, "nested31", .test_settings = "tell=1,packets=1", .must = UNSHARED, .slots = 256},
    {ALTBIT, .on = "gpus3", .more = "messages3"},
    {ALTBIT, "linked3", .must = MAILBOXES},
    {ALTBIT, "", "machines21 nested2-3", TOLD, .must = SHARED},
    {PETERSON, .on = "messages4"},
    {PHILOSOPHERS, .more = "messages4"},
    {PHILOSOPHERS, "linked4", .must = MAILBOXES},
    {PHILOSOPHERS, "", "machines12 nested21-1", TOLD, .must = SHARED},
    {{"bakery", {{NULL, NULL}}}, .more = "messages2"},
    {{"election", {{NULL, NULL}}}, .more = "messages3"},
    {{"hanoi", {{"N", "5"}}}, .more = "messages4"},
    {CHAINS, "", "nested21", TOLD, .must = UNSHARED},
    {{"peterson", {{"N", "2"}}}, CPU_SIZES, .threads = 2},
    {{"altbit", {{"CAP", "1"}, {"D", "2"}}}, CPU_SIZES, .threads = 2},
    {{"philosophers", {{"N", "2"}, {"LEFT", "0"}}}, CPU_SIZES, .threads = 2},
    {{"bakery", {{"N", "2"}, {"MAX", "2"}}}, CPU_SIZES, .threads = 2},
    {{"havi", {{"N", "2"}, {"RESETS", "1"}}}, CPU_SIZES, .threads = 2},
    {{"hanoi", {{"N", "1"}}}, CPU_SIZES, .threads = 2},
    {{"election", {{"N", "3"}}}, CPU_SIZES, .threads = 2},
    {{"twophase", {{"N", "1"}}}, CPU_SIZES, .threads = 2},
    /* models with errors */
    {ERROR("beyond"), .on = FEW_CPUS},
    {ERROR("cut"), .on = FEW_CPUS},
    {ERROR("excused"), .on = FEW_CPUS},
    {ERROR("guard"), .on = FEW_CPUS},
    {ERROR("later"), .on = FEW_CPUS},
    {ERROR("level"), .on = FEW_CPUS},
    {ERROR("several"), .on = FEW_CPUS},
    {ERROR("unless"), .on = FEW_CPUS},
    /* states of several words; each member has its own tree, which grows repeatedly */
    {CHAINS, "cpus2 cpus3", .threads = 2, .tree_slots = 2},
    {{"tests/gpu/engine/chains", {{"LENGTH", "11"}}}, "cpus2 cpus3", .threads = 2, .tree_slots = 2},
    {{"tests/gpu/engine/chains", {{"LENGTH", "24"}, {"TOP", "1"}}}, "cpus2 cpus3", .threads = 2, .tree_slots = 2},
    /* packets from device memory, beside mailboxes or alone */
    {PETERSON, "far4", NULL, "packets=1,far=1", .must = FAR, .memory = 256},
    {PETERSON, "far4cpu", NULL, "packets=1,far=1,out=1,queue=1", .must = FAR, .memory = 256},
    {ALTBIT, "", "far4cpu", "packets=1,far=1,out=1,queue=1", .must = FAR, .memory = 256},
    {CHAINS, "far31", NULL, "out=5", .must = FAR, .memory = 256},
    {PETERSON, "", "far22", .must = FAR, .memory = 256},
    {PETERSON, "", "far4", "packets=1", .must = NEAR, .memory = 256}, /* one machine */
    {PETERSON, "", "far22", "far=2", .must = NEAR, .memory = 256},
    {PETERSON, "", "far22", .must = NEAR, .memory = 64}, /* no memory for four packets */
    /* tables, outboxes, queues and mailboxes are full */
    {PETERSON, "", "messages3", "out=1", .seeds = 3},
    {PETERSON, "messages3", NULL, "out=1,queue=1,blocks=1", .seeds = 3},
    {PETERSON, "messages3", NULL, "slice_us=1,fill=20", .seeds = 3, .slots = 256, .must = REHASHED},
    {PETERSON, "messages3", NULL, "out=10,fill=20", .seeds = 3, .slots = 256, .table = "linear", .must = REHASHED},
    {PETERSON, "messages3", NULL, "out=1,queue=1", .seeds = 3, .table = "bitmap"},
    {PETERSON, "messages3", NULL, "bitmap=1,fill=20,out=1", .seeds = 3, .slots = 256, .must = REHASHED},
    {BAKERY("4"), FEW_CPUS, .slots = 64, .threads = 2},
    {COUNTERS("5", "6"), "", "gpus3", SMALL_MAILBOXES "mailboxes=2,step=8", .must = CLOSED | LEFT_OUT, .late = true},
    {COUNTERS("5", "6"), "gpus4", NULL, SMALL_MAILBOXES "mailboxes=2,out=1", .must = CLOSED | LEFT_OUT, .late = true},
    {COUNTERS("5", "6"), "gpus2", NULL, SMALL_MAILBOXES "mailboxes=2,queue=1,out=10,step=2", .must = CLOSED | LEFT_OUT,
     .late = true},
    {COUNTERS("5", "6"), "", "gpus3", SMALL_MAILBOXES "slice_us=1", .must = CLOSED | ROOM, .late = true},
    {COUNTERS("5", "6"), "", "gpus4", SMALL_MAILBOXES "mailboxes=4,slice_us=1,fill=20,queue=1",
     .must = CLOSED | LEFT_OUT, .late = true, .slots = 256},
    {COUNTERS("5", "6"), "gpus4", NULL, SMALL_MAILBOXES "mailboxes=2,slice_us=1,fill=20,queue=1",
     .must = CLOSED | LEFT_OUT, .unequally_late = true, .slots = 256, .seeds = 3},
    {COUNTERS("5", "6"), "", "gpus2", SMALL_MAILBOXES "mailboxes=2,bitmap=1,fill=20", .must = CLOSED | LEFT_OUT,
     .late = true, .slots = 256},
    {COUNTERS("5", "6"), "", "linked2", SMALL_MAILBOXES "mailboxes=2,out=1", .must = CLOSED | LEFT_OUT, .late = true,
     .slots = 256},
    {COUNTERS("5", "6"), "linked3", NULL, SMALL_MAILBOXES "mailboxes=2,queue=1,out=10,step=8",
     .must = CLOSED | LEFT_OUT, .late = true, .slots = 256},
    {COUNTERS("5", "6"), "linked4", NULL, SMALL_MAILBOXES "mailboxes=2,slice_us=1000,fill=20",
     .must = CLOSED | LEFT_OUT, .late = true, .slots = 256},
    /* on several machines, where hosts close levels */
    {ALTBIT, "", "machines22 nested2-2", TOLD ",mailboxes=2,out=1,queue=1", .must = SHARED, .slots = 256},
    {PETERSON, "", "machines22 nested21-2", TOLD ",mailboxes=2,out=10,slice_us=1,fill=20,step=8", .must = SHARED,
     .slots = 256},
    {COUNTERS("6", "9"), "gpus2", NULL, TOLD ",replace=1,turns=1,blocks=1", .must = REPLACED, .table = "bitmap",
     .memory = 16},
    {COUNTERS("6", "9"), "", "gpus2", TOLD ",replace=1,turns=1,blocks=1,mailboxes=4", .must = REPLACED,
     .table = "bitmap", .memory = 16},
    /* levels of 17,000 and 26,000 states each, in queues of 16,384 */
    {COUNTERS("8", "8"), "gpus2", NULL, "alone=20,queue=1,blocks=1", .must = SPILLED, .max_depth = 12, .timeout = 100},
    /* CPUs are much faster than an emulated GPU, which receives more states at once than its queue has words */
    {COUNTERS("6", "8"), "gpu1", .test_settings = "queue=1,blocks=1"},
    /* levels that kernels close, or hosts */
    {{"hanoi", {{"N", "5"}}}, "gpus3", NULL, TOLD, .must = CLOSED},
    {{"hanoi", {{"N", "5"}}}, "gpus3", NULL, TOLD ",levels=1", .must = CLOSED},
    {{"hanoi", {{"N", "5"}}}, "gpus3", NULL, TOLD ",hosts=1", .must = OPEN},
    /* archives */
    {PETERSON, "nested2-3", "gpus3", .must = ARCHIVED, .max_depth = 9},
    {PETERSON, "gpus3", NULL, "alone=20,out=1,queue=1,slice_us=1", .must = ARCHIVED, .max_depth = 9},
    {PETERSON, "first212", "first3", "alone=10", .must = ARCHIVED, .max_depth = 9},
    /* the first GPU suffices; a member that cannot begin is not needed */
    {PETERSON, .on = "gpus3 first212", .more = "first3", .test_settings = "", .expected = FIRST},
    {PETERSON, "first3", NULL, "", FIRST, .fault = {.member = 1, .memory = MEBIBYTE / 2}},
    /* violations and bounds */
    {MUTANT, "gpus3 cpus3", .stops = true},
    {MUTANT, "gpus3 cpus3", .max_depth = 6},
    {MUTANT, "gpus3 cpus3", .max_states = 200},
    {PETERSON, "cpus3", .max_depth = 1},
    {PETERSON, "cpus3", .max_depth = 9},
    {PETERSON, "cpus3", .max_states = 1},
    {PETERSON, "cpus3", .max_states = 360},
    /* one member ends the search */
    {LARGE, "messages3", NULL, "", ENDS, FLOE_END_INTERRUPT, .each = true, .fault.interrupt_after = 0.1},
    {LARGE, "messages3 linked3", NULL, "", ENDS, FLOE_END_TIMEOUT, .fault = {.member = 1, .timeout = 0.1}},
    {LARGE, "", "nested22 nested2-3", "levels=1", ENDS, FLOE_END_INTERRUPT, .fault.interrupt_after = 0.1},
    {BAKERY("5"), "cpus3", NULL, "", ENDS, FLOE_END_INTERRUPT, .each = true, .fault.interrupt_after = 0.06},
    {BAKERY("5"), "cpus3", NULL, "", ENDS, FLOE_END_TIMEOUT, .each = true, .fault.timeout = 0.06},
    {BAKERY("5"), "cpus3", NULL, "", ENDS, FLOE_END_MEMORY, .each = true, .fault.host_memory = 2 * MEBIBYTE},
    /* one member fails; levels=1: a launch for each level */
    {PETERSON, "gpus3", NULL, "alone=20,levels=1", FAILS, .status = FLOE_ERROR_INTERNAL,
     .fault = {.member = 1, .fail_launch = 2}},
    {PETERSON, "", "gpus3", "alone=20,levels=1", FAILS, .status = FLOE_ERROR_INTERNAL,
     .fault = {.member = 2, .fail_launch = 4}},
    {PETERSON, "", "gpus3", "alone=20,levels=1", FAILS, .status = FLOE_ERROR_INTERNAL,
     .fault = {.member = 1, .fail_launch = 6}},
    {PETERSON, "gpus3", NULL, "alone=20,levels=1", FAILS, .status = FLOE_ERROR_INTERNAL,
     .fault = {.member = 2, .fail_launch = 8}},
    {PETERSON, "", "gpus3", "alone=20,levels=1", FAILS, .status = FLOE_ERROR_INTERNAL,
     .fault = {.member = 1, .fail_launch = 10}},
    {PETERSON, "", "gpus3", "alone=20,levels=1", FAILS, .status = FLOE_ERROR_INTERNAL,
     .fault = {.member = 2, .fail_launch = 12}},
    {PETERSON, "linked3 nested22", NULL, "levels=1", FAILS, .fault = {.member = 1, .fail_launch = 4}},
    {PETERSON, "nested2-3", NULL, "levels=1", FAILS, .fault = {.member = 2, .fail_launch = 4}},
    {ALTBIT, "", "nested2-3", "levels=1", FAILS, .fault = {.member = 2, .fail_launch = 4}},
    /* or cannot begin */
    {PETERSON, "linked3 nested22", "nested2-3", "", FAILS, .fault = {.member = 2, .memory = MEBIBYTE / 2}},
    {PETERSON, "cpus3", NULL, "", FAILS, .status = FLOE_ERROR_MEMORY, .each = true, .fault.host_memory = 1000},
    /* or vanishes: the others end some time after they were asked to */
    {BAKERY("5"), "cpus3", NULL, "", VANISHES, .each = true, .timeout = 0.1, .fault.calls = 400},
    /* a link loses one word: this is detected before any result is reported */
    {PETERSON, "gpus2", NULL, "alone=20", FAILS, .status = FLOE_ERROR_INTERNAL, .lost = "0"},
    {PETERSON, "gpus3", NULL, "alone=20", FAILS, .status = FLOE_ERROR_INTERNAL, .lost = "100"},
    {PETERSON, "gpus2", NULL, "alone=20", FAILS, .status = FLOE_ERROR_INTERNAL, .lost = "3000"},
};
enum { SITUATIONS = sizeof situations / sizeof *situations };

/* ---- checks -------------------------------------------------------------------------------------- */

/* A figure that is above 0 if `present` happened, and must be 0 with `absent`. Returns what did not happen. */
static unsigned check_figure(unsigned must, unsigned present, unsigned absent, uint64_t figure) {
  ck_assert(!(must & absent) || figure == 0);
  return figure == 0 ? must & present : 0;
}

static unsigned members_of_machine(const struct scene *scene, unsigned process) {
  const struct carrier *carrier = &scene->carrier;
  unsigned members = 0;
  for (unsigned i = 0; i < carrier->processes; i++)
    members += (i < carrier->here) == (process < carrier->here) ? scene->members[i].count : 0;
  return members;
}

/* Returns what did not happen. */
static unsigned check_process(const struct scene *scene, unsigned must, unsigned process) {
  const struct member *member = &scene->members[process];
  const bool shared = members_of_machine(scene, process) > 1;
  unsigned missing =
      check_figure(must, shared ? SHARED : 0, UNSHARED | (shared ? 0 : SHARED), pair_counter(member->log, "sent"));
  if (member->task.devices.count > 0)
    missing |= check_figure(must, FAR, NEAR, member->counts.beside_copies);
  return missing;
}

static void check_mailboxes(const struct scene *scene, unsigned must) {
  const struct engine_outcome *all = &scene->members[0].outcome;
  for (unsigned i = 0; i < all->group.count; i++) {
    const struct engine_member *member = &all->group.members[i];
    ck_assert(!(must & MAILBOXES) || member->sent == member->packets * GPU_WARP);
    ck_assert(!(must & PACKETS) || member->sent != member->packets * GPU_WARP);
    ck_assert_uint_gt(member->sent, 0);
  }
}

static void check_levels_closed(const struct scene *scene, uint64_t closed) {
  const char *settings = scene->setting.test_settings;
  ck_assert_uint_le(closed, (uint64_t)carrier_members(&scene->carrier) * scene->alone.levels);
  if (strstr(settings, "levels=1"))
    ck_assert_uint_ge(members_counter(scene->members, scene->carrier.processes, "launches"), closed);
}

static void check_staged(const struct scene *scene) {
  const struct fake_counts *counts = &scene->members[0].counts;
  ck_assert_uint_gt(counts->staged, 0);
  ck_assert((counts->staged < counts->peer_copies) == (carrier_members(&scene->carrier) > 2));
}

/* The first GPU began alone, and all began after it. */
static void check_outgrown(const struct scene *scene) {
  ck_assert(!scene->members[0].outcome.attempts.first_sufficed);
  for (unsigned i = 0; i < scene->carrier.processes; i++)
    ck_assert(scene->members[i].all_began);
}

/* Returns what did not happen in this run, of RANDOM. */
static unsigned check_happened(const struct scene *scene, unsigned must) {
  const unsigned processes = scene->carrier.processes;
  const struct member *members = scene->members;
  const uint64_t closed = members_counter(members, processes, "closed"),
                 replaced = members_counter(members, processes, "replaced");
  uint64_t rehashes = 0;
  unsigned missing = 0;
  for (unsigned i = 0; i < processes; i++) {
    rehashes += members[i].counts.rehashes;
    missing |= check_process(scene, must, i);
  }
  missing |= check_figure(must, CLOSED, OPEN, closed);
  missing |= check_figure(must, LEFT_OUT, ROOM, members_counter(members, processes, "left_out"));
  missing |= check_figure(must, REHASHED, 0, rehashes);
  missing |= check_figure(must, REPLACED, 0, replaced);
  missing |= check_figure(must, SPILLED, 0, members[0].outcome.statistics.spilled_states);
  ck_assert_uint_le(replaced, carrier_members(&scene->carrier));
  if (must & (CLOSED | OPEN))
    check_levels_closed(scene, closed);
  if (must & (MAILBOXES | PACKETS))
    check_mailboxes(scene, must);
  if (must & STAGED)
    check_staged(scene);
  if (scene->carrier.first_alone)
    check_outgrown(scene);
  return missing;
}

static void check_first(const struct scene *scene) {
  const struct engine_outcome *out = &scene->members[0].outcome;
  const unsigned members = carrier_is_group(&scene->carrier) ? carrier_members(&scene->carrier) : 0;
  ck_assert(out->attempts.first_sufficed);
  ck_assert_uint_eq(out->group.count, members);
  for (unsigned i = 0; i < members; i++)
    ck_assert_uint_eq(out->group.members[i].states, i == 0 ? scene->alone.states : 0);
  for (unsigned i = 1; i < scene->carrier.processes; i++) {
    ck_assert_uint_eq(scene->members[i].counts.explores, 0);
    ck_assert_int_eq(scene->members[i].outcome.end, FLOE_END_COMPLETE);
    ck_assert(!scene->members[i].all_began);
  }
}

/* All members end alike, and what they report is right. */
static void check_ends(struct scene *scene, floe_end end) {
  const struct member *members = scene->members;
  scene->setting.options.max_depth = members[0].outcome.levels - 1;
  scene->alone = pair_on_cpu(&scene->pair, &scene->setting);
  for (unsigned i = 0; i < scene->carrier.processes; i++) {
    const struct engine_outcome *out = &members[i].outcome;
    ck_assert_int_eq(members[i].status, FLOE_OK);
    ck_assert_int_eq(out->end, end);
    ck_assert_uint_eq(out->levels, scene->alone.levels);
    ck_assert_mem_eq(out->level_states, scene->alone.level_states, out->levels * sizeof *out->level_states);
    ck_assert_uint_lt(out->complete_depth, out->levels);
  }
  ck_assert_uint_ge(members[0].outcome.states, scene->alone.states);
}

#define LONG_PATIENCE 600. /* s: members that fail have not waited for this comm_timeout */

static void check_fails(const struct scene *scene, floe_status status, double seconds) {
  for (unsigned i = 0; i < scene->carrier.processes; i++) {
    ck_assert_int_ne(scene->members[i].status, FLOE_OK);
    ck_assert(status == FLOE_OK || scene->members[i].status == status);
    ck_assert_double_lt(scene->members[i].seconds, seconds);
  }
}

/* Returns what did not happen in this run, of RANDOM. */
static unsigned check(struct scene *scene, const struct situation *situation) {
  switch (situation->expected) {
  case ENDS:
    check_ends(scene, situation->end);
    break;
  case FAILS:
    check_fails(scene, situation->status, LONG_PATIENCE / 2);
    break;
  case VANISHES:
    check_fails(scene, situation->status, 60);
    break;
  default:
    scene_compare(scene, situation->expected == SAME);
    if (situation->expected == SAME)
      return check_happened(scene, situation->must);
    check_first(scene);
  }
  return 0;
}

/* ---- archives ------------------------------------------------------------------------------------ */

static void open_archives(struct scene *scene) {
  for (unsigned i = 0; i < scene->carrier.processes; i++)
    ck_assert_int_eq(archive_create(1, MEBIBYTE, scene->pair.log, &scene->members[i].task.archive), FLOE_OK);
  ck_assert_int_eq(archive_create(1, MEBIBYTE, scene->pair.log, &scene->setting.archive), FLOE_OK);
}

static void check_archives(struct scene *scene) {
  for (uint32_t depth = 0; depth < scene->alone.levels; depth++) {
    uint64_t states = 0;
    for (unsigned i = 0; i < scene->carrier.processes; i++)
      states += archive_states(scene->members[i].task.archive, depth);
    ck_assert_uint_eq(states, scene->alone.level_states[depth]);
  }
  if (!carrier_is_group(&scene->carrier))
    pair_compare_archives(scene->setting.archive, scene->members[0].task.archive);
  for (unsigned i = 0; i < scene->carrier.processes; i++)
    archive_free(scene->members[i].task.archive);
  archive_free(scene->setting.archive);
}

/* ---- driver -------------------------------------------------------------------------------------- */

static struct setting setting_of(const struct situation *situation) {
  struct setting setting = members_plain();
  floe_options *options = &setting.options;
  setting.test_settings = situation->test_settings ? situation->test_settings : setting.test_settings;
  options->table = situation->table ? situation->table : options->table;
  options->initial_slots = situation->slots;
  options->max_depth = situation->max_depth ? situation->max_depth : options->max_depth;
  options->max_states = situation->max_states ? situation->max_states : options->max_states;
  options->keep_going = !situation->stops;
  options->timeout = situation->timeout;
  if (situation->memory)
    setting.device.memory = options->gpu_memory = situation->memory * MEBIBYTE;
  return setting;
}

/* Links that are late or lose a word, between emulated devices. */
static void break_links(const struct situation *situation) {
#ifdef EMULATED
  emulated_break_links((struct emulated_links){.late = situation->late ? 2 : 0,
                                               .results_late = situation->unequally_late ? 4 : 0,
                                               .loses = situation->lost != NULL,
                                               .lost = situation->lost ? (unsigned)atol(situation->lost) : 0});
#else
  (void)situation;
#endif
}

static void mend_links(void) {
  static const struct situation none;
  break_links(&none);
}

/* A slow machine may reach the timeout before the member vanishes. */
static bool ended_before_fault(const struct scene *scene) {
  for (unsigned i = 0; i < scene->carrier.processes; i++)
    if (scene->members[i].status == FLOE_OK) {
      ck_assert_int_eq(scene->members[i].outcome.end, FLOE_END_TIMEOUT);
      return true;
    }
  return false;
}

/* Nothing ends members that wait for a lost one before that time. */
static double patience_of(const struct situation *situation) {
  return situation->fault.calls ? 0.3 : situation->expected == FAILS ? LONG_PATIENCE : comm_timeout;
}

/* *missing: what did not happen in this run, of RANDOM. False: the member that was to vanish did not do so in time. */
static bool run_once(const struct situation *situation, const struct carrier *carrier, const struct setting *setting,
                     const struct fault *fault, unsigned *missing) {
  const double patience = comm_timeout;
  struct scene scene;
  scene_begin(&scene, &situation->subject, setting, carrier, fault);
  for (unsigned i = 0; i < carrier->processes; i++)
    scene.members[i].task.first_tree_slots = situation->tree_slots ? situation->tree_slots + i * 50 : 0;
  if (situation->must & ARCHIVED)
    open_archives(&scene);
  break_links(situation);
  comm_timeout = patience_of(situation);
  scene_run(&scene);
  comm_timeout = patience;
  mend_links();
  const bool too_late = situation->expected == VANISHES && fault->calls > 1 && ended_before_fault(&scene);
  *missing = too_late ? 0 : check(&scene, situation);
  if (situation->must & ARCHIVED)
    check_archives(&scene);
  scene_end(&scene);
  return !too_late;
}

/* Until all that must happen has happened. */
static void run_repeatedly(const struct situation *situation, const struct carrier *carrier, struct setting *setting,
                           struct fault *fault) {
  unsigned missing = situation->must & RANDOM, now = 0, runs = 0;
  do {
    ck_assert_msg(runs < MOST_RUNS, "%x of what must happen did not in %u runs", missing, runs);
    fault->calls = situation->fault.calls;
    while (!run_once(situation, carrier, setting, fault, &now))
      fault->calls /= 2;
    missing &= now;
    setting->device.seed += 10000;
    runs++;
  } while (missing);
}

static unsigned at_least_one(unsigned number) { return number ? number : 1; }

static void run_all(const struct situation *situation, const struct carrier *carrier) {
  const unsigned faults = situation->each ? carrier_members(carrier) : 1;
  const unsigned seeds = everything() ? 2 : 1;
  struct setting setting = setting_of(situation);
  struct fault fault = situation->fault;
  for (unsigned seed = 1; seed <= seeds * at_least_one(at_length() ? situation->seeds : 1); seed++)
    for (unsigned threads = 1; threads <= at_least_one(situation->threads); threads++)
      for (unsigned i = 0; i < faults; i++) {
        setting.device.seed = 100 * seed + i;
        setting.options.threads = threads;
        fault.member = situation->each ? i : fault.member;
        run_repeatedly(situation, carrier, &setting, &fault);
      }
}

/* Members are CPUs, or some are GPUs. */
static bool is_mine(int carrier) { return (carriers[carrier].carrier.cpus == ALL_CPUS) != WITH_GPUS; }

/* The place of the name in the list; NULL: it is not there. */
static const char *find(const char *names, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = names; at && *at; at += strcspn(at, " "), at += *at == ' ')
    if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
      return at;
  return NULL;
}

/* Whether it is the first carrier of the list that this program has. */
static bool is_first(const char *names, int carrier) {
  const char *first = NULL;
  int number = -1;
  for (int i = 0; i < CARRIERS; i++) {
    const char *at = names && is_mine(i) ? find(names, carriers[i].name) : NULL;
    if (at && (!first || at < first)) {
      first = at;
      number = i;
    }
  }
  return number == carrier;
}

/* `make check` runs each situation on one carrier. */
static bool runs(const struct situation *situation, int carrier) {
  const char *name = carriers[carrier].name;
  if (at_length())
    return is_mine(carrier) && (find(situation->on, name) || find(situation->more, name));
  return is_first(situation->on, carrier);
}

static int chosen[SITUATIONS], chosen_count; /* situations that some carrier of this program meets */

static void choose(void) {
  for (int i = 0; i < SITUATIONS; i++) {
    bool any = false;
    for (int k = 0; k < CARRIERS; k++)
      any = any || runs(&situations[i], k);
    chosen[chosen_count] = i;
    chosen_count += any;
  }
}

START_TEST(test_situation) {
  const struct situation *situation = &situations[chosen[_i]];
  for (int i = 0; i < CARRIERS; i++)
    if (runs(situation, i)) {
      printf("%s, %s: %s\n", carriers[i].name, situation->subject.model,
             situation->test_settings ? situation->test_settings : "plain");
      run_all(situation, &carriers[i].carrier);
    }
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------------- */

/* One member has less and less memory, until it cannot begin; before that, the search ends for all members when it is
 * full. Of the three members, the second; with FLOE_TEST_LONG=1 each. */
START_TEST(test_less_and_less_memory) {
  static const struct carrier carrier = {.processes = 3};
  static const struct subject large = COUNTERS("5", "9");
  struct setting setting = members_plain();
  bool began = true;
  unsigned full = 0;
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.initial_slots = 256;
  for (uint64_t memory = 4 * MEBIBYTE; began; memory -= everything() ? MEBIBYTE / 8 : MEBIBYTE / 2) {
    struct scene scene;
    scene_begin(&scene, &large, &setting, &carrier, &(struct fault){.member = (unsigned)_i, .memory = memory});
    scene_run(&scene);
    const struct member *members = scene.members;
    began = members[0].status == FLOE_OK;
    for (unsigned i = 0; i < 3; i++) {
      ck_assert_int_eq(members[i].status, began ? FLOE_OK : FLOE_ERROR_MEMORY);
      ck_assert(!began || members[i].outcome.end == members[0].outcome.end);
    }
    full += began && members[0].outcome.end == FLOE_END_MEMORY;
    scene_end(&scene);
  }
  ck_assert_uint_gt(full, 0);
}
END_TEST

int main(void) {
  TCase *all = tcase_create("situations");
#ifdef EMULATED
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  tcase_add_loop_test(all, test_less_and_less_memory, at_length() ? 0 : 1, at_length() ? 3 : 2);
#else
  (void)test_less_and_less_memory;
#endif
  tcase_set_timeout(all, 600);
  choose();
  tcase_add_loop_test(all, test_situation, 0, chosen_count);
#ifdef EMULATED
  return emulated_run("groups on GPUs", all);
#else
  return run_suite("groups of CPUs", CK_FORK_GETENV, all);
#endif
}
