"""The official Python client of the Model Context Protocol against `lore mcp`."""

import asyncio
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from serving import LORE, ROOT


def plain(answer):
    """As it stands in the protocol; attributes are spelled otherwise from version to version."""
    return answer.model_dump(by_alias=True, mode="json")


class Mcp(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name) / "documents"
        shutil.copytree(ROOT / "examples" / "documents", cls.folder,
                        ignore=shutil.ignore_patterns(".lore"))
        subprocess.run([LORE, "index", cls.folder, "-q"], check=True, stdout=subprocess.DEVNULL)

    def session(self):
        parameters = StdioServerParameters(command=str(LORE),
                                           args=["mcp", "--index", str(self.folder)])
        return stdio_client(parameters)

    async def test_tools(self):
        async with self.session() as (read, write), ClientSession(read, write) as session:
            hello = plain(await session.initialize())
            self.assertEqual(hello["serverInfo"]["name"], "lore")
            tools = plain(await session.list_tools())["tools"]
            self.assertEqual({tool["name"] for tool in tools}, {"search", "ask", "get", "status"})

            found = plain(await session.call_tool("search", {"query": "pump alarm", "k": 3}))
            self.assertFalse(found["isError"])
            results = found["structuredContent"]["results"]
            self.assertEqual(len(results), 3)
            document = results[0]["document"]

            page = plain(await session.call_tool("get", {"document": document,
                                                         "page": results[0]["page"]}))
            self.assertIn(results[0]["text"].split()[0], page["content"][0]["text"])

            status = plain(await session.call_tool("status", {}))
            self.assertIn(document, status["content"][0]["text"])

    async def test_ask_tells_its_progress(self):
        told = []

        async def progress(done, total, message):
            told.append((done, message))

        async with self.session() as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            answer = plain(await session.call_tool(
                "ask", {"question": "How often must the filter of the pump be cleaned?"},
                progress_callback=progress))
            self.assertFalse(answer["isError"])
            self.assertIn(answer["structuredContent"]["status"], ("answered", "not_in_documents"))
            self.assertGreater(len(told), 0)

    async def test_what_cannot_be_done_is_said(self):
        async with self.session() as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            missing = plain(await session.call_tool("get", {"document": "nowhere.pdf"}))
            self.assertTrue(missing["isError"])
            self.assertIn("nowhere.pdf", missing["content"][0]["text"])
            wrong = plain(await session.call_tool("search", {"query": "a", "k": -1}))
            self.assertTrue(wrong["isError"])

    async def test_a_cancelled_call_ends(self):
        async with self.session() as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            call = asyncio.create_task(
                session.call_tool("ask", {"question": "What does the manual say of alarms?"}))
            await asyncio.sleep(0.3)
            call.cancel()
            self.assertIsNotNone(await session.send_ping())


if __name__ == "__main__":
    unittest.main()
