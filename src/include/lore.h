/* lore in C: vectors, search, answers. For other languages, and for programs in C.
 *
 *   lore_library* library = lore_open("{\"models\": \"/home/ada/.local/share/lore/models\"}",
 * &error); lore_index* index = lore_index_open(library, "manuals/.lore", &error); char* answer =
 * lore_ask(index, "What does alarm E41 mean?", NULL, NULL, NULL, &error);
 *   ...
 *   lore_free(answer);
 *
 * Every call that can fail takes `char** error` last: where it fails it returns NULL (or a number
 * below 0) and leaves a sentence there that says why and what to do, to be given to lore_free. NULL
 * for `error` says that nobody wants to know. Options are a JSON object in a text, or NULL. Texts
 * are UTF-8 and end with a zero byte. What a call returns belongs to the caller.
 *
 * Threads: any number may use the same lore_library* and lore_embedder*; a lore_index* is for one
 * at a time. Objects made from a library keep what they need of it, also after lore_close. */
#ifndef LORE_H
#define LORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LORE_C_API __attribute__((visibility("default")))
#else
#define LORE_C_API
#endif

typedef struct lore_library lore_library;
typedef struct lore_embedder lore_embedder;
typedef struct lore_index lore_index;

/* "0.1.0"; not to be freed. */
LORE_C_API const char* lore_version(void);
/* Of a text that a call has returned; NULL is fine. */
LORE_C_API void lore_free(char* text);

/* Options: "models" (folder of models that are asked for by name), "threads" (0: all), "kernels"
 * ("auto", "avx2", ...). */
LORE_C_API lore_library* lore_open(const char* options, char** error);
LORE_C_API void lore_close(lore_library* library);

/* Options: "model" (name or file; "minilm"), "pooling" ("mean", "cls", "last"), "normalize" (true),
 * "input_type" ("query", "passage", "none"), "dimensions", "truncate" (false). */
LORE_C_API lore_embedder* lore_embedder_open(lore_library* library, const char* options,
                                             char** error);
LORE_C_API void lore_embedder_close(lore_embedder* embedder);
/* Numbers in a vector. */
LORE_C_API size_t lore_embedder_dimension(const lore_embedder* embedder);
/* Writes one vector a text: vectors is [count, dimension], row-major. Returns the number of tokens.
 */
LORE_C_API int64_t lore_embed(lore_embedder* embedder, const char* const* texts, size_t count,
                              float* vectors, char** error);

/* An index that `lore index` has made, ".lore" in the folder of documents. */
LORE_C_API lore_index* lore_index_open(lore_library* library, const char* folder, char** error);
LORE_C_API void lore_index_close(lore_index* index);

/* The passages that fit best, as `lore search --json` prints them. Options: "k" (10), "mode"
 * ("hybrid", "vector", "text"), "filter". */
LORE_C_API char* lore_search(lore_index* index, const char* query, const char* options,
                             char** error);

/* Gets each piece of an answer as it is written; 0 stops it. */
typedef int (*lore_text_callback)(const char* text, void* user);

/* An answer with its citations, as `lore ask --json` prints it; where the documents do not answer,
 * its "status" is "not_in_documents", and that is no failure. Options: "k" (5), "model", "generate"
 * (true), "strict" (false), "filter", "context_tokens", "max_tokens". `on_text`: NULL for none. */
LORE_C_API char* lore_ask(lore_index* index, const char* question, const char* options,
                          lore_text_callback on_text, void* user, char** error);

#ifdef __cplusplus
}
#endif

#endif /* LORE_H */
