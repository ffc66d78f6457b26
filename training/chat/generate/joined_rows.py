"""Extraction from real texts: the fields of a table's row, whose values stand in the article that the row links to."""

import json
import re
from pathlib import Path

from generate.records import RecordMaker
from generate.words import split_name, style

YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")

# A capital letter right before or after a value: it may be a part of a name.
NAME_BEFORE = re.compile(r"(?<!\w)(?!(?:The|In|At|On|From|It|An?|Of|By|He|She)\s)[A-Z][\w'.-]*\s$")
NAME_AFTER = re.compile(r"[ -][A-Z]|'s [A-Z]")


def load_extractions(folder: Path) -> list[dict]:
    return [json.loads(line) for file in sorted(Path(folder).glob("extractions-*.jsonl")) for line in file.open()]


class JoinedRowMaker(RecordMaker):
    def conversation(self) -> dict:
        for _ in range(20):
            row = self.pick(self.library.extractions)
            fields = {name: value for name, value in row["fields"].items() if self.is_clear(value, row["text"])}
            if len(fields) >= 2:
                return self.from_row(row["text"], fields)
        return super().conversation()

    def is_clear(self, value: str, text: str) -> bool:
        """A year among many others could be any; what only stands within a longer name is not the whole of it."""
        if YEAR.fullmatch(value) and len(set(YEAR.findall(text))) > 2:
            return False
        places = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text)]
        return any(not NAME_BEFORE.search(text[max(0, begin - 60) : begin]) and not NAME_AFTER.match(text[end:]) for begin, end in places)

    def from_row(self, text: str, fields: dict[str, str]) -> dict:
        how = self.pick(["snake", "snake", "camel", "pascal"])
        names = list(fields)
        self.rng.shuffle(names)
        properties, answer = {}, {}
        for name in names:
            words = split_name(re.sub(r"[^A-Za-z0-9 ]", " ", name))
            new = style(words, how) if words else "value"
            whole = re.fullmatch(r"[1-9]\d{0,8}", fields[name]) and self.chance(0.6)
            properties[new] = {"type": "integer" if whole else "string"}
            answer[new] = int(fields[name]) if whole else fields[name]
            if self.chance(0.3):
                properties[new]["description"] = name
        if self.chance(0.25):
            absent = self.pick(self.pick(self.library.records).fields).name.rpartition(".")[2]
            new = style(split_name(absent), how)
            if new not in properties:
                properties[new], answer[new] = {"type": ["string", "null"]}, None
        return self.asked(text[:2_400], properties, answer) if all(str(value) in text[:2_400] for value in answer.values() if value is not None) else self.asked(text, properties, answer)
