"""Writes a conversation the way the model reads it: the twin of template.jinja.

A conversation is a dict: `messages` (role, content; assistants may have `calls`, a list of (name, arguments)),
`tools` (functions with name, description and parameters) and `schema` (of the answer).
"""

import json

SPECIAL = [
    "<|endoftext|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|tool|>",
    "<|end|>",
    "<|fn|>",
    "<|pad|>",
] + [f"<|reserved{i}|>" for i in range(8)]


def as_json(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_plain(schema) -> bool:
    return isinstance(schema, dict) and isinstance(schema.get("type"), str) and schema["type"] not in ("object", "array")


def as_text(value) -> str:
    """A value as templates write it."""
    return {True: "True", False: "False", None: "None"}.get(value) if value is None or value is True or value is False else str(value)


def kind(schema: dict) -> str:
    if "enum" in schema:
        return " | ".join(as_text(value) for value in schema["enum"])
    if is_plain(schema):
        return schema["type"]
    items = schema.get("items")
    if schema.get("type") == "array" and is_plain(items) and "enum" not in items:
        return f"list of {items['type']}"
    if isinstance(schema.get("type"), list):
        return " or ".join(schema["type"])
    return as_json(schema)


def fields(schema: dict, show_required: bool) -> str:
    lines = ""
    for name, field in schema.get("properties", {}).items():
        required = ", required" if show_required and name in schema.get("required", []) else ""
        description = f": {field['description']}" if field.get("description") else ""
        lines += f"\n- {name} ({kind(field)}{required}){description}"
    return lines


def head(system: str | None, tools: list[dict], schema: dict | None) -> str:
    parts = [] if system is None else [system]
    if tools:
        lines = "# Tools"
        for tool in tools:
            description = f": {tool['description']}" if tool.get("description") else ""
            lines += f"\n## {tool['name']}{description}{fields(tool.get('parameters') or {}, True)}"
        parts.append(lines)
    if schema:
        parts.append("# Answer as JSON" + (fields(schema, False) if "properties" in schema else "\n" + as_json(schema)))
    return "<|system|>" + "\n\n".join(parts) + "<|end|>" if parts else ""


def clean(text: str) -> str:
    """Texts cannot hold the marks."""
    if "<|" in text:
        for mark in SPECIAL:
            text = text.replace(mark, "")
    return text


def render(conversation: dict, open_answer: bool = False) -> str:
    """The text of a conversation; with `open_answer`, up to where the model goes on."""
    messages = conversation["messages"]
    system = messages[0]["content"] if messages and messages[0]["role"] == "system" else None
    text = "<|endoftext|>" + head(system, conversation.get("tools") or [], conversation.get("schema"))
    for index, message in enumerate(messages):
        if index == 0 and system is not None:
            continue
        role, content = message["role"], clean(message.get("content") or "")
        calls = "".join(
            "<|fn|>" + as_json({"name": name, "arguments": arguments}) for name, arguments in message.get("calls", [])
        )
        text += f"<|{role}|>{content}{calls}<|end|>"
    return text + "<|assistant|>" if open_answer else text
