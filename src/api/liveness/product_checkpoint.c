#include "api/liveness/product_checkpoint.h"

#include "api/explore/key_encoding.h"
#include "checkpoint/identity.h"
#include "core/diag.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *product_checkpoint_path(const char *file, const char *property, struct arena *arena) {
  return arena_printf(arena, "%s.ltl.%s", file, property);
}

/* Why the file does not belong to the search; "": it does. */
static const char *compare_options(const struct product_checkpoint *request, const struct checkpoint_head *head) {
  const char *const property = checkpoint_option_of(head, "product"), *const depth =
                                                                          checkpoint_option_of(head, "max-depth");
  if (!property || strcmp(property, request->property) != 0)
    return "it is not of this property";
  return (depth ? strtoull(depth, NULL, 10) : UINT32_MAX) == request->max_depth ? "" : "it has another --max-depth";
}

static floe_status compare(const struct product_checkpoint *request, struct checkpoint_reader *reader,
                           floe_encoding *encoding, const char **difference) {
  const struct checkpoint_head *head = checkpoint_head_of(reader);
  const struct layout *layout = request->product->layout;
  unsigned char digest[DIGEST_BYTES];
  *difference = compare_options(request, head);
  *encoding = checkpoint_option_of(head, "encoding") ? FLOE_ENCODING_INDEX : FLOE_ENCODING_FIELDS;
  if (**difference)
    return FLOE_OK;
  *difference = "the model, the property or its fairness has changed";
  if (*encoding == FLOE_ENCODING_INDEX) {
    const floe_status status = index_key_layout(request->product, &layout);
    if (status != FLOE_OK)
      return status == FLOE_ERROR_UNSUPPORTED ? FLOE_OK : status;
  }
  checkpoint_identity(request->product->model, layout, digest);
  if (memcmp(digest, head->digest, sizeof digest) == 0)
    *difference = "";
  checkpoint_expect_keys(reader, layout->keys);
  return FLOE_OK;
}

floe_status product_checkpoint_open(const struct product_checkpoint *request, struct checkpoint_reader **out,
                                    floe_encoding *encoding) {
  const char *const path = product_checkpoint_path(request->file, request->property, request->arena), *difference;
  *out = NULL;
  if (access(path, F_OK) != 0)
    return FLOE_OK;
  FLOE_TRY(checkpoint_open(path, request->log, out));
  const floe_status status = compare(request, *out, encoding, &difference);
  if (status == FLOE_OK && !*difference)
    return FLOE_OK;
  checkpoint_close(*out);
  *out = NULL;
  if (status == FLOE_OK)
    diag_warning(request->log, NULL, NOWHERE, NULL, "%s is not used, and property '%s' is decided from the start: %s",
                 path, request->property, difference);
  return status;
}
