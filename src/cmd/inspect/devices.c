/* floe devices: list the processor and the GPUs. */
#include "cmd/command.h"
#include "cmd/console/message.h"
#include "cmd/quantity.h"
#include "cmd/report/report.h"

#include <inttypes.h>
#include <limits.h>

static void print_cpu(const floe_cpu *cpu) {
  char memory[QUANTITY];
  printf("cpu: %s%s%u core%s, %s, %s of usable memory\n", cpu->name, *cpu->name ? ", " : "", cpu->cores,
         cpu->cores == 1 ? "" : "s", cpu->simd, byte_text(cpu->memory, memory));
}

static void print_gpu(const floe_gpu *gpu) {
  char memory[QUANTITY];
  printf("gpu %u: %s", gpu->number, *gpu->name ? gpu->name : "no response");
  if (gpu->memory) {
    printf(", compute capability %u.%u, %u multiprocessors", gpu->compute_major, gpu->compute_minor,
           gpu->multiprocessors);
    if (gpu->clock_mhz)
      printf(" at %u MHz", gpu->clock_mhz);
    printf(", %s of memory", byte_text(gpu->memory, memory));
  }
  if (gpu->memory_free)
    printf(", %s free", byte_text(gpu->memory_free, memory));
  if (*gpu->bus)
    printf(", at %s", gpu->bus);
  putchar('\n');
  if (*gpu->why_not)
    printf("  not usable: %s\n", gpu->why_not);
}

static void print_cuda(const floe_devices *devices) {
  const char *nvrtc = floe_devices_nvrtc(devices);
  printf("cuda: driver for CUDA up to %s, ", floe_devices_driver(devices));
  if (*nvrtc)
    printf("NVRTC %s\n", nvrtc);
  else
    printf("only cached kernels are usable: %s\n", floe_devices_no_nvrtc(devices));
}

static json_t *text_or_null(const char *text) { return *text ? text_json(text) : json_null(); }

static json_t *count_or_null(uint64_t count) { return count ? json_integer((json_int_t)count) : json_null(); }

/* ---- links ----------------------------------------------------------------------------------- */

/* Two different GPUs, both usable. */
static bool is_usable_pair(const floe_devices *devices, size_t i, size_t k) {
  return i != k && !*floe_devices_gpu(devices, i).why_not && !*floe_devices_gpu(devices, k).why_not;
}

/* The kinds of links present, for the legend. */
struct link_summary {
  bool direct, atomics, host;
  unsigned least_rank, most_rank; /* CUDA's performance rank of direct links; 0: there is none */
};

static struct link_summary summarise_links(const floe_devices *devices) {
  const size_t count = floe_devices_gpus(devices);
  struct link_summary summary = {.least_rank = UINT_MAX};
  for (size_t i = 0; i < count * count; i++) {
    const floe_link link = floe_devices_link(devices, i / count, i % count);
    if (!is_usable_pair(devices, i / count, i % count))
      continue;
    summary.direct |= link.direct;
    summary.host |= !link.direct;
    summary.atomics |= link.atomics;
    if (link.direct && link.rank < summary.least_rank)
      summary.least_rank = link.rank;
    if (link.rank > summary.most_rank)
      summary.most_rank = link.rank;
  }
  return summary;
}

/* The driver's ranks are shown only if they differ. */
static bool ranks_differ(const struct link_summary *summary) {
  return summary->direct && summary->least_rank != summary->most_rank;
}

#define CELL 14

static void print_link(const floe_link *link, bool with_rank) {
  char cell[32];
  int length = snprintf(cell, sizeof cell, "%s%s", link->direct ? "direct" : "host", link->atomics ? "+" : "");
  if (with_rank && link->rank)
    snprintf(cell + length, sizeof cell - (size_t)length, " (%u)", link->rank);
  printf("%*s", CELL, cell);
}

static void print_link_row(const floe_devices *devices, size_t i, bool with_rank) {
  printf("  gpu %-5u", floe_devices_gpu(devices, i).number);
  for (size_t k = 0; k < floe_devices_gpus(devices); k++) {
    const floe_link link = floe_devices_link(devices, i, k);
    if (i == k)
      printf("%*s", CELL, "-");
    else if (is_usable_pair(devices, i, k))
      print_link(&link, with_rank);
  }
  putchar('\n');
}

static void print_link_legend(const struct link_summary *summary) {
  const char *between = "  ";
  if (summary->direct)
    printf("%sdirect: from GPU to GPU", between), between = "; ";
  if (summary->atomics)
    printf("%s+: with atomic operations, as over NVLink", between);
  if (ranks_differ(summary))
    printf("%s(1): the fastest kind of link, according to the driver", between);
  if (summary->host)
    printf("%shost: through host memory, slower", between);
  putchar('\n');
}

/* The heading of each GPU's column, right-aligned. */
static void print_link_heads(const floe_devices *devices) {
  char head[32];
  printf("%11s", "");
  for (size_t i = 0; i < floe_devices_gpus(devices); i++) {
    const floe_gpu gpu = floe_devices_gpu(devices, i);
    snprintf(head, sizeof head, "gpu %u", gpu.number);
    if (!*gpu.why_not)
      printf("%*s", CELL, head);
  }
  putchar('\n');
}

static void print_links(const floe_devices *devices) {
  const struct link_summary summary = summarise_links(devices);
  if (!summary.direct && !summary.host)
    return; /* no two usable GPUs */
  puts("links: path of states between GPUs of one search (--devices), from the GPU of the column to that of the row");
  print_link_heads(devices);
  for (size_t i = 0; i < floe_devices_gpus(devices); i++)
    if (!*floe_devices_gpu(devices, i).why_not)
      print_link_row(devices, i, ranks_differ(&summary));
  print_link_legend(&summary);
}

static json_t *links_json(const floe_devices *devices) {
  const size_t count = floe_devices_gpus(devices);
  json_t *links = json_array();
  for (size_t i = 0; i < count * count; i++) {
    const size_t gpu = i / count, peer = i % count;
    const floe_link link = floe_devices_link(devices, gpu, peer);
    if (is_usable_pair(devices, gpu, peer))
      json_array_append_new(links,
                            json_pack("{s:i, s:i, s:b, s:b, s:o}", "gpu", (int)floe_devices_gpu(devices, gpu).number,
                                      "peer", (int)floe_devices_gpu(devices, peer).number, "direct", link.direct,
                                      "atomics", link.atomics, "rank", count_or_null(link.rank)));
  }
  return links;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void print_devices(const floe_devices *devices) {
  floe_cpu cpu = floe_devices_cpu(devices);
  print_cpu(&cpu);
  for (size_t i = 0; i < floe_devices_gpus(devices); i++) {
    floe_gpu gpu = floe_devices_gpu(devices, i);
    print_gpu(&gpu);
  }
  if (floe_devices_gpus(devices))
    print_cuda(devices), print_links(devices);
  else
    printf("no usable GPU: %s\n", floe_devices_no_gpu(devices));
}

static json_t *cpu_json(const floe_cpu *cpu) {
  return json_pack("{s:o, s:i, s:s, s:I}", "name", text_or_null(cpu->name), "cores", (int)cpu->cores, "simd", cpu->simd,
                   "memory", (json_int_t)cpu->memory);
}

static json_t *gpu_json(const floe_gpu *gpu) {
  return json_pack("{s:i, s:o, s:o, s:i, s:i, s:I, s:o, s:i, s:o, s:o}", "number", (int)gpu->number, "name",
                   text_or_null(gpu->name), "bus", text_or_null(gpu->bus), "compute_major", (int)gpu->compute_major,
                   "compute_minor", (int)gpu->compute_minor, "memory", (json_int_t)gpu->memory, "memory_free",
                   count_or_null(gpu->memory_free), "multiprocessors", (int)gpu->multiprocessors, "clock_mhz",
                   count_or_null(gpu->clock_mhz), "why_not", text_or_null(gpu->why_not));
}

static json_t *devices_json(const floe_devices *devices) {
  floe_cpu cpu = floe_devices_cpu(devices);
  json_t *gpus = json_array();
  for (size_t i = 0; i < floe_devices_gpus(devices); i++) {
    floe_gpu gpu = floe_devices_gpu(devices, i);
    json_array_append_new(gpus, gpu_json(&gpu));
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", floe_version(), "command", "devices",
                   "cpu", cpu_json(&cpu), "gpus", gpus, "links", links_json(devices), "no_gpu",
                   text_or_null(floe_devices_no_gpu(devices)), "driver", text_or_null(floe_devices_driver(devices)),
                   "nvrtc", text_or_null(floe_devices_nvrtc(devices)), "no_nvrtc",
                   text_or_null(floe_devices_no_nvrtc(devices)));
}

static int run_devices(const struct options *options, char *const *operands, int count) {
  floe_devices *devices;
  int code = EXIT_SATISFIED;
  (void)operands, (void)count;
  floe_status status = floe_devices_create(&devices);
  if (status != FLOE_OK) {
    print_error(NULL, "%s", floe_status_name(status));
    return EXIT_UNDECIDED;
  }
  if (!json_replaces_text(options))
    print_devices(devices);
  if (options->json.given && !put_json(options->json.text, devices_json(devices)))
    code = EXIT_OUTPUT;
  floe_devices_free(devices);
  return code;
}

const struct command command_devices = {
    .name = "devices",
    .bit = IN(devices),
    .operands = "",
    .summary = "List the processor and the GPUs; print why no GPU is usable",
    .description = "--device takes the number of a GPU. Having no GPU is not an error.\n",
    .min_operands = 0,
    .max_operands = 0,
    .run = run_devices,
};
