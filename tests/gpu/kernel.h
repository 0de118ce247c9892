/* A kernel around a model's generated code, for compiling it as CUDA C: each thread expands one state, counts its
   successors and mixes their words, so that nothing is optimised away. */
struct floe_sink {
  uint64_t *out;
  size_t produced, failed;
};
#define FLOE_SINK struct floe_sink *sink
#define FLOE_SINK_ARGUMENT sink
#define FLOE_BEGIN
#define FLOE_END
#define FLOE_EMIT(number, which, t)                                                                \
  do {                                                                                             \
    for (int word_ = 0; word_ < FLOE_WORDS; word_++)                                               \
      sink->out[sink->produced * FLOE_WORDS + word_] = (t).w[word_];                               \
    sink->produced++;                                                                              \
  } while (0)
#define FLOE_FAIL(number, which, failed_at) (sink->failed++)
