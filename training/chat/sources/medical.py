"""MedQuAD (CC BY 4.0): questions on health with answers of the US National Institutes of Health."""

import re
import xml.etree.ElementTree as ET

from common import Repo, arguments, chat, sections, tidy, write

REPOSITORY = "abachaa/MedQuAD"
MAX_ANSWER = 700
NOISE = re.compile(r"Key Points|https?:|www\.|\(Watch the video|Click|NIHSeniorHealth|Frequently Asked|\[|OMIM|clinical ?trials|Human Phenotype Ontology", re.I)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


def questions(repo):
    for _, text in repo.files(r"\.xml$"):
        try:
            root = ET.fromstring(text)
        except ET.ParseError:
            continue
        for pair in root.iter("QAPair"):
            question, answer = pair.findtext("Question") or "", pair.findtext("Answer") or ""
            if question.strip() and len(answer.strip()) > 80:
                yield natural(tidy(question)), answer


def natural(question):
    question = re.sub(r"^What is \(are\) ", "What is ", question)
    question = re.sub(r"^Do you have information about (.*?) ?\??$", r"What should I know about \1?", question)
    return re.sub(r" \?$", "?", question)


def opening(answer):
    """The first sentences, up to a list or something that is no sentence."""
    kept = ""
    for sentence in SENTENCE.split(tidy(answer.split("\n\n")[0] if "\n\n" in answer else answer)):
        if not kept and sentence.endswith("?"):  # the question again
            continue
        if NOISE.search(sentence) or " - " in sentence or len(kept) + len(sentence) > MAX_ANSWER or sentence[-1] not in ".?!":
            break
        kept += " " + sentence
    return kept.strip()


def main():
    mirrors, out = arguments(__doc__)
    found = list(questions(Repo(mirrors, REPOSITORY)))
    short = ((question, opening(answer)) for question, answer in found)
    write(out / "chat-medical.jsonl", (chat(question, answer) for question, answer in short if len(answer) >= 60))
    paragraphs = ([one for one in map(tidy, re.split(r"\n\s*\n", answer)) if len(one) > 40 and not NOISE.search(one)] for _, answer in found)
    write(out / "prose-medical.jsonl", ({"text": text} for answer in paragraphs for text in sections(answer)))


if __name__ == "__main__":
    main()
