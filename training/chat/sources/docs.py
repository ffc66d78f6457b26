"""Prose from Markdown documentation and guides (CC BY, MIT, Apache-2.0 or public domain, see SOURCES.md).

Code, tables, templates and pages that are mostly code are dropped; headings and lists stay as plain lines.
"""

import re
import sys
from html import unescape

from common import QUOTES, Repo, arguments, chat, pick, write

DOCS = {
    "github/docs": r"^content/.*\.md$",
    "kubernetes/website": r"^content/en/(docs|blog|case-studies)/.*\.md$",
    "istio/istio.io": r"^content/en/(docs|blog|about)/.*\.md$",
    "rust-lang/book": r"^src/ch.*\.md$",
    "github/opensource.guide": r"^_articles/[a-z-]+\.md$",
    "GoogleChrome/web.dev": r"^src/site/content/en/.*\.md$",
    "electron/electron": r"^docs/(?!api/structures).*\.md$",
    "nodejs/node": r"^doc/(contributing|api)/.*\.md$",
    "18F/content-guide": r"^_pages/.*\.md$",
    "18F/18f.gsa.gov": r"^content/.*\.md$",
    "18F/methods": r"\.md$",
    "18F/guides": r"^content/.*\.md$",
    "18F/handbook": r"^(_?pages|content)/.*\.md$",
    "usds/playbook": r"\.md$",
    "GSA/digitalgov.gov": r"^content/.*\.md$",
    "GSA/plainlanguage.gov": r"^_pages/.*\.md$",
    "MicrosoftDocs/windowsserverdocs": r"^WindowsServerDocs/(?!administration/windows-commands).*\.md$",
    "MicrosoftDocs/microsoft-365-docs": r"^microsoft-365/.*\.md$",
    "MicrosoftDocs/OfficeDocs-Support": r"^(Exchange|Microsoft365|Office|Outlook|SharePoint|Teams).*\.md$",
    "MicrosoftDocs/edge-developer": r"^microsoft-edge/.*\.md$",
    "MicrosoftDocs/windows-itpro-docs": r"^(windows|education|browsers)/.*\.md$",
    "MicrosoftDocs/dynamics365smb-docs": r"^business-central/(?!.*LocalFunctionality).*\.md$",
    "dotnet/docs": r"^docs/(architecture|standard|fundamentals|core(?!/unmanaged)|csharp|fsharp|azure|ai|machine-learning)/.*\.md$",
    "cloudflare/cloudflare-docs": r"^src/content/docs/.*\.mdx?$",
    "dart-lang/site-www": r"^src/content/.*\.md$",
    "flutter/website": r"^sites/(docs/src|www)/.*content/.*\.md$",
    "microsoft/IoT-For-Beginners": r"^\d-[a-z-]+/.*README\.md$|^\d-[a-z-]+/.*\.md$",
    "microsoft/Data-Science-For-Beginners": r"^\d-[A-Za-z-]+/.*\.md$",
    "swcarpentry/git-novice": r"^episodes/.*\.md$",
    "swcarpentry/shell-novice": r"^episodes/.*\.md$",
    "carpentries/instructor-training": r"^(episodes|learners|instructors)/.*\.md$",
    "the-turing-way/the-turing-way": r"^book/(website/)?.*\.md$",
    "tensorflow/docs": r"^site/en/(guide|about|community|tutorials|responsible_ai)/.*\.md$",
    "docker/docs": r"^content/(get-started|guides|manuals)/.*\.md$",
    "privacyguides/privacyguides.org": r"^docs/.*\.md$",
    "mdn/content": r"^files/en-us/(glossary|learn_web_development|web/(javascript|html|css|http|accessibility|performance|security|api/[^/]+))/.*index\.md$",
    "Open-Science-Training-Handbook/Open-Science-Training-Handbook_EN": r"\.md$",
}
STOP = set("the a an of to in and is are for that it on you with as be this can or by if from your not will at have we was has".split())


def inline(text):
    """Remove inline markup from one line or paragraph."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)(\{[^}]*\})?", "", text)
    text = re.sub(r"\[!\w+[^\n]*", "\0", text)
    text = re.sub(r"\[([^\]]*)\]\((?:[^()]|\([^)]*\))*\)(\{[^}]*\})?", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{:[^}]*\}", "\0", text, flags=re.S)
    text = re.sub(r"</?[A-Za-z][^<>]*>", "", text)
    text = re.sub(r"\*\*\*?|__|`+|~~", "", text)
    text = re.sub(r"(?<!\w)[*_]([^*_\n]+)[*_](?!\w)", r"\1", text)
    return unescape(text).translate(QUOTES).replace("\u2014", " - ").replace("\\", "")


def prose_like(text):
    """Enough function words, mostly letters, no leftover templates or addresses."""
    words = re.findall(r"[A-Za-z']+", text)
    if len(words) < 8 or "\0" in text or re.search(r"\]\(|</|\w@\w|https?:|www\.|[{}|=]{2}|\$\$|[a-z]+_[a-z]+_|::|->", text):
        return False
    if sum(w.lower() in STOP for w in words) / len(words) < 0.22:
        return False
    return sum(c.isalpha() or c in " ,.'-" for c in text) / len(text) > 0.93 and text.isascii() or \
        sum(c.isascii() for c in text) / len(text) > 0.98 and sum(c.isalpha() or c == " " for c in text) / len(text) > 0.9


# The words of a macro that stands for a link: {{jsxref("Array")}}, {{glossary("DOM", "tree")}}.
MACRO = re.compile(r"\{\{\s*(?:jsxref|glossary|domxref|htmlelement|cssxref|httpheader|svgelement)\(\s*[\"']([^\"']+)[\"'](?:\s*,\s*[\"']([^\"']+)[\"'])?[^{}]*\}\}", re.I)


def page(text):
    """Yield the sections of one Markdown page as plain text."""
    text = MACRO.sub(lambda found: found.group(2) or found.group(1), text)
    text = re.sub(r"\A\ufeff?---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^([ \t>]*)(```|~~~).*?^[ \t>]*\2[ \t]*$", "\n\0\n", text, flags=re.S | re.M)
    text = re.sub(r"<(script|style|table|pre|figure|details|svg|code)\b.*?</\1>", "\n", text, flags=re.S | re.I)
    text = re.sub(r"^(import|export) .*$|^:::.*$|^\s*\[[^\]]+\]:.*$|^\{\{?[%<].*$|^\s*\|.*$|^ {4,}\S.*$", "", text, flags=re.M)
    text = re.sub(r"^[ \t]*>[ \t]*\[!\w+\][^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"\[?!(INCLUDE|VIDEO)\s*\[[^\]]*\](\([^)]*\))?\]?", "\0", text, flags=re.I)
    for part in re.split(r"^#{1,3} ", text, flags=re.M)[1:] or [text]:
        heading, _, body = part.partition("\n")
        blocks, codes, total = [], 0, 0
        for block in re.split(r"\n\s*\n", body):
            block = re.sub(r"^> ?", "", block.strip(), flags=re.M)
            if not block:
                continue
            total += 1
            if block == "\0":
                codes += 1
                continue
            if re.match(r"([-*+]|\d+[.)]) ", block):
                items = [re.sub(r"\s+", " ", inline(i)).strip() for i in re.split(r"^\s*(?:[-*+]|\d+[.)])\s+", block, flags=re.M) if i.strip()]
                mark = "{}. " if block[0].isdigit() else "- "
                if items and all("\0" not in i and 2 < len(i) < 400 for i in items) and prose_like(" ".join(items)):
                    numbers = [mark.format(n + 1) + i for n, i in enumerate(items)]
                    blocks.append("\n".join(numbers))
                continue
            line = re.sub(r"\s+", " ", inline(block)).strip()
            line = re.sub(r"^#+ ", "", line)
            if prose_like(line) and line[-1] in ".?!:" and 40 <= len(line) <= 3000:
                blocks.append(line)
        while blocks and blocks[-1].endswith(":"):
            blocks.pop()
        blocks = [b for i, b in enumerate(blocks) if not (b.endswith(":") and not blocks[i + 1].startswith(("-", "1.")))]
        doc = "\n\n".join(blocks)
        if codes * 2 > total or not 200 <= len(doc) <= 8000:
            continue
        title = inline(re.sub(r"\{#.*?\}", "", heading)).strip(" #")
        yield (title + "\n\n" + doc) if re.fullmatch(r"[A-Z][\w ,'?:-]{3,80}", title) else doc


VERBS = set("""add create set configure change remove delete enable disable install update upgrade view use find manage edit rename move copy
export import open close connect restore reset assign share upload download print send check test run start stop turn build deploy
schedule register define select customize filter sort search invite approve archive merge resolve block""".split())
HOW = ["How do I {t}?", "How can I {t}?", "What are the steps to {t}?", "{T} - how?", "I want to {t}. What do I do?",
       "Can you walk me through how to {t}?", "Give me step-by-step instructions to {t}.", "Explain how to {t}.", "how to {t}",
       "Please list the steps to {t}.", "I'm trying to {t}. Help?", "What is the procedure to {t}?"]
ABOUT = ["{t}", "{t} Please answer briefly.", "Quick question: {t}", "Can you tell me: {t}", "{t} I'm new to this."]

GOOD_QUESTION = re.compile(r"(?!.*\b(this|these|next|new|else|here|my)\b)(What (is|are|does|do|can)|Why|How (do|does|can|is|are|much|long)|When (should|do|is)|"
                           r"Which|Who|Where (is|are|can)|Is|Are|Can|Should)\b.*\?$")


def question(doc):
    """A conversation made from a section whose heading is a task with steps or a question, or None."""
    title, _, body = doc.partition("\n\n")
    blocks = body.split("\n\n")
    first = title.split(" ")[0].lower()
    steps = [b for b in blocks if b.startswith("1. ")]
    if first in VERBS and steps and len(title) < 70 and ":" not in title:
        at = blocks.index(steps[0])
        lead = blocks[at - 1] + "\n\n" if at and blocks[at - 1].endswith(":") and len(blocks[at - 1]) < 200 else ""
        answer = lead + steps[0]
        if steps[0].count("\n") >= 1 and len(answer) < 1300:
            return chat(pick(HOW, title).format(t=title[0].lower() + title[1:], T=title), answer)
    if GOOD_QUESTION.match(title) and len(title) < 90 and blocks and 60 < len(blocks[0]) < 900 and blocks[0][-1] in ".!":
        return chat(pick(ABOUT, title).format(t=title), blocks[0])
    return None


def main():
    mirrors, out = arguments(__doc__)
    seen, chats = set(), []

    def rows():
        for name, pattern in DOCS.items():
            repo, size = Repo(mirrors, name), 0
            if not repo.exists():
                print("missing:", name)
                continue
            for path, text in repo.files(pattern):
                if re.search(r"(?i)code.?of.?conduct|changelog|licen[sc]e|release-?notes|translations/|CONTRIBUTORS", path):
                    continue
                for doc in page(text):
                    fresh = [p for p in doc.split("\n\n") if p not in seen or len(p) < 60]
                    seen.update(fresh)
                    doc = "\n\n".join(fresh)
                    if len(doc) >= 200:
                        size += len(doc)
                        chats.append(question(doc))
                        yield {"text": doc}
            print(f"{name} {repo.git('rev-parse', 'HEAD').strip()} {size / 1e6:.2f} MB", file=sys.stderr)

    write(out / "prose-docs.jsonl", rows())
    write(out / "chat-docs.jsonl", filter(None, chats))


if __name__ == "__main__":
    main()
