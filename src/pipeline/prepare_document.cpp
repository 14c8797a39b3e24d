#include <utility>

#include "base/utf8.hpp"
#include "pipeline/index_pipeline.hpp"

namespace lore::pipeline {
namespace {

std::string_view state_name(ingest::PageState state) {
  switch (state) {
    case ingest::PageState::text:
      return "text";
    case ingest::PageState::empty:
      return "empty";
    case ingest::PageState::image_only:
      return "image_only";
    case ingest::PageState::failed:
      break;
  }
  return "failed";
}

std::vector<index::PageRecord> pages_of(const ingest::Document& document) {
  std::vector<index::PageRecord> pages;
  std::size_t start = 0;
  for (const ingest::Page& page : document.pages) {
    const std::size_t end = start + utf8::length(page.text);
    pages.push_back({page.label, std::string(state_name(page.state)), page.note, start, end});
    start = end + 1;  // U+000C between two pages
  }
  return pages;
}

std::string embedded_text(const index::ChunkRecord& chunk) {
  return chunk.context.empty() ? chunk.body : chunk.context + "\n" + chunk.body;
}

/// Computes the chunks in groups of some token budgets, so that progress can be told in between.
std::vector<float> embed_chunks(const std::vector<index::ChunkRecord>& chunks,
                                engine::Embedder& embedder, std::size_t batch_tokens,
                                const std::function<void(std::size_t)>& on_tokens) {
  std::vector<float> vectors(chunks.size() * embedder.dimension());
  std::vector<std::vector<engine::TokenId>> group;
  std::size_t tokens = 0;
  std::size_t done = 0;
  const auto flush = [&] {
    const std::span<float> out(vectors.data() + done * embedder.dimension(),
                               group.size() * embedder.dimension());
    embedder.embed(group, out);
    done += group.size();
    if (on_tokens) on_tokens(tokens);
    group.clear();
    tokens = 0;
  };
  for (const index::ChunkRecord& chunk : chunks) {
    std::vector<engine::TokenId> ids =
        embedder.encode(embedded_text(chunk), engine::InputType::passage);
    if (!group.empty() && tokens + ids.size() > batch_tokens) flush();
    tokens += ids.size();
    group.push_back(std::move(ids));
  }
  if (!group.empty()) flush();
  return vectors;
}

}  // namespace

PreparedDocument prepare_document(const ingest::Document& document, engine::Embedder& embedder,
                                  const ingest::ChunkOptions& chunking, std::size_t batch_tokens,
                                  const std::function<void(std::size_t)>& on_tokens) {
  PreparedDocument prepared;
  index::DocumentRecord& record = prepared.record;
  record.format = ingest::format_name(document.format);
  record.title = document.title;
  record.paged = document.paged;
  record.text = document.text();
  record.pages = pages_of(document);
  record.problems = document.problems;
  const auto count = [&](std::string_view text) {
    return embedder.encode(text, engine::InputType::passage).size();
  };
  for (ingest::Chunk& chunk : ingest::chunk(document, chunking, count)) {
    record.chunks.push_back({chunk.start, chunk.end, chunk.page, chunk.page_end,
                             std::move(chunk.heading), std::move(chunk.context),
                             std::move(chunk.body), chunk.tokens});
  }
  prepared.vectors = embed_chunks(record.chunks, embedder, batch_tokens, on_tokens);
  return prepared;
}

}  // namespace lore::pipeline
