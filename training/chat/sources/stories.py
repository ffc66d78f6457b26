"""Stories: Standard Ebooks (CC0, public domain texts) and African Storybook and Pratham Books storybooks (CC BY only).

The books and their commits are listed in standard_ebooks.txt.
"""

import re
from html import unescape
from pathlib import Path

from common import Repo, arguments, sections, tidy, write

SKIP_FILES = r"(titlepage|imprint|colophon|uncopyright|halftitlepage|loi|endnotes|toc|dedication|epigraph|glossary|dramatis)"
STORY_REPOS = ["global-asp/asp-source", "global-asp/pb-source", "global-asp/lcb-source"]


def book_paragraphs(xhtml):
    """Plain paragraphs of one Standard Ebooks chapter; verse and tables are dropped."""
    body = xhtml.split("<body", 1)[-1]
    body = re.sub(r"<(table|header|hgroup|figure|blockquote[^>]*verse)\b.*?</(table|header|hgroup|figure|blockquote)>", " ", body, flags=re.S)
    body = re.sub(r'<a [^>]*epub:type="noteref".*?</a>', "", body, flags=re.S)
    for found in re.findall(r"<p\b[^>]*>(.*?)</p>", body, flags=re.S):
        text = tidy(unescape(re.sub(r"<[^>]+>", "", re.sub(r"<br/?>", " ", found))))
        text = re.sub(r"\" '(?=\w)", "\"'", re.sub(r"(?<=[.,?!])' \"", "'\"", text))
        if text:
            yield text


def is_prose(text):
    """At least a third of the paragraphs must be sentences of some length (drops lists and verse)."""
    paras = text.split("\n\n")
    return sum(len(p) > 60 for p in paras) * 3 >= len(paras)


def books(mirrors):
    for line in Path(__file__).with_name("standard_ebooks.txt").read_text().splitlines():
        name, commit = line.split()
        repo = Repo(mirrors, f"standardebooks/{name}", commit)
        if not repo.exists():
            print("missing:", name)
            continue
        licence = repo.text("LICENSE.md") or ""
        if "CC0" not in licence and "public domain" not in licence:
            print("left out:", name)
            continue
        size = 0
        for path, text in repo.files(r"src/epub/text/.*\.xhtml$"):
            if re.search(SKIP_FILES, path) or re.search(r"<body[^>]*>\s*<section[^>]*z3998:(poem|drama|verse)", text):
                continue
            for doc in sections(book_paragraphs(text), 5000):
                if is_prose(doc):
                    size += len(doc)
                    yield {"text": doc}
        print(f"{repo.name} {commit} {size / 1e6:.2f} MB")


def storybooks(mirrors):
    """English stories whose own licence line says CC BY, or public domain."""
    for name in STORY_REPOS:
        repo, kept, refused = Repo(mirrors, name), 0, 0
        if not repo.exists():
            print("missing:", name)
            continue
        for path, text in repo.files(r"^en/.*\.md$|^\d{4}_.*_en\.md$|^\d{4}_[^/]*/\d{4}_[^/]*\.md$"):
            if "README" in path or re.search(r"_(cas|sro)\.md$", path):
                continue
            licence = re.search(r"License:\s*\[?([A-Za-z0-9. -]+)", text)
            if not licence or licence[1].strip() not in ("CC-BY", "CC BY", "CC-0", "CC0", "Public Domain", "CC-BY 4.0", "CC-BY 3.0"):
                refused += 1
                continue
            title = re.search(r"^# (.+)$", text, re.M)
            pages = re.split(r"^##\s*$", text, flags=re.M)[1:-1]
            paras = [tidy(re.sub(r"[*_#]", "", p)) for p in pages]
            paras = [p for p in paras if p and not p.startswith("License:")]
            body = "\n\n".join(paras)
            if title and 200 <= len(body) <= 8000:
                kept += 1
                yield {"text": tidy(title[1]) + "\n\n" + body}
        print(f"{name} {repo.git('rev-parse', 'HEAD').strip()} kept {kept}, refused {refused}")


def main():
    mirrors, out = arguments(__doc__)
    write(out / "prose-books.jsonl", books(mirrors))
    write(out / "prose-storybooks.jsonl", storybooks(mirrors))


if __name__ == "__main__":
    main()
