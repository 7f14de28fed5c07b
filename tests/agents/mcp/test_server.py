"""The tools by the protocol itself: the client of the package `mcp`, in memory and by streams."""

import asyncio
import base64
import json
import sys

import pytest

from configs.mcp import McpConfig
from tests.locations import CHECKOUT

pytestmark = pytest.mark.slow
mcp = pytest.importorskip("mcp", reason="needs the extra mcp: pip install 'jaxgames[mcp]'")

TOOLS = {"new_game", "position", "legal_moves", "play", "analyse", "render"}


def text_of(result):
    return result.content[0].text


async def play_a_game(client):
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.description for tool in tools)
    begun = json.loads(text_of(await client.call_tool("new_game", {"options": "max_plies=2"})))
    number = {"game_id": begun["game_id"]}
    moves = (await client.call_tool("legal_moves", number)).structured_content["result"]
    assert moves == begun["legal_moves"]
    refused = await client.call_tool("play", {**number, "move": "a9"})
    assert refused.is_error and "Legal moves" in text_of(refused)
    await client.call_tool("play", {**number, "move": moves[0]})
    judged = await client.call_tool("analyse", {**number, "agent": "minimax:depth=1"})
    assert json.loads(text_of(judged))["seat"] == 1 - begun["seat"]
    end = json.loads(text_of(await client.call_tool("play", {**number, "agent": "random"})))
    assert end["is_over"] and len(end["returns"]) == 2
    picture = (await client.call_tool("render", number)).content[0]
    assert base64.b64decode(picture.data).startswith(b"\x89PNG")


def test_a_game_in_memory():
    from agents.mcp.server import make_server

    async def main():
        async with mcp.Client(make_server(McpConfig())) as client:
            await play_a_game(client)

    asyncio.run(main())


def test_a_game_with_the_command():
    from mcp import StdioServerParameters

    command = StdioServerParameters(
        command=sys.executable, args=["-m", "agents.mcp"], cwd=str(CHECKOUT)
    )

    async def main():
        async with mcp.Client(command) as client:
            await play_a_game(client)

    asyncio.run(main())
