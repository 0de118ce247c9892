#include "cmd/explore/requests.h"

#include "cmd/explore/answers.h"
#include "cmd/explore/page.h"

#include <string.h>

static const struct {
  const char *path;
  bool posts;
  explore_answer *answer;
} answers[] = {{"/api/model", false, answer_model},         {"/api/state", true, answer_state},
               {"/api/blocked", true, answer_blocked},      {"/api/replay", true, answer_replay},
               {"/api/trace", true, answer_trace},          {"/api/random", true, answer_random},
               {"/api/graph", true, answer_graph},          {"/api/search", true, answer_search_start},
               {"/api/search", false, answer_search_state}, {"/api/cancel", true, answer_search_cancel}};

static void send_json(json_t *object, unsigned status, struct http_answer *answer) {
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  *answer = (struct http_answer){.status = text ? status : 500,
                                 .type = "application/json",
                                 .body = text ? text : "{\"error\":\"out of memory\"}",
                                 .length = text ? strlen(text) : 25,
                                 .owned = text != NULL};
}

static void send_error(const struct explore_error *error, struct http_answer *answer) {
  send_json(json_pack("{s:s, s:s}", "error", error->text, "hint", error->hint), 400, answer);
}

/* The depth of nesting that jansson accepts is bounded, and the server bounds the length. */
static json_t *parse(const struct http_request *request, struct explore_error *error) {
  json_error_t why;
  json_t *object =
      request->posts ? json_loadb(request->body, request->length, JSON_REJECT_DUPLICATES, &why) : json_object();
  if (!object)
    explore_fail(error, NULL, "the request is no JSON: line %d: %s", why.line, why.text);
  else if (!json_is_object(object))
    explore_fail(error, NULL, "the request is no JSON object");
  else
    return object;
  json_decref(object);
  return NULL;
}

static void answer_json(struct explorer *explorer, explore_answer *make, const struct http_request *request,
                        struct http_answer *answer) {
  struct explore_error error = {"", ""};
  json_t *object = parse(request, &error);
  json_t *made = object ? make(explorer, object, &error) : NULL;
  json_decref(object);
  if (made || !error.text[0])
    send_json(made, 200, answer);
  else
    send_error(&error, answer);
}

void request_handle(void *user, const struct http_request *request, struct http_answer *answer) {
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (answers[i].posts == request->posts && strcmp(answers[i].path, request->path) == 0) {
      answer_json(user, answers[i].answer, request, answer);
      return;
    }
  const struct page_file *file = request->posts ? NULL : page_find(request->path);
  if (file)
    *answer = (struct http_answer){.status = 200, .type = file->type, .body = file->bytes, .length = *file->size};
}
