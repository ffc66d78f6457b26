"""What the model reads, and how much of it: two phases, each with its shares of tokens."""

import random
from pathlib import Path

from generate.apis import ApiMaker, load_apis
from generate.base import Library, load_library
from generate.dialogues import DialogueMaker
from generate.facts import FactMaker
from generate.lookup import LookupMaker
from generate.quotes import QuoteMaker
from generate.random_tools import RandomToolMaker
from generate.reading import ReadingMaker, load_human_questions, load_questions
from generate.records import RecordMaker
from generate.results import ResultMaker
from generate.talk import TalkMaker, load_chats
from generate.tools import ToolMaker
from generate.utterances import UtteranceMaker, load_utterances
from render import render

# Shares of tokens: language first, then the work.
PHASES = [
    {"prose": 0.38, "questions": 0.18, "sets": 0.06, "made": 0.38},
    {"prose": 0.08, "questions": 0.24, "sets": 0.07, "made": 0.61},
]
# Of the made conversations.
MADE = {
    "tools": 25,
    "random_tools": 8,
    "apis": 14,
    "results": 20,
    "dialogues": 14,
    "utterances": 6,
    "intents": 2,
    "reading": 16,
    "facts": 5,
    "quotes": 5,
    "records": 22,
    "talk": 22,
    "tasks": 10,
    "lookup": 7,
}
# Of the free sets; what is not named has 1.
SETS = {"tldr": 3, "glossary": 3, "chatterbot": 0.4, "taskmaster": 0.05, "seeds": 0.3}


def load(folder: Path, data: Path) -> tuple[Library, dict[str, list]]:
    """Everything the makers need, and the free sets."""
    library = load_library(folder)
    library.utterances = load_utterances(data)
    library.questions = load_questions(data)
    library.human_questions = load_human_questions(data)
    library.apis = load_apis(data)
    return library, load_chats(data)


class Mixture:
    """An endless stream of conversations, the same for the same seed."""

    def __init__(self, library: Library, sets: dict[str, list], seed: int):
        self.rng = random.Random(seed)
        self.sets = {name: items for name, items in sets.items() if items}
        tools, utterances, reading = ToolMaker(library, seed), UtteranceMaker(library, seed), ReadingMaker(library, seed)
        talk = TalkMaker(library, seed)
        makers = {
            "tools": tools.conversation,
            "random_tools": RandomToolMaker(library, seed).conversation,
            "apis": ApiMaker(library, seed).conversation,
            "reading": reading.conversation,
            "facts": FactMaker(library, seed).conversation,
            "quotes": QuoteMaker(library, seed).conversation,
            "records": RecordMaker(library, seed).conversation,
            "results": ResultMaker(library, seed).conversation,
            "dialogues": DialogueMaker(library, seed).conversation,
            "talk": talk.conversation,
            "tasks": talk.task,
            "lookup": LookupMaker(library, seed).conversation,
            "utterances": utterances.conversation,
            "intents": utterances.classification,
        }
        needs = {"records": library.records, "results": library.results, "dialogues": library.dialogues, "tasks": library.tasks, "quotes": library.questions, "utterances": library.utterances, "apis": library.apis, "intents": library.utterances}
        self.makers = {name: maker for name, maker in makers.items() if needs.get(name, True)}
        self.from_prose = reading.from_prose if library.questions or library.human_questions else reading.conversation
        self.names = list(self.makers)
        self.weights = [MADE[name] for name in self.names]
        self.set_names = list(self.sets)
        self.set_weights = [SETS.get(name, 1) for name in self.set_names]

    def conversation(self) -> dict:
        return self.makers[self.rng.choices(self.names, self.weights)[0]]()

    def made(self) -> str:
        return render(self.conversation())

    def questions(self) -> str:
        return render(self.from_prose())

    def from_sets(self) -> str:
        name = self.rng.choices(self.set_names, self.set_weights)[0]
        return render({"messages": self.rng.choice(self.sets[name])})
