"""What all makers of conversations share."""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import slots as slot_values
import written

SYSTEM = [
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "You are a helpful, concise assistant.",
    "You are a friendly assistant. Keep answers short.",
    "You are an AI assistant.",
    "You are a knowledgeable and polite assistant.",
    "You answer questions clearly and honestly.",
    "Be brief and to the point.",
    "You are a support agent for {company}. Help the customer.",
    "You are {first_name}, the assistant of {company}.",
    "You are a personal assistant. The user's name is {person}.",
    "You are a helpful assistant. Today is {date}.",
    "You are the assistant inside {app}.",
    "Act as a careful assistant. If you are unsure, say so.",
    "You are a chatbot on the website of {shop}.",
    "Help the user with whatever they ask.",
    "You are an expert assistant for {topic}.",
]
# How questions begin that ask for no single thing of today or of the user.
GENERAL = re.compile(
    r"why\b|who (invented|discovered)|what('s| is) the difference|what makes|how (do|does|did) (?!(i|you|we|my)\b)|is it true|explain\b|"
    r"what (is|are|causes) (?!(the (weather|time|date|price)|my|your|on|new)\b)|can (?!(i|you|we)\b)|do (?!(i|we|my)\b)|does |tell me (something|a fact)|any (tips|advice)",
    re.I,
)


@dataclass
class Library:
    """Everything that was written, read once."""

    lists: dict
    passages: list
    tools: list
    chats: list
    tasks: list
    records: list
    utterances: dict = field(default_factory=dict)
    questions: list = field(default_factory=list)
    human_questions: list = field(default_factory=list)
    apis: list = field(default_factory=list)
    everyday: list = field(default_factory=list)
    general: list = field(default_factory=list)
    results: list = field(default_factory=list)
    dialogues: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    extractions: list = field(default_factory=list)
    guided: list = field(default_factory=list)
    tools_by_word: dict = field(default_factory=dict)
    plain_talk: tuple[list, list] = ([], [])


def load_library(folder: Path) -> Library:
    folder = Path(folder)
    texts = folder / "written"
    return with_everyday(Library(
        lists=slot_values.load_lists(folder / "slots"),
        passages=written.read_passages(texts / "passages"),
        tools=written.read_tools(texts / "tools"),
        chats=written.read_chats(texts / "chat"),
        tasks=written.read_tasks(texts / "tasks"),
        records=written.read_records(texts / "extraction"),
        results=written.read_results(texts / "results"),
        dialogues=written.read_dialogues(texts / "dialogues"),
    ))


def with_everyday(library: Library) -> Library:
    """Everyday talk apart from the rest, and what anybody may ask of the world."""
    library.everyday = [chat for chat in library.chats if chat["everyday"] and not chat["system"]] or library.chats
    library.general = [chat for chat in library.chats if not chat["system"] and any(GENERAL.match(one) for one in chat["turns"][0][0])]
    return library


class Maker:
    """Makes conversations from the library with one random generator."""

    def __init__(self, library: Library, seed: int):
        self.library = library
        self.rng = random.Random(seed)
        self.slots = slot_values.Slots(self.rng, library.lists)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, items):
        return self.rng.choice(items)

    def system(self, share: float = 0.35) -> list[dict]:
        """Perhaps a system message."""
        if not self.chance(share):
            return []
        return [{"role": "system", "content": self.slots.fill(self.pick(SYSTEM), {})}]


def user(text: str) -> dict:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict:
    return {"role": "assistant", "content": text}


def calling(calls: list[tuple[str, dict]], text: str = "") -> dict:
    return {"role": "assistant", "content": text, "calls": calls}


def tool_result(text: str) -> dict:
    return {"role": "tool", "content": text}
