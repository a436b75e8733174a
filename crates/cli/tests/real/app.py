"""An app of the SDK for Python. It says on standard output what it sees, and does what it reads."""

import asyncio
import os
import sys
import threading

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
)


def say(text):
    print(f"app: {text}", flush=True)


async def main():
    decided = asyncio.get_running_loop().create_future()

    async def can_use_tool(tool, given, context):
        say(f"asked {tool}")
        try:
            word = await asyncio.shield(decided)
        except asyncio.CancelledError:
            say("no longer asked")
            raise
        if word == "allow":
            return PermissionResultAllow(updated_input=given)
        return PermissionResultDeny(message=word)

    options = ClaudeAgentOptions(
        cli_path=os.environ["APP_CLI"],
        permission_mode="default",
        setting_sources=["user"],
        stderr=lambda line: print(line, file=sys.stderr, flush=True),
        can_use_tool=can_use_tool if os.environ["APP_ANSWERS"] else None,
    )

    async def obey(client, line):
        if line == "interrupt":
            await client.interrupt()
            say("interrupted")
        else:
            decided.set_result(line)

    def listen(loop, client):
        for line in sys.stdin:
            asyncio.run_coroutine_threadsafe(obey(client, line.strip()), loop)

    async with ClaudeSDKClient(options=options) as client:
        told = (asyncio.get_running_loop(), client)
        # It may still wait for the next order when everything else is done.
        threading.Thread(target=listen, args=told, daemon=True).start()
        await client.query("go")
        try:
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    say(f"result {message.subtype}")
        except Exception as error:
            say(f"error {error}")


asyncio.run(main())
