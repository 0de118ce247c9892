/* Compiles the kernels of every model with NVRTC, which needs no GPU, and reports registers and spills: the exploration
   must keep nearly all of its values in registers (GPU_MOST_SPILLED). The hardest model and one layout of a table, for
   compute capability 9.0. FLOE_TEST_LONG=1: every model, more layouts, and the hardest model for three other GPUs.
   FLOE_TEST_ALL=1: every model for all four, all layouts. */
#include "config.h"

#include "tests/step/explored.h"
#include "tests/step/learned_invariants.h"
#include "tests/step/loaded.h"
#include "tests/step/random_net.h"
#include "tests/step/random_product.h"
#include "tests/suite.h"

#include "api/api.h"
#include "core/mem.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/nvrtc.h"
#include "step/stepper.h"
#include "tables/iceberg/iceberg_forms.h"
#include "tables/table.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 27, MOST_SHARED = 48 << 10 };

static const int architectures[] = {75, 80, 90, 100};
static const char hardest[] = "havi.xml";

static struct nvrtc *nvrtc;

/* ptxas' report of a kernel. */
struct use {
  int registers, spilled, shared;
};

static int number_before(const char *log, const char *words) {
  const char *at = strstr(log, words);
  ck_assert_msg(at != NULL, "no \"%s\" in %s", words, log);
  while (at > log && strchr("0123456789 ", at[-1]))
    at--;
  return atoi(at);
}

static struct use use_of(const char *log, const char *kernel) {
  char headline[100];
  snprintf(headline, sizeof headline, "Compiling entry function '%s'", kernel);
  const char *at = strstr(log, headline);
  ck_assert_msg(at != NULL, "no %s in %s", kernel, log);
  const char *used = strstr(at, "Used ");
  ck_assert(used != NULL);
  const char *end = strchr(used, '\n');
  const char *shared = strstr(used, " bytes smem");
  struct use use = {atoi(used + strlen("Used ")), number_before(at, " bytes spill stores"), 0};
  if (shared && (!end || shared < end))
    use.shared = number_before(used, " bytes smem");
  return use;
}

static struct use compile(const char *name, const char *text, int arch, const char *kernel, struct arena *arena) {
  const struct nvrtc_source source = {.name = name, .text = text};
  struct nvrtc_result result = {.log = ""};
  floe_status status = nvrtc_compile(nvrtc, &source, arch, arena, &result);
  ck_assert_msg(status == FLOE_OK, "%s for sm_%d: %.6000s", name, arch, result.log); /* longer messages are lost */
  ck_assert_uint_gt(result.size, 0);
  struct use use = use_of(result.log, kernel);
  ck_assert_int_le(use.shared, MOST_SHARED);
  return use;
}

static bool can_compile_for(int arch) { return nvrtc_target(nvrtc, arch) == arch; }

/* `once`: another variant of the model's kernels is compiled for all. */
static bool is_compiled_for(const char *name, bool once, int arch) {
  const bool is_wanted = arch == 90 || everything() || (at_length() && !once && strcmp(name, hardest) == 0);
  return is_wanted && can_compile_for(arch);
}

/* ---- models ---------------------------------------------------------------------------------------- */

enum { ROOT_BITS = 38 }; /* any value: the kernels for roots accept all */

struct compilation {
  struct loaded *loaded;
  const char *name, *scheme;
  unsigned slot_bits; /* 0: chosen */
  bool members;       /* one of several members of a group */
  unsigned linked;    /* whose devices reach each other's memory */
  bool elsewhere;     /* the group has further members */
  bool once;          /* for one compute capability */
  bool arcs;          /* transitions are a table */
};

static struct gpu_kernel_config config_for(const char *scheme, unsigned key_bits, unsigned slot_bits) {
  const bool every_key = table_traits(scheme)->every_key; /* laid out for few keys: the kernels are the same for many */
  const struct table_config table = {
      .scheme = scheme, .key_bits = key_bits, .keys = every_key ? 2 : 0, .slots = SLOTS, .slot_bits = slot_bits};
  struct table_shape shape;
  ck_assert_int_eq(table_plan(&table, &shape), FLOE_OK);
  return (struct gpu_kernel_config){
      .scheme = scheme,
      .key_bits = key_bits,
      .permutation = PERMUTATION_MIX,
      .geometry = {shape.slot_bits, shape.bucket_slots, shape.second_slot_bits, shape.second_bucket_slots}};
}

/* As the host does: tries fewer blocks, and thus more registers, until little is spilled. */
static void compile_for(struct compilation *work, const char *code, int arch) {
  struct arena *arena = &work->loaded->arena;
  const struct layout *layout = work->loaded->layout;
  struct gpu_kernel_config config =
      config_for(work->scheme, layout->key_words > 1 ? ROOT_BITS : layout->key_bits, work->slot_bits);
  struct use use = {0, GPU_MOST_SPILLED + 1, 0};
  config.multiword = layout->key_words > 1 ? layout->words : 0;
  config.index_keys = work->loaded->layout->encoding != NULL;
  config.transient = work->loaded->model->transient != NULL;
  config.members = work->members;
  config.linked = work->linked;
  config.elsewhere = work->elsewhere;
  for (config.least_blocks = 4; use.spilled > GPU_MOST_SPILLED && config.least_blocks > 1; config.least_blocks--) {
    use = compile(work->name, gpu_kernel_text(&config, code, arena), arch, "floe_explore", arena);
    printf("%-18s %-7s sm_%-3d %u blocks, slots of %u x %2u: %3d registers, %d bytes spilled, %5d shared\n", work->name,
           work->scheme, arch, config.least_blocks, config.geometry.slot_bits, config.geometry.bucket_slots,
           use.registers, use.spilled, use.shared);
  }
  ck_assert_msg(use.spilled <= GPU_MOST_SPILLED, "%s for sm_%d spills %d bytes", work->name, arch, use.spilled);
}

/* The kernel that finds paths. It has no bound on registers: a block of it has a multiprocessor to itself. */
static void compile_predecessors(const struct compilation *work, const char *code) {
  const struct layout *layout = work->loaded->layout;
  const struct gpu_kernel_config config = {.index_keys = layout->encoding != NULL,
                                           .multiword = layout->key_words > 1 ? layout->words : 0,
                                           .transient = work->loaded->model->transient != NULL};
  struct arena *arena = &work->loaded->arena;
  const char *text = gpu_kernel_predecessors_text(&config, code, arena);
  ck_assert_int_eq(compile(work->name, text, 90, "floe_predecessors", arena).spilled, 0);
}

static void compile_model(void *data) {
  struct compilation *work = data;
  const struct loaded *const loaded = work->loaded;
  const char *code;
  ck_assert_int_eq(work->arcs
                       ? codegen_arc_text(loaded->model, loaded->layout, &work->loaded->arena, &code)
                       : codegen_text(loaded->model, loaded->layout, CODEGEN_GPU, NULL, &work->loaded->arena, &code),
                   FLOE_OK);
  for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
    if (is_compiled_for(work->name, work->once, architectures[i]))
      compile_for(work, code, architectures[i]);
  if (!work->members && strcmp(work->scheme, "iceberg") == 0 && can_compile_for(90))
    compile_predecessors(work, code);
}

/* Selects the hardest model; at length, all. */
static bool is_wanted(const char *name) { return strstr(name, ".xml") && (strcmp(name, hardest) == 0 || at_length()); }

START_TEST(models_explore_in_registers) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/models", getenv("top_srcdir"));
  DIR *models = opendir(folder);
  ck_assert(models);
  int compiled = 0;
  for (struct dirent *entry; (entry = readdir(models));) {
    if (!is_wanted(entry->d_name))
      continue;
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    struct loaded loaded;
    ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
    struct compilation work = {&loaded, entry->d_name, "iceberg", 0, false, 0, false, false, false};
    ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, &work), 0);
    loaded_free(&loaded);
    compiled++;
  }
  closedir(models);
  ck_assert_int_ge(compiled, at_length() ? 4 : 1);
}
END_TEST

/* The kernels of one of several members of a group, which differ only in the routing of keys: for one model. */
START_TEST(members_explore_in_registers) {
  static const struct {
    const char *scheme;
    unsigned linked;
    bool elsewhere;
  } kinds[] = {{"iceberg", 4, false}, {"linear", 0, false}, {"iceberg", 0, false},
               {"linear", 2, false},  {"bitmap", 8, false}, {"iceberg", 4, true}};
  char path[8192];
  struct loaded loaded;
  snprintf(path, sizeof path, "%s/models/%s", getenv("top_srcdir"), hardest);
  ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
  struct compilation work = {.loaded = &loaded,
                             .name = hardest,
                             .scheme = kinds[_i].scheme,
                             .members = true,
                             .linked = kinds[_i].linked,
                             .elsewhere = kinds[_i].elsewhere,
                             .once = _i % 5 != 0};
  ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, &work), 0);
  loaded_free(&loaded);
}
END_TEST

/* With index keys, on proved invariants, and by cases of location and length; also the kernels for host lookups. */
static void compile_ranked(void *data) {
  struct compilation *work = data;
  struct arena *arena = &work->loaded->arena;
  const char *code;
  compile_model(work);
  ck_assert_int_eq(codegen_key_text(work->loaded->model, work->loaded->layout, arena, &code), FLOE_OK);
  struct gpu_kernel_config config = config_for(work->scheme, work->loaded->layout->key_bits, work->slot_bits);
  config.index_keys = true;
  if (can_compile_for(90))
    compile(work->name, gpu_kernel_host_lookup_text(&config, code, arena), 90, "floe_host_lookup_apply", arena);
}

static void compile_by_rank(const char *path, const char *name, enum learning learning) {
  struct loaded loaded;
  ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
  struct invariants *invariants = learn_invariants(&loaded, learning, 0);
  if (use_index_keys(&loaded, invariants)) { /* else there would be too many */
    struct compilation work = {&loaded, name, "iceberg", 0, false, 0, false, false, false};
    ck_assert_int_eq(arena_guard(&loaded.arena, compile_ranked, &work), 0);
  }
  loaded_free(&loaded);
}

START_TEST(models_explore_by_rank) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/models", getenv("top_srcdir"));
  DIR *models = opendir(folder);
  ck_assert(models);
  for (struct dirent *entry; (entry = readdir(models));) {
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (is_wanted(entry->d_name))
      compile_by_rank(path, entry->d_name, LEARN_PROVED);
    if (is_wanted(entry->d_name) && everything())
      compile_by_rank(path, entry->d_name, LEARN_CASES);
  }
  closedir(models);
}
END_TEST

/* States of several words. */
START_TEST(wide_models_explore) {
  static const struct {
    const char *model;
    struct loaded_constant constants[2];
    size_t count;
  } wide[] = {{"models/counters", {{"N", "30"}, {"K", "8"}}, 2},
              {"models/philosophers", {{"N", "30"}}, 1},
              {"models/havi", {{"N", "4"}}, 1},
              {"models/counters", {{"N", "40"}, {"K", "200"}}, 2}};
  if (!at_length() && _i > 0)
    return;
  struct loaded loaded;
  explored_load(&loaded, wide[_i].model, wide[_i].constants, wide[_i].count);
  ck_assert_uint_gt(loaded.layout->words, 1);
  char name[100];
  snprintf(name, sizeof name, "%s, %u words", strchr(wide[_i].model, '/') + 1, loaded.layout->words);
  struct compilation work = {&loaded, name, "iceberg", 0, false, 0, false, false, false};
  ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, &work), 0);
  loaded_free(&loaded);
}
END_TEST

/* Models with transient states: of one word and of several, also of a member of a group. */
#define ATOMIC(wide, counter)                                                                                          \
  wide "typedef count { byte x, y }; count c; chan q = [2] of { byte };\n"                                             \
       "active [2] proctype P() { byte i;\n"                                                                           \
       "  do :: atomic { q?i -> if :: " counter " < 9 -> " counter "++ :: i > 0 -> c.y = i fi; q!i }\n"                \
       "     :: d_step { len(q) < 2; i = 0; do :: i < 3 -> i++ :: else -> break od }; q!i\n"                           \
       "  od }\n"

/* The model, or the text of one, in another language than XML. */
static void compile_parsed(floe_model *model, struct compilation *work) {
  struct loaded loaded = {.log = NULL};
  arena_init(&loaded.arena);
  ck_assert_int_eq(floe_model_check(model, NULL), FLOE_OK);
  loaded.model = model->model;
  loaded.layout = model->layout;
  work->loaded = &loaded;
  work->scheme = "iceberg";
  work->once = true;
  ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, work), 0);
  arena_free(&loaded.arena);
}

START_TEST(sequences_explore) {
  static const struct {
    const char *name, *text;
    unsigned linked;
  } kinds[] = {{"sequences", ATOMIC("", "c.x"), 0},
               {"wide sequences", ATOMIC("int wide[4]; ", "wide[1]"), 0},
               {"linked sequences", ATOMIC("", "c.x"), 4}};
  floe_model *model;
  ck_assert_int_eq(floe_model_parse("m.pml", kinds[_i].text, strlen(kinds[_i].text), NULL, &model), FLOE_OK);
  struct compilation work = {.name = kinds[_i].name, .members = kinds[_i].linked > 0, .linked = kinds[_i].linked};
  compile_parsed(model, &work);
  ck_assert_ptr_nonnull(model->model->transient);
  floe_model_free(model);
}
END_TEST

/* Canonical forms: of one word, of several, and with places of multisets. */
START_TEST(symmetric_models_explore) {
  static const char *const names[] = {"owners", "wide", "multisets"};
  char path[4096];
  floe_model *model;
  snprintf(path, sizeof path, "%s/tests/murphi/symmetric/cases/%s.m", getenv("top_srcdir"), names[_i]);
  ck_assert_int_eq(floe_model_load(path, NULL, &model), FLOE_OK);
  model_set_symmetric(model, true);
  struct compilation work = {.name = names[_i]};
  compile_parsed(model, &work);
  ck_assert_ptr_nonnull(model->layout->canonical);
  floe_model_free(model);
}
END_TEST

/* Nets whose transitions are a table: states of one word and of several. */
START_TEST(tables_of_arcs_explore) {
  struct loaded loaded;
  random_net(&loaded, _i ? 15 : 6);
  ck_assert(_i == 0 || loaded.layout->words > 1);
  ck_assert(_i == 1 || loaded.layout->words == 1);
  struct compilation work = {.loaded = &loaded, .name = _i ? "wide net" : "net", .scheme = "iceberg", .arcs = true};
  ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, &work), 0);
  loaded_free(&loaded);
}
END_TEST

/* In slots of 32 and of 64 bits. */
START_TEST(models_explore_with_linear_sets) {
  static const char *const models[] = {"counters", "havi"};
  char path[4096];
  struct loaded loaded;
  snprintf(path, sizeof path, "%s/models/%s.xml", getenv("top_srcdir"), models[_i]);
  ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
  struct compilation work = {&loaded, models[_i], "linear", _i ? 64 : 32, false, 0, false, false, false};
  ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, &work), 0);
  loaded_free(&loaded);
}
END_TEST

START_TEST(models_explore_with_bitmaps) {
  static const char *const models[] = {"counters", "havi", "bakery", "hanoi"};
  char path[4096];
  struct loaded loaded;
  snprintf(path, sizeof path, "%s/models/%s.xml", getenv("top_srcdir"), models[_i]);
  ck_assert_msg(loaded_from_file(&loaded, path, NULL, 0), "%s: %s", path, loaded_message(&loaded));
  struct compilation work = {&loaded, models[_i], "bitmap", 0, false, 0, false, false, false};
  ck_assert_int_eq(arena_guard(&loaded.arena, compile_model, &work), 0);
  loaded_free(&loaded);
}
END_TEST

/* The passes over a product. */
static void compile_passes(void *data) {
  struct compilation *work = data;
  struct arena *arena = &work->loaded->arena;
  const struct layout *layout = work->loaded->layout;
  struct gpu_kernel_config config = config_for(work->scheme, layout->key_words > 1 ? ROOT_BITS : layout->key_bits, 0);
  const char *code;
  config.multiword = layout->key_words > 1 ? layout->words : 0;
  config.index_keys = layout->encoding != NULL;
  ck_assert_int_eq(codegen_text(work->loaded->model, layout, CODEGEN_GPU, NULL, arena, &code), FLOE_OK);
  compile(work->name, gpu_kernel_cycles_text(&config, code, arena), 90, "floe_cycles_expand", arena);
}

START_TEST(products_search_for_cycles) {
  static const char *const kinds[][2] = {{"counters", "bitmap"}, {"counters", "iceberg"}, {"tiles", "iceberg"}};
  char path[4096];
  struct loaded factor;
  struct random_product product;
  snprintf(path, sizeof path, "%s/models/%s.xml", getenv("top_srcdir"), kinds[_i][0]);
  ck_assert_msg(loaded_from_file(&factor, path, NULL, 0), "%s: %s", path, loaded_message(&factor));
  uint64_t seed = 1;
  while (!random_product_make(&product, factor.model, seed++))
    random_product_free(&product);
  struct compilation work = {.loaded = &product.loaded, .name = kinds[_i][0], .scheme = kinds[_i][1]};
  ck_assert_int_eq(arena_guard(&product.loaded.arena, compile_passes, &work), 0);
  if (use_index_keys(&product.loaded, learn_invariants(&product.loaded, LEARN_PROVED, 0)))
    ck_assert_int_eq(arena_guard(&product.loaded.arena, compile_passes, &work), 0);
  random_product_free(&product);
  loaded_free(&factor);
}
END_TEST

/* The command relies on this: it rejects no table for the GPU. */
START_TEST(whatever_explores_does_so_on_a_gpu) {
  for (const char *const *scheme = table_schemes(); *scheme; scheme++) {
    const struct table_config config = {.scheme = *scheme, .key_bits = 40};
    const bool explores = table_cannot(&config, TABLE_FIND_OR_PUT) == NULL;
    ck_assert_msg(explores == (gpu_scheme_find(*scheme)->visited != NULL), "%s", *scheme);
  }
}
END_TEST

/* ---- tables ---------------------------------------------------------------------------------------- */

#define GEOMETRY(SLOT, BUCKET, SECOND, SECOND_BUCKET) {SLOT, BUCKET, SECOND, SECOND_BUCKET},
static const struct geometry geometries[] = {ICEBERG_INSTANCES(GEOMETRY)};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries, USUAL_STEP = 20 };

static void compile_linear_rehash(struct arena *arena) {
  for (unsigned key_bits = 32; key_bits <= 64; key_bits += 32) {
    const struct gpu_kernel_config config = config_for("linear", key_bits, 0);
    const struct use use = compile("rehash", gpu_kernel_rehash_text(&config, arena), 90, "floe_rehash", arena);
    ck_assert_int_eq(use.spilled, 0);
  }
}

static void compile_moves_to_bitmaps(struct arena *arena) {
  static const char *const schemes[] = {"iceberg", "linear"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    struct gpu_kernel_config config = config_for("bitmap", 40, 0);
    config.from_scheme = schemes[i];
    config.from = config_for(schemes[i], 40, 0).geometry;
    const struct use use = compile("rehash", gpu_kernel_rehash_text(&config, arena), 90, "floe_rehash", arena);
    ck_assert_int_eq(use.spilled, 0);
  }
}

/* The kernels of checkpoints. */
static void compile_content(const char *scheme, unsigned key_bits, struct arena *arena) {
  const struct gpu_kernel_config config = config_for(scheme, key_bits, 0);
  const char *text = gpu_kernel_key_transfer_text(&config, arena);
  ck_assert_int_eq(compile("content", text, 90, "floe_export_keys", arena).spilled, 0);
  ck_assert_int_eq(compile("content", text, 90, "floe_import_keys", arena).spilled, 0);
}

static void compile_table(void *data) {
  struct arena *arena = data;
  const size_t step = everything() ? 1 : at_length() ? USUAL_STEP : GEOMETRIES;
  if (can_compile_for(90)) {
    compile_linear_rehash(arena);
    compile_content("linear", 64, arena);
    compile_content("iceberg", 40, arena);
    compile_content("bitmap", 40, arena);
    compile_moves_to_bitmaps(arena);
  }
  for (size_t i = 0; i < GEOMETRIES; i += step) {
    const struct gpu_kernel_config config = {
        .key_bits = 40, .permutation = PERMUTATION_FEISTEL, .geometry = geometries[i]};
    if (!can_compile_for(90))
      continue;
    const struct use use = compile("table", gpu_kernel_text(&config, NULL, arena), 90, "floe_table_find_or_put", arena);
    printf("find-or-put, slots of %u x %2u and %u x %2u: %3d registers, %d bytes spilled\n", config.geometry.slot_bits,
           config.geometry.bucket_slots, config.geometry.second_slot_bits, config.geometry.second_bucket_slots,
           use.registers, use.spilled);
    ck_assert_int_eq(use.spilled, 0);
  }
}

START_TEST(every_layout_compiles) {
  struct arena arena;
  arena_init(&arena);
  ck_assert_int_eq(arena_guard(&arena, compile_table, &arena), 0);
  arena_free(&arena);
}
END_TEST

static void compile_broken(void *data) {
  struct arena *arena = data;
  struct nvrtc_result result = {.log = ""};
  const struct nvrtc_source source = {.name = "broken", .text = "int f( {"};
  ck_assert_int_eq(nvrtc_compile(nvrtc, &source, 90, arena, &result), FLOE_ERROR_INTERNAL);
  ck_assert(strstr(result.log, "error"));
}

START_TEST(a_broken_text_is_refused_with_a_log) {
  struct arena arena;
  arena_init(&arena);
  ck_assert_int_eq(arena_guard(&arena, compile_broken, &arena), 0);
  arena_free(&arena);
}
END_TEST

int main(void) {
  struct reason why;
  if (!getenv("top_srcdir")) {
    puts("top_srcdir is not set");
    return 99;
  }
  if (nvrtc_open(0, &nvrtc, &why) != FLOE_OK) {
    printf("skipped: %s\n", why.text);
    return 77;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  TCase *tcase = tcase_create("nvrtc");
  add_tests(tcase, models_explore_in_registers, models_explore_by_rank);
  tcase_add_loop_test(tcase, models_explore_with_linear_sets, at_length() ? 0 : 1, 2);
  tcase_add_loop_test(tcase, models_explore_with_bitmaps, at_length() ? 0 : 1, at_length() ? 4 : 2);
  tcase_add_loop_test(tcase, products_search_for_cycles, 0, at_length() ? 3 : 2);
  add_tests(tcase, whatever_explores_does_so_on_a_gpu, every_layout_compiles, a_broken_text_is_refused_with_a_log);
  TCase *words = tcase_create("words"), *members = tcase_create("members");
  tcase_set_timeout(members, 600);
  tcase_add_loop_test(members, members_explore_in_registers, at_length() ? 0 : 5, 6);
  tcase_add_loop_test(words, wide_models_explore, 0, at_length() ? 4 : 2);
  tcase_add_loop_test(words, tables_of_arcs_explore, at_length() ? 0 : 1, 2);
  tcase_add_loop_test(words, sequences_explore, 0, 3);
  tcase_add_loop_test(words, symmetric_models_explore, 0, at_length() ? 3 : 2);
  const int failed = run_suite("kernels", CK_NOFORK, tcase, members, words);
  nvrtc_close(nvrtc);
  return suite_end(failed);
}
