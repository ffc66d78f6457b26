"""Sentences that say the same: follow from each other, are paraphrases, or ask for the same thing."""

import csv
import io
import json
import re

from .reading import tasks
from .repository import Repository
from .text import squeeze, untokenise


def inference(mirrors):
    """SNLI: a sentence -> what follows from it (the tasks give a sentence, one that does not follow, and one that does)."""
    repository = Repository(mirrors, "code-krishna/natural-instructions")
    for name, given, out in tasks(repository, r"tasks/task18[4-9]_snli[^/]*\.json$"):
        said = re.search(r"Sentence 1:\s*(.*?)\s*Sentence 2:\s*(.*)", given, re.S)
        if not said:
            continue
        first, second = squeeze(said[1]), squeeze(said[2])
        if name.endswith("to_entailment_text_modification"):
            yield out, first, False
        elif "snli_entailment_to" in name:
            yield second, first, False


def explained(mirrors):
    """SNLI's development and test sentences as e-SNLI carries them: those marked as following."""
    found = {}
    repository = Repository(mirrors, "OanaMariaCamburu/e-SNLI")
    for path, text in repository.texts("dataset/eSNLI", r"/(s1|s2|labels)\.(dev|test)$"):
        name, part = path.rsplit("/", 1)[1].split(".")
        found[name, part] = text.splitlines()
    for part in ("dev", "test"):
        for first, second, label in zip(*(found.get((n, part), []) for n in ("s1", "s2", "labels"))):
            if label.strip() == "entailment":
                yield untokenise(squeeze(second)), untokenise(squeeze(first)), False


def paraphrases(mirrors):
    repository = Repository(mirrors, "code-krishna/natural-instructions")
    for name, given, out in tasks(repository, r"tasks/task(400_paws|404_grailqa_para|275_enhanced_wsc|674_google|675_google|770_pawsx|550_disco)[^/]*\.json$"):
        two = re.search(r"Sentence.?1:\s*(.*?)\s*Sentence.?2:\s*(.*)", given, re.S)
        if "classification" in name or "validation" in name:
            if two and out.lower() in ("paraphrase", "yes", "1", "true"):
                yield squeeze(two[1]), squeeze(two[2]), False
        elif len(out) > 15 and len(given) < 400:
            yield out, squeeze(re.sub(r"^\w+( \d)?:", "", given)), False


def intents(mirrors):
    """Requests that ask for the same thing, two by two, within a fixed distance in the file."""
    groups = {}
    for path, text in Repository(mirrors, "PolyAI-LDN/task-specific-datasets").texts("banking_data", r"train\.csv$"):
        for row in csv.DictReader(io.StringIO(text)):
            groups.setdefault("bank " + row["category"], []).append(row["text"])
    for path, text in Repository(mirrors, "clinc/oos-eval").texts("data", r"data_full\.json$"):
        for sentence, label in json.loads(text)["train"]:
            groups.setdefault("clinc " + label, []).append(sentence)
    for label, said in sorted(groups.items()):
        for n in range(len(said) - 1):
            yield squeeze(said[n]), squeeze(said[n + 1]), False
            yield f"{label.split(' ', 1)[1].replace('_', ' ')}", squeeze(said[n]), False
