"""Takes out of the prepared data every row that shares ten words in a row with what the model is measured by."""

import argparse
import json
import re
from pathlib import Path

WORDS = 10


def runs(text: str):
    """Every run of ten words, whatever its case and punctuation."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    for at in range(len(words) - WORDS + 1):
        yield " ".join(words[at : at + WORDS])


def texts(value):
    """Every text within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


def known_runs(folder: Path) -> set[str]:
    found: set[str] = set()
    for file in sorted(folder.rglob("*.json*")):
        content = file.read_text()
        rows = map(json.loads, content.splitlines()) if file.suffix == ".jsonl" else [json.loads(content)]
        for row in rows:
            for text in texts(row):
                found.update(runs(text))
    return found


def take_out(file: Path, known: set[str]) -> tuple[int, int]:
    """Rewrites the file without them; returns how many rows there were and how many went."""
    lines = file.read_text().splitlines()
    kept = [line for line in lines if not any(run in known for text in texts(json.loads(line)) for run in runs(text))]
    file.write_text("".join(f"{line}\n" for line in kept))
    return len(lines), len(lines) - len(kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the prepared .jsonl files")
    parser.add_argument("--measured", type=Path, required=True, help="folder with the sets the model is measured by, as .json or .jsonl")
    options = parser.parse_args()
    known = known_runs(options.measured)
    for file in sorted(options.data.glob("*.jsonl")):
        rows, gone = take_out(file, known)
        print(f"{file.name}: {gone} of {rows} rows taken out")


if __name__ == "__main__":
    main()
