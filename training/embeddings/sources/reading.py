"""Questions that people wrote, each with the passage that answers it."""

import csv
import html
import io
import json
import re

from .repository import Repository
from .text import around, cut, squeeze, untokenise

PASSAGE = r"(?:passage|context|paragraph|story|fact|background|text|document|article|snippet|abstract)s?"
TASKS = r"(cosmosqa|ropes|iirc|doqa|qasper|hotpot|mocha|scitail|propara|boolq|qed|quartz|triviaqa|torque|hybridqa|strategyqa|qasc|eqasc|natural_?question)"


def medicine(mirrors):
    for _, text in Repository(mirrors, "abachaa/MedQuAD").texts(".", r"\.xml$"):
        for question, answer in re.findall(r"<Question[^>]*>(.*?)</Question>\s*<Answer[^>]*>(.*?)</Answer>", text, re.S):
            answer = cut(html.unescape(answer), 800)
            if len(answer) > 80:
                yield squeeze(html.unescape(question)), answer, True


def tales(mirrors):
    repository, stories = Repository(mirrors, "uci-soe/FairytaleQAData"), {}
    for path, text in repository.texts("data-by-train-split/section-stories/train", r"\.csv$"):
        rows = csv.DictReader(io.StringIO(text))
        stories[path.rsplit("/", 1)[1].replace("-story.csv", "")] = {r.get("section") or "": r.get("text") or "" for r in rows}
    for path, text in repository.texts("data-by-train-split/questions/train", r"\.csv$"):
        parts = stories.get(path.rsplit("/", 1)[1].replace("-questions.csv", ""), {})
        for row in csv.DictReader(io.StringIO(text)):
            body = next((parts[n] for n in re.split(r"\s*,\s*", row.get("cor_section") or "") if len(parts.get(n, "")) > 150), "")
            if body:
                yield squeeze(row["question"]), around(body, row.get("answer1") or ""), True


def meaning(mirrors):
    """Several questions on each sentence of Wikipedia and Wikinews."""
    repository, said = Repository(mirrors, "uwnlp/qamr"), {}
    for _, text in repository.texts("data", r"wiki-sentences\.tsv$"):
        for line in text.splitlines():
            key, sentence = line.split("\t", 1)
            said[key] = untokenise(sentence)
    for _, text in repository.texts("data/filtered", r"(train|dev|test)\.tsv$"):
        for line in text.splitlines():
            row = line.split("\t")
            question = next((x for x in row if x.endswith("?")), None)
            if row[0] in said and question:
                yield untokenise(question), said[row[0]], False


def tasks(repository, pattern, most=6500):
    """(task's name, input, first output) of the instruction tasks with a free licence, as the task itself states it."""
    free = re.compile(r"CC BY(-SA)? ?[\d.]*$|CC BY-SA [\d.]+|CC BY [\d.]+|MIT|Apache 2.0|CC0|BSD|Dedicated License \(https://github.com/google-research-datase")
    for path, text in repository.texts("tasks", pattern, 60_000_000):
        data = json.loads(text)
        licence = " ".join(data.get("Instance License") or [])
        if not free.match(licence) or "NC" in licence:
            continue
        for row in data["Instances"][:most]:
            yield path.rsplit("/", 1)[1].removesuffix(".json"), row["input"], squeeze(row["output"][0] if row["output"] else "")


def instructions(mirrors):
    repository = Repository(mirrors, "code-krishna/natural-instructions")
    before = re.compile(r"question\s*:?\s*(?P<q>[^\n]{12,220}?\?)\s*[\n,.;]*\s*" + PASSAGE + r"\s*:?\s*(?P<p>.{120,})", re.S | re.I)
    after = re.compile(PASSAGE + r"\s*\d?\s*:\s*(?P<p>.{120,}?)\s*question\s*:?\s*(?P<q>[^\n]{12,220}?\?)", re.S | re.I)
    for _, given, out in tasks(repository, r"tasks/task[^/]*" + TASKS + r"[^/]*\.json$", 4000):
        if out.endswith("?") and len(given) > 150 and 12 < len(out) < 200:
            yield out, cut(re.sub(r"^" + PASSAGE + r"\s*:\s*", "", squeeze(given), flags=re.I)), False
            continue
        found = before.search(given) or after.search(given)
        if found:
            yield squeeze(found["q"]), around(found["p"], out), False
