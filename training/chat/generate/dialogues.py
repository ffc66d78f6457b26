"""Conversations of several turns with functions, as written, with other names and functions beside them."""

import json

from generate.base import assistant, calling, tool_result, user
from generate.results import ResultMaker
from generate.tools import THANKS, Shown
from generate.words import sloppy


class DialogueMaker(ResultMaker):
    def conversation(self) -> dict:
        family = self.pick(self.library.dialogues)
        return self.played(family, self.pick(family.scripts))

    def played(self, family, script: list[tuple[str, list[str]]]) -> dict:
        shown = self.shown_family(family)
        known: dict[str, str] = {}
        messages = []
        for marker, alternatives in script:
            if marker == "U:":
                messages.append(user(sloppy(self.rng, self.slots.fill(self.pick(alternatives), known))))
            elif marker == "A:":
                messages.append(assistant(self.slots.fill(self.pick(alternatives), known)))
            elif marker == "C:":
                messages.append(calling([self.call(shown, self.slots.fill(text, known)) for text in alternatives]))
            else:
                messages += [tool_result(self.shown_result(self.slots.fill(text, known))) for text in alternatives]
        if messages[-1]["role"] == "assistant" and not messages[-1].get("calls") and self.chance(0.12):
            messages += self.pick(THANKS)
        return {"messages": self.system() + messages, "tools": self.toolbox_of(family, shown, script)}

    def shown_family(self, family) -> dict[str, Shown]:
        """Each function under a name of its own."""
        shown = {tool.name: Shown(self, tool) for tool in family.tools}
        if len({one.name for one in shown.values()}) == len(shown):
            return shown
        return {tool.name: Shown(self, tool, plain=True) for tool in family.tools}

    def call(self, shown: dict[str, Shown], text: str) -> tuple[str, dict]:
        name, _, arguments = text.partition(" ")
        return shown[name].call(json.loads(arguments or "{}"))

    def toolbox_of(self, family, shown: dict[str, Shown], script) -> list[dict]:
        """The functions called, most of the others of the family, and some that have nothing to do with it."""
        called = {text.partition(" ")[0] for marker, texts in script if marker == "C:" for text in texts}
        functions = [shown[tool.name].function for tool in family.tools if tool.name in called or self.chance(0.7)]
        for other in self.rng.sample(self.library.tools, self.pick([0, 0, 0, 1, 1, 2, 3])):
            functions.append(Shown(self, other).function)
        functions = list({function["name"]: function for function in reversed(functions)}.values())
        self.rng.shuffle(functions)
        return functions
