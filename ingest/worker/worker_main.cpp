// The child's side: reads one document under limits and says page by page what is in it.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "ingest/ingest.hpp"
#include "ingest/pdf/pdf.hpp"
#include "ingest/text/text_reader.hpp"
#include "ingest/worker/limits.hpp"
#include "ingest/worker/protocol.hpp"

namespace lore::ingest {
namespace {

using worker::FrameKind;

constexpr int kBadRequest = 2;
constexpr int kOutputClosed = 3;
constexpr std::size_t kMaxRequest = std::size_t{1} << 20;

/// The parent has gone, or the output has come to its limit.
struct OutputEnd {};

class Output {
 public:
  explicit Output(std::uint64_t limit) : left_(limit) {}

  void send(FrameKind kind, std::string_view payload) {
    const std::string frame = worker::encode_frame(kind, payload);
    if (frame.size() > left_) throw OutputEnd{};
    left_ -= frame.size();
    for (std::string_view rest = frame; !rest.empty();) {
      const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw OutputEnd{};
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  std::uint64_t left_;
};

std::string read_request() {
  std::string bytes;
  char buffer[4096];
  while (bytes.size() < kMaxRequest) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  return bytes;
}

/// The document, mapped into memory for the life of the process.
std::string_view map_document() {
  struct stat status {};
  if (::fstat(worker::kDocumentDescriptor, &status) != 0 || status.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, worker::kDocumentDescriptor, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<const char*>(start), size};
}

pdf::PageRecord read_page(pdf::PdfReader& reader, std::size_t index) {
  try {
    return reader.page(index);
  } catch (const std::bad_alloc&) {
    pdf::PageRecord record;
    record.label = std::to_string(index + 1);
    record.state = PageState::failed;
    record.note = "the page needs more memory than the limit of a reader";
    return record;
  }
}

void read_pdf(const worker::Request& request, const WorkerFiles& files, Output& output) {
  pdf::PdfReader reader(map_document(), request.passwords, files);
  output.send(FrameKind::info, worker::encode(reader.info()));
  for (std::size_t page = request.first_page; page < reader.info().page_count; ++page) {
    output.send(FrameKind::start, worker::encode_index(page));
    output.send(FrameKind::page, worker::encode(read_page(reader, page)));
  }
  output.send(FrameKind::done, {});
}

void read_document(const worker::Request& request, const WorkerFiles& files, Output& output) {
  switch (request.format) {
    case Format::html:
      return output.send(FrameKind::text, worker::encode(read_html(map_document())));
    case Format::markdown:
      return output.send(FrameKind::text, worker::encode(read_markdown(map_document())));
    default:
      return read_pdf(request, files, output);
  }
}

}  // namespace

int worker_main(std::span<const std::string> /*arguments*/, const WorkerFiles& files) {
  const auto request = worker::decode_request(read_request());
  if (!request || !worker::apply_limits(*request)) return kBadRequest;
  Output output(request->output_limit);
  try {
    try {
      read_document(*request, files, output);
    } catch (const pdf::OpenError& error) {
      output.send(FrameKind::failure, worker::encode_failure(error.code, error.reason));
    } catch (const std::bad_alloc&) {
      output.send(FrameKind::failure,
                  worker::encode_failure(
                      "too_large", "the file needs more memory than the limit of a reader (" +
                                       std::to_string(request->memory_limit >> 20) + " MiB)"));
    } catch (const std::exception& error) {
      output.send(FrameKind::failure,
                  worker::encode_failure(
                      "damaged", std::string("the file could not be read (") + error.what() + ")"));
    }
  } catch (const OutputEnd&) {
    return kOutputClosed;
  }
  return 0;
}

}  // namespace lore::ingest
