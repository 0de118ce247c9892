/* Time of NVRTC for the kernels of a model, and properties of the result; needs the toolkit, not a GPU.

       nvrtc [-a ARCH] [-r ROUNDS] [-d FILE] [-t FILE] [-R] [-I] MODEL [NAME=VALUE]... [-- OPTION...]

   ARCH: compute capability, 90. -d: writes the text to FILE; without rounds nothing else. -t: compiles FILE instead.
   -R: the text of floe_rehash. -I: for index keys. Each round compiles in a separate process and prints one line: user,
   system and wall seconds of the process, seconds of nvrtc_compile, the phases as NVRTC times them, and for each
   kernel: bytes of machine code, registers, bytes spilled. */
#define _GNU_SOURCE
#include "config.h"

#include "tests/gpu/jit/cubin.h"
#include "tests/step/loaded.h"

#include "core/system/clock.h"
#include "gpu/engine/sizing_policy.h"
#include "gpu/jit/kernel_text.h"
#include "gpu/jit/nvrtc.h"
#include "step/analysis/invariants.h"
#include "step/layout/index_key.h"
#include "step/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY (UINT64_C(133) << 30) /* of a card of 141 GB, available for a run */
enum { MOST = 64, ROOT_BITS = 38 };  /* of multiword states: kernels for roots suit all of them */

struct request {
  const char *model, *dump, *read;
  int arch, rounds;
  bool rehash, index_keys;
  struct loaded_constant definitions[MOST];
  size_t definition_count;
  const char *options[MOST];
  size_t option_count;
};

static void die(const char *what, const char *why) {
  fprintf(stderr, "nvrtc: %s: %s\n", what, why);
  exit(99);
}

static char *slurp(const char *path) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = fopen(path, "rb");
  if (!file || getdelim(&text, &length, '\0', file) < 0)
    die(path, "cannot be read");
  fclose(file);
  return text;
}

/* ---- the text --------------------------------------------------------------------------------------- */

struct writing {
  const struct request *request;
  struct loaded *loaded;
  const char *text;
};

static const struct layout *layout_of(const struct writing *writing, struct arena *arena) {
  const struct invariants *invariants;
  const struct encoding *encoding;
  if (!writing->request->index_keys)
    return writing->loaded->layout;
  if (invariants_make(writing->loaded->model, NULL, arena, &invariants) != FLOE_OK ||
      encoding_make(writing->loaded->model, writing->loaded->layout, invariants, arena, &encoding) != FLOE_OK)
    die(writing->request->model, "no index keys");
  struct layout *layout = arena_alloc(arena, sizeof *layout);
  *layout = layout_with_index_keys(writing->loaded->layout, encoding);
  return layout;
}

static void write_text(void *data) {
  struct writing *writing = data;
  struct arena *arena = &writing->loaded->arena;
  const struct layout *layout = layout_of(writing, arena);
  const struct table_config wanted = {.key_bits = layout->key_words > 1 ? ROOT_BITS : layout->key_bits};
  struct table_config config;
  struct table_shape shape;
  const char *code = NULL;
  if (policy_first_table(&wanted, 0, MEMORY, &config, &shape) != FLOE_OK)
    die(writing->request->model, "no table");
  const struct gpu_kernel_config kernel = {
      .key_bits = shape.key_bits,
      .multiword = layout->key_words > 1 ? layout->words : 0,
      .permutation = PERMUTATION_MIX,
      .geometry = {shape.slot_bits, shape.bucket_slots, shape.second_slot_bits, shape.second_bucket_slots}};
  if (codegen_text(writing->loaded->model, layout, CODEGEN_GPU, NULL, arena, &code) != FLOE_OK)
    die(writing->request->model, "no code");
  writing->text =
      writing->request->rehash ? gpu_kernel_rehash_text(&kernel, arena) : gpu_kernel_text(&kernel, code, arena);
}

static const char *text_of(const struct request *request, struct loaded *loaded) {
  struct writing writing = {request, loaded, NULL};
  if (!loaded_from_file(loaded, request->model, request->definitions, request->definition_count))
    die(request->model, loaded_message(loaded));
  if (arena_guard(&loaded->arena, write_text, &writing) != 0)
    die(request->model, "out of memory");
  return writing.text;
}

/* ---- what was made ------------------------------------------------------------------------------------ */

static long number_before(const char *end) {
  while (end[-1] >= '0' && end[-1] <= '9')
    end--;
  return atol(end);
}

static void print_kernel(const char *name, size_t bytes, void *data) {
  const char *log = data;
  char headline[200];
  snprintf(headline, sizeof headline, "properties for %s\n", name);
  const char *at = strstr(log, headline);
  const char *spilled = at ? strstr(at, " bytes spill stores") : NULL;
  const char *used = at ? strstr(at, "Used ") : NULL;
  printf("; %s: %zu bytes", name, bytes);
  if (spilled && used)
    printf(", %ld registers, %ld spilled", atol(used + 5), number_before(spilled));
}

/* "name,phase,...,metric,unit" with a headline; phases may come several times */
static void print_phases(const char *path) {
  char line[1000];
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    printf(" | %s", line);
  }
  if (file)
    fclose(file);
}

/* ---- one round ---------------------------------------------------------------------------------------- */

struct compiling {
  const struct request *request;
  const char *text;
  struct arena arena;
};

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static void compile(void *data) {
  struct compiling *work = data;
  const struct request *request = work->request;
  struct nvrtc *nvrtc;
  struct reason why;
  struct nvrtc_result result = {.log = ""};
  struct rusage use;
  char path[] = "/tmp/nvrtc.XXXXXX";
  const double start = clock_seconds();
  if (nvrtc_open(0, &nvrtc, &why) != FLOE_OK)
    die("NVRTC", why.text);
  close(mkstemp(path));
  const char **options = arena_array(&work->arena, request->option_count + 1, sizeof *options);
  memcpy(options, request->options, request->option_count * sizeof *options);
  options[request->option_count] = arena_printf(&work->arena, "--time=%s", path);
  const struct nvrtc_source source = {"model.cu", work->text, options, request->option_count + 1};
  const double begun = clock_seconds();
  if (nvrtc_compile(nvrtc, &source, request->arch, &work->arena, &result) != FLOE_OK)
    die(request->model, result.log);
  const double end = clock_seconds();
  getrusage(RUSAGE_SELF, &use);
  printf("user %.3f system %.3f wall %.3f compile %.3f", seconds(use.ru_utime), seconds(use.ru_stime), end - start,
         end - begun);
  cubin_each(result.cubin, print_kernel, (void *)result.log);
  print_phases(path);
  printf("\n");
  unlink(path);
  nvrtc_close(nvrtc);
}

static void one_round(const struct request *request, const char *text) {
  struct compiling work = {request, text, {0}};
  fflush(stdout);
  const pid_t child = fork();
  int status = 0;
  if (child < 0)
    die("fork", "failed");
  if (child == 0) {
    arena_init(&work.arena);
    const int failed = arena_guard(&work.arena, compile, &work);
    fflush(stdout);
    _exit(failed);
  }
  if (waitpid(child, &status, 0) != child || status != 0)
    die(request->model, "the round failed");
}

static void read_words(struct request *request, char **words) {
  for (; *words && strcmp(*words, "--") != 0; words++) {
    char *equals = strchr(*words, '=');
    if (!equals || request->definition_count == MOST)
      die(*words, "no NAME=VALUE");
    *equals = '\0';
    request->definitions[request->definition_count++] = (struct loaded_constant){.name = *words, .value = equals + 1};
  }
  while (*words && *++words && request->option_count < MOST)
    request->options[request->option_count++] = *words;
}

static void read_arguments(struct request *request, int count, char **words) {
  for (int option; (option = getopt(count, words, "+a:r:d:t:RI")) != -1;)
    switch (option) {
    case 'a':
      request->arch = atoi(optarg);
      break;
    case 'r':
      request->rounds = atoi(optarg);
      break;
    case 'd':
      request->dump = optarg;
      break;
    case 't':
      request->read = optarg;
      break;
    case 'R':
      request->rehash = true;
      break;
    case 'I':
      request->index_keys = true;
      break;
    default:
      exit(99);
    }
  if (optind >= count)
    die("usage", "nvrtc [-a ARCH] [-r ROUNDS] [-d FILE] [-t FILE] [-R] [-I] MODEL [NAME=VALUE]... [-- OPTION...]");
  request->model = words[optind];
  read_words(request, words + optind + 1);
}

int main(int count, char **words) {
  struct request request = {.arch = 90, .rounds = 1};
  struct loaded loaded;
  read_arguments(&request, count, words);
  const char *text = text_of(&request, &loaded);
  if (request.dump) {
    FILE *file = fopen(request.dump, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
      die(request.dump, "cannot be written");
  }
  char *other = request.read ? slurp(request.read) : NULL;
  for (int i = 0; i < request.rounds; i++)
    one_round(&request, other ? other : text);
  free(other);
  loaded_free(&loaded);
  return 0;
}
