"""Open Assistant (Apache-2.0): conversations written by volunteers, and sampled answers of two models with Apache-2.0 weights."""

import json
import re

from common import QUOTES, Repo, arguments, chat, write

REPORTS = {  # sampling report -> which samplings to keep
    "sampling_reports/oasst-sft/2023-06-03_OpenAssistant_falcon-40b-sft-top1-560_sampling_noprefix2.json": ("greedy", "nucleus9", "k50"),
    "sampling_reports/oasst-sft/2023-04-03_andreaskoepf_oasst-sft-4-pythia-12b-epoch-3_5_sampling_noprefix_lottery.json": ("greedy",),
}
BAD = re.compile(r"\bas an (ai|language|artificial)|language model|open ?assistant|open ?ai|chat ?gpt|gpt-?\d|laion|\bllama\b|\[\d+\]|https?:|"
                 r"\b(sex|nsfw|porn|suicide|nazi|rape|kill)", re.I)


def clean(text):
    return re.sub(r"[ \t]+", " ", re.sub(r"<\|.*?\|>", "", text).translate(QUOTES)).strip()


def fit(question, answer):
    """English, complete, of moderate length."""
    whole = question + "\n" + answer
    return (not BAD.search(whole) and 3 < len(question) < 1000 and 2 < len(answer) < 1200
            and sum(c.isascii() for c in whole) / len(whole) > 0.98 and answer[-1] in ".!?`)\"" and len(set(answer.split())) > 3)


def sampled(repo):
    for path, kept in REPORTS.items():
        for prompt in json.loads(repo.text(path))["prompts"]:
            question, seen = clean(prompt["prompt"]), set()
            for result in prompt["results"]:
                for output in result["outputs"] if result["sampling_config"] in kept else []:
                    answer = clean(output)
                    if fit(question, answer) and answer[:60] not in seen:
                        seen.add(answer[:60])
                        yield chat(question, answer)


def branches(message, path):
    """Yield the conversation along the best-ranked, human-written replies; the two best at the first turn."""
    path = path + [{"role": "user" if message["role"] == "prompter" else "assistant", "content": clean(message["text"])}]
    replies = [r for r in message.get("replies", []) if not r.get("synthetic") and not r.get("deleted") and r.get("lang", "en") == "en"]
    replies.sort(key=lambda r: r.get("rank") if r.get("rank") is not None else 99)
    if not replies:
        yield path
    for reply in replies[:2]:
        yield from branches(reply, path)


def trees(repo):
    for line in repo.text("model/model_eval/manual/data/en_100_tree.jsonl").splitlines():
        prompt = json.loads(line)["prompt"]
        for path in [] if prompt.get("synthetic") else branches(prompt, []):
            if path[-1]["role"] == "user":
                path = path[:-1]
            if len(path) >= 2 and all(fit(q["content"], a["content"]) for q, a in zip(path[::2], path[1::2])):
                yield {"messages": path}


def main():
    mirrors, out = arguments(__doc__)
    rows = list(trees(Repo(mirrors, "LAION-AI/Open-Assistant"))) + list(sampled(Repo(mirrors, "Open-Assistant/oasst-model-eval")))
    write(out / "chat-open.jsonl", rows)


if __name__ == "__main__":
    main()
