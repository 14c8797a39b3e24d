// The parent's side against workers of every kind.
#include "ingest/worker/worker.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "lore/error.hpp"
#include "tests/ingest/pdf/pdf_builder.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest {
namespace {

using pdf::test::PdfBuilder;
using pdf::test::text_at;

class WorkerTest : public testing::Test {
 protected:
  static ExtractOptions options(const std::string& behaviour, unsigned cpu_seconds = 30) {
    ExtractOptions out;
    out.worker_command = {LORE_SCRIPTED_WORKER, behaviour};
    out.cpu_seconds = cpu_seconds;
    return out;
  }

  std::filesystem::path sound_pdf(std::size_t pages = 2) const {
    PdfBuilder builder;
    for (std::size_t i = 1; i <= pages; ++i) {
      builder.add_page(text_at(72, 700, "Page number " + std::to_string(i)));
    }
    return folder_.write("sound.pdf", builder.build());
  }

  Failure failure(const std::string& behaviour, unsigned cpu_seconds = 30) const {
    const auto start = std::chrono::steady_clock::now();
    Extraction result =
        extract_in_worker(sound_pdf(), Format::pdf, options(behaviour, cpu_seconds));
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!std::holds_alternative<Failure>(result)) {
      ADD_FAILURE() << behaviour << " was read";
      return {};
    }
    EXPECT_FALSE(std::get<Failure>(result).reason.empty());
    return std::get<Failure>(result);
  }

  test::TemporaryFolder folder_;
  mutable double seconds_ = 0;
};

TEST_F(WorkerTest, ReadsADocument) {
  const Extraction result = extract_in_worker(sound_pdf(3), Format::pdf, options("real"));
  ASSERT_TRUE(std::holds_alternative<Document>(result)) << std::get<Failure>(result).reason;
  const auto& document = std::get<Document>(result);
  EXPECT_EQ(document.format, Format::pdf);
  EXPECT_TRUE(document.paged);
  EXPECT_EQ(document.text(), "Page number 1\fPage number 2\fPage number 3");
}

TEST_F(WorkerTest, ManyAtOnce) {
  const auto path = sound_pdf(3);
  std::vector<std::thread> threads;
  std::atomic<int> read{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) {
        if (std::holds_alternative<Document>(extract_in_worker(path, Format::pdf, options("real"))))
          ++read;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read, 12);
}

TEST_F(WorkerTest, ReasonsForFilesThatCannotBeRead) {
  const auto code = [&](const std::filesystem::path& path) {
    const Extraction result = extract_in_worker(path, Format::pdf, options("real"));
    return std::holds_alternative<Failure>(result) ? std::get<Failure>(result).code : "read";
  };
  EXPECT_EQ(code(folder_.write("empty.pdf", "")), "empty");
  EXPECT_EQ(code(folder_.write("letter.pdf", "Dear Sir or Madam")), "not_pdf");
  EXPECT_EQ(code(folder_.write("cut.pdf", "%PDF-1.5\n1 0 obj\n<</Type")), "damaged");
  EXPECT_EQ(code(folder_.path() / "gone.pdf"), "vanished");
  EXPECT_EQ(code(folder_.path()), "unsupported");
}

// An AES-256 dictionary without its keys takes PoDoFo 0.9.8 down: found by the fuzzer.
TEST_F(WorkerTest, AFileThatCrashesItsReaderIsAFailureOfThatFile) {
  PdfBuilder builder;
  builder.add_page(text_at(72, 700, "x"));
  std::string bytes = builder.build();
  bytes.replace(bytes.find("/Root"), 5,
                "/ID[<00><00>]/Encrypt<</Filter/Standard/R 6/V 5/Length 256/P -4>>/Root");
  const Extraction result =
      extract_in_worker(folder_.write("keys.pdf", bytes), Format::pdf, options("real"));
  ASSERT_TRUE(std::holds_alternative<Failure>(result));
  const std::string code = std::get<Failure>(result).code;
  EXPECT_TRUE(code == "crashed" || code == "damaged" || code == "worker") << code;
}

TEST_F(WorkerTest, AWorkerThatEndsAtOnce) {
  EXPECT_EQ(failure("exits").code, "worker");
  EXPECT_LT(seconds_, 5);
  EXPECT_LT(seconds_, 5);
}

TEST_F(WorkerTest, AWorkerThatIsKilledIsNotSaidToBeSlow) {
  const Failure killed = failure("killed");  // as the kernel does where memory runs out
  EXPECT_EQ(killed.code, "killed");
  EXPECT_NE(killed.reason.find("memory"), std::string::npos) << killed.reason;
  EXPECT_NE(killed.reason.find("--retry"), std::string::npos) << killed.reason;
}

TEST_F(WorkerTest, AWorkerThatHangs) {
  const Failure silent = failure("hangs", 1);
  EXPECT_EQ(silent.code, "timeout");
  EXPECT_LT(seconds_, 15);
  EXPECT_EQ(failure("hangs-after-close", 1).code, "timeout");
  EXPECT_LT(seconds_, 15);
}

TEST_F(WorkerTest, AWorkerThatComputesForEver) {
  const Failure spinning = failure("spins", 1);
  EXPECT_EQ(spinning.code, "timeout");
#ifndef LORE_SANITIZED  // on a machine that does little else it is not always the first limit
  EXPECT_NE(spinning.reason.find("processor time"), std::string::npos) << spinning.reason;
#endif
  EXPECT_LT(seconds_, 15);
}

TEST_F(WorkerTest, AWorkerThatFloods) {
  ExtractOptions flood = options("floods");
  flood.output_limit = 1 << 20;
  const Extraction result = extract_in_worker(sound_pdf(), Format::pdf, flood);
  // What came before the limit is kept, the rest is accounted for.
  ASSERT_TRUE(std::holds_alternative<Document>(result));
  const auto& document = std::get<Document>(result);
  EXPECT_EQ(document.pages.size(), 1'000'000u);
  EXPECT_EQ(document.pages.front().state, PageState::text);
  EXPECT_EQ(document.pages.back().state, PageState::failed);
  EXPECT_NE(document.pages.back().note.find("not tried"), std::string::npos);
}

TEST_F(WorkerTest, AWorkerThatTalksNonsense) {
  EXPECT_EQ(failure("garbage").code, "worker");
  EXPECT_EQ(failure("huge-claims").code, "worker");
  EXPECT_LT(seconds_, 5);
}

TEST_F(WorkerTest, ACommandThatIsNotThere) {
  ExtractOptions missing;
  missing.worker_command = {(folder_.path() / "no-such-program").string()};
  const Extraction result = extract_in_worker(sound_pdf(), Format::pdf, missing);
  ASSERT_TRUE(std::holds_alternative<Failure>(result));
  EXPECT_EQ(std::get<Failure>(result).code, "worker");
  EXPECT_NE(std::get<Failure>(result).reason.find("no-such-program"), std::string::npos);
  EXPECT_THROW(extract_in_worker(sound_pdf(), Format::pdf, ExtractOptions{}), Error);
}

std::vector<PageState> states(const Extraction& result) {
  std::vector<PageState> out;
  for (const Page& page : std::get<Document>(result).pages) out.push_back(page.state);
  return out;
}

TEST_F(WorkerTest, PagesBeforeADeathAreKeptAndThoseAfterAreReadByOthers) {
  const auto text = PageState::text, failed = PageState::failed;
  const Extraction one = extract_in_worker(sound_pdf(), Format::pdf, options("dies-on-page-3"));
  ASSERT_TRUE(std::holds_alternative<Document>(one));
  EXPECT_EQ(states(one), (std::vector<PageState>{text, text, failed, text, text}));
  EXPECT_NE(std::get<Document>(one).pages[2].note.find("crashed"), std::string::npos);
  EXPECT_EQ(std::get<Document>(one).pages[4].text, "text of page 5");
  const Extraction two =
      extract_in_worker(sound_pdf(), Format::pdf, options("dies-on-pages-2-and-4"));
  ASSERT_TRUE(std::holds_alternative<Document>(two));
  EXPECT_EQ(states(two), (std::vector<PageState>{text, failed, text, failed, text}));
  const Extraction none =
      extract_in_worker(sound_pdf(), Format::pdf, options("dies-on-every-page"));
  ASSERT_TRUE(std::holds_alternative<Failure>(none));
  EXPECT_EQ(std::get<Failure>(none).code, "crashed");
  const Extraction late =
      extract_in_worker(sound_pdf(), Format::pdf, options("hangs-after-page", 1));
  ASSERT_TRUE(std::holds_alternative<Document>(late));
  EXPECT_EQ(states(late).front(), text);
  EXPECT_EQ(states(late).back(), failed);
}

TEST_F(WorkerTest, WhatOneChildSaidIsNotHeldAgainstTheNext) {
  const Extraction result =
      extract_in_worker(sound_pdf(), Format::pdf, options("gives-up-on-page-2"));
  ASSERT_TRUE(std::holds_alternative<Document>(result));
  EXPECT_EQ(states(result),
            (std::vector<PageState>{PageState::text, PageState::failed, PageState::text}));
  EXPECT_EQ(std::get<Document>(result).pages[1].note, "too much");
}

TEST_F(WorkerTest, PagesThatWereNeverTriedSaySo) {
  for (const char* behaviour : {"dies-after-page-1", "spins-after-page-1"}) {
    const auto start = std::chrono::steady_clock::now();
    const Extraction result = extract_in_worker(sound_pdf(), Format::pdf, options(behaviour, 1));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << behaviour;
    ASSERT_TRUE(std::holds_alternative<Document>(result)) << behaviour;
    const auto& pages = std::get<Document>(result).pages;
    ASSERT_EQ(pages.size(), 10u);
    EXPECT_EQ(pages[0].text, "text of page 1");
    EXPECT_EQ(pages[1].note.find("not tried"), std::string::npos) << pages[1].note;
    EXPECT_NE(pages[9].note.find("not tried"), std::string::npos) << pages[9].note;
    for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(pages[i].state, PageState::failed);
  }
}

TEST_F(WorkerTest, TextFormatsAreReadInAWorker) {
  const auto read = [&](const std::string& name, const std::string& text, Format format) {
    return extract_in_worker(folder_.write(name, text), format, options("real"));
  };
  const Extraction page = read("a.html", "<title>T</title><h1>One</h1><p>Two", Format::html);
  ASSERT_TRUE(std::holds_alternative<Document>(page)) << std::get<Failure>(page).reason;
  const auto& document = std::get<Document>(page);
  EXPECT_EQ(document.text(), "One\n\nTwo");
  EXPECT_EQ(document.title, "T");
  EXPECT_EQ(document.format, Format::html);
  EXPECT_FALSE(document.paged);
  ASSERT_EQ(document.headings.size(), 1u);
  const Extraction notes = read("a.md", "# One\n\n## Two\n", Format::markdown);
  ASSERT_TRUE(std::holds_alternative<Document>(notes)) << std::get<Failure>(notes).reason;
  EXPECT_EQ(std::get<Document>(notes).text(), "# One\n\n## Two\n");
  EXPECT_EQ(std::get<Document>(notes).headings.size(), 2u);
}

TEST_F(WorkerTest, ATextThatNeedsTooMuchMemoryIsAFailureOfThatFile) {
#ifdef LORE_SANITIZED
  GTEST_SKIP() << "address space is not limited in sanitizer builds";
#endif
  ExtractOptions tight = options("real");
  tight.memory_limit = std::uint64_t{64} << 20;
  std::string html, markdown;
  for (int i = 0; i < 1'000'000; ++i) html += "<p>";
  for (int i = 0; i < 1'000'000; ++i) markdown += "a\n\n";
  for (const auto& [text, format] :
       {std::pair(html, Format::html), std::pair(markdown, Format::markdown)}) {
    const Extraction result = extract_in_worker(folder_.write("large", text), format, tight);
    ASSERT_TRUE(std::holds_alternative<Failure>(result)) << format_name(format);
    EXPECT_EQ(std::get<Failure>(result).code, "too_large") << std::get<Failure>(result).reason;
  }
}

TEST_F(WorkerTest, StopEndsTheRunAtOnceAndLeavesNoProcess) {
  ExtractOptions stopped = options("ignores-signals");
  const auto start = std::chrono::steady_clock::now();
  stopped.stop = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(200);
  };
  try {
    extract_in_worker(sound_pdf(), Format::pdf, stopped);
    FAIL() << "was not interrupted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind";
}

TEST_F(WorkerTest, DescriptorsAreClosedAgain) {
  const auto path = sound_pdf();
  const auto open_descriptors = [] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      ++count;
    }
    return count;
  };
  extract_in_worker(path, Format::pdf, options("real"));
  const std::size_t before = open_descriptors();
  for (const char* behaviour : {"real", "exits", "garbage", "dies-on-page-3"}) {
    extract_in_worker(path, Format::pdf, options(behaviour));
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(WorkerTest, UnderItsLimitsAWorkerWritesNoFileAndStartsNoProcess) {
  const auto file = folder_.path() / "written";
  ExtractOptions probing = options("probe");
  probing.worker_command.push_back(file.string());
  const Extraction result = extract_in_worker(sound_pdf(), Format::pdf, probing);
  ASSERT_TRUE(std::holds_alternative<Document>(result));
  const std::string text = std::get<Document>(result).pages.at(0).text;
#ifdef LORE_SANITIZED
  GTEST_SKIP() << "system calls are not filtered in sanitizer builds";
#endif
  EXPECT_EQ(text, "can:");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(WorkerTest, MemoryIsLimited) {
#ifdef LORE_SANITIZED
  GTEST_SKIP() << "address space is not limited in sanitizer builds";
#endif
  // A page of glyphs that need far more than the limit, after one that needs little.
  PdfBuilder builder;
  builder.add_page(text_at(72, 700, "small"));
  std::string many = "BT /F1 1 Tf 72 700 Td 0.001 Tc ";
  for (int i = 0; i < 900; ++i) many += "(" + std::string(1000, 'x') + ") Tj 1 -1 Td\n";
  builder.add_page(many + "ET");
  ExtractOptions tight = options("real");
  tight.memory_limit = std::uint64_t{48} << 20;
  const Extraction result =
      extract_in_worker(folder_.write("large.pdf", builder.build()), Format::pdf, tight);
  ASSERT_TRUE(std::holds_alternative<Document>(result)) << std::get<Failure>(result).reason;
  const auto& document = std::get<Document>(result);
  EXPECT_EQ(document.pages.at(0).text, "small");
  EXPECT_EQ(document.pages.at(1).state, PageState::failed);
  EXPECT_NE(document.pages.at(1).note.find("memory"), std::string::npos);
}

}  // namespace
}  // namespace lore::ingest
