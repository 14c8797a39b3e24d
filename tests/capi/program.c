/* Opens, embeds, fails and closes: run under valgrind by a test.
 *   capi_program MODEL.gguf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lore.h"

static int fail(const char* what, char* error) {
  fprintf(stderr, "%s: %s\n", what, error == NULL ? "no reason given" : error);
  lore_free(error);
  return 1;
}

int main(int count, char** arguments) {
  char* error = NULL;
  char options[4096];
  const char* texts[2] = {"a b", "c"};
  if (count != 2) return 2;
  lore_library* library = lore_open("{\"threads\": 1, \"kernels\": \"scalar\"}", &error);
  if (library == NULL) return fail("lore_open", error);
  if (lore_embedder_open(library, "{\"model\": \"/nowhere.gguf\"}", &error) != NULL ||
      error == NULL) {
    return fail("a model that is not there was opened", error);
  }
  lore_free(error);
  snprintf(options, sizeof(options), "{\"model\": \"%s\"}", arguments[1]);
  lore_embedder* embedder = lore_embedder_open(library, options, &error);
  if (embedder == NULL) return fail("lore_embedder_open", error);
  lore_close(library); /* the embedder keeps what it needs */
  const size_t width = lore_embedder_dimension(embedder);
  float* vectors = malloc(2 * width * sizeof(float));
  if (lore_embed(embedder, texts, 2, vectors, &error) < 2) return fail("lore_embed", error);
  float squares = 0;
  for (size_t i = 0; i < width; ++i) squares += vectors[i] * vectors[i];
  free(vectors);
  lore_embedder_close(embedder);
  if (squares < 0.99f || squares > 1.01f) return fail("no vector of length 1", NULL);
  printf("lore %s\n", lore_version());
  return 0;
}
