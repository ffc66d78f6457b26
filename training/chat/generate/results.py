"""Questions whose answers stand in what a function returned."""

import json

from generate.base import assistant, calling, tool_result, user
from generate.tools import Filling, Shown, ToolMaker, named_places, spaced_json


class ResultMaker(ToolMaker):
    """Conversations around the written results: one field is asked for, others stand beside it."""

    def conversation(self) -> dict:
        tool = self.pick(self.library.results)
        shown = Shown(self, tool)
        functions = [shown.function]
        for other in self.rng.sample(self.library.tools, self.pick([0, 0, 1, 2, 3, 5])):
            function = Shown(self, other).function
            if all(function["name"] != one["name"] for one in functions):
                functions.append(function)
        self.rng.shuffle(functions)
        result, questions = self.pick(tool.results)
        asked = self.rng.sample(questions, min(len(questions), self.pick([1, 1, 1, 2, 2, 3])))
        messages = self.asked(Filling(self, tool), shown, result, asked)
        return {"messages": self.system() + messages, "tools": [] if self.chance(0.15) else functions}

    def asked(self, filling: Filling, shown: Shown, result: str, questions: list[tuple[str, str]]) -> list[dict]:
        """The first question leads to the call; the others find their answer in what it returned."""
        (question, answer), *more = questions
        used: dict = {}
        messages = [user(filling.text(question, used))]
        for name in named_places(result) | named_places(answer):
            if name in filling.params and name not in used:
                return messages + [calling([shown.call(used)])]
        messages += [calling([shown.call(used)]), tool_result(self.shown_result(filling.text(result, None)))]
        messages.append(assistant(filling.text(answer, None)))
        for question, answer in more:
            if any(name in filling.params for name in named_places(question)):
                continue
            messages += [user(filling.text(question, None)), assistant(filling.text(answer, None))]
        return messages

    def shown_result(self, text: str) -> str:
        """The fields in any order, with others between them."""
        try:
            fields = json.loads(text)
        except ValueError:
            return text
        if not isinstance(fields, dict):
            return spaced_json(text)
        items = list(fields.items())
        if self.chance(0.4):
            self.rng.shuffle(items)
        if "error" not in fields and self.chance(0.15):
            items.insert(self.rng.randint(0, len(items)), self.pick([("request_id", self.slots.make("code")), ("ok", True), ("took_ms", self.rng.randint(2, 900)), ("version", 2), ("source", self.slots.make("invented"))]))
        return json.dumps(dict(items), ensure_ascii=False)
