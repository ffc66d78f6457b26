"""Tools nobody has thought of: random names, parameters and ways to ask, so that definitions must be read."""

import json

from generate.base import Maker, assistant, calling, tool_result, user
from generate.tools import ERRORS, Shown, ToolMaker, said, typed
from generate.words import joined
from written import Param, Tool

KINDS = {
    "string": (
        "person first_name company city country street address river island university school hospital airport hotel "
        "restaurant shop park team band book movie song game product app website email phone url username filename path "
        "ip code order_id flight plate version date isodate shortdate day month time time24 duration money currency "
        "color animal bird plant tree flower fruit vegetable dish drink dessert metal material furniture tool instrument "
        "sport hobby subject language nationality job department vehicle clothing emotion noun topic medicine software "
        "device room event festival award genre Invented invented"
    ).split(),
    "integer": ["int:1-9", "int:1-50", "int:10-500", "int:100-9999", "year"],
    "number": ["decimal:0-1", "decimal:1-100", "amount"],
}
OPENERS = [
    "{verb} the {noun}",
    "Please {verb} the {noun}",
    "Can you {verb} the {noun}",
    "Could you {verb} a {noun}",
    "I need you to {verb} the {noun}",
    "I'd like to {verb} a {noun}",
    "Let's {verb} the {noun}",
    "We have to {verb} the {noun}",
    "Time to {verb} the {noun}",
    "Help me {verb} the {noun}",
    "I want the {noun} to be handled: {verb} it",
    "My boss asked me to {verb} the {noun}",
    "Would you mind to {verb} the {noun}",
    "{verb} {noun}",
    "Use {tool}",
    "Call {tool}",
    "Run {tool}",
    "Next: {verb} the {noun}",
    "Hey, {verb} the {noun} for me",
]
PIECES = [
    "with {name} {value}",
    "with {value} as the {name}",
    "using {value} for the {name}",
    "{name} {value}",
    "{name}: {value}",
    "{name} is {value}",
    "the {name} should be {value}",
    "set the {name} to {value}",
    "where the {name} is {value}",
    "and take {value} as {name}",
    "{value} is the {name}",
    "the {name} being {value}",
    "its {name} must be {value}",
    "at a {name} of {value}",
]
FREE = {
    "city": ["in {}", "for {}", "near {}", "around {}"],
    "country": ["in {}", "for {}"],
    "person": ["for {}", "on behalf of {}", "with {}", "from {}"],
    "first_name": ["for {}", "with {}"],
    "company": ["at {}", "for {}", "by {}"],
    "date": ["on {}", "for {}", "by {}"],
    "isodate": ["on {}", "by {}"],
    "day": ["on {}", "next {}", "this {}"],
    "month": ["in {}", "by {}"],
    "time": ["at {}", "from {}", "by {}"],
    "time24": ["at {}", "by {}"],
    "duration": ["for {}", "within {}", "over {}"],
    "money": ["for {}", "at {}", "under {}"],
    "email": ["and mail it to {}", "to {}"],
    "language": ["in {}"],
    "color": ["in {}"],
    "room": ["in the {}"],
    "year": ["from {}", "in {}"],
    "airport": ["from {}", "at {}"],
    "hotel": ["at {}", "at the {}"],
    "product": ["for a {}"],
    "team": ["for the {}"],
    "topic": ["about {}", "on {}"],
}


class RandomToolMaker(Maker):
    def __init__(self, library, seed):
        super().__init__(library, seed)
        self.tools = ToolMaker(library, seed + 1)

    def tool(self) -> tuple[Tool, str, str]:
        verb, noun = self.slots.make("verb"), self.slots.make("noun")
        params = []
        for _ in range(self.pick([1, 1, 2, 2, 3, 3, 4, 5])):
            params.append(self.param({param.name for param in params}))
        words = f"{verb} {noun}"
        description = self.pick(
            [f"{verb.capitalize()} a {noun}.", f"{verb.capitalize()}s the {noun}", f"Use this to {words}.", f"{verb.capitalize()} {noun} and return the result.", ""]
        )
        return Tool(words.replace(" ", "_").replace("-", "_").lower(), description, params), verb, noun

    def param(self, taken: set[str]) -> Param:
        roll = self.rng.random()
        required = self.chance(0.6)
        while True:
            base = self.pick([self.slots.make("noun"), self.slots.make("noun"), f"{self.slots.make('adjective')} {self.slots.make('noun')}"])
            if base not in taken:
                break
        if roll < 0.12:
            choices = list(dict.fromkeys(self.slots.make(self.pick(["adjective", "noun", "color", "material"])) for _ in range(self.rng.randint(2, 5))))
            return Param(base, "string", required, f"The {base}", "", choices)
        if roll < 0.17:
            return Param(base, "boolean", required, f"Whether the {base} is wanted", "")
        type_ = self.rng.choices(["string", "integer", "number"], [70, 20, 10])[0]
        kind = self.pick(KINDS[type_])
        named = kind.split(":")[0].replace("_", " ")
        name = named if named in FREE and self.chance(0.6) and named not in taken else base
        described = self.pick([f"The {name}", f"{name.capitalize()}", f"{name.capitalize()} of the {self.slots.make('noun')}", f"A {named}"])
        return Param(name, type_, required, described, "{" + kind + "}")

    def request(self, tool: Tool, verb: str, noun: str, shown: Shown) -> tuple[str, dict]:
        used, pieces = {}, []
        for param in tool.params:
            if not param.required and self.chance(0.4):
                continue
            value = self.value(param)
            used[param.name] = value
            if isinstance(value, bool):
                pieces.append(f"{'with' if value else 'without'} {param.name}")
                continue
            kind = param.value.strip("{}").split(":")[0]
            if kind in FREE and param.name == kind.replace("_", " ") and self.chance(0.8):
                pieces.append(self.pick(FREE[kind]).format(said(self.rng, value)))
            else:
                pieces.append(self.pick(PIECES).format(name=param.name, value=said(self.rng, value)))
        opener = self.pick(OPENERS).format(verb=verb, noun=noun, tool=shown.name)
        self.rng.shuffle(pieces)
        text = opener + (" " + joined(self.rng, pieces) if pieces else "")
        if self.chance(0.15) and pieces:
            text = joined(self.rng, pieces) + ": " + opener
        if self.chance(0.2):
            text = self.pick(ASIDES) + " " + text
        return text[:1].upper() + text[1:] + ("?" if opener.startswith(("Can", "Could", "Would")) else self.pick([".", ".", "", "!"])), used

    def value(self, param: Param):
        if param.choices:
            return self.pick(param.choices)
        if param.type == "boolean":
            return self.chance(0.6)
        return typed(self.slots.fill(param.value, {}), param.type)

    def conversation(self) -> dict:
        tool, verb, noun = self.tool()
        shown = Shown(self, tool, plain=self.chance(0.5))
        functions = [shown.function]
        for _ in range(self.pick([0, 1, 1, 2, 3, 4])):
            if self.chance(0.6):
                other = Shown(self, self.tool()[0]).function
            else:
                other = Shown(self, self.pick(self.library.tools)).function
            if all(other["name"] != one["name"] for one in functions):
                functions.append(other)
        self.rng.shuffle(functions)
        text, used = self.request(tool, verb, noun, shown)
        if len(used) > 2 and self.chance(0.25):
            call = self.nested(shown, used)
            return {"messages": self.system() + [user(text), calling([call])], "tools": functions}
        messages = [user(text), calling([shown.call(used)])]
        roll = self.rng.random()
        if roll < 0.2:
            again, more = self.request(tool, verb, noun, shown)
            messages = [user(text + self.pick([" ", "\n", " And ", " Then "]) + again), calling([shown.call(used), shown.call(more)])]
        elif roll < 0.5:
            messages = self.with_result(messages)
        return {"messages": self.system() + messages, "tools": functions}

    def nested(self, shown: Shown, used: dict) -> tuple[str, dict]:
        """Some of the parameters in an object of their own."""
        name, arguments = shown.call(used)
        parameters = shown.function["parameters"]
        properties = parameters["properties"]
        inner = self.rng.sample(list(properties), self.rng.randint(2, len(properties)))
        group = self.pick(["options", "details", "settings", "filter", "target", self.slots.make("noun").replace(" ", "_")])
        if group in properties:
            return name, arguments
        inside = [field for field in properties if field in inner]
        outer = {field: schema for field, schema in properties.items() if field not in inner}
        outer[group] = {"type": "object", "properties": {field: properties[field] for field in inside}}
        kept = {field: value for field, value in arguments.items() if field not in inner}
        grouped = {field: arguments[field] for field in inside if field in arguments}
        if grouped:
            kept[group] = grouped
        parameters["properties"] = outer
        parameters["required"] = [field for field in parameters.get("required", []) if field not in inner]
        return name, kept

    def with_result(self, messages: list[dict]) -> list[dict]:
        """A random result, and in words what was asked of it, or all of it."""
        if self.chance(0.1):
            error, answer = self.pick(ERRORS)
            return messages + [tool_result(json.dumps({"error": error})), assistant(answer)]
        facts = {}
        for _ in range(self.rng.randint(1, 6)):
            kind = self.pick(KINDS[self.rng.choices(["string", "integer", "number"], [60, 25, 15])[0]])
            type_ = "integer" if kind.startswith(("int", "year")) else "number" if kind.startswith(("decimal", "amount")) else "string"
            facts[self.slots.make("noun").replace(" ", "_")] = typed(self.slots.fill("{" + kind + "}", {}), type_)
        if len(facts) == 1 and self.chance(0.5):
            value = str(next(iter(facts.values())))
            return messages + [tool_result(value), assistant(self.pick(["It is {}.", "The result is {}.", "{}", "The answer is {}."]).format(value))]
        request, call = messages
        if len(facts) > 2 or self.chance(0.7):
            ask, answer = self.asked(facts)
            request = user(f"{request['content']} {ask}")
        else:
            answer = joined(self.rng, [f"the {key.replace('_', ' ')} is {value}" for key, value in facts.items()])
            answer = answer[:1].upper() + answer[1:] + "."
        made = [request, call, tool_result(json.dumps(facts, ensure_ascii=False)), assistant(answer)]
        while self.chance(0.4) and len(made) < 8:
            ask, answer = self.asked(facts)
            made += [user(ask), assistant(answer)]
        return made

    def asked(self, facts: dict) -> tuple[str, str]:
        key, value = self.pick(list(facts.items()))
        name = key.replace("_", " ")
        ask = self.pick(["And what is the {}?", "What about the {}?", "Which {} does it give?", "What's the {}?", "Tell me the {}.", "I need the {}.", "Just the {}, please.", "What {} do I get?", "{}?"])
        answer = self.pick(["The {} is {}.", "The {} is {}.", "Its {} is {}.", "It has the {} {}.", "That would be {1}.", "It is {1}.", "{1}."])
        return ask.format(name), answer.format(name, value)


ASIDES = [
    "I am in a hurry.",
    "As we discussed,",
    "Sorry to bother you.",
    "One more thing.",
    "Good morning!",
    "Okay, next step.",
    "The last one was wrong.",
    "My colleague needs this today.",
    "I've been waiting for this all week.",
    "Not sure if this works, but",
]
