"""Function calls from things people really said, with intents and marked values."""

import json
from collections import defaultdict
from pathlib import Path

from generate.base import Maker, assistant, calling, user
from generate.tools import Shown
from generate.words import split_name
from written import Param, Tool


# Fragments of conversations, and several intents at once.
SKIPPED = {"utterances-restaurants", "utterances-nlupp"}


def load_utterances(folder: Path) -> dict:
    """By intent: what was said, and the parameters seen."""
    intents = defaultdict(lambda: {"said": [], "params": {}})
    for file in sorted(Path(folder).glob("utterances-*.jsonl")):
        if file.stem in SKIPPED:
            continue
        for line in file.open():
            item = json.loads(line)
            slots = {name: value for name, value in item["slots"].items() if value and value in item["text"]}
            if not 3 <= len(item["text"]) <= 220:
                continue
            intent = intents[item["intent"]]
            intent["said"].append((item["text"], slots))
            for name in slots:
                intent["params"][name] = intent["params"].get(name, 0) + 1
    return {name: intent for name, intent in intents.items() if len(intent["said"]) >= 5}


class UtteranceMaker(Maker):
    def tool(self, name: str) -> Tool:
        intent = self.library.utterances[name]
        ranked = sorted(intent["params"], key=lambda param: -intent["params"][param])[:6]
        words = " ".join(split_name(name))
        params = [Param(param, "string", False, " ".join(split_name(param)).capitalize(), "") for param in ranked]
        return Tool("_".join(split_name(name)), words.capitalize(), params)

    def conversation(self) -> dict:
        able = [name for name, intent in self.library.utterances.items() if intent["params"]]
        names = self.rng.sample(able, min(len(able), self.pick([1, 2, 3, 3, 4, 5])))
        tool = self.tool(names[0])
        said = self.library.utterances[names[0]]["said"]
        for _ in range(4):
            text, slots = self.pick(said)
            if slots:
                break
        known = {param.name for param in tool.params}
        used = {name: value for name, value in slots.items() if name in known}
        shown = Shown(self, tool, plain=self.chance(0.5))
        functions = [shown.function]
        for name in names[1:]:
            other = Shown(self, self.tool(name), plain=self.chance(0.5)).function
            if all(other["name"] != one["name"] for one in functions):
                functions.append(other)
        if self.chance(0.3):
            extra = Shown(self, self.pick(self.library.tools)).function
            if all(extra["name"] != one["name"] for one in functions):
                functions.append(extra)
        self.rng.shuffle(functions)
        return {"messages": self.system(0.3) + [user(text), calling([shown.call(used)])], "tools": functions}

    def classification(self) -> dict:
        """Which of some intents a sentence has."""
        names = self.rng.sample(list(self.library.utterances), min(len(self.library.utterances), self.rng.randint(2, 8)))
        right = self.pick(names)
        text, _ = self.pick(self.library.utterances[right]["said"])
        labels = [" ".join(split_name(name)) if self.chance(0.5) else name for name in names]
        answer = labels[names.index(right)]
        ask = self.pick(ASK)
        return {"messages": self.system(0.2) + [user(ask.format(labels=", ".join(labels), text=text)), assistant(answer)]}


ASK = [
    "Classify the message into one of these intents: {labels}.\n\n{text}",
    "Which label fits: {labels}?\n\"{text}\"",
    "Labels: {labels}\nText: {text}\nLabel:",
    "Choose the intent of this sentence from [{labels}]: {text}",
    "{text}\n\nPick one: {labels}",
    "What does the user want? Options: {labels}. Message: {text}. Answer with the option only.",
]
