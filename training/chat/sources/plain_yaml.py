"""Reads the plain part of YAML that programs write: blocks, quoted and folded texts; no anchors, no flow collections."""

import json
import re

KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*\[{|>-][^\n]*?|-[^\s][^\n]*?):(?:\s+(.*))?$""")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None, "[]": [], "{}": {}}


def read_yaml(text, skipped=frozenset()):
    """The tree of a document, without what lies under the skipped keys; None for what cannot be read."""
    try:
        return Reader(text, skipped).block(0)
    except (ValueError, IndexError, RecursionError):
        return None


def unquoted(text):
    if text.startswith('"'):
        try:
            return json.loads(re.sub(r"\\([^\"\\/bfnrtu])", r"\1", text), strict=False)
        except ValueError:
            return text.strip('"')
    return text[1:-1].replace("''", "'")


def scalar(text):
    if text in WORDS:
        value = WORDS[text]
        return type(value)() if isinstance(value, (list, dict)) else value
    if NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text


class Reader:
    def __init__(self, text, skipped):
        self.lines = text.split("\n")
        self.skipped = skipped
        self.at = 0

    def peek(self):
        """Indent and text of the next line that is not empty; -1 at the end."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            rest = line.lstrip(" ")
            if rest and not rest.startswith("#"):
                return len(line) - len(rest), rest
            self.at += 1
        return -1, ""

    def block(self, least):
        indent, rest = self.peek()
        if indent < least:
            return None
        return self.items(indent) if rest == "-" or rest.startswith("- ") else self.pairs(indent)

    def items(self, indent):
        out = []
        while True:
            here, rest = self.peek()
            if here != indent or not (rest == "-" or rest.startswith("- ")):
                return out
            inner = rest[1:].lstrip(" ")
            if not inner:
                self.at += 1
                out.append(self.block(indent + 1))
            elif KEY.match(inner) or inner.startswith("- "):
                self.lines[self.at] = " " * (indent + len(rest) - len(inner)) + inner
                out.append(self.block(indent + 1))
            else:
                self.at += 1
                out.append(self.value(inner, indent))

    def pairs(self, indent):
        out = {}
        while True:
            here, rest = self.peek()
            if here != indent or rest.startswith("- "):
                return out
            found = KEY.match(rest)
            if not found:
                raise ValueError(rest)
            key = found.group(1)
            key = unquoted(key) if key[0] in "\"'" else key
            self.at += 1
            if key in self.skipped:
                self.skip(indent)
            elif found.group(2):
                out[key] = self.value(found.group(2).rstrip(), indent)
            else:
                below, text = self.peek()
                is_list = below == indent and text.startswith("- ")
                out[key] = self.block(indent if is_list else indent + 1) if below > indent or is_list else None

    def skip(self, indent):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            rest = line.lstrip(" ")
            if rest and (len(line) - len(rest) < indent or (len(line) - len(rest) == indent and not rest.startswith("- "))):
                return
            self.at += 1

    def value(self, text, indent):
        if text[0] in "|>":
            return self.literal(indent, text[0])
        if text[0] in "\"'":
            closed = re.compile(r'"(?:[^"\\]|\\.)*"\s*$' if text[0] == '"' else r"'(?:[^']|'')*'\s*$", re.S)
            while not closed.match(text):
                text = text.removesuffix("\\") + " " + self.lines[self.at].strip()
                self.at += 1
            return unquoted(text.strip())
        while True:
            here, rest = self.peek()
            if here <= indent:
                return scalar(text)
            text += " " + rest.rstrip()
            self.at += 1

    def literal(self, indent, mark):
        kept = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            rest = line.lstrip(" ")
            if rest and len(line) - len(rest) <= indent:
                break
            kept.append(rest.rstrip())
            self.at += 1
        return ("\n" if mark == "|" else " ").join(kept).strip()
