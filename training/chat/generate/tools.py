"""Conversations with functions: calls, questions back, results put into words, and no call where none is needed."""

import json
import re

from forms import form, grouped, price
from generate.base import Maker, assistant, calling, tool_result, user
from generate.spare_params import add_spares
from generate.words import content_words, joined, new_param_name, new_tool_name, sloppy, split_name, style, STYLES

NO_TOOL = [
    "I'm sorry, none of my functions can do that.",
    "I can't do that with the functions I have.",
    "Sorry, I have no function for that.",
    "That is not something my functions can do.",
    "I don't have a tool that can do this.",
    "Unfortunately, there is no function available for that request.",
]
ERRORS = [
    ("not found", "I could not find that."),
    ("permission denied", "I am not allowed to do that: permission denied."),
    ("service unavailable", "The service is not available right now. Please try again later."),
    ("invalid request", "That did not work: the request was invalid."),
    ("timeout", "The request timed out. Please try again later."),
    ("no results", "There were no results."),
]
NEAR_MISSES = 5
AMOUNT = re.compile(r"amount|price|cost|total|budget|salary|fee|sum|balance|revenue|income|rent|loan|deposit|paid|payment|worth|refund|population|visitors|donation|wage|bill|charge")
PLACE = re.compile(r"\{([A-Za-z_][\w.-]*)(?:=([^{}|]*)\|([^{}]*)|~(\w+))?\}")


def typed(text: str, kind: str):
    """A value of a parameter's type."""
    text = text.strip()
    try:
        if kind == "integer":
            return int(float(text.replace(",", "")))
        if kind == "number":
            number = float(text.replace(",", ""))
            return int(number) if number == int(number) else number
    except ValueError:
        return text
    if kind == "boolean":
        return text.lower() in ("true", "yes", "1")
    if kind == "string[]":
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


class Filling:
    """The values of one tool in one conversation."""

    def __init__(self, maker: Maker, tool):
        self.maker = maker
        self.params = {param.name: param for param in tool.params}
        self.values = {}
        self.known = {}

    def value(self, name: str):
        if name not in self.values:
            self.values[name] = self._value(self.params[name])
        return self.values[name]

    def _value(self, param):
        maker = self.maker
        if param.choices:
            return maker.pick(param.choices)
        if param.type == "boolean":
            return maker.chance(0.5)
        if param.type == "string[]" and "," not in re.sub(r"\{[^{}]*\}", "", param.value):
            made = [maker.slots.fill(param.value, {}) for _ in range(maker.rng.randint(1, 4))]
            return list(dict.fromkeys(made))
        return typed(maker.slots.fill(param.value or "{noun}", {}), param.type)

    def text(self, template: str, used: dict | None) -> str:
        """The template with its places filled; `used` collects the arguments."""

        def place(match: re.Match) -> str:
            name, value, surface, form_name = match.groups()
            if name not in self.params:
                return match.group(0) if value is None else surface
            if value is not None:
                self.values[name] = typed(value, self.params[name].type)
                if used is not None:
                    used[name] = self.values[name]
                return surface
            got = self.value(name)
            if used is not None:
                used[name] = got
            if form_name is None and used is not None and is_amount(name, got) and self.maker.chance(0.4):
                return (price if self.params[name].type == "number" else grouped)(self.maker.rng, str(got))
            return said(self.maker.rng, got) if form_name is None else form(self.maker.rng, form_name, str(got)) or match.group(0)

        filled = self.maker.slots.fill(PLACE.sub(place, template), self.known)
        # Places whose words hold slots.
        return PLACE.sub(place, filled) if "=" in filled else filled


def is_amount(name: str, value) -> bool:
    """Whether people would write 1550 as 1,550 or 1,550.00: not a year, not a number of an order."""
    return isinstance(value, int | float) and not isinstance(value, bool) and AMOUNT.search(name) is not None


def said(rng, value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return joined(rng, [str(item) for item in value])
    return str(value).replace("_", " ") if isinstance(value, str) and re.fullmatch(r"[a-z]+(_[a-z]+)+", value) else str(value)


class Shown:
    """How a tool is shown in one conversation: names, order, descriptions."""

    def __init__(self, maker: Maker, tool, plain: bool = False):
        rng = maker.rng
        rename = not plain and maker.chance(0.55)
        self.name, says = new_tool_name(rng, maker.slots, tool.name) if rename else (tool.name, True)
        how = maker.pick(STYLES[:5])
        self.names, properties, required = {}, {}, []
        params = list(tool.params)
        if maker.chance(0.4):
            rng.shuffle(params)
        for param in params:
            new, clear = new_param_name(rng, maker.slots, param.name, how) if rename else (as_name(param.name, how), True)
            while new in properties:
                new += "_2"
            self.names[param.name] = new
            properties[new] = schema_of(param, clear and maker.chance(0.15))
            if param.required:
                required.append(new)
        description = tool.description
        if says and maker.chance(0.08):
            description = ""
        elif maker.chance(0.3):
            description = description.rstrip(".")
        self.order = list(properties)
        parameters = {"type": "object", "properties": properties}
        if required:
            parameters["required"] = required
        self.function = {"name": self.name, "description": description, "parameters": parameters}
        add_spares(rng, self.function)

    def call(self, arguments: dict) -> tuple[str, dict]:
        renamed = {self.names[name]: value for name, value in arguments.items()}
        return self.name, {name: renamed[name] for name in self.order if name in renamed}


def as_name(text: str, how: str) -> str:
    """Names have no spaces."""
    return style(split_name(text), how) if " " in text else text


def schema_of(param, bare: bool) -> dict:
    schema = {"type": "array", "items": {"type": "string"}} if param.type == "string[]" else {"type": param.type}
    if param.choices:
        schema["enum"] = param.choices
    description = param.description or " ".join(split_name(param.name)).capitalize()
    if not bare:
        schema["description"] = description
    return schema


class ToolMaker(Maker):
    """Conversations around the written tools."""

    def __init__(self, library, seed):
        super().__init__(library, seed)
        # Tools with much said about their topic that needs no call.
        self.talked_about = [index for index, tool in enumerate(library.tools) if len(tool.no_call) >= NEAR_MISSES]

    def others(self, index: int, count: int) -> list:
        """Other tools: some from the same field, so that the right one must be chosen."""
        tools = self.library.tools
        chosen = {}
        for _ in range(count * 3):
            other = self.alike(index) if self.chance(0.3) else index + self.rng.randint(-5, 5) if self.chance(0.5) else self.rng.randrange(len(tools))
            other %= len(tools)
            if other != index and tools[other].name != tools[index].name:
                chosen[other] = tools[other]
            if len(chosen) >= count:
                break
        return list(chosen.values())

    def alike(self, index: int) -> int:
        """A tool that shares a word with this one, but is for something else; any tool where there is none."""
        tools, wanted = self.library.tools, content_words(self.library.tools[index].description)
        near = self.library.tools_by_word.get(self.pick(sorted(wanted)), []) if wanted else []
        other = self.pick(near) if near else self.rng.randrange(len(tools))
        shared = wanted & content_words(tools[other].description)
        return self.rng.randrange(len(tools)) if 2 * len(shared) > len(wanted) else other

    def toolbox(self, index: int, count: int | None = None) -> tuple[Shown, list[dict]]:
        shown = Shown(self, self.library.tools[index])
        count = self.pick([0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 8]) if count is None else count
        functions = [shown.function]
        for other in self.others(index, count):
            function = Shown(self, other).function
            if all(function["name"] != one["name"] for one in functions):
                functions.append(function)
        self.rng.shuffle(functions)
        return shown, functions

    def conversation(self) -> dict:
        near = self.talked_about and self.chance(0.25)
        index = self.pick(self.talked_about) if near else self.rng.randrange(len(self.library.tools))
        kinds = [self.call, self.answered, self.asked_back, self.no_call, self.missing_tool, self.parallel, self.chained]
        kind = self.rng.choices(kinds, [38, 12, 2, 38, 2, 5, 4] if near else [42, 26, 2, 14, 2, 7, 7])[0]
        shown, functions = self.toolbox(index)
        messages = kind(index, shown, functions)
        # Who forbids calls shows no functions, though earlier ones were called.
        hidden = kind == self.answered and not messages[-1].get("calls") and self.chance(0.15)
        return {"messages": self.system() + messages, "tools": [] if hidden else functions}

    def request(self, index: int, shown: Shown) -> tuple[Filling, str, dict]:
        tool = self.library.tools[index]
        filling, used = Filling(self, tool), {}
        text = filling.text(self.pick(tool.utterances), used)
        return filling, sloppy(self.rng, text), used

    def call(self, index, shown, functions):
        _, text, used = self.request(index, shown)
        return [user(text), calling([shown.call(used)])]

    def answered(self, index, shown, functions):
        tool = self.library.tools[index]
        if not tool.results:
            return self.call(index, shown, functions)
        filling, text, used = self.request(index, shown)
        messages = [user(text), calling([shown.call(used)])]
        if self.chance(0.06):
            error, answer = self.pick(ERRORS)
            return messages + [tool_result(json.dumps({"error": error})), assistant(answer)]
        template, answer = self.pick(tool.results)
        invented = {name for name in named_places(answer) if name in filling.params and name not in used}
        if invented - named_places(template):
            return messages
        result = filling.text(template, None)
        shown_result = spaced_json(result)
        if self.chance(0.3):
            shown_result = bare_value(shown_result)
        return messages + [tool_result(shown_result), assistant(filling.text(answer, None))]

    def asked_back(self, index, shown, functions):
        tool = self.library.tools[index]
        if not tool.missing:
            return self.call(index, shown, functions)
        filling, used = Filling(self, tool), {}
        text, answer = self.pick(tool.missing)
        messages = [user(filling.text(text, used)), assistant(filling.text(answer, None))]
        open_ones = [param.name for param in tool.params if param.required and param.name not in used]
        if not open_ones or self.chance(0.3):
            return messages
        reply = []
        for name in open_ones:
            used[name] = filling.value(name)
            reply.append(said(self.rng, used[name]))
        words = joined(self.rng, reply)
        shape = self.pick(["{}", "{}", "{}", "{}.", "{} please", "Make it {}.", "It's {}.", "Oh, {}.", "Let's say {}.", "sorry, {}"])
        return messages + [user(shape.format(words)), calling([shown.call(used)])]

    def no_call(self, index, shown, functions):
        tool = self.library.tools[index]
        if tool.no_call and self.chance(0.9 if len(tool.no_call) >= NEAR_MISSES else 0.45):
            filling = Filling(self, tool)
            text, answer = self.pick(tool.no_call)
            return [user(filling.text(text, None)), assistant(filling.text(answer, None))]
        if self.chance(0.15):
            return [*self.pick(REMARKS)]
        return self.small_chat()

    def small_chat(self):
        """Talk that has nothing to do with the tools, half of it of the everyday kind."""
        chat = self.pick(self.library.chats)
        if self.chance(0.5) or chat["system"]:
            chat = self.pick(self.library.everyday)
        known, messages = {}, []
        for phrasings, answers in chat["turns"][: self.rng.randint(1, 2)]:
            messages += [user(self.slots.fill(self.pick(phrasings), known)), assistant(self.slots.fill(self.pick(answers), known))]
        return messages

    def missing_tool(self, index, shown, functions):
        _, text, _ = self.request(index, shown)
        other = (index + self.rng.randint(40, max(41, len(self.library.tools) - 40))) % len(self.library.tools)
        _, kept = self.toolbox(other)
        kept = [function for function in kept if function["name"] != shown.name]
        functions[:] = kept or functions[:0]
        return [user(text), assistant(self.pick(NO_TOOL))]

    def parallel(self, index, shown, functions):
        _, first, used = self.request(index, shown)
        second_index = index if self.chance(0.4) else (index + self.rng.randint(1, 8)) % len(self.library.tools)
        if second_index == index:
            second_shown = shown
        else:
            second_shown = Shown(self, self.library.tools[second_index])
            if any(second_shown.name == one["name"] for one in functions):
                return [user(first), calling([shown.call(used)])]
            functions.append(second_shown.function)
            self.rng.shuffle(functions)
        _, second, used_too = self.request(second_index, second_shown)
        link = self.pick([" Also, {}", " And {}", "\n{}", " Then {}", " After that, {}", " {}", " Oh, and {}"])
        lowered = second[:1].lower() + second[1:] if "{}" in link and link.strip()[0] in "ATO" else second
        text = (first if first.endswith((".", "!", "?")) else first + ".") + link.format(lowered)
        return [user(text), calling([shown.call(used), second_shown.call(used_too)])]

    def chained(self, index, shown, functions):
        """Two requests, one after the other."""
        messages = self.answered(index, shown, functions)
        if messages[-1]["role"] != "assistant" or messages[-1].get("calls"):
            return messages
        roll = self.rng.random()
        if roll < 0.3:
            return messages + self.pick(THANKS)
        if roll < 0.5:
            return messages + self.small_chat()
        _, text, used = self.request(index, shown)
        return messages + [user(text), calling([shown.call(used)])]


REMARKS = [
    [user(said), assistant(answer)]
    for answer, remarks in {
        "You're welcome!": ["Thanks!", "thank you so much", "great, thanks a lot", "Thanks, that helped.", "ok thx", "Cheers!", "Many thanks.", "perfect, thank you"],
        "Hello! How can I help you?": ["Hello!", "Hi", "hey there", "Good morning!", "Good evening!", "hello?", "Hi, are you there?", "Hey!"],
        "Goodbye! Have a nice day.": ["Bye!", "goodbye", "See you later.", "That's all, bye.", "good night", "Talk to you soon!"],
        "Glad to hear that!": ["This is fun.", "I love this!", "What a lovely day.", "I'm so happy today.", "You made my day."],
        "Oh no, I'm sorry to hear that.": ["I had a terrible day.", "I'm so tired.", "ouch, that hurt", "Everything went wrong this morning.", "I feel sad."],
        "Okay.": ["ok", "Never mind.", "alright", "I see.", "hm, okay then", "Forget it.", "nevermind"],
        "Haha!": ["haha", "lol", "That's funny.", "you're funny"],
    }.items()
    for said in remarks
]
THANKS = [
    [user("Thanks!"), assistant("You're welcome!")],
    [user("Great, thank you."), assistant("Happy to help.")],
    [user("Perfect, that's all."), assistant("Glad I could help. Have a nice day!")],
    [user("thx"), assistant("Any time!")],
    [user("Okay, good to know."), assistant("Let me know if you need anything else.")],
]


def named_places(template: str) -> set[str]:
    return {match.group(1) for match in PLACE.finditer(template)}


def bare_value(text: str) -> str:
    """A result of one value, without its name."""
    try:
        values = list(json.loads(text).values())
    except (ValueError, AttributeError):
        return text
    return str(values[0]) if len(values) == 1 and isinstance(values[0], (str, int, float)) else text


def spaced_json(text: str) -> str:
    """Results as servers write them; what is no JSON stays as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text
