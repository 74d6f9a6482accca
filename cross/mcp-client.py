"""Talks to a robot with the official client of the Model Context Protocol. Usage: mcp-client.py URL. Prints one line for each thing that works;
exits 1 at the first that does not."""

import asyncio
import sys

import mcp

base = sys.argv[1]


async def check(mode):
    async with mcp.Client(base + "/mcp", mode=mode, read_timeout_seconds=60) as client:
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert {"move_head", "get_robot_state", "say_to_robot"} <= tools.keys(), sorted(tools)
        for t in tools.values():
            assert t.description and t.input_schema["type"] == "object", t
        assert tools["get_robot_state"].annotations.read_only_hint and not tools["move_head"].annotations.read_only_hint
        print(f"{mode}: {len(tools)} tools")

        moved = await client.call_tool("move_head", {"yaw": 20})
        assert not moved.is_error, moved
        print(f"{mode}: move_head:", moved.content[0].text)
        state = await client.call_tool("get_robot_state", {})
        assert not state.is_error and state.structured_content, state
        print(f"{mode}: get_robot_state:", state.content[0].text)
        said = await client.call_tool("say_to_robot", {"text": "what is 12 times 12"})
        assert not said.is_error and "144" in said.content[0].text, said
        print(f"{mode}: say_to_robot:", said.content[0].text)

        for what, name, arguments in [("wrong type", "move_head", {"yaw": "far"}), ("no text", "say_to_robot", {})]:
            refused = await client.call_tool(name, arguments)
            assert refused.is_error and refused.content[0].text, refused
            print(f"{mode}: refused: {what} -", refused.content[0].text)
        try:
            await client.call_tool("no_such_tool", {})
            sys.exit("no_such_tool was accepted")
        except mcp.MCPError as e:
            print(f"{mode}: refused: unknown tool -", e)


for mode in ["legacy", "auto"]:  # with a handshake, and as the client prefers
    asyncio.run(check(mode))
