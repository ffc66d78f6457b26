"""User utterances with intents and slots: Snips (CC0), NLU Evaluation Data, SLURP text, CLINC, PolyAI, Taskmaster (CC BY).

Writes utterances-*.jsonl, chat-taskmaster.jsonl (plain dialogues) and calls-taskmaster.jsonl (utterance, API call, result).
"""

import csv
import io
import json
import re

from common import Repo, arguments, tidy, write

EVALUATION_DOMAINS = re.compile(r"\b(car rental|rental car|rent a car|parking|library|museum|podcast|dentist)\b|car_rental|podcast", re.I)


def row(intent, text, slots=None):
    """One utterance; None when a slot is not a verbatim span or the domain is kept for the evaluation."""
    text = text.strip()
    slots = {k: v.strip() for k, v in (slots or {}).items()}
    if not text or EVALUATION_DOMAINS.search(intent + " " + text) or any(v not in text for v in slots.values()):
        return None
    return {"intent": intent, "text": text, "slots": slots}


def snips(repo):
    for path, text in repo.files(r"2017-06-custom-intent-engines/\w+/(train_\w+_full|validate_\w+)\.json$"):
        for intent, examples in json.loads(text).items():
            for example in examples:
                slots = {}
                for part in example["data"]:
                    if "entity" in part:
                        slots.setdefault(part["entity"], part["text"])
                yield row(intent, re.sub(r"\s+", " ", "".join(p["text"] for p in example["data"])), slots)


def nlu_evaluation(repo):
    for _, text in repo.files(r"out4RasaReal/.*/KFold_\d+/merged/RasaNlu_Merged.*\.json$"):
        for item in json.loads(text)["rasa_nlu_data"]["common_examples"]:
            yield row(item["intent"], item["text"], {e["entity"]: e["value"] for e in item["entities"]})


def slurp(repo):
    for _, text in repo.files(r"dataset/slurp/(train|devel|test)\.jsonl$"):
        for line in text.splitlines():
            item = json.loads(line)
            slots = {k.strip(): v.strip() for k, v in re.findall(r"\[([^:\]]+):([^\]]+)\]", item["sentence_annotation"])}
            yield row(item["intent"], item["sentence"], slots)


def clinc(repo):
    data = json.loads(repo.text("data/data_full.json"))
    for name in ("train", "val", "test", "oos_train", "oos_val", "oos_test"):
        for text, intent in data[name]:
            yield row("out_of_scope" if intent == "oos" else intent, text)


def banking(repo):
    for name in ("train", "test"):
        for item in csv.DictReader(io.StringIO(repo.text(f"banking_data/{name}.csv"))):
            yield row(item["category"], re.sub(r"\s+", " ", item["text"]))


def restaurants(repo):
    for name in ("train_0", "test"):
        for item in json.loads(repo.text(f"span_extraction/restaurant8k/{name}.json")):
            text, slots = item["userInput"]["text"], {}
            for label in item.get("labels", []):
                span = label["valueSpan"]
                slots[label["slot"]] = text[span.get("startIndex", 0):span["endIndex"]]
            yield row("book_restaurant", text, slots)


def nlupp(repo):
    for _, text in repo.files(r"^nlupp/data/(banking|hotels)/fold\d+\.json$"):
        for item in json.loads(text):
            yield row("+".join(item.get("intents", [])) or "inform", item["text"],
                      {k: v["text"] for k, v in item.get("slots", {}).items()})


def conversations(repo, pattern):
    for _, text in repo.files(pattern):
        yield from json.loads(text)


def dialogue(turns):
    """Merge consecutive turns of one speaker; None unless it alternates from user to assistant."""
    messages = []
    for speaker, text in turns:
        role, text = ("user" if speaker.lower().startswith("u") else "assistant"), tidy(text)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += " " + text
        elif messages or role == "user":
            messages.append({"role": role, "content": text})
    while messages and messages[-1]["role"] == "user":
        messages.pop()
    bad = any(not m["content"] or EVALUATION_DOMAINS.search(m["content"]) for m in messages)
    return {"messages": messages} if len(messages) >= 2 and not bad else None


def taskmaster_chat(repo):
    """Dialogues from the annotated files and from the training split of TM-3."""
    for item in conversations(repo, r"^TM-(4-2024|3-2020|2-2020)/data/.*\.json$"):
        yield dialogue((u["speaker"], u["text"]) for u in item["utterances"])
    longest = {}
    for line in (repo.text("TM-3-2020/splits/train/train-bc.tsv") or "").splitlines():
        cells = line.split("\t")
        if len(cells) < 3 or not cells[1].startswith("[A]"):
            continue
        context = cells[0].split("<C>", 1)[-1] + "<A>" + cells[1][3:]
        turns = [(m[1], re.split(r"<P", m[2])[0]) for m in re.finditer(r"<([UA])>(.*?)(?=<[UA]>|$)", context)]
        if len(turns) > len(longest.get(cells[2], [])):
            longest[cells[2]] = turns
    for turns in longest.values():
        yield dialogue(turns)


def taskmaster_calls(repo):
    """The user's words, the first call made after them and its result, where the dialogue has them."""
    for item in conversations(repo, r"^TM-4-2024/data/.*\.json$"):
        turns = item["utterances"]
        for i, turn in enumerate(turns):
            calls, notes = [], {}
            for note in turn.get("annotations", []):
                notes.setdefault(note["context"], []).append((note["name"], note["value"]))
            for context, pairs in notes.items():
                pair = dict(pairs)
                if context.startswith("api_call") and "request" in pair:
                    try:
                        args = json.loads(pair["request"])
                    except ValueError:
                        continue
                    answer = dict(notes.get(context.replace("call", "response"), [])).get("response")
                    calls.append({"name": pair["api_call"], "arguments": args, "result": answer})
            if turn["speaker"] == "user" and calls:
                reply = turns[i + 1]["text"] if i + 1 < len(turns) else None
                yield {"text": turn["text"].strip(), "calls": calls, "reply": reply}


SOURCES = [("snips", "sonos/nlu-benchmark", snips), ("nlu-evaluation", "xliuhw/NLU-Evaluation-Data", nlu_evaluation),
           ("slurp", "pswietojanski/slurp", slurp), ("clinc", "clinc/oos-eval", clinc),
           ("banking", "PolyAI-LDN/task-specific-datasets", banking),
           ("restaurants", "PolyAI-LDN/task-specific-datasets", restaurants),
           ("nlupp", "PolyAI-LDN/task-specific-datasets", nlupp)]


def main():
    mirrors, out = arguments(__doc__)
    for name, repo, reader in SOURCES:
        write(out / f"utterances-{name}.jsonl", filter(None, reader(Repo(mirrors, repo))))
    taskmaster = Repo(mirrors, "google-research-datasets/Taskmaster")
    write(out / "chat-taskmaster.jsonl", filter(None, taskmaster_chat(taskmaster)))
    write(out / "calls-taskmaster.jsonl", taskmaster_calls(taskmaster))


if __name__ == "__main__":
    main()
