"""Texts to JSON: fields of a schema filled from what a text says, null where it says nothing."""

import json

from generate.base import Maker, assistant, user
from generate.facts import FactMaker
from generate.tools import Filling, typed
from generate.words import STYLES, joined, new_param_name, split_name, style

ASK = [
    "Extract the information from this text.\n\n{t}",
    "{t}",
    "{t}",
    "Fill in the fields from the text:\n{t}",
    "Text: {t}",
    "Please turn this into structured data: {t}",
    "Read the following and extract the data.\n\n{t}",
    "Parse this:\n{t}",
    "What are the details?\n\n{t}",
    "{t}\n\nExtract the details.",
]
ASK_WORDS = [
    "Extract {f} as JSON.\n\n{t}",
    "Extract the following fields as JSON: {f}.\n\n{t}",
    "Return a JSON object with {f} from this text:\n{t}",
    "{t}\n\nGive me {f} as JSON.",
    "Text: {t}\nFields: {f}\nJSON:",
    "From the text below, produce JSON with the keys {f}.\n\n{t}",
    "Convert to JSON ({f}): {t}",
    "I need {f} from this message, as a JSON object:\n\n{t}",
]
SYSTEMS = [
    "You extract data from text.",
    "Extract the requested fields. Use null for what is missing.",
    "You are a data extraction service. Answer with JSON only.",
    "Turn messages into records.",
    "You fill forms from text.",
]


class RecordMaker(Maker):
    def __init__(self, library, seed):
        super().__init__(library, seed)
        self.facts = FactMaker(library, seed + 2)

    def conversation(self) -> dict:
        if self.chance(0.25):
            return self.from_facts()
        record = self.pick(self.library.records)
        names, how = self.names(record)
        if self.chance(0.1):
            return self.several(record, names)
        text, values = self.filled(record)
        fields = list(record.fields)
        if self.chance(0.35) and len(fields) > 2:
            fields = self.rng.sample(fields, self.rng.randint(2, len(fields)))
        if self.chance(0.3):
            self.rng.shuffle(fields)
        fields = [field for field in fields if field.name in values or not field.choices]
        properties = {names[field.name]: self.schema(field, field.name in values) for field in fields}
        answer = {names[field.name]: values.get(field.name) for field in fields}
        if self.chance(0.2):
            extra = style(split_name(self.slots.make("noun")), how)
            if extra not in properties:
                properties[extra] = {"type": ["string", "null"]}
                answer[extra] = None
        if self.chance(0.12) and len(properties) > 3:
            properties, answer = self.nested(properties, answer)
        return self.asked(text, properties, answer)

    def names(self, record) -> tuple[dict, str]:
        how = self.pick(STYLES[:5])
        if self.chance(0.55):
            return {field.name: field.name for field in record.fields}, how
        names, taken = {}, set()
        for field in record.fields:
            new, clear = new_param_name(self.rng, self.slots, field.name, how)
            if not clear or new in taken:
                new = field.name
            taken.add(new)
            names[field.name] = new
        return names, how

    def filled(self, record) -> tuple[str, dict]:
        filling, used = Filling(self, as_tool(record)), {}
        return filling.text(self.pick(record.texts), used), used

    def schema(self, field, told: bool) -> dict:
        if field.type == "string[]":
            return {"type": "array", "items": {"type": "string"}} if told else {"type": ["array", "null"]}
        schema = {"type": field.type}
        if field.choices:
            schema["enum"] = field.choices
        if not field.choices and (not told or self.chance(0.35)):
            schema["type"] = [field.type, "null"]
        if self.chance(0.3):
            schema["description"] = " ".join(split_name(field.name)).capitalize()
        return schema

    def nested(self, properties: dict, answer: dict) -> tuple[dict, dict]:
        """Some of the fields in an object of their own."""
        names = list(properties)
        inner = names[-self.rng.randint(2, len(names) - 1) :]
        group = self.pick(["details", "info", "data", "contact", "meta", self.slots.make("noun").replace(" ", "_")])
        if group in names:
            return properties, answer
        outer = {name: properties[name] for name in names if name not in inner}
        outer[group] = {"type": "object", "properties": {name: properties[name] for name in inner}}
        kept = {name: answer[name] for name in names if name not in inner}
        kept[group] = {name: answer[name] for name in inner}
        return outer, kept

    def several(self, record, names) -> dict:
        """Two or three records in one text, as a list."""
        texts, rows = [], []
        for _ in range(self.rng.randint(2, 3)):
            text, values = self.filled(record)
            texts.append(text)
            rows.append({names[field.name]: values.get(field.name) for field in record.fields})
        item = {"type": "object", "properties": {names[field.name]: {"type": "array", "items": {"type": "string"}} if field.type == "string[]" else {"type": field.type} for field in record.fields}}
        group = self.pick(["items", "records", "entries", "results", "list"])
        return self.asked("\n\n".join(texts), {group: {"type": "array", "items": item}}, {group: rows})

    def from_facts(self) -> dict:
        made = self.facts.extraction()
        if len(made["rows"]) == 1:
            return self.asked(made["text"], made["properties"], made["rows"][0])
        group = self.pick(["items", "records", "entries", "results", "list"])
        schema = {group: {"type": "array", "items": {"type": "object", "properties": made["properties"]}}}
        return self.asked(made["text"], schema, {group: made["rows"]})

    def asked(self, text: str, properties: dict, answer: dict) -> dict:
        reply = json.dumps(answer, ensure_ascii=False)
        system = [{"role": "system", "content": self.pick(SYSTEMS)}] if self.chance(0.25) else self.system(0.2)
        flat = all("properties" not in field and "items" not in field for field in properties.values())
        if flat and self.chance(0.3):
            names = joined(self.rng, list(properties)) if self.chance(0.7) else ", ".join(properties)
            return {"messages": system + [user(self.pick(ASK_WORDS).format(f=names, t=text)), assistant(reply)]}
        schema = {"type": "object", "properties": properties}
        return {"messages": system + [user(self.pick(ASK).format(t=text)), assistant(reply)], "schema": schema}


class as_tool:  # noqa: N801 (a record seen as a tool: its fields are the parameters)
    def __init__(self, record):
        self.params = record.fields


__all__ = ["RecordMaker", "typed"]
