"""OpenStax textbooks (CC BY 4.0): running text, and glossary definitions as questions and answers.

Each book is read at the last commit before the given date whose LICENSE file and collection files
both say CC BY; a book without such a commit is left out.
"""

import re
import xml.etree.ElementTree as ET

from common import Repo, arguments, chat, pick, sections, tidy, write

BEFORE = "2026-02-01"
BOOKS = """
american-government anatomy-physiology astronomy biology-bundle business-ethics chemistry-bundle
college-physics-bundle college-success-bundle entrepreneurship introduction-anthropology
introduction-business introduction-intellectual-property introduction-philosophy
introduction-political-science introduction-python-programming introduction-sociology
introductory-statistics-bundle life-liberty-and-pursuit-happiness microbiology physics
prealgebra-bundle principles-economics-bundle principles-marketing psychology us-history
workplace-software-skills world-history writing-guide
""".split()

NS = re.compile(r"\{[^}]*\}")
SKIP = {"figure", "table", "exercise", "equation", "glossary", "metadata", "media", "code", "footnote", "problem",
        "solution", "commentary"}
SKIP_SECTION = re.compile(r"reference|exercise|problem|question|multiple-choice|review|further|key-equation|"
                          r"suggested|critical-thinking|free-response|test-prep|assess|works-cited|endnote|"
                          r"practice|homework|bibliograph|try-?it|learning-objectives", re.I)
NOISE = re.compile(r"\b(Figure|Table|Equation|Example|Appendix|Section|Chapter|Exercise)s? ?\.?$|https?:|www\.|"
                   r"\bcredit\b|\( ?\)|[=\u2211\u222b\u221a]|\((Figure|Table|Example|Appendix)? ?\)", re.I)

ASK = ["What is {t}?", "Define {t}.", "What does the term \"{t}\" mean?", "Can you explain what {t} is?",
       "Give me a short definition of {t}.", "What do people mean by {t}?", "{T}: what is that?",
       "Explain the term {t} in one sentence.", "I keep seeing the word \"{t}\". What does it mean?",
       "How would you define {t}?", "In {s}, what is meant by {t}?", "What does {t} mean in {s}?",
       "Help me understand this {s} term: {t}.", "Write a one-line definition of {t}.", "define {t}", "meaning of {t}"]
SUBJECT = {"anatomy-physiology": "anatomy", "astronomy": "astronomy", "biology-bundle": "biology",
           "business-ethics": "business ethics", "chemistry-bundle": "chemistry", "college-physics-bundle": "physics",
           "physics": "physics", "introduction-anthropology": "anthropology", "introduction-business": "business",
           "introduction-philosophy": "philosophy", "introduction-political-science": "political science",
           "introduction-sociology": "sociology", "introductory-statistics-bundle": "statistics",
           "microbiology": "microbiology", "principles-economics-bundle": "economics",
           "principles-marketing": "marketing", "psychology": "psychology", "american-government": "government",
           "world-history": "history", "us-history": "history", "entrepreneurship": "business"}


def free_commit(repo):
    """Return the newest commit before BEFORE with a CC BY licence file, or None."""
    for commit in repo.git("log", f"--before={BEFORE}", "--format=%H", "-n", "400").split():
        repo.commit = commit
        head = (repo.text("LICENSE") or "")[:300]
        if re.search(r"NonCommercial|ShareAlike|NoDeriv", head):
            continue
        if re.search(r"Attribution 4\.0|CC-BY 4\.0", head):
            return commit
    return None


def collections_are_free(repo):
    """True when every collection file names the CC BY licence and no other."""
    texts = [text for _, text in repo.files(r"\.collection\.xml$", "collections")]
    return bool(texts) and all(re.findall(r"licenses/([a-z-]+)/", t) and
                               set(re.findall(r"licenses/([a-z-]+)/", t)) == {"by"} for t in texts)


def tag(node):
    return NS.sub("", node.tag) if isinstance(node.tag, str) else ""


def words(node):
    """Text of a paragraph, without notes and pictures; None when it holds a formula or a list."""
    parts = [node.text or ""]
    for child in node:
        name = tag(child)
        if name in ("math", "equation", "table", "code"):
            return None
        if name == "link" and not (child.text or len(child)):
            parts.append("\0")
        elif name not in SKIP and name not in ("list", "newline", "space"):
            inner = words(child)
            if inner is None:
                return None
            parts.append(inner)
        elif name in ("newline", "space"):
            parts.append(" ")
        parts.append(child.tail or "")
    return "".join(parts)


def paragraphs(node, out):
    """Collect the clean paragraphs under a node, section by section."""
    for child in node:
        name = tag(child)
        if name in SKIP:
            continue
        if name in ("section", "note", "example"):
            label = " ".join([child.get("class") or "", next((c.text or "" for c in child if tag(c) == "title"), "")])
            if SKIP_SECTION.search(label):
                continue
            if name == "section":
                out.append(None)
            paragraphs(child, out)
        elif name == "para":
            text = words(child)
            if text is None:
                continue
            text = re.sub(r"\s*\([^()]*\0[^()]*\)", "", text)
            kept = [s for s in re.split(r"(?<=[.?!])\s+(?=[A-Z\"\u201c])", text) if "\0" not in s]
            text = tidy(" ".join(kept))
            if len(text) >= 80 and text[-1] in ".?!\")" and not NOISE.search(text) and text.count(" ") > 12:
                out.append(text)


def module(text):
    """Return (documents, glossary pairs) of one cnxml module."""
    root = ET.fromstring(re.sub(r"&(?!#?\w+;)", "&amp;", text))
    docs, found = [], []
    for part in root:
        if tag(part) == "content":
            paragraphs(part, found)
        elif tag(part) == "glossary":
            docs += [("term", d) for d in part if tag(d) == "definition"]
    groups, current = [], []
    for item in found + [None]:
        if item is None:
            groups.append(current)
            current = []
        else:
            current.append(item)
    prose = [doc for group in groups for doc in sections(group, 6000)]
    terms = []
    for _, node in docs:
        term = next((words(c) for c in node if tag(c) == "term"), None)
        meaning = next((words(c) for c in node if tag(c) == "meaning"), None)
        if term and meaning:
            terms.append((tidy(term), tidy(meaning)))
    return prose, terms


def answer(term, meaning):
    """A definition as a sentence; three shapes."""
    meaning = meaning.rstrip(". ;")
    name = term[0].upper() + term[1:]
    if re.match(r"(?i)(a|an|the|any|one|when|how|process|study|ability|type|form)\b", meaning):
        low = meaning[0].lower() + meaning[1:] if not meaning[:2].isupper() else meaning
        return pick([f"{name} is {low}." if not re.match(r"when|how", low) else f"{name} means {low}.",
                     f"{name}: {low}.", meaning[0].upper() + meaning[1:] + "."], term + meaning)
    return pick([f"{name}: {meaning}.", meaning[0].upper() + meaning[1:] + "."], term + meaning)


def main():
    mirrors, out = arguments(__doc__)
    prose, glossary, terms_of, seen = [], [], {}, set()
    for book in BOOKS:
        repo = Repo(mirrors, f"openstax/osbooks-{book}")
        if not repo.exists() or not free_commit(repo) or not collections_are_free(repo):
            print("left out:", book)
            continue
        size = 0
        for path, text in repo.files(r"index\.cnxml$", "modules"):
            try:
                docs, terms = module(text)
            except ET.ParseError:
                continue
            for doc in docs:
                fresh = [p for p in doc.split("\n\n") if p not in seen]
                seen.update(fresh)
                if sum(map(len, fresh)) >= 200:
                    prose.append("\n\n".join(fresh))
                    size += len(prose[-1])
            subject = SUBJECT.get(book)
            for term, meaning in terms:
                if not (12 <= len(meaning) <= 400 and 2 <= len(term) <= 60) or "=" in meaning or "(" in term:
                    continue
                ask = pick(ASK if subject else ASK[:10], term)
                glossary.append(chat(ask.format(t=term, T=term[0].upper() + term[1:], s=subject),
                                     answer(term, meaning)))
            kept = [t for t, m in terms if 2 <= len(t) <= 60]
            if subject and len(kept) >= 4:
                terms_of.setdefault(subject, []).append(kept)
        print(book, repo.commit, f"{size / 1e6:.1f} MB")
    lists = []
    for subject, groups in terms_of.items():
        for group in groups:
            n = min(len(group), 3 + len(group[0]) % 4)
            lists.append(chat(pick([f"List {n} terms from {subject}.", f"Give me {n} {subject} terms I should learn.",
                                    f"Name {n} key terms used in {subject}.", f"What are {n} words to know in {subject}?"],
                                   group[0] + group[-1]), "\n".join(f"- {t}" for t in group[:n])))
    write(out / "prose-openstax.jsonl", ({"text": t} for t in dict.fromkeys(prose)))
    write(out / "chat-glossary.jsonl", glossary + lists)


if __name__ == "__main__":
    main()
