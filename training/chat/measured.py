"""Takes the public sets the model is measured by out of clones: python3 measured.py CLONES EVALUATION.

`unseen.py` reads the folder, so that nothing like it is trained on, and `./atoll bench model` with BENCH_PUBLIC set to it.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "sources"))

from common import Repo, arguments, tidy  # noqa: E402
from table_questions import read_table  # noqa: E402

BFCL = "berkeley-function-call-leaderboard/bfcl_eval/data"
CALLS = ["simple_python", "multiple", "live_simple", "live_multiple", "irrelevance", "live_irrelevance"]
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
PER_TASK = 12
MAX_CHARS = 6_000


def schema(value):
    """BFCL names its types after Python's."""
    if isinstance(value, list):
        return [schema(one) for one in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for key, one in value.items():
        if key == "type" and isinstance(one, str):
            if TYPES.get(one, one):
                changed[key] = TYPES.get(one, one)
        elif key != "default" and key != "optional":
            changed[key] = schema(one)
    return changed


def named(name):
    """Names as the API allows them."""
    return name.replace(".", "_").replace(" ", "_")


def calls(repo, part):
    wanted = {}
    answers = repo.text(f"{BFCL}/possible_answer/BFCL_v4_{part}.json")
    for line in (answers or "").splitlines():
        row = json.loads(line)
        wanted[row["id"]] = [{"name": named(name), "arguments": arguments_} for one in row["ground_truth"] for name, arguments_ in one.items()]
    for line in repo.text(f"{BFCL}/BFCL_v4_{part}.json").splitlines():
        row = json.loads(line)
        tools = [{**schema(one), "name": named(one["name"])} for one in row["function"]]
        yield {"messages": row["question"][0], "tools": tools, "wanted": wanted.get(row["id"], [])}


def clapnq(repo):
    for name in ("answerable", "unanswerable"):
        for line in repo.text(f"annotated_data/dev/clapnq_dev_{name}.jsonl").splitlines():
            row = json.loads(line)
            answers = [one["answer"] for one in row["output"] if one.get("answer")] if name == "answerable" else []
            yield {"passage": row["passages"][0]["text"], "question": row["input"], "answers": answers}


def xquad(repo):
    for article in json.loads(repo.text("xquad.en.json"))["data"]:
        for paragraph in article["paragraphs"]:
            for one in paragraph["qas"]:
                yield {"passage": paragraph["context"], "question": one["question"], "answers": [answer["text"] for answer in one["answers"]]}


def table_questions(repo):
    asked = {}
    for line in repo.text("data/pristine-unseen-tables.tsv").splitlines()[1:]:
        _, question, file, answer = line.split("\t")
        asked.setdefault(file, []).append((tidy(question), [tidy(one) for one in answer.split("|")]))
    for file, text in repo.files(lambda path: path in asked, "csv/"):
        records = read_table(text)
        for question, values in asked[file] if records and len(json.dumps(records)) < MAX_CHARS else []:
            yield {"table": records, "question": question, "values": values}


def feta(repo):
    """Answers in a sentence: they must have the values of the cells that people marked."""
    for line in repo.text("data/fetaQA-v1_test.jsonl").splitlines():
        row = json.loads(line)
        head, *rows = row["table_array"]
        values = [row["table_array"][at][column] for at, column in row["highlighted_cell_ids"] if at < len(row["table_array"]) and column < len(row["table_array"][at])]
        told = [value for value in dict.fromkeys(values) if value and value.lower() in row["answer"].lower()]
        records = [dict(zip(head, one)) for one in rows]
        if told and len(json.dumps(records)) < MAX_CHARS:
            yield {"title": row["table_page_title"], "table": records, "question": row["question"], "values": told, "answer": row["answer"]}


def instructions(repo):
    """The official test tasks in English, their short answers."""
    names = set(repo.text("splits/default/test_tasks.txt").split())
    for path, text in repo.files(lambda one: one.removeprefix("tasks/").removesuffix(".json") in names, "tasks/"):
        task = json.loads(text)
        if task.get("Input_language") != ["English"] or task.get("Output_language") != ["English"]:
            continue
        short = [one for one in task["Instances"] if len(one["input"]) < 2_500 and all(len(answer.split()) <= 5 for answer in one["output"])]
        for one in short[:: max(1, len(short) // PER_TASK)][:PER_TASK]:
            yield {"task": path[6:-5], "instruction": tidy(task["Definition"][0]), "input": one["input"], "values": one["output"]}


def prompts(repo):
    return (json.loads(line) for line in repo.text("instruction_following_eval/data/input_data.jsonl").splitlines())


def programs(repo):
    rows = (json.loads(line) for line in repo.text("mbpp/mbpp.jsonl").splitlines())
    return ({"text": row["text"], "code": row["code"], "tests": row["test_list"]} for row in rows if 11 <= row["task_id"] <= 510)


def main():
    mirrors, out = arguments(__doc__)
    google, gorilla = Repo(mirrors, "google-research/google-research"), Repo(mirrors, "ShishirPatil/gorilla")
    sets = {f"calls-{part}": calls(gorilla, part) for part in CALLS} | {
        "passages-clapnq": clapnq(Repo(mirrors, "primeqa/clapnq")),
        "passages-xquad": xquad(Repo(mirrors, "google-deepmind/xquad")),
        "tables-questions": table_questions(Repo(mirrors, "ppasupat/WikiTableQuestions")),
        "tables-feta": feta(Repo(mirrors, "Yale-LILY/FeTaQA")),
        "instructions": instructions(Repo(mirrors, "code-krishna/natural-instructions")),
        "ifeval": prompts(google),
        "mbpp": programs(google),
    }
    for name, rows in sets.items():
        found = list(rows)
        (out / f"{name}.json").write_text(json.dumps(found, ensure_ascii=False))
        print(f"{name}: {len(found)} cases")


if __name__ == "__main__":
    main()
