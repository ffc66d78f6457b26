"""Conversations with the operations of real web APIs: many definitions, requests made from their descriptions."""

import json
import re
from pathlib import Path

from generate import api_phrases as say
from generate.api_values import ARN, BARE, DEFAULTS, IDENTIFIER, NUMBER, SLUG, TITLES, hexadecimal, spoken_date, template_of
from generate.api_words import SAID, is_plural, spoken_name, understood
from generate.base import Maker, assistant, calling, tool_result, user
from generate.tools import Shown, ToolMaker, typed
from generate.words import joined, lower_first, sloppy, split_name
from written import Param, Tool

STIFF = ("return", "provide", "obtain", "describe", "receive", "give", "load", "access", "lookup")
OPPOSITES = ("disable", "remove", "delete", "unlock", "stop", "unblock", "deactivate")
PROPER = set("Google Amazon Apple Slack Square Android Twilio Asana Jira Confluence Kubernetes Docker Facebook Twitter Xero Box Discord Destiny Grafana Lambda Redshift Kinesis Chime Connect Glue Athena Firebase Gmail Drive Youtube".split())
LOOKING = ("get", "list", "search", "check", "")
FLAGS = {
    "include": "include|with|show|return|add|append|display|fetch|get|want|retain|keep|preserve|copy",
    "enable": "enable|enabled|activate|use|auto",
    "allow": "allow|allowed|permit|accept|can",
    "only": "only",
    "is": "is|be|mark|make|has",
}


def load_apis(folder: Path) -> list[dict]:
    """The APIs, each with those of its operations that can be asked for."""
    apis = []
    for file in sorted(Path(folder).glob("apis-*.jsonl")):
        for line in file.open():
            row = json.loads(line)
            operations = [operation for operation in row["operations"] if understood(operation["description"])]
            if operations:
                apis.append({"api": row["api"], "provider": row.get("provider", row["api"]), "operations": operations})
    return apis


def as_tool(operation: dict) -> Tool:
    params = [Param(one["name"], one["type"], one["required"], one["description"], "", one.get("enum")) for one in operation["params"]]
    return Tool(operation["name"], operation["description"], params)


def ended(text: str) -> str:
    """The text as a finished sentence."""
    if "\n" in text:
        return text + "\n"
    return text if text[-1] in ".?!" else text + "."


def unowned(words: str) -> str:
    """What the speaker does: "I want to see it", not "I want to show me it"."""
    return re.sub(r"^(show me|let me see)\b", "see", re.sub(r"^(tell|give|get) me\b", "get", words))


def third(verb: str) -> str:
    """The verb after "it"."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "ch", "sh")) else "s")


class Request:
    """One operation as one user asks for it."""

    def __init__(self, maker: "ApiMaker", operation: dict):
        self.maker, self.operation, self.close = maker, operation, maker.close
        self.asked = understood(operation["description"])
        self.values, self.surfaces, self.templates = {}, {}, {}
        for param in operation["params"]:
            if param["required"] or maker.chance(0.45):
                self.give(param)
        if not self.values:
            self.give(maker.pick(operation["params"]))

    def give(self, param: dict) -> None:
        maker, name = self.maker, param["name"]
        if param.get("enum"):
            value = maker.pick(param["enum"])
            surface = " ".join(split_name(value)) if re.fullmatch(r"[A-Za-z]+([_-][A-Za-z]+)*", value) and not re.fullmatch("[A-Z]{2,3}", value) else value
        elif param["type"] == "boolean":
            value, surface = maker.chance(0.6), ""
        else:
            self.templates[name] = template_of(param)
            value = maker.filled(self.templates[name], param["type"])
            surface = str(value)
            if re.fullmatch(r"\d{4}-\d\d-\d\d", surface) and re.search(r"iso|yyyy|rfc", param["description"], re.I) and maker.chance(0.5):
                surface = spoken_date(maker.rng, surface)
        self.values[name], self.surfaces[name] = value, surface

    def name(self, param: dict) -> str:
        """How the parameter is called in the request."""
        name = spoken_name(param["name"])
        noun = self.asked.noun().lower()
        if name in ("ID", "name", "key", "type", "status") and noun and len(noun.split()) < 3 and not is_plural(noun) and self.maker.chance(0.4):
            return f"{noun} {name}"
        if len(name.split()) > 2 and self.maker.chance(0.3):
            return " ".join(name.split()[-2:])
        return name

    def doing(self) -> str:
        """What shall be done."""
        asked, maker = self.asked, self.maker
        shapes = SAID.get(asked.kind, asked.verb + " {}").split("|")
        plain = "get" if asked.verb in STIFF else asked.verb
        shape = maker.pick(shapes) if maker.chance(0.7) else plain + " {}"
        if asked.second and (maker.chance(0.3) or asked.second in OPPOSITES):
            shape = f"{asked.verb} {maker.pick(['or', 'and'])} {asked.second} {{}}"
        return shape.format(self.thing())

    def thing(self) -> str:
        """The thing, sometimes in fewer words."""
        thing, maker = self.asked.thing, self.maker
        noun = self.asked.noun()
        if noun and len(noun) > 3 and not self.close and maker.chance(0.35):
            plural = is_plural(noun)
            if self.asked.kind in ("create", "add"):
                return noun if plural else ("an " if noun[0] in "aeio" else "a ") + noun
            return maker.pick(["the ", "the ", "my ", "our ", "all " if plural else "that ", "those " if plural else "this "]) + noun
        if not re.match(r"(\w+ing\b|an?|the|that|all|your|my|one|any|every|each|its|whether|how|what|which|list|details|information)\b", thing, re.I):
            plural = is_plural(thing.split()[0]) or is_plural(noun)
            thing = maker.pick(["the ", "my ", "", "the "] if self.asked.kind not in ("create", "add") or plural else ["a ", "a new ", "the "]) + thing
        if maker.chance(0.7):
            thing = re.sub(r"\b[A-Z][a-z]{2,}\b", lambda found: found.group() if found.group() in PROPER else found.group().lower(), thing)
        thing = re.sub(r"\ba (?=[aeioAEIO](?!ne\b))", "an ", re.sub(r"\byour\b", maker.pick(["my", "our", "the"]), thing))
        return re.sub(r"\bAWS account\b", "account", thing)

    def indirect(self) -> str:
        """The wish without the verb, or nothing."""
        kind, noun = self.asked.kind, self.asked.noun()
        plural = is_plural(noun)
        kind = "list" if kind == "get" and plural else kind
        fits = len(noun) > 3 and (plural if kind in ("list", "search") else not plural)
        if not fits or kind not in say.INDIRECT:
            return ""
        shape = self.maker.pick(say.INDIRECT[kind])
        return re.sub(r"\ba (?=[aeioAEIO])", "an ", shape.replace("{noun}", noun))

    def opener(self) -> str:
        maker = self.maker
        indirect = self.indirect() if not self.close and maker.chance(0.2) else ""
        if indirect:
            return indirect
        if self.asked.verb == "" or (self.asked.kind in ("get", "list") and maker.chance(0.4)):
            opener = maker.pick(say.LOOKS).replace("{thing}", self.thing())
        elif self.asked.kind in ("get", "list", "search", "check") or maker.chance(0.97):
            frame = maker.pick(say.OPENERS)
            own = re.search(r"\b(I|we|me|us|let's|wants?|time|is it possible)\b", frame) and not re.search(r"\byou\b", frame)
            opener = frame.replace("{do}", unowned(self.doing()) if own else self.doing())
        else:
            opener = f"run {self.operation['name']}"
        return maker.slots.fill(opener, {})

    def flag(self, param: dict) -> str:
        """A boolean in words."""
        words = spoken_name(param["name"]).split()
        for kind, starts in FLAGS.items():
            if len(words) > 1 and words[0].lower() in starts.split("|"):
                words = words[1:]
                break
            if len(words) > 1 and words[-1].lower() in starts.split("|"):
                words = words[:-1]
                break
        else:
            kind = ""
        shapes = say.TRUE if self.values[param["name"]] else say.FALSE
        return self.maker.pick(shapes[kind]).format(" ".join(words))

    def piece(self, param: dict, shapes: list[str]) -> str:
        maker, value = self.maker, self.surfaces[param["name"]]
        if shapes is say.ADJUNCTS and not param.get("enum") and maker.chance(0.5):
            bare = BARE.get(self.templates.get(param["name"]))
            if bare and not self.ambiguous(param):
                return maker.pick(bare.split("|")).format(value)
        return maker.pick(shapes).format(name=self.name(param), value=value)

    def ambiguous(self, param: dict) -> bool:
        """Whether another value of the same kind is given."""
        given = [self.templates[name] for name in self.values if name in self.templates]
        loose = (IDENTIFIER, SLUG, ARN, TITLES, NUMBER, *DEFAULTS.values())
        mine = self.templates.get(param["name"])
        return sum(template in loose for template in given) > 1 if mine in loose else given.count(mine) > 1

    def text(self) -> str:
        maker = self.maker
        given = [param for param in self.operation["params"] if param["name"] in self.values]
        flags = [param for param in given if param["type"] == "boolean" and not param.get("enum")]
        valued = [param for param in given if param not in flags]
        if maker.chance(0.5):
            maker.rng.shuffle(valued)
        opener, ask = self.opener(), ""
        if "|" in opener:
            opener, ask = opener.split("|")
            ask = ask if ask.endswith("?") else ask + "."
        if opener.endswith("?"):
            opener, ask = opener[:-1], "?"
        if opener.endswith(" for me"):
            opener, ask = opener[:-7], " for me" + ask
        shapes = [self.attached, self.sentences, self.listed, self.fronted, self.terse]
        weights = [50 if len(valued) < 4 else 20, 22, 10 if len(given) > 1 else 3, 14 if valued else 0, 8 if valued and not self.close else 0]
        text = maker.rng.choices(shapes, weights)[0](opener, ask, valued, flags)
        if maker.chance(0.1):
            text = maker.slots.fill(maker.pick(say.ASIDES), {}) + " " + text[:1].upper() + text[1:]
        if maker.chance(0.07):
            text = ended(text) + maker.slots.fill(maker.pick(say.ENDS), {})
        text = re.sub(r" +([:;,.?])", r"\1", re.sub(r"  +", " ", text)).replace("..", ".")
        if any(surface and text.startswith(surface) for surface in self.surfaces.values()):
            return text
        return sloppy(maker.rng, text[:1].upper() + text[1:] if maker.chance(0.85) else text)

    def stop(self, ask: str) -> str:
        return ask or self.maker.pick([".", ".", ".", "", "!"])

    def attached(self, opener, ask, valued, flags) -> str:
        shapes = say.SHORT if re.search(r"[a-z]", ask.removesuffix("for me?")) else say.ADJUNCTS
        near = say.NEAR if shapes is say.ADJUNCTS and self.maker.chance(0.25) else shapes
        pieces = [self.piece(param, shapes if index else near) for index, param in enumerate(valued)] + [self.flag(param) for param in flags]
        text = opener
        for index, piece in enumerate(pieces):
            last = index == len(pieces) - 1
            link = " " if index == 0 else " and " if last and not piece.startswith("and ") else " " if piece.startswith("and ") else ", "
            text += (" " if piece[0] in "(-,;" else link) + piece
        return text + self.stop(ask)

    def sentences(self, opener, ask, valued, flags) -> str:
        near = valued[:1] if self.maker.chance(0.5) else []
        text = self.attached(opener, ask, near, flags)
        rest = [self.piece(param, say.SENTENCES) for param in valued if param not in near]
        surfaces = tuple(self.surfaces[param["name"]] for param in valued)
        return " ".join([ended(text)] + [piece if piece.startswith(surfaces) else piece[:1].upper() + piece[1:] for piece in rest])

    def listed(self, opener, ask, valued, flags) -> str:
        shape = [self.maker.pick(say.LABELS)]
        pieces = [self.piece(param, shape) for param in valued]
        pieces += [shape[0].format(name=self.name(param), value=self.maker.pick(["yes", "true"] if self.values[param["name"]] else ["no", "false"])) for param in flags]
        style = self.maker.rng.randrange(4)
        if style == 0:
            return opener + ask + (":" if not ask else "") + "\n" + "\n".join("- " + piece for piece in pieces)
        if style == 1:
            return f"{opener} ({', '.join(pieces)}){self.stop(ask)}"
        if style == 2:
            return f"{opener}{ask or ':'} {', '.join(pieces)}"
        return f"{opener}{ask or '.'} " + "; ".join(pieces)

    def fronted(self, opener, ask, valued, flags) -> str:
        first, rest = valued[0], valued[1:]
        front = self.maker.pick(say.FRONTS)
        head, _, _ = front.partition("{}")
        if not head.rstrip().endswith(".") and self.asked.verb:
            opener, ask = self.maker.pick(["{}", "{}", "please {}", "I need to {}", "let's {}", "I'd like to {}", "I want to {}"]).format(unowned(self.doing())), ""
        body = self.attached(opener, ask, rest, flags)
        body = body[:1].upper() + body[1:] if head.rstrip().endswith(".") else lower_first(body)
        if front.startswith("Take") and not re.match(r"[a-z]+ (the|a|an|my|our|all|this|that)\b", body):
            front = "For {name} {value}, {}"
        return front.replace("{}", "\0").format(name=self.name(first), value=self.surfaces[first["name"]]).replace("\0", body)

    def terse(self, opener, ask, valued, flags) -> str:
        noun = self.asked.noun() or self.asked.thing
        verb = "get" if self.asked.verb in STIFF else self.asked.verb or self.maker.pick(["get", "show", ""])
        if len(valued) == 1:
            words = f"{verb} {noun} {self.surfaces[valued[0]['name']]}"
        else:
            words = f"{verb} {noun} " + ", ".join(f"{self.name(param)} {self.surfaces[param['name']]}" for param in valued)
        return ", ".join([words.strip()] + [self.flag(param) for param in flags]).replace(", and ", " and ")


class ApiMaker(Maker):
    def __init__(self, library, seed):
        super().__init__(library, seed)
        self.talk = ToolMaker(library, seed + 1)
        self.providers = {}
        for api in library.apis:
            self.providers.setdefault(api["provider"], []).append(api)
        sizes = {name: sum(len(api["operations"]) for api in apis) for name, apis in self.providers.items()}
        self.names = list(self.providers)
        self.weights = [sizes[name] ** 0.6 for name in self.names]
        self.close = False  # whether another function of the toolbox does nearly the same

    def filled(self, template: str, type_: str):
        text = template.replace("{hex}", hexadecimal(self.rng))
        made = self.slots.fill(text, {})
        return typed(made.replace(" ", "-") if template in (SLUG, IDENTIFIER, ARN) else made, type_)

    def api(self) -> dict:
        apis = self.providers[self.rng.choices(self.names, self.weights)[0]]
        return self.rng.choices(apis, [len(api["operations"]) for api in apis])[0]

    def toolbox(self, api: dict, operation: dict) -> tuple[Shown, list[dict]]:
        shown = Shown(self, as_tool(operation), plain=self.chance(0.6))
        functions, index = [shown.function], api["operations"].index(operation)
        asked, self.close = understood(operation["description"]), False
        for _ in range(self.pick([0, 1, 1, 2, 2, 3, 3, 4, 5, 6])):
            if self.chance(0.85):
                near = index + self.rng.randint(-5, 5) if self.chance(0.6) else self.rng.randrange(len(api["operations"]))
                other = api["operations"][near % len(api["operations"])]
            else:
                other = self.pick(self.api()["operations"])
            function = Shown(self, as_tool(other), plain=self.chance(0.6)).function
            same = other["description"] == operation["description"]
            if not same and all(function["name"] != one["name"] and function["description"] != one["description"] for one in functions):
                functions.append(function)
                near = understood(other["description"])
                self.close |= near.kind == asked.kind and near.noun().lower() == asked.noun().lower()
        self.rng.shuffle(functions)
        return shown, functions

    def conversation(self) -> dict:
        api = self.api()
        operation = self.pick(api["operations"])
        shown, functions = self.toolbox(api, operation)
        kind = self.rng.choices([self.call, self.answered, self.no_call, self.asked_back, self.twice], [70, 15, 8, 1, 6])[0]
        return {"messages": self.system() + kind(operation, shown), "tools": functions}

    def call(self, operation, shown) -> list[dict]:
        request = Request(self, operation)
        return [user(request.text()), calling([shown.call(request.values)])]

    def twice(self, operation, shown) -> list[dict]:
        """The same for two sets of values."""
        first, second = Request(self, operation), Request(self, operation)
        text = first.text()
        link = self.pick([" Also, {}", " And {}", "\n{}", " Then {}", " After that, {}", " Oh, and {}"])
        more = second.text()
        text = ended(text) + link.format(lower_first(more) if link[1] in "ATO" else more)
        return [user(text), calling([shown.call(first.values), shown.call(second.values)])]

    def asked_back(self, operation, shown) -> list[dict]:
        request = Request(self, operation)
        needed = [param for param in operation["params"] if param["required"] and param["type"] != "boolean" and param["name"] in request.values]
        if not needed or request.asked.verb == "":
            return [user(request.text()), calling([shown.call(request.values)])]
        param = self.pick(needed)
        kept = {name: value for name, value in request.values.items() if name == param["name"] or any(one["name"] == name and one["required"] for one in operation["params"])}
        hidden, request.values = kept, {name: value for name, value in kept.items() if name != param["name"]}
        text = request.text()
        question = self.pick(say.MISSING).format(name=spoken_name(param["name"]))
        reply = self.pick(say.REPLIES).format(request.surfaces[param["name"]])
        return [user(text), assistant(question), user(reply), calling([shown.call(hidden)])]

    def no_call(self, operation, shown) -> list[dict]:
        asked = understood(operation["description"])
        if asked.verb == "" or not shown.function["description"] or self.chance(0.55):
            return self.talk.small_chat()
        question, answer = self.pick(say.EXPLAIN)
        needs = joined(self.rng, ["the " + spoken_name(param["name"]) for param in operation["params"] if param["required"]]) or f"nothing but the {spoken_name(operation['params'][0]['name'])}"
        words = {"tool": shown.name, "do": f"{asked.verb} {asked.thing}", "does": f"{third(asked.verb)} {asked.thing}", "needs": needs}
        return [user(question.format(**words)), assistant(answer.format(**words))]

    def answered(self, operation, shown) -> list[dict]:
        request = Request(self, operation)
        noun = request.asked.noun() or "result"
        if self.chance(0.1):
            return self.failed(request, shown, noun)
        kind = request.asked.kind
        if kind in ("list", "search") or (kind in ("get", "") and is_plural(noun) and self.chance(0.8)):
            text, result, answer = request.text(), *self.listing(noun)
        else:
            text, result, answer = self.one(request, noun)
        return [user(text), calling([shown.call(request.values)]), tool_result(json.dumps(result, ensure_ascii=False)), assistant(answer)]

    def failed(self, request: Request, shown: Shown, noun: str) -> list[dict]:
        name = spoken_name(next(iter(request.values)))
        error = self.slots.fill(self.pick(say.ERRORS).replace("{noun}", noun).replace("{name}", name), {})
        result = self.pick([{"error": error}, {"success": False, "reason": error}, {"status": "error", "message": error}, {"ok": False, "error": error, "code": self.rng.randint(400, 503)}])
        answer = self.pick(say.FAILED).format(error=error)
        return [user(request.text()), calling([shown.call(request.values)]), tool_result(json.dumps(result)), assistant(answer)]

    def facts(self, low: int, high: int) -> dict:
        chosen = self.rng.sample(say.FIELDS, self.rng.randint(low, high))
        return {key: typed(self.slots.fill(template, {}), say.NUMERIC.get(key, "string")) for key, template in chosen}

    def listing(self, noun: str) -> tuple[dict, str]:
        plural = noun if is_plural(noun) else noun + "s"
        key = self.pick(["items", "results", "data", plural.split()[-1].lower()])
        template = next((slot for pattern, slot in say.NAMED if re.search(pattern, noun, re.I)), None) or self.pick(["{Invented}", "{product}", "{code}", "{invented}-{noun}", "{Invented} {noun}", "{adjective} {noun}"])
        names = list(dict.fromkeys(self.slots.fill(template, {}) for _ in range(self.pick([0, 1, 2, 2, 3, 3, 4, 5]))))
        extra = self.rng.choice(["status", "owner", "created_at", "size", None])
        items = [{"name": name, **({extra: self.slots.fill(dict(say.FIELDS)[extra], {})} if extra else {})} for name in names]
        result = {key: items if self.chance(0.6) else names, **({"total": len(names)} if self.chance(0.5) else {})}
        shape = self.pick([one for one in say.LISTED if len(names) > 1 or "are" not in one and "These" not in one and "{count}" not in one]) if names else self.pick(say.EMPTY)
        return result, shape.format(count=len(names), noun=plural, names=joined(self.rng, names))

    def one(self, request: Request, noun: str) -> tuple[str, dict, str]:
        """A thing's fields; the answer tells the one asked for, or what was done."""
        facts = self.facts(2, 6)
        key = self.pick(list(facts))
        said = {"key": say.SPOKEN.get(key, key.replace("_", " ")), "value": facts[key], "noun": noun}
        # "It is done" tells nothing: where no deed can be named, the value is told.
        if request.asked.kind in LOOKING or request.asked.kind not in say.DONE:
            text = request.text()
            text = ended(text) + " " + self.pick(say.WANTED).format(**said)
            return text, facts, self.pick(say.ANSWERS).format(**said)
        kind = "" if is_plural(noun) else request.asked.kind
        lead = self.pick(say.DONE.get(kind, say.DONE[""])).format(noun=noun)
        if request.asked.kind in ("delete", "remove") or self.chance(0.4):
            return request.text(), facts, lead
        text = ended(request.text()) + " " + self.pick(say.WANTED).format(**said)
        tail = self.pick(["Its {key} is {value}.", "The {key} is {value}.", "It has the {key} {value}."])
        return text, facts, f"{lead} {tail.format(**said)}"
