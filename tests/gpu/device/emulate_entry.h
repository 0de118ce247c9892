/* Included after the kernels' text: how the emulated GPU calls its kernels (emulate.h). */

#define EMULATE_ARGUMENT(i, type) (*(type const *)emulate_argument(i))

#ifdef FLOE_TRANSIENT
#define EMULATE_SEQUENCES , EMULATE_ARGUMENT(2, struct gpu_sequences)
#else
#define EMULATE_SEQUENCES
#endif

#ifdef FLOE_GPU_EXPLORE_H
static void emulate_explore(void) {
  floe_explore(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, struct gpu_space) EMULATE_SEQUENCES);
}
#ifndef FLOE_DEVICE_CACHE
#ifdef FLOE_MULTIWORD
static void emulate_tree_roots(void) { floe_tree_roots(EMULATE_ARGUMENT(0, struct gpu_space)); }
static void emulate_tree_put(void) {
  floe_tree_put(EMULATE_ARGUMENT(0, struct tree_table), EMULATE_ARGUMENT(1, uint64_t));
}
#endif
static void emulate_insert(void) {
  floe_insert(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, struct gpu_space));
}
#if defined FLOE_MEMBERS && !defined FLOE_MULTIWORD
static void emulate_receive(void) {
  floe_receive(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, struct gpu_space));
}
#endif
#endif
#endif
#ifdef FLOE_GPU_HOST_BACKED_SET_H
static void emulate_host_lookup_select(void) {
  floe_host_lookup_select(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, struct gpu_host_lookup));
}
static void emulate_host_lookup_bin(void) { floe_host_lookup_bin(EMULATE_ARGUMENT(0, struct gpu_host_lookup)); }
static void emulate_host_lookup_apply(void) { floe_host_lookup_apply(EMULATE_ARGUMENT(0, struct gpu_host_answers)); }
#endif
#ifdef FLOE_GPU_PREDECESSORS_H
static void emulate_predecessors(void) {
  floe_predecessors(EMULATE_ARGUMENT(0, struct gpu_space), EMULATE_ARGUMENT(1, struct gpu_sweep) EMULATE_SEQUENCES);
}
#endif
#ifdef FLOE_GPU_CYCLES_PASSES_H
#define EMULATE_PASSES(X) X(candidates) X(expand) X(start)
#define EMULATE_PASS(name)                                                                                             \
  static void emulate_cycles_##name(void) {                                                                            \
    floe_cycles_##name(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, struct gpu_space),                       \
                       EMULATE_ARGUMENT(2, struct gpu_cycles));                                                        \
  }
EMULATE_PASSES(EMULATE_PASS)
static void emulate_cycles_remove(void) { floe_cycles_remove(EMULATE_ARGUMENT(0, struct gpu_cycles)); }
static void emulate_cycles_keep(void) { floe_cycles_keep(EMULATE_ARGUMENT(0, struct gpu_cycles)); }
static void emulate_cycles_keys(void) {
  floe_cycles_keys(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, struct gpu_space),
                   EMULATE_ARGUMENT(2, uint64_t *), EMULATE_ARGUMENT(3, uint64_t));
}
#endif
#ifdef FLOE_REHASHES
static void emulate_rehash(void) {
  floe_rehash(EMULATE_ARGUMENT(0, FLOE_FROM), EMULATE_ARGUMENT(1, FLOE_VISITED),
              EMULATE_ARGUMENT(2, struct gpu_control *));
}
#endif
#ifdef FLOE_KEY_TRANSFER
static void emulate_export_keys(void) {
  floe_export_keys(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, uint64_t), EMULATE_ARGUMENT(2, uint64_t),
                   EMULATE_ARGUMENT(3, uint64_t *), EMULATE_ARGUMENT(4, uint32_t *));
}
static void emulate_import_keys(void) {
  floe_import_keys(EMULATE_ARGUMENT(0, FLOE_VISITED), EMULATE_ARGUMENT(1, uint64_t *), EMULATE_ARGUMENT(2, uint64_t),
                   EMULATE_ARGUMENT(3, struct gpu_control *));
}
#endif
/* Operations of a table; weak, so that those missing in the text are NULL. */
#ifdef FLOE_TABLE_VIEW
#define EMULATE_OPERATIONS(X) X(find) X(find_or_put) X(put) X(delete) X(get) X(add) X(find_unique) X(put_absent)
#define EMULATE_OPERATION(operation)                                                                                   \
  __attribute__((weak)) KERNEL_HIDDEN void floe_table_##operation(GPU_PARAMETER FLOE_TABLE_VIEW table, uint64_t *keys, \
                                                                  uint64_t *values, uint64_t n, uint8_t *answers);     \
  static void emulate_table_##operation(void) {                                                                        \
    floe_table_##operation(EMULATE_ARGUMENT(0, FLOE_TABLE_VIEW), EMULATE_ARGUMENT(1, uint64_t *),                      \
                           EMULATE_ARGUMENT(2, uint64_t *), EMULATE_ARGUMENT(3, uint64_t),                             \
                           EMULATE_ARGUMENT(4, uint8_t *));                                                            \
  }
EMULATE_OPERATIONS(EMULATE_OPERATION)
static void emulate_table_list(void) {
  floe_table_list(EMULATE_ARGUMENT(0, FLOE_TABLE_VIEW), EMULATE_ARGUMENT(1, uint64_t), EMULATE_ARGUMENT(2, uint64_t),
                  EMULATE_ARGUMENT(3, uint64_t *), EMULATE_ARGUMENT(4, uint64_t *), EMULATE_ARGUMENT(5, uint64_t *));
}
static void emulate_table_left(void) {
  floe_table_left(EMULATE_ARGUMENT(0, uint8_t *), EMULATE_ARGUMENT(1, uint64_t), EMULATE_ARGUMENT(2, uint64_t *));
}
#endif

#ifdef FLOE_GPU_CEILINGS_H
static void emulate_keys_make(void) {
  floe_keys_make(EMULATE_ARGUMENT(0, struct key_parameters), EMULATE_ARGUMENT(1, uint64_t *),
                 EMULATE_ARGUMENT(2, uint64_t));
}
static void emulate_keys_distinct(void) {
  floe_keys_distinct(EMULATE_ARGUMENT(0, struct key_parameters), EMULATE_ARGUMENT(1, uint64_t *),
                     EMULATE_ARGUMENT(2, uint64_t), EMULATE_ARGUMENT(3, uint32_t *), EMULATE_ARGUMENT(4, uint64_t *));
}
static void emulate_values_make(void) {
  floe_values_make(EMULATE_ARGUMENT(0, uint32_t), EMULATE_ARGUMENT(1, uint64_t), EMULATE_ARGUMENT(2, uint64_t *),
                   EMULATE_ARGUMENT(3, uint64_t), EMULATE_ARGUMENT(4, uint64_t *));
}
static void emulate_values_check(void) {
  floe_values_check(EMULATE_ARGUMENT(0, uint32_t), EMULATE_ARGUMENT(1, uint64_t *), EMULATE_ARGUMENT(2, uint64_t *),
                    EMULATE_ARGUMENT(3, uint8_t *), EMULATE_ARGUMENT(4, uint64_t), EMULATE_ARGUMENT(5, uint64_t *));
}
static void emulate_answers_count(void) {
  floe_answers_count(EMULATE_ARGUMENT(0, uint8_t *), EMULATE_ARGUMENT(1, uint64_t), EMULATE_ARGUMENT(2, uint64_t *));
}
#define EMULATE_CEILINGS(X)                                                                                            \
  X(read32) X(read64) X(read128) X(swap16) X(swap32) X(swap64) X(read64_swap16) X(read64_swap32)
#define EMULATE_CEILING(access)                                                                                        \
  static void emulate_ceiling_##access(void) {                                                                         \
    floe_ceiling_##access(EMULATE_ARGUMENT(0, unsigned char *), EMULATE_ARGUMENT(1, uint64_t),                         \
                          EMULATE_ARGUMENT(2, uint64_t), EMULATE_ARGUMENT(3, uint64_t));                               \
  }
EMULATE_CEILINGS(EMULATE_CEILING)
#endif

#ifdef FLOE_GPU_WORKSET_H
static void emulate_workset_lookup(void) {
  floe_workset_lookup(EMULATE_ARGUMENT(0, struct workset_view), EMULATE_ARGUMENT(1, struct workset_work));
}
static void emulate_workset_apply(void) {
  floe_workset_apply(EMULATE_ARGUMENT(0, struct workset_view), EMULATE_ARGUMENT(1, struct workset_work));
}
static void emulate_workset_compact(void) {
  floe_workset_compact(EMULATE_ARGUMENT(0, struct workset_view), EMULATE_ARGUMENT(1, struct workset_view));
}
#endif

static const struct {
  const char *name;
  void (*run)(void);
  void *there; /* the kernel itself */
} emulate_kernels[] = {
#ifdef FLOE_GPU_EXPLORE_H
    {"floe_explore", emulate_explore, (void *)floe_explore},
#ifndef FLOE_DEVICE_CACHE
    {"floe_insert", emulate_insert, (void *)floe_insert},
#if defined FLOE_MEMBERS && !defined FLOE_MULTIWORD
    {"floe_receive", emulate_receive, (void *)floe_receive},
#endif
#ifdef FLOE_MULTIWORD
    {"floe_tree_roots", emulate_tree_roots, (void *)floe_tree_roots},
    {"floe_tree_put", emulate_tree_put, (void *)floe_tree_put},
#endif
#endif
#endif
#ifdef FLOE_GPU_HOST_BACKED_SET_H
    {"floe_host_lookup_select", emulate_host_lookup_select, (void *)floe_host_lookup_select},
    {"floe_host_lookup_bin", emulate_host_lookup_bin, (void *)floe_host_lookup_bin},
    {"floe_host_lookup_apply", emulate_host_lookup_apply, (void *)floe_host_lookup_apply},
#endif
#ifdef FLOE_GPU_PREDECESSORS_H
    {"floe_predecessors", emulate_predecessors, (void *)floe_predecessors},
#endif
#ifdef FLOE_GPU_CYCLES_PASSES_H
#define EMULATE_PASS_ENTRY(name) {"floe_cycles_" #name, emulate_cycles_##name, (void *)floe_cycles_##name},
    EMULATE_PASSES(EMULATE_PASS_ENTRY) EMULATE_PASS_ENTRY(remove) EMULATE_PASS_ENTRY(keep) EMULATE_PASS_ENTRY(keys)
#endif
#ifdef FLOE_REHASHES
        {"floe_rehash", emulate_rehash, (void *)floe_rehash},
#endif
#ifdef FLOE_GPU_WORKSET_H
    {"floe_workset_lookup", emulate_workset_lookup, (void *)floe_workset_lookup},
    {"floe_workset_apply", emulate_workset_apply, (void *)floe_workset_apply},
    {"floe_workset_compact", emulate_workset_compact, (void *)floe_workset_compact},
#endif
#ifdef FLOE_KEY_TRANSFER
    {"floe_export_keys", emulate_export_keys, (void *)floe_export_keys},
    {"floe_import_keys", emulate_import_keys, (void *)floe_import_keys},
#endif
#ifdef FLOE_TABLE_VIEW
#define EMULATE_ENTRY(operation) {"floe_table_" #operation, emulate_table_##operation, (void *)floe_table_##operation},
    EMULATE_OPERATIONS(EMULATE_ENTRY) EMULATE_ENTRY(list) EMULATE_ENTRY(left)
#endif
#ifdef FLOE_GPU_CEILINGS_H
#define EMULATE_TOOL(name) {"floe_" #name, emulate_##name, (void *)floe_##name},
        EMULATE_TOOL(keys_make) EMULATE_TOOL(keys_distinct) EMULATE_TOOL(values_make) EMULATE_TOOL(values_check)
            EMULATE_TOOL(answers_count)
#define EMULATE_CEILING_ENTRY(access) EMULATE_TOOL(ceiling_##access)
                EMULATE_CEILINGS(EMULATE_CEILING_ENTRY)
#endif
};

__attribute__((visibility("default"))) void (*emulate_find(const char *kernel))(void) {
  for (size_t i = 0; i < sizeof emulate_kernels / sizeof *emulate_kernels; i++)
    if (__builtin_strcmp(kernel, emulate_kernels[i].name) == 0 && emulate_kernels[i].there)
      return emulate_kernels[i].run;
  return NULL;
}
