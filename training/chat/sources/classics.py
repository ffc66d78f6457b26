"""Books from before 1931, in the public domain of the United States (mlschmitt/classic-books-markdown): a part of each."""

import re

from common import Repo, arguments, sections, tidy, write

REPOSITORY = "mlschmitt/classic-books-markdown"
LAST_YEAR = 1930
PER_BOOK = 12
# Sections as long as the model can read at once.
MAX_CHARS = 12_000


def parts(repo):
    for _, text in repo.files(r"\.md$"):
        year = re.search(r"^## Year: (\d{4})", text, re.M)
        if not year or int(year.group(1)) > LAST_YEAR:
            continue
        body = text.split("-------", 1)[-1]
        paragraphs = [tidy(re.sub(r"[_*#\\]+", "", one)) for one in re.split(r"\n\s*\n", body)]
        found = list(sections([one for one in paragraphs if len(one) > 1 and "|" not in one], MAX_CHARS))
        yield from found[:: max(1, len(found) // PER_BOOK)][:PER_BOOK]


def main():
    mirrors, out = arguments(__doc__)
    write(out / "prose-classics.jsonl", ({"text": text} for text in parts(Repo(mirrors, REPOSITORY))))


if __name__ == "__main__":
    main()
