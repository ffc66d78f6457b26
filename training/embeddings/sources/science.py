"""Titles and abstracts of papers."""

import csv
import html
import io
import json
import lzma
import re
import sys

from .repository import Repository
from .text import cut, squeeze

csv.field_size_limit(sys.maxsize)
COMPUTING = r"/20200101/per_category/(cs|stat|eess|cmp-lg|econ|q-fin)[^/]*\.tsv\.xz$"
LIFE = r"/20200101/per_category/(q-bio|physics\.(med|bio|ao|geo|soc|pop|ed|hist|class|app|space))[^/]*\.tsv\.xz$"
OTHER = r"/20200101/per_category/(math\.(HO|LO|NA|OC|CO|GM|CT|ST|PR|MG)|nlin\.(AO|CG)|physics\.(data-an|gen-ph|comp-ph|plasm-ph))\.tsv\.xz$"


def papers(pattern, share=1):
    """Title -> abstract of the arXiv categories that a pattern names; of large ones one paper in `share`."""
    def take(mirrors):
        seen = set()
        for _, data in Repository(mirrors, "staeiou/arxiv_archive").files("processed_data", pattern):
            rows = csv.DictReader(io.StringIO(lzma.decompress(data).decode("utf-8", "replace")), delimiter="\t")
            for n, row in enumerate(rows):
                title, abstract = squeeze(row.get("title") or ""), squeeze(row.get("abstract") or "")
                if n % share or title in seen or abstract.count("$") > 8 or abstract.count("\\") > 5:
                    continue
                seen.add(title)
                abstract = cut(re.sub(r"(?<=[a-z])- (?=[a-z])", "", abstract), 620)
                if len(abstract) > 200 and 10 < len(title) < 200:
                    yield title, abstract, True
    return take


def linguistics(mirrors):
    """Title -> abstract of the ACL Anthology, from 2016 on only (before: not free)."""
    for path, text in Repository(mirrors, "acl-org/acl-anthology").texts("data/xml", r"/20(1[6-9]|2\d)\.[^/]*\.xml$"):
        for paper in re.findall(r"<paper .*?</paper>", text, re.S):
            title = re.search(r"<title>(.*?)</title>", paper, re.S)
            abstract = re.search(r"<abstract>(.*?)</abstract>", paper, re.S)
            if title and abstract:
                plain = [squeeze(html.unescape(re.sub(r"<[^>]+>", "", x[1]))) for x in (title, abstract)]
                if len(plain[1]) > 200 and len(plain[0]) > 10:
                    yield plain[0], cut(plain[1], 620), True


def summaries(mirrors):
    """A paper's whole point in one sentence -> its abstract."""
    for _, text in Repository(mirrors, "allenai/scitldr").texts("SciTLDR-Data/SciTLDR-A", r"\.jsonl$"):
        for line in text.splitlines():
            row = json.loads(line)
            for target in row["target"]:
                yield squeeze(target), cut(" ".join(row["source"]), 700), False


def plain(xml):
    xml = re.sub(r"<xref[^>]*>.*?</xref>", "", xml, flags=re.S)
    text = squeeze(html.unescape(re.sub(r"<[^>]+>", "", xml)))
    return re.sub(r"\(\s*[;,]?\s*\)", "", re.sub(r"^10\.\d{4}/eLife\.\d+\.\d+|DOI:.*$", "", text))


def life(mirrors):
    """eLife: title -> abstract and digest, heading -> paragraph; the newest version of each article under CC BY or CC0."""
    repository, newest = Repository(mirrors, "elifesciences/elife-article-xml"), {}
    for path, _ in repository.blobs("articles", r"\.xml$", 4_194_305):
        found = re.search(r"elife-?(\d+)-v(\d+)\.xml$", path)
        if found and int(found[2]) > newest.get(found[1], (0, ""))[0]:
            newest[found[1]] = (int(found[2]), path)
    wanted = {path for _, path in newest.values()}
    for _, xml in repository.texts("articles", r"\.xml$", wanted=wanted):
        if not re.search(r"creativecommons\.org/(licenses/by/|publicdomain/zero/)", xml.split("<license", 1)[-1][:400]):
            continue
        title = re.search(r"<article-title>(.*?)</article-title>", xml, re.S)
        abstract = re.search(r"<abstract>(.*?)</abstract>", xml, re.S)
        if not title or not abstract:
            continue
        name, about = plain(title[1]), cut(plain(re.sub(r"<title>.*?</title>", "", abstract[1])), 800)
        if len(about) > 200:
            yield name, about, True
        digest = re.search(r'<abstract abstract-type="(?:executive-summary|plain-language-summary)">(.*?)</abstract>', xml, re.S)
        for n, part in enumerate(p for p in re.findall(r"<p>(.*?)</p>", digest[1] if digest else "", re.S)):
            part = plain(part)
            if len(part) > 150 and n < 3:
                yield name, cut(part, 620), True
        for heading, body in re.findall(r"<title>([^<]{25,200})</title>\s*<p>(.*?)</p>", xml, re.S)[:3]:
            body = plain(body)
            if len(body) > 200 and "formula" not in body[:50] and not re.match(r"\(\w\)|Related to", body):
                yield plain(heading), cut(body, 500), False
