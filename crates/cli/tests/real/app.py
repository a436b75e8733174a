"""An app of the SDK for Python. It says on standard output what it sees, and does what it reads."""

import asyncio
import os
import sys

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

    async def obey(client):
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            if line.strip() == "interrupt":
                await client.interrupt()
                say("interrupted")
            else:
                decided.set_result(line.strip())

    async with ClaudeSDKClient(options=options) as client:
        obeying = asyncio.create_task(obey(client))
        await client.query("go")
        try:
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    say(f"result {message.subtype}")
        except Exception as error:
            say(f"error {error}")
        obeying.cancel()


try:
    asyncio.run(main())
finally:
    # The one that reads its orders may still wait for the next.
    sys.stdout.flush()
    os._exit(0)
