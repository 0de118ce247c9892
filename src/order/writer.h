/* Writer of visited-order files: threads of an exploration append keys, a thread of the writer compresses and writes
   them. It writes a temporary file beside the final one, which gets the final name when it is complete. */
#ifndef FLOE_ORDER_WRITER_H
#define FLOE_ORDER_WRITER_H

#include "floe.h"
#include "order/format.h"

/* Per-thread context with the keys collected so far; only that thread appends to it. */
struct order_context {
  struct order_file *file;
  uint8_t *bytes; /* [BLOCK_BYTES] (order/queue.h) */
  size_t used;
};

/* Creates the temporary file beside `path` with room for the header, and `contexts` contexts. Errors are logged in
   `log`. FLOE_ERROR_IO, FLOE_ERROR_MEMORY; FLOE_ERROR_UNSUPPORTED: compression is not available. */
floe_status order_create(const char *path, const struct order_header *header, unsigned contexts, floe_log *log,
                         struct order_file **out);
struct order_context *order_context(struct order_file *file, unsigned number);

/* Result of the lookup of a key, with the values of the tables' results (asserted by api/explore/record_order.c), so
   that results are passed on unchanged. */
enum order_answer { ORDER_KNOWN, ORDER_NEW, ORDER_NO_PLACE };

/* Appends n keys that were looked up, n at most ORDER_MOST_AT_ONCE, each with an enum order_answer. The kind of the
   file selects the recorded ones; ORDER_NO_PLACE is never recorded. After a write error it does nothing;
   order_finish logs the error, and the exploration continues correctly. */
#define ORDER_MOST_AT_ONCE 256
void order_record(struct order_context *context, const uint64_t *keys, const uint8_t *answers, size_t n);

/* Flushes the context: its keys precede all keys appended to any context later. */
void order_flush(struct order_context *context);
/* Discards all recorded keys: the file is as after order_create. No thread may record meanwhile. */
void order_restart(struct order_file *file);

/* Result of the run. */
struct order_ending {
  floe_end end;
  unsigned threads;
};
/* Writes the remaining keys and gives the file its final name. Frees the writer in any case. FLOE_ERROR_IO, logged:
   there is no file. */
floe_status order_finish(struct order_file *file, const struct order_ending *ending);
/* Frees the writer and removes its file; NULL is allowed. */
void order_abandon(struct order_file *file);
/* Logs the write error, if any, once. */
void order_report_error(struct order_file *file);

#endif
