"""The official openai client, and LangChain's, against `lore serve` with real models."""

import concurrent.futures
import unittest

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
import openai

from serving import Served

MODEL = "qwen-1.5b"


class OpenAi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served("-m", MODEL, "--api-key", "sesame").__enter__()
        cls.addClassCleanup(cls.served.__exit__)
        cls.client = openai.OpenAI(base_url=cls.served.url + "/v1", api_key="sesame",
                                   max_retries=0)

    def test_models(self):
        self.assertEqual({model.id for model in self.client.models.list()}, {MODEL, "minilm"})

    def test_embeddings(self):
        texts = ["The pump stops at 6 bar.", "Die Pumpe hält bei 6 bar."]
        base64 = self.client.embeddings.create(model="minilm", input=texts)
        floats = self.client.embeddings.create(model="minilm", input=texts,
                                               encoding_format="float")
        for one, other in zip(base64.data, floats.data):
            self.assertEqual(len(one.embedding), 384)
            for a, b in zip(one.embedding, other.embedding):
                self.assertAlmostEqual(a, b, places=7)
        cut = self.client.embeddings.create(model="minilm", input="x", dimensions=64)
        self.assertEqual(len(cut.data[0].embedding), 64)
        self.assertAlmostEqual(sum(x * x for x in cut.data[0].embedding), 1, places=5)

    def test_chat(self):
        answer = self.client.chat.completions.create(
            model=MODEL, max_tokens=20, seed=1,
            messages=[{"role": "system", "content": "Answer in one word."},
                      {"role": "user", "content": "What is the capital of France?"}])
        self.assertIn("Paris", answer.choices[0].message.content)
        self.assertEqual(answer.choices[0].finish_reason, "stop")
        self.assertEqual(answer.usage.total_tokens,
                         answer.usage.prompt_tokens + answer.usage.completion_tokens)

    def test_streamed_chat_is_the_whole_one(self):
        request = {"model": MODEL, "max_tokens": 24, "logprobs": True, "top_logprobs": 3,
                   "messages": [{"role": "user", "content": "Name three colours."}]}
        whole = self.client.chat.completions.create(**request)
        chunks = list(self.client.chat.completions.create(
            **request, stream=True, stream_options={"include_usage": True}))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        self.assertEqual(text, whole.choices[0].message.content)
        self.assertEqual(chunks[-1].usage.completion_tokens, whole.usage.completion_tokens)
        self.assertEqual(len(whole.choices[0].logprobs.content), whole.usage.completion_tokens)

    def test_stop_and_length(self):
        answer = self.client.chat.completions.create(
            model=MODEL, max_tokens=3, messages=[{"role": "user", "content": "Tell a story."}])
        self.assertEqual(answer.choices[0].finish_reason, "length")
        answer = self.client.chat.completions.create(
            model=MODEL, max_tokens=60, stop=["3"],
            messages=[{"role": "user", "content": "Count from 1 to 9 in digits."}])
        self.assertNotIn("3", answer.choices[0].message.content)

    def test_completion(self):
        answer = self.client.completions.create(model=MODEL, prompt="One, two, three,",
                                                max_tokens=4, logprobs=2)
        self.assertIn("four", answer.choices[0].text)
        self.assertEqual(len(answer.choices[0].logprobs.tokens), answer.usage.completion_tokens)

    def test_grounded_chat_has_citations(self):
        answer = self.client.chat.completions.create(
            model=MODEL, extra_body={"lore": {"k": 5}},
            messages=[{"role": "user", "content": "What does alarm E07 on the pump mean?"}])
        self.assertTrue(answer.choices[0].message.content)
        self.assertIn("status", answer.lore)

    def test_errors_are_the_clients_own(self):
        with self.assertRaises(openai.NotFoundError):
            self.client.chat.completions.create(model="gpt-9",
                                                messages=[{"role": "user", "content": "a"}])
        with self.assertRaises(openai.BadRequestError):
            self.client.embeddings.create(model="minilm", input=[])
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=self.served.url + "/v1", api_key="wrong",
                          max_retries=0).models.list()

    def test_langchain(self):
        chat = ChatOpenAI(model=MODEL, base_url=self.served.url + "/v1", api_key="sesame",
                          max_tokens=16)
        self.assertIn("Paris", chat.invoke("The capital of France, in one word?").content)
        embeddings = OpenAIEmbeddings(model="minilm", base_url=self.served.url + "/v1",
                                      api_key="sesame", check_embedding_ctx_length=False)
        self.assertEqual(len(embeddings.embed_documents(["a", "b"])[1]), 384)

    def test_fifty_clients_at_the_same_time(self):
        """Mixed requests; each has the answer that it has alone, and memory stays where it was."""
        def one(i):
            if i % 3 == 0:
                return self.client.embeddings.create(model="minilm", input=f"text {i % 9}",
                                                     encoding_format="float").data[0].embedding
            return self.client.chat.completions.create(
                model=MODEL, max_tokens=8,
                messages=[{"role": "user", "content": f"Say the number {i % 9}."}],
            ).choices[0].message.content

        alone = {i: one(i) for i in range(9)}
        before = None
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            for _ in range(3):
                for i, answer in zip(range(100), pool.map(one, range(100))):
                    self.assertEqual(answer, alone[i % 9], i)
                before = before or self.served.memory_bytes()
        self.assertLess(self.served.memory_bytes(), before * 1.1 + 64e6)


if __name__ == "__main__":
    unittest.main()
