"""Writes the conversations a fine-tuning reminds a model of: python3 reminders.py FILE. They are made like those the built-in model has read."""

import argparse
import json
import random
from pathlib import Path

import mixture
from render import render

SEED = 77
# What a tuned model loses first; no plain talk, which is most often what is to become different.
KINDS = {"tools": 44, "random_tools": 8, "uncalled": 16, "dialogues": 10, "calculators": 6, "results": 44, "records": 34, "alike": 16, "reading": 40, "paired": 16, "facts": 6}
MOST_LETTERS = 1_600


def as_message(message: dict, calls: list) -> dict:
    """In the form of the API; the calls that were made before it are in `calls`."""
    role, content = message["role"], message.get("content") or ""
    if role == "tool":
        return {"role": role, "content": content, "tool_call_id": calls.pop(0) if calls else "call_0"}
    if not message.get("calls"):
        return {"role": role, "content": content}
    made = []
    for number, (name, arguments) in enumerate(message["calls"], 1):
        calls.append(f"call_{number}")
        made.append({"id": calls[-1], "type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}})
    return {"role": role, "content": content or None, "tool_calls": made}


def as_line(conversation: dict) -> dict:
    calls: list = []
    line = {"messages": [as_message(message, calls) for message in conversation["messages"]]}
    if conversation.get("tools"):
        line["tools"] = [{"type": "function", "function": tool} for tool in conversation["tools"]]
    if conversation.get("schema"):
        line["schema"] = conversation["schema"]
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    here = Path(__file__).parent
    library, sets = mixture.load(here, here / "none")
    stream = mixture.Mixture(library, sets, SEED)
    lines = []
    for kind, wanted in KINDS.items():
        made = 0
        while made < wanted:
            conversation = stream.makers[kind]()
            if len(render(conversation)) > MOST_LETTERS:
                continue
            lines.append(as_line(conversation))
            made += 1
    random.Random(SEED).shuffle(lines)
    parser.parse_args().file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


if __name__ == "__main__":
    main()
