"""What the model reads, and how much of it: two phases, each with its shares of tokens."""

import json
import random
from pathlib import Path

from generate.alike import AlikeMaker
from generate.apis import ApiMaker, load_apis
from generate.base import Library, load_library
from generate.calculators import CalculatorMaker
from generate.dialogues import DialogueMaker
from generate.facts import FactMaker
from generate.guided import GuidedMaker, load_guided
from generate.hooked import HookedMaker
from generate.joined_rows import JoinedRowMaker, load_extractions
from generate.lookup import LookupMaker
from generate.paired import PairedMaker
from generate.quotes import QuoteMaker
from generate.random_tools import RandomToolMaker
from generate.reading import ReadingMaker, load_human_questions, load_questions
from generate.records import RecordMaker
from generate.results import ResultMaker
from generate.tables import TableMaker, load_tables
from generate.talk import TalkMaker, load_chats
from generate.tools import ToolMaker
from generate.uncalled import UncalledMaker, index_by_word, plain_talk
from generate.utterances import UtteranceMaker, load_utterances
from render import render

# Prose by what it is; a file that is not named belongs to `taught`.
PROSE = {"prose-wikipedia": "wikipedia", "prose-classics": "books", "prose-books": "books", "prose-storybooks": "books", "prose-fairytale": "books", "prose-chats": "books"}
# Shares of tokens for a training that goes on from earlier weights: language still, then the work.
PHASES = [
    {"wikipedia": 6, "taught": 1, "books": 1, "questions": 5, "code": 2, "results": 11, "calls": 20, "extraction": 16, "reading": 18, "instructions": 5, "everyday": 12, "hooks": 4},
    {"wikipedia": 3, "taught": 1, "books": 1, "questions": 3, "code": 2, "results": 11, "calls": 22, "extraction": 17, "reading": 20, "instructions": 3, "everyday": 13, "hooks": 4},
]
# How much a prompt's tokens count beside an answer's.
PROMPT_WEIGHTS = [0.1, 0.03]
# Of what each kind is made, by how often it is taken; `set-NAME` is a free set (chat-NAME.jsonl).
MADE = {
    "questions": {"from_prose": 1},
    "code": {"set-programs": 4, "set-tldr": 4, "set-algos": 1},
    "results": {"results": 22, "tables": 10, "table_questions": 3},
    "calls": {"tools": 40, "random_tools": 5, "apis": 6, "calculators": 6, "uncalled": 8, "dialogues": 10, "guided": 3, "utterances": 4, "intents": 1},
    "extraction": {"records": 20, "joined_rows": 5, "alike": 9},
    "reading": {"reading": 10, "paired": 14, "facts": 4, "quotes": 3, "set-reading": 4},
    "instructions": {"set-instructions": 8, "tasks": 5},
    "everyday": {"talk": 17, "lookup": 8, "set-words": 3, "set-medical": 1.5, "set-glossary": 2, "set-chitchat": 1, "set-trivia": 1, "set-open": 1, "set-gsm8k": 1, "set-factbook": 0.5, "set-seeds": 0.3, "set-chatterbot": 0.3, "set-docs": 1},
    "hooks": {"hooked": 1},
}


def load(folder: Path, data: Path) -> tuple[Library, dict[str, list]]:
    """Everything the makers need, and the free sets."""
    library = load_library(folder)
    library.utterances = load_utterances(data)
    library.questions = load_questions(data)
    library.human_questions = load_human_questions(data)
    library.apis = load_apis(data)
    library.tables = load_tables(data)
    library.extractions = load_extractions(data)
    library.guided = load_guided(data)
    sets = load_chats(data)
    library.tools_by_word = index_by_word(library.tools)
    library.plain_talk = plain_talk(sets)
    return library, sets


class Mixture:
    """An endless stream of conversations, the same for the same seed."""

    def __init__(self, library: Library, sets: dict[str, list], seed: int):
        self.rng = random.Random(seed)
        self.sets = sets
        utterances, reading, talk, tables = UtteranceMaker(library, seed), ReadingMaker(library, seed), TalkMaker(library, seed), TableMaker(library, seed)
        self.makers = {
            "tools": ToolMaker(library, seed).conversation,
            "random_tools": RandomToolMaker(library, seed).conversation,
            "apis": ApiMaker(library, seed).conversation,
            "calculators": CalculatorMaker(library, seed).conversation,
            "uncalled": UncalledMaker(library, seed).conversation,
            "reading": reading.conversation,
            "from_prose": reading.from_prose,
            "paired": PairedMaker(library, seed).conversation,
            "facts": FactMaker(library, seed).conversation,
            "quotes": QuoteMaker(library, seed).conversation,
            "records": RecordMaker(library, seed).conversation,
            "alike": AlikeMaker(library, seed).conversation,
            "joined_rows": JoinedRowMaker(library, seed).conversation,
            "results": ResultMaker(library, seed).conversation,
            "tables": tables.conversation,
            "table_questions": tables.human,
            "dialogues": DialogueMaker(library, seed).conversation,
            "guided": GuidedMaker(library, seed).conversation,
            "hooked": HookedMaker(library, seed).conversation,
            "talk": talk.conversation,
            "tasks": talk.task,
            "lookup": LookupMaker(library, seed).conversation,
            "utterances": utterances.conversation,
            "intents": utterances.classification,
        }
        self.kinds = {kind: self.chosen(parts, library, tables) for kind, parts in MADE.items()}

    def chosen(self, parts: dict[str, float], library: Library, tables: TableMaker) -> tuple[list[str], list[float]]:
        """Those of the parts that there is data for, with their weights."""
        needs = {
            "from_prose": library.questions or library.human_questions,
            "quotes": library.questions,
            "apis": library.apis,
            "utterances": library.utterances,
            "intents": library.utterances,
            "joined_rows": library.extractions,
            "tables": tables.plain,
            "table_questions": tables.with_questions,
            "guided": library.guided,
        }
        names = [name for name in parts if (self.sets.get(name[4:]) if name.startswith("set-") else needs.get(name, True))]
        return names, [parts[name] for name in names]

    def has(self, kind: str) -> bool:
        return bool(self.kinds[kind][0])

    def conversation(self, kind: str) -> dict:
        name = self.rng.choices(*self.kinds[kind])[0]
        if name.startswith("set-"):
            return {"messages": self.rng.choice(self.sets[name[4:]])}
        return self.as_sent(self.makers[name]())

    def as_sent(self, made: dict) -> dict:
        """Half of the results without spaces, as JavaScript writes JSON."""
        if self.rng.random() < 0.5:
            made["messages"] = [{**message, "content": compact(message["content"])} if message["role"] == "tool" else message for message in made["messages"]]
        return made

    def text(self, kind: str) -> str:
        return render(self.conversation(kind))


def compact(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        return text
