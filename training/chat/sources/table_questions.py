"""WikiTableQuestions (CC BY-SA 4.0): questions that people asked of tables; the unseen tables are kept for measuring."""

import csv
import io
import re

from common import Repo, arguments, tidy, write

REPOSITORY = "ppasupat/WikiTableQuestions"
MAX_ROWS = 30
MAX_COLUMNS = 9
MAX_CELL = 80


def read_table(text):
    """Records of a CSV file; None where it is too large or has no names for its columns."""
    rows = [[tidy(cell.replace("\\n", " ")) for cell in row] for row in csv.reader(io.StringIO(text), escapechar="\\", strict=False)]
    if not rows or not 2 <= len(rows) - 1 <= MAX_ROWS or not 2 <= len(rows[0]) <= MAX_COLUMNS:
        return None
    columns = rows[0]
    if len(set(columns)) < len(columns) or any(not re.match(r"[A-Za-z]", name) for name in columns):
        return None
    if any(len(cell) > MAX_CELL for row in rows for cell in row):
        return None
    return [{name: value for name, value in zip(columns, row) if value} for row in rows[1:]]


def tables(repo):
    asked = {}
    for line in repo.text("data/training.tsv").splitlines()[1:]:
        _, question, file, answer = line.split("\t")
        asked.setdefault(file, []).append((tidy(question), ", ".join(map(tidy, answer.split("|")))))
    for file, text in repo.files(lambda path: path in asked, "csv/"):
        records = read_table(text)
        if records:
            yield {"title": "", "section": "", "records": records, "qa": asked[file]}


def main():
    mirrors, out = arguments(__doc__)
    write(out / "tables-questions.jsonl", tables(Repo(mirrors, REPOSITORY)))


if __name__ == "__main__":
    main()
