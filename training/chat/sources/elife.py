"""eLife articles (CC BY or CC0, stated in each article): plain-language digests and introductions."""

import re
from html import unescape

from common import Repo, arguments, sections, tidy, write

MAX_INTRODUCTIONS = 60_000_000


def newest(repo):
    """Paths of the newest stored version of every article."""
    best = {}
    for path in repo.git("ls-tree", "-r", "--name-only", "HEAD", "articles").splitlines():
        found = re.search(r"elife-?(\d+)-v(\d+)\.xml$", path)
        if found and int(found[2]) > best.get(found[1], (0, ""))[0]:
            best[found[1]] = (int(found[2]), path)
    return {path for _, path in best.values()}


def paragraphs(xml):
    """Plain paragraphs; those with formulas are dropped, citations and figure references removed."""
    for found in re.findall(r"<p>(.*?)</p>", xml, flags=re.S):
        if re.search(r"<(mml:math|inline-formula|disp-formula|list|inline-graphic)", found):
            continue
        text = re.sub(r"<xref[^>]*>.*?</xref>", "\0", found, flags=re.S)
        text = re.sub(r"\s*[(\[][^()\[\]]*\0[^()\[\]]*[)\]]", "", text)
        text = re.sub(r"\s*<sup>[\0,; -]*</sup>", "", text)
        text = tidy(unescape(re.sub(r"<[^>]+>", "", text)))
        if len(text) >= 80 and "\0" not in text and not re.search(r"https?:|^DOI:|doi\.org|\( ?[;,)]", text):
            yield text


def main():
    mirrors, out = arguments(__doc__)
    repo = Repo(mirrors, "elifesciences/elife-article-xml")
    wanted, digests, introductions, size = newest(repo), [], [], 0
    for path, text in repo.files(wanted.__contains__, "articles"):
        licence = text.split("<license", 1)[-1][:400]
        if not re.search(r"creativecommons\.org/(licenses/by/|publicdomain/zero/)", licence):
            continue
        digest = re.search(r'abstract-type="(?:executive|plain-language)-summary".*?</abstract>', text, re.S)
        if digest:
            digests += sections(list(paragraphs(digest[0])), 6000)
        found = re.search(r'<sec[^>]*sec-type="intro[^>]*>(.*?)</sec>', text, re.S) if size < MAX_INTRODUCTIONS else None
        if found:
            docs = list(sections(list(paragraphs(found[1])), 5000))
            size += sum(map(len, docs))
            introductions += docs
    write(out / "prose-elife-digests.jsonl", ({"text": t} for t in digests))
    write(out / "prose-elife-introductions.jsonl", ({"text": t} for t in introductions))


if __name__ == "__main__":
    main()
