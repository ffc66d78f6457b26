"""Schema-guided dialogues, with what nobody could know left out of their calls, and other functions beside theirs."""

import json
from pathlib import Path

from generate.tools import Shown, ToolMaker
from generate.words import split_name, style


def load_guided(folder: Path) -> list[str]:
    """As lines: as objects they would fill the memory of every process."""
    return [line for file in sorted(Path(folder).glob("dialogues-*.jsonl")) for line in file.open()]


def is_question(message: dict) -> bool:
    return message["role"] == "assistant" and (message.get("content") or "").endswith("?")


def ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


class GuidedMaker(ToolMaker):
    def conversation(self) -> dict:
        row = json.loads(self.pick(self.library.guided))
        messages, unknown = self.learnable(self.said_at_once(self.part(row["messages"])))
        how = self.pick(["snake", "snake", "camel"])
        tools = [self.shown(tool, unknown.get(tool["name"], set()), how) for tool in row["tools"]]
        for message in messages:
            if message.get("calls"):
                message["calls"] = [(name, {style(split_name(key), how): value for key, value in arguments.items()}) for name, arguments in message["calls"]]
        for other in self.rng.sample(self.library.tools, self.pick([0, 0, 1, 2, 4])):
            function = Shown(self, other).function
            if all(function["name"] != tool["name"] for tool in tools):
                tools.append(function)
        self.rng.shuffle(tools)
        return {"messages": self.system() + messages, "tools": tools}

    def part(self, messages: list[dict]) -> list[dict]:
        """Up to some answer or call."""
        ends = [index + 1 for index, message in enumerate(messages) if message["role"] == "assistant"]
        return [dict(message) for message in messages[: self.pick(ends[-6:])]]

    def said_at_once(self, messages: list[dict]) -> list[dict]:
        """Most of the questions back left out, and what answered them said at first: a small model asks too often for what it was told."""
        kept: list[dict] = []
        for at, message in enumerate(messages):
            answers = at >= 2 and message["role"] == "user" and is_question(messages[at - 1]) and len(message["content"].split()) > 3
            if answers and len(kept) >= 2 and kept[-1] is messages[at - 1] and kept[-2]["role"] == "user" and self.chance(0.8):
                kept[-2:] = [{"role": "user", "content": f"{ended(kept[-2]['content'])} {message['content']}"}]
            else:
                kept.append(message)
        return kept

    def learnable(self, messages: list[dict]) -> tuple[list[dict], dict[str, set[str]]]:
        """Without the arguments whose values were not said before; and which those are, by function."""
        unknown: dict[str, set[str]] = {}
        said = ""
        for message in messages:
            for name, arguments in message.get("calls", []):
                for key, value in arguments.items():
                    if isinstance(value, str) and value.lower() not in said:
                        unknown.setdefault(name, set()).add(key)
            said += " " + (message.get("content") or "").lower()
        for message in messages:
            if message.get("calls"):
                message["calls"] = [(name, {key: value for key, value in arguments.items() if key not in unknown.get(name, set())}) for name, arguments in message["calls"]]
        return messages, unknown

    def shown(self, tool: dict, unknown: set[str], how: str) -> dict:
        schema = tool["parameters"]
        properties = {style(split_name(name), how): field for name, field in schema["properties"].items() if name not in unknown}
        required = [style(split_name(name), how) for name in schema["required"] if name not in unknown]
        return {**tool, "parameters": {"type": "object", "properties": properties, **({"required": required} if required else {})}}
