"""Questions on real tables: shown in the message, or returned by a function. What is asked for stands in one of many rows."""

import json
import re
from pathlib import Path

from generate.base import Maker, assistant, calling, tool_result, user
from generate.words import STYLES, joined, split_name, style

NUMBER = re.compile(r"-?\d{1,3}(,\d{3})+|-?\d+(\.\d+)?")
CELL = ["What is the {c} of {k}?", "Which {c} does {k} have?", "{k}: what {c}?", "Tell me the {c} for {k}.", "What {c} is given for {k}?", "What's the {c} of {k}?", "I need the {c} for {k}."]
CELL_TOLD = ["The {c} of {k} is {v}.", "The {c} for {k} is {v}.", "{k}: the {c} is {v}.", "For {k}, the {c} is {v}.", "{v} is the {c} of {k}."]
WHICH = ["Which {n} has {c} {v}?", "Which {n} has the {c} {v}?", "For which {n} is the {c} {v}?", "Name the {n} whose {c} is {v}."]
WHICH_TOLD = ["It is {k}.", "{k} has the {c} {v}.", "{k}.", "The {n} with the {c} {v} is {k}."]
ALL = ["List every {c}.", "Which values does {c} have?", "Name all entries under {c}.", "Give me the {c} of each row."]
COUNT = ["How many rows are there?", "How many entries does it list?", "Count the entries."]
MOST = ["Which {n} has the highest {c}?", "Which {n} has the largest {c}?", "What is the {n} with the most {c}?"]
LEAST = ["Which {n} has the lowest {c}?", "Which {n} has the smallest {c}?"]
MOST_TOLD = ["{k}, with {v}.", "{k} has the {w} {c}: {v}.", "It is {k} ({v})."]
ABSENT = ["There is no {k} in it.", "It has no entry for {k}.", "I can't find {k} in the data.", "The data does not list {k}."]
SHOWN = ["{t}\n\n{q}", "{q}\n\n{t}", "{h}\n{t}\n\n{q}", "Here is a table ({h}).\n{t}\n{q}", "Table: {h}\n\n{t}\n\nQuestion: {q}"]
FUNCTIONS = [("get_table", "Get the rows of a table"), ("list_records", "List the records on a subject"), ("query_data", "Look up structured data"), ("search_records", "Search the database for records"), ("fetch_rows", "Fetch rows by subject"), ("lookup_list", "Return a list of entries")]
PARAMETERS = ["subject", "title", "query", "name", "topic", "table"]


def load_tables(folder: Path) -> list[dict]:
    return [json.loads(line) for file in sorted(Path(folder).glob("tables-*.jsonl")) for line in file.open()]


def number(text: str) -> float | None:
    return float(text.replace(",", "")) if NUMBER.fullmatch(text) else None


class TableMaker(Maker):
    """From tables with their titles; `human` asks what people asked of them."""

    def __init__(self, library, seed):
        super().__init__(library, seed)
        self.with_questions = [table for table in library.tables if table.get("qa")]
        self.plain = [table for table in library.tables if not table.get("qa") and len(table["records"]) >= 2]

    def conversation(self) -> dict:
        table = self.pick(self.plain)
        records = self.window(table["records"], self.pick([2, 3, 4, 5, 6, 8, 10, 14, 20]))
        made = [one for one in (self.question(records) for _ in range(self.pick([1, 1, 2, 3]))) if one]
        return self.told(table, records, list(dict.fromkeys(made)) or [(self.pick(COUNT), str(len(records)))])

    def human(self) -> dict:
        table = self.pick(self.with_questions)
        asked = self.rng.sample(table["qa"], min(len(table["qa"]), self.pick([1, 1, 2, 3])))
        return self.told(table, table["records"], [(self.typed(question), answer) for question, answer in asked])

    def typed(self, question: str) -> str:
        return question if self.chance(0.5) else question[:1].upper() + question[1:]

    def window(self, records: list[dict], count: int) -> list[dict]:
        at = self.rng.randint(0, max(0, len(records) - count))
        return records[at : at + count]

    def question(self, records: list[dict]) -> tuple[str, str] | None:
        columns = [name for name in records[0] if all(name in record for record in records)]
        keys = [name for name in columns if len({record[name] for record in records}) == len(records) and not number(records[0][name])]
        if not keys or len(columns) < 2:
            return None
        key = keys[0]
        other = self.pick([name for name in columns if name != key])
        record = self.pick(records)
        words = {"c": other.lower() if other.istitle() else other, "k": record[key], "v": record[other], "n": key.lower()}
        roll = self.rng.random()
        if roll < 0.55:
            return self.pick(CELL).format(**words), self.pick(["{v}", *CELL_TOLD]).format(**words)
        if roll < 0.68 and [one[other] for one in records].count(record[other]) == 1:
            return self.pick(WHICH).format(**words), self.pick(WHICH_TOLD).format(**words)
        if roll < 0.76 and len(records) <= 8:
            return self.pick(ALL).format(**words), joined(self.rng, list(dict.fromkeys(one[other] for one in records)))
        if roll < 0.8:
            return self.pick(COUNT), self.pick(["{}", "There are {}.", "{} entries."]).format(len(records))
        if roll < 0.9:
            return self.extreme(records, key, other, words)
        stranger = self.pick(self.pick(self.plain)["records"]).get(key) or self.slots.make("person")
        if stranger in json.dumps(records, ensure_ascii=False):
            return None
        return self.pick(CELL).format(**{**words, "k": stranger}), self.pick(ABSENT).format(k=stranger)

    def extreme(self, records, key: str, other: str, words: dict) -> tuple[str, str] | None:
        values = [number(record[other]) for record in records]
        if None in values or len(set(values)) < len(values):
            return None
        most = self.chance(0.6)
        best = records[values.index(max(values) if most else min(values))]
        asked = self.pick(MOST if most else LEAST).format(**words)
        return asked, self.pick(MOST_TOLD).format(**{**words, "k": best[key], "v": best[other], "w": "highest" if most else "lowest"})

    def told(self, table: dict, records: list[dict], asked: list[tuple[str, str]]) -> dict:
        (question, answer), *more = asked
        subject = ", ".join(part for part in (table["title"], table["section"]) if part)
        if self.chance(0.6 if subject else 0.35):
            messages, tools = self.returned(subject, records, question)
        else:
            shown = self.pick(SHOWN if subject else SHOWN[:2]).format(t=self.written(records), h=subject, q=question)
            messages, tools = self.system(0.2) + [user(shown)], []
        messages.append(assistant(answer))
        for question, answer in more:
            messages += [user(question), assistant(answer)]
        return {"messages": messages, "tools": tools}

    def returned(self, subject: str, records: list[dict], question: str) -> tuple[list[dict], list[dict]]:
        (name, description), param = self.pick(FUNCTIONS), self.pick(PARAMETERS)
        subject = subject or self.slots.make("noun")
        name = style(split_name(name), self.pick(STYLES))
        asked = self.pick(["{q} Look at {s}.", "Look up {s}. {q}", "In {s}: {q}", "{s}: {q}", "{q} (from {s})"]).format(q=question, s=subject)
        how = self.pick(["as they are", "snake", "camel"])
        rows = records if how == "as they are" else [{style(split_name(re.sub(r"[^\w ]", " ", key)) or ["value"], how): value for key, value in row.items()} for row in records]
        result: object = rows if self.chance(0.5) else {self.pick(["results", "rows", "items", "data"]): rows}
        schema = {"type": "object", "properties": {param: {"type": "string", "description": "What the table is about"}}, "required": [param]}
        messages = self.system(0.3) + [user(asked), calling([(name, {param: subject})]), tool_result(json.dumps(result, ensure_ascii=False))]
        return messages, [{"name": name, "description": description, "parameters": schema}]

    def written(self, records: list[dict]) -> str:
        names = list(dict.fromkeys(name for record in records for name in record))
        how = self.rng.randrange(4)
        if how == 0:
            return json.dumps(records, ensure_ascii=False)
        rows = [[record.get(name, "") for name in names] for record in records]
        if how == 1:
            lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
            return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
        if how == 2:
            return "\n".join("\t".join(row) for row in [names, *rows])
        return "\n".join("; ".join(f"{name}: {value}" for name, value in record.items()) for record in records)
