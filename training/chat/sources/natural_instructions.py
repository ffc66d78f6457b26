"""Tasks of Super-NaturalInstructions under free licences (per task, see natural_instructions.txt): an instruction, an input, an output.

Left out: the official test tasks, every set the model is measured by, tasks that ask for wrong answers, and questions that
only memory could answer.
"""

import json
import re
from pathlib import Path

from common import Repo, arguments, pick, tidy, write

REPOSITORY = "code-krishna/natural-instructions"
TASKS = Path(__file__).parent / "natural_instructions.txt"
# What more tasks teach is more than what more instances of one teach.
PER_TASK = 600
MAX_INPUT = 3_000
MAX_DEFINITION = 420
SHAPES = ["{d}\n\n{x}", "{d}\n\n{x}", "{d}\n\nInput: {x}", "{x}\n\n{d}", "Task: {d}\n\n{x}", "{d}\n\nText:\n{x}\n\nAnswer:"]


def shortened(definition):
    """The first sentences of a long instruction."""
    text = tidy(definition)
    if len(text) <= MAX_DEFINITION:
        return text
    kept = ""
    for sentence in re.findall(r"[^.!?]+[.!?]+\s*", text):
        if kept and len(kept) + len(sentence) > MAX_DEFINITION:
            break
        kept += sentence
    return kept.strip()


def lines(text):
    """Single spaces within lines, which stay."""
    return "\n".join(line for line in map(tidy, text.splitlines()) if line)


def messages(definition, example, instance, key):
    asked = pick(SHAPES, key).format(d=definition, x=lines(instance["input"]))
    said = [{"role": "user", "content": asked}, {"role": "assistant", "content": lines(instance["output"][0])}]
    if example and pick(range(8), key + "example") == 0:
        shown = pick(SHAPES, key).format(d=definition, x=lines(example["input"]))
        said = [{"role": "user", "content": shown}, {"role": "assistant", "content": lines(example["output"])},
                {"role": "user", "content": lines(instance["input"])}, said[1]]
    return said


def conversations(repo, names):
    for path, text in repo.files(lambda one: one.removeprefix("tasks/").removesuffix(".json") in names, "tasks/"):
        task = json.loads(text)
        definition = shortened(task["Definition"][0] if isinstance(task["Definition"], list) else task["Definition"])
        example = next((one for one in task["Positive Examples"] if isinstance(one.get("output"), str)), None)
        usable = [one for one in task["Instances"] if one["output"] and one["output"][0].strip() and len(one["input"]) <= MAX_INPUT]
        step = max(1, len(usable) // PER_TASK)
        for instance in usable[::step][:PER_TASK]:
            yield {"task": path[6:-5], "messages": messages(definition, example, instance, path + instance["input"][:200])}


def main():
    mirrors, out = arguments(__doc__)
    names = {line.split("\t")[0] for line in TASKS.read_text().splitlines() if line and not line.startswith("#")}
    write(out / "chat-instructions.jsonl", conversations(Repo(mirrors, REPOSITORY), names))


if __name__ == "__main__":
    main()
