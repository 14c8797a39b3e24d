// `lore serve`, on tiny models: what it answers, whom it refuses, and that requests at the same
// time do not mix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <random>
#include <thread>

#include "tests/cli/served.hpp"
#include "tests/cli/small_collection.hpp"
#include "tests/engine/model/tiny_model.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

class ServeTest : public testing::Test {
 protected:
  ServeTest() {
    TinyModel encoder;
    encoder.architecture = "bert";
    write_tiny_model(encoder, folder_.path() / "encoder.gguf");
    TinyModel decoder;
    decoder.context = 400;
    write_tiny_model(decoder, folder_.path() / "decoder.gguf");
  }

  std::vector<std::string> flags(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"--embed-model", (folder_.path() / "encoder.gguf").string(), "-m",
                                 (folder_.path() / "decoder.gguf").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Served serve(std::vector<std::string> more = {}) const {
    return Served(flags(std::move(more)), {.folder = folder_.path()});
  }

  TemporaryFolder folder_;
};

TEST_F(ServeTest, SaysWhatItHasAndStopsWhenTold) {
  Served served = serve();
  ASSERT_TRUE(served.ready());
  EXPECT_EQ(served.get("/health")["status"], "ok");
  const Json models = served.get("/v1/models");
  ASSERT_EQ(models["data"].size(), 2U);
  EXPECT_EQ(models["data"][0]["id"], "decoder");
  EXPECT_EQ(models["data"][1]["id"], "encoder");
  served.post("/v1/embeddings", {{"input", "a"}});
  const auto metrics = served.client().Get("/metrics");
  EXPECT_THAT(metrics->body,
              HasSubstr(R"(lore_requests_total{route="/v1/embeddings",status="200"} 1)"));
  const Outcome outcome = served.stop();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ServeTest, EmbeddingsAreThoseOfTheCommand) {
  Served served = serve();
  ASSERT_TRUE(served.ready());
  const Json two = served.post("/v1/embeddings", {{"input", {"a b", "c"}}, {"model", "encoder"}});
  const Outcome command =
      run_lore({"embed", "a b", "c", "-m", (folder_.path() / "encoder.gguf").string()});
  const Json expected = Json::parse(command.out);
  ASSERT_EQ(two["data"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(two["data"][i]["embedding"], expected["data"][i]["embedding"]);
    EXPECT_EQ(two["data"][i]["index"], i);
  }
  EXPECT_EQ(two["usage"], expected["usage"]);
  // Token ids, alone and in lists.
  const Json tokens =
      served.post("/tokenize", {{"content", "a b"}, {"model", "encoder"}, {"add_special", true}});
  const Json ids = served.post("/v1/embeddings", {{"input", tokens["tokens"]}});
  EXPECT_EQ(ids["data"][0]["embedding"], expected["data"][0]["embedding"]);
  const Json lists =
      served.post("/v1/embeddings", {{"input", {tokens["tokens"], tokens["tokens"]}}});
  EXPECT_EQ(lists["data"][1]["embedding"], expected["data"][0]["embedding"]);
  // Fewer dimensions, as numbers and as base64 of little-endian float32.
  const Json cut = served.post("/v1/embeddings", {{"input", "a b"}, {"dimensions", 3}});
  EXPECT_EQ(cut["data"][0]["embedding"].size(), 3U);
  const Json coded = served.post(
      "/v1/embeddings", {{"input", "a b"}, {"dimensions", 3}, {"encoding_format", "base64"}});
  EXPECT_EQ(coded["data"][0]["embedding"].get<std::string>().size(), 16U);
}

TEST_F(ServeTest, RequestsThatMakeNoSenseAreRefusedInOpenAisShape) {
  Served served = serve();
  ASSERT_TRUE(served.ready());
  const std::vector<std::tuple<std::string, Json, int, std::string>> cases = {
      {"/v1/embeddings", Json::object(), 400, "input"},
      {"/v1/embeddings", {{"input", Json::array()}}, 400, "input"},
      {"/v1/embeddings", {{"input", {{"a", 1}}}}, 400, "input"},
      {"/v1/embeddings", {{"input", {1, "a"}}}, 400, "input"},
      {"/v1/embeddings", {{"input", {99999999}}}, 400, "input"},
      {"/v1/embeddings", {{"input", "a"}, {"dimensions", 100000}}, 400, "dimensions"},
      {"/v1/embeddings", {{"input", "a"}, {"encoding_format", "int3"}}, 400, "encoding_format"},
      {"/v1/embeddings", {{"input", "a"}, {"input_type", "poem"}}, 400, "input_type"},
      {"/v1/embeddings", {{"input", "a"}, {"model", "gpt-9"}}, 404, "model"},
      {"/v1/chat/completions", {{"messages", Json::array()}}, 400, "messages"},
      {"/v1/chat/completions", {{"messages", {{{"role", "cat"}}}}}, 400, "messages"},
      {"/v1/completions", Json::object(), 400, "prompt"},
      {"/v1/completions", {{"prompt", "a"}, {"temperature", 9}}, 400, "temperature"},
      {"/v1/completions", {{"prompt", "a"}, {"n", 2}}, 400, "n"},
      {"/v1/completions", {{"prompt", "a"}, {"max_tokens", 0}}, 400, "max_tokens"},
      {"/v1/completions", {{"prompt", std::string(9000, 'a')}}, 400, ""},
      {"/v1/completions", {{"prompt", "a"}, {"top_p", 0}}, 400, "top_p"},
      {"/tokenize", Json::object(), 400, "content"},
      {"/detokenize", {{"tokens", {-1}}}, 400, ""},
      {"/ask", {{"question", "a"}}, 404, "index"},
      {"/search", {{"query", "a"}}, 404, "index"},
  };
  for (const auto& [path, body, status, parameter] : cases) {
    const Json answer = served.post(path, body, status);
    ASSERT_TRUE(answer.contains("error")) << path << body;
    EXPECT_TRUE(answer["error"]["message"].is_string());
    EXPECT_TRUE(answer["error"]["type"].is_string());
    if (!parameter.empty()) {
      EXPECT_EQ(answer["error"]["param"], parameter) << path << body << answer;
    }
  }
  auto client = served.client();
  EXPECT_EQ(client.Post("/v1/embeddings", "{\"input\":", "application/json")->status, 400);
  EXPECT_EQ(client.Post("/v1/embeddings", "[1]", "application/json")->status, 400);
  EXPECT_EQ(client.Get("/v1/embeddings")->status, 405);
  EXPECT_EQ(client.Get("/nowhere")->status, 404);
  EXPECT_EQ(client.Get("/documents/../../etc/passwd/file")->status, 404);
}

TEST_F(ServeTest, OnlyWhoMayAskIsAnswered) {
  Served served = serve(
      {"--api-key", "sesame", "--allow-host", "box.example", "--cors", "https://app.example"});
  ASSERT_TRUE(served.ready());
  auto client = served.client();
  const auto status = [&](const httplib::Headers& headers) {
    return client.Get("/v1/models", headers)->status;
  };
  const httplib::Headers key{{"Authorization", "Bearer sesame"}};
  const auto with = [&](const std::string& name, const std::string& value) {
    httplib::Headers headers = key;
    headers.emplace(name, value);
    return headers;
  };
  EXPECT_EQ(status({}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer sesam"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer "}}), 401);
  EXPECT_EQ(status(key), 200);
  EXPECT_EQ(status({{"X-API-Key", "sesame"}}), 200);
  EXPECT_EQ(client.Get("/health")->status, 200);
  EXPECT_EQ(status(with("Host", "evil.example")), 403);
  EXPECT_EQ(status(with("Host", "localhost")), 200);
  EXPECT_EQ(status(with("Host", "box.example:80")), 200);
  EXPECT_EQ(status(with("Origin", "https://evil.example")), 403);
  EXPECT_EQ(status(with("Origin", "null")), 403);
  EXPECT_EQ(status(with("Origin", "https://app.example")), 200);
  const auto preflight = client.Options("/v1/embeddings", {{"Origin", "https://app.example"}});
  EXPECT_EQ(preflight->status, 204);
  EXPECT_EQ(preflight->get_header_value("Access-Control-Allow-Origin"), "https://app.example");
}

TEST_F(ServeTest, OtherMachinesNeedAKey) {
  const Outcome outcome = run_lore({"serve", "--host", "0.0.0.0", "--port", "0"});
  expect_refusal(outcome, 2, {"--host", "--api-key"});
}

TEST_F(ServeTest, ATakenPortIsSaid) {
  Served served = serve();
  ASSERT_TRUE(served.ready());
  auto more = flags({"--port", std::to_string(served.port())});
  more.insert(more.begin(), "serve");
  const Outcome outcome = run_lore(more, {.folder = folder_.path()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("another program listens at 127.0.0.1:"));
}

TEST_F(ServeTest, WhatCurlCallsAFormIsReadAsJson) {
  const Served served = serve();
  ASSERT_TRUE(served.ready());
  const Json body = {{"input", std::vector<std::string>(2000, "a b & c = d")}};
  const auto result =
      served.client().Post("/v1/embeddings", body.dump(), "application/x-www-form-urlencoded");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200) << result->body;
}

/// A connection of bytes.
class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool send(const std::string& bytes) const {
    return connected_ && ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                             static_cast<ssize_t>(bytes.size());
  }

 private:
  int socket_;
  bool connected_ = false;
};

/// The texts of the events of a stream, joined.
std::string streamed_text(const std::string& events) {
  std::string text;
  std::size_t at = 0;
  while ((at = events.find("data: {", at)) != std::string::npos) {
    const Json event = Json::parse(events.substr(at + 6, events.find('\n', at) - at - 6));
    at += 6;
    if (!event["choices"].empty()) text += event["choices"][0].value("text", "");
  }
  return text;
}

TEST_F(ServeTest, CompletionsAtTheSameTimeAreThoseOfEachAlone) {
  Served served = serve({"--jobs", "4"});
  ASSERT_TRUE(served.ready());
  const auto body = [](int i, bool stream) -> Json {
    return {{"prompt", "a b c " + std::string(static_cast<std::size_t>(i % 5) + 1, 'd')},
            {"max_tokens", 12 + i % 7},
            {"temperature", i % 3},
            {"seed", i},
            {"stream", stream},
            {"ignore_eos", true}};
  };
  std::vector<std::string> alone;
  for (int i = 0; i < 24; ++i) {
    alone.push_back(served.post("/v1/completions", body(i, false))["choices"][0]["text"]);
  }
  std::vector<std::future<std::string>> together;
  for (int i = 0; i < 24; ++i) {
    together.push_back(std::async(std::launch::async, [&, i]() -> std::string {
      if (i % 2 == 0) return served.post("/v1/completions", body(i, false))["choices"][0]["text"];
      const auto result =
          served.client().Post("/v1/completions", body(i, true).dump(), "application/json");
      EXPECT_THAT(result->body, HasSubstr("data: [DONE]"));
      return streamed_text(result->body);
    }));
  }
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(together[i].get(), alone[i]) << i;
}

TEST_F(ServeTest, WhoGoesAwayStopsTheWork) {
  // Large enough that the answer would take half a minute.
  TinyModel slow;
  slow.layers = 6;
  slow.hidden = 512;
  slow.feed_forward = 2048;
  slow.context = 8000;
  write_tiny_model(slow, folder_.path() / "slow.gguf");
  const Served served({"--embed-model", (folder_.path() / "encoder.gguf").string(), "-m",
                       (folder_.path() / "slow.gguf").string(), "-c", "8000"},
                      {.folder = folder_.path()});
  ASSERT_TRUE(served.ready());
  const auto wait_until_idle = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
    while (served.get("/health")["running"] != 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return served.get("/health")["running"] == 0;
  };
  for (const bool stream : {true, false}) {
    const std::string body = Json{
        {"prompt", "a"},
        {"max_tokens", 7900},
        {"stream", stream},
        {"ignore_eos", true}}.dump();
    {
      const RawConnection leaving(served.port());
      leaving.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n" + body);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
      while (served.get("/health")["running"] == 0 && std::chrono::steady_clock::now() < end) {
      }
      EXPECT_EQ(served.get("/health")["running"], 1);
    }
    EXPECT_TRUE(wait_until_idle()) << (stream ? "streamed" : "whole");
  }
  EXPECT_EQ(served.post("/v1/completions", {{"prompt", "b"}, {"max_tokens", 3}})["object"],
            "text_completion");
}

TEST_F(ServeTest, GarbageSlowAndHugeRequestsDoNotHoldItUp) {
  Served served = serve({"--max-body", "1", "--queue", "8"});
  ASSERT_TRUE(served.ready());
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<RawConnection>(served.port()));
    EXPECT_TRUE(slow.back()->send("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-"));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    std::string bytes(random() % 400, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const RawConnection garbage(served.port());
    garbage.send(bytes + "\r\n\r\n");
  }
  const RawConnection lying(served.port());
  lying.send("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n");
  const RawConnection endless(served.port());
  endless.send(
      "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n");
  EXPECT_EQ(served.get("/health")["status"], "ok");
  const std::string nested(200000, '[');
  EXPECT_EQ(served.client().Post("/v1/embeddings", nested, "application/json")->status, 400);
  const std::string huge(std::size_t{3} << 20, ' ');
  const auto refused = served.client().Post("/v1/embeddings", huge, "application/json");
  if (refused) {
    EXPECT_EQ(refused->status, 413);
  }
  EXPECT_EQ(served.get("/health")["status"], "ok");
  EXPECT_EQ(served.stop().code, 0);
}

class ServedDocuments : public testing::Test {
 protected:
  void SetUp() override {
    LORE_NEED_MODEL("minilm");
    ASSERT_EQ(collection.index().code, 0);
  }
  SmallCollection collection;
};

TEST_F(ServedDocuments, AreFoundAskedAndShown) {
  LORE_NEED_MODEL("smollm2");
  Served served({"-m", "smollm2"}, {.folder = collection.docs});
  ASSERT_TRUE(served.ready());
  const Json found = served.get("/search?q=alarm%20E14&k=2");
  ASSERT_EQ(found["results"].size(), 2U);
  EXPECT_EQ(found["results"][0]["document"], "pump.md");
  EXPECT_EQ(served.post("/search", {{"query", "alarm E14"}, {"k", 2}}), found);

  const Json quoted =
      served.post("/ask", {{"question", "What does alarm E14 mean?"}, {"generate", false}});
  EXPECT_EQ(quoted["status"], "answered");
  EXPECT_EQ(quoted["citations"][0]["document"], "pump.md");
  const Json chat = served.post(
      "/v1/chat/completions",
      {{"lore", Json::object()},
       {"messages", {{{"role", "user"}, {"content", "At what pressure does the pump stop?"}}}}});
  EXPECT_FALSE(chat["choices"][0]["message"]["content"].get<std::string>().empty());
  EXPECT_EQ(chat["citations"], chat["lore"]["citations"]);
  const Json refused = served.post(
      "/v1/chat/completions",
      {{"lore", {{"generate", false}}},
       {"messages", {{{"role", "user"}, {"content", "Who won the football cup in Brazil?"}}}}});
  EXPECT_EQ(refused["lore"]["status"], "not_in_documents");

  EXPECT_EQ(served.get("/documents")["listed"].size(), 3U);
  const Json document = served.get("/documents/club%2Fminutes.txt");
  EXPECT_EQ(document["text"], kMinutes);
  served.get("/documents/secret.txt", 404);
  auto client = served.client();
  const auto part = client.Get("/documents/pump.md/file", {httplib::make_range_header({{2, 8}})});
  EXPECT_EQ(part->status, 206);
  EXPECT_EQ(part->body, "Pump P7");
  EXPECT_EQ(part->get_header_value("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(ServedDocuments, NewDocumentsAreSeenWithoutAStart) {
  Served served({}, {.folder = collection.docs});
  ASSERT_TRUE(served.ready());
  EXPECT_EQ(served.get("/documents")["listed"].size(), 3U);
  collection.folder.write("docs/new.txt",
                          "The spare key of the boiler room hangs behind the clock.\n");
  ASSERT_EQ(collection.index().code, 0);
  EXPECT_EQ(served.get("/search?q=spare%20key%20boiler&k=1")["results"][0]["document"], "new.txt");
}

TEST_F(ServedDocuments, AreTakenWhereThatIsAllowed) {
  const std::string text = "The spare key of the boiler room hangs behind the clock.\n";
  const auto add = [&](const Served& served, const std::string& name, int status) {
    const auto result = served.client().Post("/documents?name=" + name, text, "text/plain");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, status) << name << result->body;
  };
  {
    Served closed({}, {.folder = collection.docs});
    ASSERT_TRUE(closed.ready());
    add(closed, "new.txt", 403);
  }
  Served served({"--allow-upload"}, {.folder = collection.docs});
  ASSERT_TRUE(served.ready());
  for (const char* name : {"", "..%2Fescape.txt", ".hidden", "pump.md"}) add(served, name, 400);
  add(served, "new%20one.txt", 201);
  EXPECT_EQ(served.get("/search?q=spare%20key%20boiler&k=1")["results"][0]["document"],
            "new one.txt");
  EXPECT_EQ(served.get("/documents")["listed"].size(), 4U);
}

TEST_F(ServedDocuments, ChatsStreamAsOpenAisClientsReadThem) {
  LORE_NEED_MODEL("smollm2");
  Served served({"-m", "smollm2"}, {.folder = collection.docs});
  ASSERT_TRUE(served.ready());
  const Json body = {{"messages", {{{"role", "user"}, {"content", "Say hello."}}}},
                     {"max_tokens", 8},
                     {"logprobs", true},
                     {"top_logprobs", 2}};
  const Json whole = served.post("/v1/chat/completions", body);
  const Json& choice = whole["choices"][0];
  EXPECT_EQ(choice["message"]["role"], "assistant");
  EXPECT_EQ(choice["logprobs"]["content"].size(), whole["usage"]["completion_tokens"]);
  EXPECT_EQ(choice["logprobs"]["content"][0]["top_logprobs"].size(), 2U);
  Json streamed = body;
  streamed["stream"] = true;
  streamed["stream_options"] = {{"include_usage", true}};
  const auto result =
      served.client().Post("/v1/chat/completions", streamed.dump(), "application/json");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->get_header_value("Content-Type"), "text/event-stream");
  std::string text;
  std::size_t logprobs = 0;
  Json usage;
  std::size_t at = 0;
  while ((at = result->body.find("data: {", at)) != std::string::npos) {
    at += 6;
    const Json event = Json::parse(result->body.substr(at, result->body.find('\n', at) - at));
    EXPECT_EQ(event["object"], "chat.completion.chunk");
    if (event["choices"].empty()) {
      usage = event["usage"];
      continue;
    }
    text += event["choices"][0]["delta"].value("content", "");
    if (!event["choices"][0]["logprobs"].is_null()) {
      logprobs += event["choices"][0]["logprobs"]["content"].size();
    }
  }
  EXPECT_EQ(text, choice["message"]["content"]);
  EXPECT_EQ(usage["completion_tokens"], whole["usage"]["completion_tokens"]);
  EXPECT_EQ(logprobs, usage["completion_tokens"]);
}

}  // namespace
}  // namespace lore::test
