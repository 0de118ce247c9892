/* libFuzzer harness: the bytes as a Promela file through preprocessor, parser and control flow. NULs separate the model
   from the files "a", "b", ... that it may include. */
#include "core/mem.h"
#include "frontend/promela/graph/promela_graph.h"
#include "tests/fuzz/mutate_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_FILES 4
#define MOST_INCLUDES 256
#define LARGEST (64u << 10) /* all files */

struct reading {
  struct includer includer;
  struct source files[MOST_FILES]; /* [0]: the model */
  size_t file_count;
  struct source included[MOST_INCLUDES], *last;
  size_t included_count;
  struct arena arena;
  floe_log *log;
  floe_status status;
};

static floe_status attach(struct includer *includer, const char *href, source_at at, const struct source **out) {
  struct reading *r = (struct reading *)includer;
  const size_t file = href[0] >= 'a' && !href[1] ? 1 + (size_t)(href[0] - 'a') : 0;
  struct source *source = &r->included[r->included_count];
  if (!file || file >= r->file_count || r->included_count == MOST_INCLUDES || source_end(&r->files[0]) > LARGEST) {
    diag_error(r->log, &r->files[0], at, NULL, "cannot be included");
    return FLOE_ERROR_MODEL;
  }
  *source = r->files[file];
  source->base = source_end(&r->files[0]);
  r->last->next = source;
  r->last = source;
  r->included_count++;
  *out = source;
  return FLOE_OK;
}

static void read_model(void *data) {
  struct reading *r = data;
  const struct pr_model *model;
  r->status = pr_parse(&r->files[0], &r->includer, &(struct pr_givens){0}, &r->arena, r->log, &model);
  if (r->status != FLOE_OK)
    return;
  for (size_t i = 0; i < model->proctypes.n + model->claims.n; i++) {
    struct pr_graph graph;
    const struct pr_proctype *process =
        i < model->proctypes.n ? &model->proctypes.items[i] : &model->claims.items[i - model->proctypes.n];
    if (!pr_build_graph(model, process, &r->arena, r->log, &graph))
      r->status = FLOE_ERROR_MODEL;
    for (size_t k = 0; r->status == FLOE_OK && k < graph.step_count; k++)
      if (graph.steps[k].to >= graph.location_count)
        abort();
  }
  pr_text(model, 0, model->tokens->n, &r->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct reading r;
  const char *text = (const char *)data, *end = text + size;
  r = (struct reading){.includer = {.attach = attach}, .last = &r.files[0]};
  pr_recognise(text, size);
  while (r.file_count < MOST_FILES) {
    const char *part = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
    r.files[r.file_count++] =
        (struct source){.name = "fuzz.pml", .text = text, .length = (size_t)((part ? part : end) - text)};
    if (!part)
      break;
    text = part + 1;
  }
  arena_init(&r.arena);
  if (floe_log_create(&r.log) != FLOE_OK)
    return 0;
  if (arena_guard(&r.arena, read_model, &r) != 0)
    r.status = FLOE_ERROR_MEMORY;
  /* exactly the failures are logged */
  if ((r.status != FLOE_OK) != (diag_errors(r.log) > 0))
    abort();
  floe_log_free(r.log);
  arena_free(&r.arena);
  if (mem_live() != 0)
    abort();
  return 0;
}
