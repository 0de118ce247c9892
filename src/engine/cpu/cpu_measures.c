/* Least and greatest values of the model's measures in the states of a finished search. */
#include "engine/cpu/cpu_search.h"

#include "core/mem.h"
#include "step/layout/state_key.h"

/* What one thread found. */
struct measuring_thread {
  const struct measuring *all;
  struct worker *worker;
  struct measured *measured; /* [measure_count] */
  int64_t *values;           /* [value_count] of a state */
};

struct measuring {
  struct cpu_search *search;
  const struct model *model;
  struct measuring_thread *threads; /* [worker_count] */
};

static int64_t value_of(const struct measure *measure, const int64_t *values) {
  int64_t sum = 0;
  for (size_t i = 0; i < measure->count; i++)
    sum += values[measure->elements[i]];
  return sum;
}

static void widen(struct measured *measured, struct measured by) {
  if (by.least < measured->least)
    measured->least = by.least;
  if (by.greatest > measured->greatest)
    measured->greatest = by.greatest;
}

static void measure_states(void *user, const uint64_t *states, size_t n) {
  struct measuring_thread *thread = user;
  const struct engine_task *task = thread->all->search->search.task;
  const struct model *model = thread->all->model;
  for (size_t s = 0; s < n; s++) {
    key_values(model, task->layout, states + s * task->layout->key_words, thread->values);
    for (size_t i = 0; i < model->measure_count; i++) {
      const int64_t value = value_of(&model->measures[i], thread->values);
      widen(&thread->measured[i], (struct measured){value, value});
    }
  }
}

static void measure_elements(void *user, const uint64_t *elements, size_t n) {
  struct measuring_thread *thread = user;
  if (thread->worker->multiword)
    multiword_visit(thread->worker, elements, n, measure_states, thread);
  else
    measure_states(thread, elements, n);
}

static void measure_part(void *data, unsigned number) {
  const struct measuring *m = data;
  visited_each(m->search->visited.set, number, m->search->worker_count, measure_elements, &m->threads[number]);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static bool open_thread(const struct measuring *m, unsigned number) {
  struct measuring_thread *thread = &m->threads[number];
  *thread = (struct measuring_thread){.all = m, .worker = &m->search->workers[number]};
  thread->measured = mem_array(m->model->measure_count, sizeof *thread->measured);
  thread->values = mem_array(m->model->value_count, sizeof *thread->values);
  for (size_t i = 0; thread->measured && i < m->model->measure_count; i++)
    thread->measured[i] = (struct measured){INT64_MAX, INT64_MIN};
  return thread->measured && thread->values;
}

static void close_thread(struct measuring_thread *thread) {
  mem_free(thread->measured);
  mem_free(thread->values);
}

struct measured *cpu_measure(struct cpu_search *self) {
  struct measuring m = {.search = self, .model = self->search.task->model};
  struct measured *result = NULL;
  bool opened = true;
  m.threads = mem_array(self->worker_count, sizeof *m.threads);
  for (unsigned i = 0; m.threads && i < self->worker_count; i++)
    opened = open_thread(&m, i) && opened;
  if (m.threads && opened) {
    pool_run(self->pool, measure_part, &m);
    for (unsigned i = 1; i < self->worker_count; i++)
      for (size_t k = 0; k < m.model->measure_count; k++)
        widen(&m.threads[0].measured[k], m.threads[i].measured[k]);
    result = m.threads[0].measured;
    m.threads[0].measured = NULL;
  }
  for (unsigned i = 0; m.threads && i < self->worker_count; i++)
    close_thread(&m.threads[i]);
  mem_free(m.threads);
  return result;
}
