"""Openings of English Wikipedia's articles, and tables with the articles their cells link to (CC BY-SA, see SOURCES.md).

Writes the openings as prose, tables as lists of records, and rows whose values stand in the opening of a linked article:
such a pair is a text and what can be extracted from it.
"""

import json
import re
from urllib.parse import unquote

from common import MIN_CHARS, Repo, arguments, tidy, write

REPOSITORY = "wenhuchen/WikiTables-WithLinks"
MAX_ROWS = 40
MAX_COLUMNS = 10
MAX_CELL = 80
COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9 .()/#'-]{1,39}")
# A number, a flag or a sign stands in many texts by chance.
TOO_COMMON = re.compile(r"\W*\d{0,2}\W*|[A-Za-z]{1,2}|yes|no|won|lost|nominated|tba|n/a|none", re.I)


def joined(text):
    """The sentence as it was before it was cut into words."""
    text = re.sub(r"\( ?[;,: ]* ?\)", "", text)
    text = re.sub(r" ([,.;:?!%)\]}])", r"\1", text)
    text = re.sub(r"([(\[{$£€#]) ", r"\1", text)
    text = re.sub(r" ('s|'re|'ve|'ll|'d|'m|n't)\b", r"\1", text)
    text = re.sub(r"(\w) ' (?=\w)", r"\1' ", text)
    text = re.sub(r"`` ?| ?''", '"', text)
    text = re.sub(r'" ([^"]{1,80}?) "', r'"\1"', text)
    return tidy(re.sub(r"(\d) ([-–/]) (\d)", r"\1\2\3", text))


def title_of(link):
    return unquote(link.removeprefix("/wiki/")).replace("_", " ")


def openings(repo):
    """Each article's opening once, by its link; many are in several files."""
    found = {}
    for _, text in repo.files(r"^request_tok/.*\.json$", "request_tok/"):
        for link, opening in read(text, {}).items():
            if link not in found:
                found[link] = joined(opening)
    return found


def read(text, otherwise):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return otherwise


def tables(repo):
    """Each table as its title, its columns and its rows of (value, links)."""
    for _, text in repo.files(r"^tables_tok/.*\.json$", "tables_tok/"):
        table = read(text, None)
        if not table:
            continue
        columns = [joined(name) for name, _ in table["header"]]
        if len(set(columns)) == len(columns) <= MAX_COLUMNS and all(COLUMN.fullmatch(name) for name in columns):
            rows = [[(joined(value), links) for value, links in row] for row in table["data"][:MAX_ROWS]]
            yield {"title": tidy(table["title"]), "section": tidy(table.get("section_title") or ""), "columns": columns, "rows": rows}


def records(table):
    """The rows as a function would return them; cells that are empty or long are left out."""
    for row in table["rows"]:
        record = {name: value for name, (value, _) in zip(table["columns"], row) if value and len(value) <= MAX_CELL}
        if len(record) >= 2:
            yield record


def extractions(table, articles):
    """Rows of which at least two values stand word for word in the opening of an article they link to."""
    for row in table["rows"]:
        links = dict.fromkeys(link for _, cell_links in row for link in cell_links)
        for link in links:
            text = articles.get(link, "")
            found = {
                name: value
                for name, (value, _) in zip(table["columns"], row)
                if len(value) <= MAX_CELL and not TOO_COMMON.fullmatch(value) and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
            }
            if len(found) >= 2 and len(text) >= MIN_CHARS:
                yield {"subject": title_of(link), "text": text, "fields": found}


def main():
    mirrors, out = arguments(__doc__)
    repo = Repo(mirrors, REPOSITORY)
    articles = openings(repo)
    write(out / "prose-wikipedia.jsonl", ({"title": title_of(link), "text": text} for link, text in sorted(articles.items()) if len(text) >= MIN_CHARS))
    found = list(tables(repo))
    write(out / "tables-wikipedia.jsonl", ({"title": one["title"], "section": one["section"], "records": list(records(one))} for one in found))
    write(out / "extractions-wikipedia.jsonl", (pair for one in found for pair in extractions(one, articles)))


if __name__ == "__main__":
    main()
