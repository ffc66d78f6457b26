"""Questions on free texts: FairytaleQA (Apache-2.0, stories in the public domain) and QAMR on Wikinews (MIT, CC BY 2.5).

QAMR sentences from Wikipedia are left out, because their text is CC BY-SA.
"""

import csv
import io
import re
from collections import Counter

from common import Repo, arguments, sections, tidy, write

PER_SENTENCE = 16
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}


def detokenize(tokens):
    """Join treebank tokens into ordinary text."""
    text, open_quote = "", False
    for token in tokens:
        raw, token = token, BRACKETS.get(token, token)
        glue = token in {",", ".", "?", "!", ";", ":", ")", "]", "%", "'"} or re.fullmatch(r"'(s|re|ve|ll|d|m)|n't", token)
        if raw == "''" or not text or text[-1:] in "([$" or open_quote:
            glue = True
        text += token if glue else " " + token
        open_quote = raw == "``"
    return text.strip()


def spaced(text):
    """Undo the spaces before marks and clitics that tokenized stories carry."""
    text = re.sub(r"\s+(n't|'(?:s|re|ve|ll|d|m))\b", r"\1", text)
    return tidy(re.sub(r'"\s*([^"]*?)\s*"', r'"\1"', text))


def qamr(repo):
    """Passages are one Wikinews sentence; only answers that all annotators agree on, few per sentence."""
    asked = Counter()
    sentences = dict(line.split("\t", 1) for line in repo.text("data/wiki-sentences.tsv").splitlines() if "\t" in line)
    for _, text in repo.files(r"^data/filtered/(train|dev|test)\.tsv$"):
        for line in text.splitlines():
            cells = line.split("\t")
            if ":wikinews:" not in cells[0] or cells[0] not in sentences:
                continue
            picks = [cells[6]] + [c.split(":", 1)[-1] for c in cells[7:9]]
            tokens = sentences[cells[0]].split(" ")
            spans = [[int(n) for n in p.split()] for p in picks if re.fullmatch(r"[\d ]+", p)]
            if len(spans) < 3 or not (set(spans[0]) & set(spans[1]) & set(spans[2])) or max(spans[0]) >= len(tokens):
                continue
            span = min(spans, key=len)
            if span != list(range(span[0], span[-1] + 1)):
                continue
            passage, answer = detokenize(tokens), detokenize(tokens[span[0]:span[-1] + 1]).strip('" ,')
            if answer and answer in passage and len(passage) > 60 and asked[passage] < PER_SENTENCE:
                asked[passage] += 1
                yield {"passage": passage, "question": tidy(cells[5]), "answer": answer}


def fairytales(repo):
    """Passages are the story sections that a question refers to."""
    stories = {}
    for path, text in repo.files(r"data-by-train-split/section-stories/(train|val|test)/.*\.csv$"):
        stories[path.split("/")[-1].replace("-story.csv", "")] = {
            r["section"]: spaced(r["text"]) for r in csv.DictReader(io.StringIO(text))}
    yield stories
    for path, text in repo.files(r"data-by-train-split/questions/(train|val|test)/.*\.csv$"):
        story = stories.get(path.split("/")[-1].replace("-questions.csv", ""), {})
        for r in csv.DictReader(io.StringIO(text)):
            passage = "\n\n".join(story.get(n.strip(), "") for n in re.split(r"[,;]", r["cor_section"] or "")).strip()
            if passage and r["question"] and r["answer1"]:
                yield {"passage": passage, "question": tidy(r["question"]), "answer": spaced(r["answer1"])}


def main():
    mirrors, out = arguments(__doc__)
    write(out / "qa-qamr-wikinews.jsonl", qamr(Repo(mirrors, "uwnlp/qamr")))
    tales = fairytales(Repo(mirrors, "uci-soe/FairytaleQAData"))
    stories = next(tales)
    write(out / "qa-fairytale.jsonl", tales)
    write(out / "prose-fairytale.jsonl",
          ({"text": t} for s in stories.values() for t in sections(s.values(), 4000)))


if __name__ == "__main__":
    main()
