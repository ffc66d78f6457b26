"""Questions on passages that people wrote, from the sample of public sets in yizhongw/self-instruct (the sets: CC BY or CC BY-SA)."""

import json
import re

from common import Repo, arguments, write

REPOSITORY = "yizhongw/self-instruct"
FOLDER = "data/finetuning/t0_train_50k/data_per_template/"
# Of the sample, the sets under free licences: most others (news, reviews) are not.
SETS = r"(adversarial_qa_d(bert|bidaf|roberta)|quoref|ropes|duorc_SelfRC|cosmos_qa|quartz|common_gen|kilt_tasks_hotpotqa)_.*\.jsonl$"
MAX_CHARS = 6_000
PER_FILE = 700


def conversations(repo):
    for _, text in repo.files(FOLDER + SETS, FOLDER):
        kept = 0
        for line in text.splitlines():
            row = json.loads(line)
            prompt, said = row["prompt"].strip(), row["completion"].replace("<|endoftext|>", "").strip()
            if said and len(prompt) <= MAX_CHARS and kept < PER_FILE:
                kept += 1
                yield {"messages": [{"role": "user", "content": re.sub(r"[ \t]+", " ", prompt)}, {"role": "assistant", "content": said}]}


def main():
    mirrors, out = arguments(__doc__)
    write(out / "chat-reading.jsonl", conversations(Repo(mirrors, REPOSITORY)))


if __name__ == "__main__":
    main()
