"""Takes out of the prepared data every row that shares ten words in a row with what the model is measured by."""

import argparse
import json
import re
from pathlib import Path

WORDS = 10
# Each run of ten words holds one of five that begins at a multiple of five: only where one of those is known, all runs are looked at.
BLOCK = 5


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def runs(words: list[str], length: int, step: int = 1):
    """Every run of so many words, whatever their case and punctuation."""
    return (" ".join(words[at : at + length]) for at in range(0, len(words) - length + 1, step))


def texts(value):
    """Every text within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


class Known:
    """What the sets that the model is measured by say."""

    def __init__(self, folder: Path):
        self.blocks: set[str] = set()
        self.runs: set[str] = set()
        for text in measured_texts(folder):
            words = words_of(text)
            if len(words) >= WORDS:
                self.blocks.update(runs(words, BLOCK))
                self.runs.update(runs(words, WORDS))

    def shares(self, text: str) -> bool:
        words = words_of(text)
        if self.blocks.isdisjoint(runs(words, BLOCK, BLOCK)):
            return False
        return not self.runs.isdisjoint(runs(words, WORDS))


def measured_texts(folder: Path):
    for file in sorted(folder.rglob("*.json*")):
        content = file.read_text()
        rows = map(json.loads, lines_of(content)) if file.suffix == ".jsonl" else [json.loads(content)]
        for row in rows:
            yield from texts(row)


def lines_of(content: str) -> list[str]:
    """Not `splitlines`, which also splits at marks that stand within texts."""
    return [line for line in content.split("\n") if line]


def take_out(file: Path, known: Known) -> tuple[int, int]:
    """Rewrites the file without them; returns how many rows there were and how many went."""
    lines = lines_of(file.read_text())
    kept = [line for line in lines if not any(known.shares(text) for text in texts(json.loads(line)))]
    file.write_text("".join(f"{line}\n" for line in kept))
    return len(lines), len(lines) - len(kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the prepared .jsonl files")
    parser.add_argument("--measured", type=Path, required=True, help="folder with the sets the model is measured by, as .json or .jsonl")
    options = parser.parse_args()
    known = Known(options.measured)
    for file in sorted(options.data.glob("*.jsonl")):
        rows, gone = take_out(file, known)
        print(f"{file.name}: {gone} of {rows} rows taken out", flush=True)


if __name__ == "__main__":
    main()
