"""Texts to JSON: fields of a schema filled from what a text says, null where it says nothing."""

import json
import re
from dataclasses import replace

from generate.added_facts import AddedFacts
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
# Types of fields that are texts of a fixed layout.
LAYOUTS = {"date": "YYYY-MM-DD", "time": "HH:MM"}
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
        self.added = AddedFacts(self)

    def conversation(self) -> dict:
        if self.chance(0.25):
            return self.from_facts()
        record = self.pick(self.library.records)
        names, how = self.names(record)
        flat = all("." not in field.name for field in record.fields)
        if flat and self.chance(0.1):
            return self.several(record, names)
        text, values = self.filled(record)
        properties, answer = self.assembled(self.asked_fields(record, values), names, values)
        if self.chance(0.2):
            extra = style(split_name(self.slots.make("noun")), how)
            if extra not in properties:
                properties[extra] = {"type": ["string", "null"]}
                answer[extra] = None
        if self.chance(0.55):
            text = self.added.add(text, properties, answer, self.pick([1, 1, 2, 2, 3, 4]))
        if flat and self.chance(0.12) and len(properties) > 3:
            properties, answer = self.nested(properties, answer)
        return self.asked(text, properties, answer)

    def names(self, record) -> tuple[dict, str]:
        """What each field is called, within its group."""
        how = self.pick(STYLES[:5])
        names = {field.name: field.name.rpartition(".")[2] for field in record.fields}
        if self.chance(0.55):
            return names, how
        taken = set(names.values())
        for name, leaf in names.items():
            new, clear = new_param_name(self.rng, self.slots, leaf, how)
            if clear and new not in taken:
                taken.add(new)
                names[name] = new
        return names, how

    def filled(self, record) -> tuple[str, dict]:
        text, rows = self.with_rows(record, self.pick(record.texts))
        filling, used = Filling(self, as_tool(record.fields)), {}
        return filling.text(text, used), used | rows

    def with_rows(self, record, text: str) -> tuple[str, dict]:
        """The places of lists filled: `{items}` in a sentence, `{items:lines}` below each other."""
        found = {}
        for name, layouts in record.rows.items():
            if not re.search(rf"\{{{name}(:lines)?\}}", text):
                continue
            fields = [replace(field, name=field.name.rpartition(".")[2]) for field in record.fields if field.name.startswith(f"{name}[].")]
            layout = self.pick(layouts)
            rows, said_rows = [], []
            for _ in range(self.pick([1, 2, 2, 3, 3, 4])):
                values: dict = {}
                said_rows.append(Filling(self, as_tool(fields)).text(layout, values))
                rows.append(values)
            mark = self.pick(["", "* ", "\u2022 "])
            text = text.replace(f"{{{name}:lines}}", "\n".join(mark + row for row in said_rows))
            text = text.replace(f"{{{name}}}", joined(self.rng, said_rows))
            found[name] = rows
        return text, found

    def asked_fields(self, record, values: dict) -> list:
        """Which fields are wanted, in which order; a choice cannot be left open."""
        fields = list(record.fields)
        if self.chance(0.35) and len(fields) > 2:
            fields = self.rng.sample(fields, self.rng.randint(2, len(fields)))
        if self.chance(0.3):
            self.rng.shuffle(fields)
        return [field for field in fields if not field.choices or field.name in values or "[]" in field.name]

    def assembled(self, fields: list, names: dict, values: dict) -> tuple[dict, dict]:
        """Properties and answer; `group.field` goes into an object, `group[].field` into the objects of a list."""
        properties, answer = {}, {}
        for field in fields:
            group, _, leaf = field.name.rpartition(".")
            new = names[field.name]
            if group.endswith("[]"):
                group = group.removesuffix("[]")
                rows = values.get(group, [])
                inner = properties.setdefault(group, {"type": "array", "items": {"type": "object", "properties": {}}})["items"]
                inner["properties"][new] = self.schema(field, all(leaf in row for row in rows))
                for kept, row in zip(answer.setdefault(group, [{} for _ in rows]), rows):
                    kept[new] = row.get(leaf)
            elif group:
                inner = properties.setdefault(group, {"type": "object", "properties": {}})
                inner["properties"][new] = self.schema(field, field.name in values)
                answer.setdefault(group, {})[new] = values.get(field.name)
            else:
                properties[new] = self.schema(field, field.name in values)
                answer[new] = values.get(field.name)
        return properties, answer

    def schema(self, field, told: bool) -> dict:
        if field.type == "string[]":
            return {"type": "array", "items": {"type": "string"}} if told else {"type": ["array", "null"]}
        layout = LAYOUTS.get(field.type)
        schema = {"type": "string" if layout else field.type}
        if field.choices:
            schema["enum"] = field.choices
        if not field.choices and (not told or self.chance(0.35)):
            schema["type"] = [schema["type"], "null"]
        if layout or self.chance(0.3):
            words = " ".join(split_name(field.name.rpartition(".")[2])).capitalize()
            schema["description"] = f"{words} ({layout})" if layout else words
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
        told = {name for name in names.values() if all(row[name] is not None for row in rows)}
        item = {"type": "object", "properties": {names[field.name]: self.item_schema(field, names[field.name] in told) for field in record.fields}}
        group = self.pick(["items", "records", "entries", "results", "list"])
        return self.asked("\n\n".join(texts), {group: {"type": "array", "items": item}}, {group: rows})

    def item_schema(self, field, told: bool) -> dict:
        if field.type == "string[]":
            return {"type": "array", "items": {"type": "string"}} if told else {"type": ["array", "null"]}
        layout = LAYOUTS.get(field.type)
        kind = "string" if layout else field.type
        return {"type": kind if told else [kind, "null"], **({"description": layout} if layout else {})}

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
            words = [self.in_words(name, field) for name, field in properties.items()]
            names = joined(self.rng, words) if self.chance(0.7) else ", ".join(words)
            return {"messages": system + [user(self.pick(ASK_WORDS).format(f=names, t=text)), assistant(reply)]}
        schema = {"type": "object", "properties": properties}
        return {"messages": system + [user(self.pick(ASK).format(t=text)), assistant(reply)], "schema": schema}


    def in_words(self, name: str, field: dict) -> str:
        """A field's name, with how its value is to be written where the name does not say it."""
        for layout in LAYOUTS.values():
            if layout in field.get("description", ""):
                return f"{name} ({layout})"
        number = {"number", "integer"} & set([field["type"]] if isinstance(field["type"], str) else field["type"])
        return f"{name} (number)" if number and self.chance(0.4) else name


class as_tool:  # noqa: N801 (fields seen as the parameters of a tool)
    def __init__(self, fields):
        self.params = fields


__all__ = ["RecordMaker", "typed"]
