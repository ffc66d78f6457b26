"""Reads the hand-written files: passages, tools, conversations, tasks, records."""

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Passage:
    topic: str
    text: str = ""
    questions: list[tuple[str, str, str | None]] = field(default_factory=list)
    unanswerable: list[str] = field(default_factory=list)


@dataclass
class Param:
    name: str
    type: str
    required: bool
    description: str
    value: str
    choices: list[str] | None = None


@dataclass
class Tool:
    name: str
    description: str
    params: list[Param] = field(default_factory=list)
    utterances: list[str] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    no_call: list[tuple[str, str]] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Task:
    name: str
    instructions: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Record:
    kind: str
    fields: list[Param] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    rows: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Family:
    """Functions that belong together, and conversations with them: steps of (marker, alternatives)."""

    topic: str
    tools: list[Tool] = field(default_factory=list)
    scripts: list[list[tuple[str, list[str]]]] = field(default_factory=list)


def marked_lines(file: Path, markers: str):
    """Pairs of marker and text; lines without a marker go on with the text before."""
    found = None
    for line in file.read_text().splitlines():
        match = re.match(rf"({markers})(?:\s+|$)", line)
        if match:
            if found:
                yield found
            found = [match.group(1), line[match.end() :]]
        elif found is not None:
            found[1] += "\n" + line
    if found:
        yield found


def files(folder: Path) -> list[Path]:
    return sorted(Path(folder).glob("*.txt"))


def split_answer(text: str) -> list[str]:
    return [part.strip() for part in text.strip().split("=>")]


def read_passages(folder: Path) -> list[Passage]:
    passages: list[Passage] = []
    for file in files(folder):
        for marker, text in marked_lines(file, r"#|P:|Q:|U:"):
            text = text.strip()
            if marker == "#":
                passages.append(Passage(text))
            elif marker == "P:":
                if not passages or passages[-1].text:
                    passages.append(Passage(""))
                passages[-1].text = text
            elif marker == "Q:" and passages:
                question, *answers = split_answer(text)
                if answers and answers[0]:
                    passages[-1].questions.append((question, answers[0], answers[1] if len(answers) > 1 else None))
            elif marker == "U:" and passages:
                passages[-1].unanswerable.append(split_answer(text)[0])
    return [passage for passage in passages if passage.text and passage.questions]


def read_param(text: str, with_requirement: bool) -> Param | None:
    name, _, rest = text.partition(":")
    parts = [part.strip() for part in rest.split(";")]
    if not parts or not parts[0]:
        return None
    type_ = parts[0]
    choices = None
    found = re.fullmatch(r"enum\s*\((.*)\)", type_)
    if found:
        choices = [choice.strip().strip("\"'") for choice in found.group(1).split(",")]
        type_ = "string"
    required, description = False, ""
    if with_requirement:
        required = len(parts) > 1 and parts[1].lower().startswith("req")
        description = parts[2] if len(parts) > 2 else ""
        value = "; ".join(parts[3:])
    else:
        value = "; ".join(parts[1:])
    return Param(name.strip(), type_, required, description, value, choices)


def read_tools(folder: Path) -> list[Tool]:
    tools: list[Tool] = []
    for file in files(folder):
        for marker, text in marked_lines(file, r"##|-|U:|M:|N:|R:"):
            text = text.strip()
            if marker == "##":
                name, _, description = text.partition("|")
                tools.append(Tool(re.sub(r"[^\w-]", "_", name.strip()), description.strip()))
                continue
            if not tools:
                continue
            tool = tools[-1]
            if marker == "-":
                param = read_param(text, True)
                if param:
                    tool.params.append(param)
            elif marker == "U:":
                tool.utterances.append(text)
            else:
                said, *answers = split_answer(text)
                if answers and answers[0]:
                    {"M:": tool.missing, "N:": tool.no_call, "R:": tool.results}[marker].append((said, answers[0]))
    return [tool for tool in tools if tool.utterances]


def read_results(folder: Path) -> list[Tool]:
    """Functions with results, and for each result what can be asked of it: `results` holds (result, questions)."""
    tools: list[Tool] = []
    for file in files(folder):
        for marker, text in marked_lines(file, r"##|-|J:|Q:"):
            text = text.strip()
            if marker == "##":
                name, _, description = text.partition("|")
                tools.append(Tool(re.sub(r"[^\w-]", "_", name.strip()), description.strip()))
            elif marker == "-" and tools:
                param = read_param(text, True)
                if param:
                    tools[-1].params.append(param)
            elif marker == "J:" and tools:
                tools[-1].results.append((text, []))
            elif marker == "Q:" and tools and tools[-1].results:
                question, *answers = split_answer(text)
                if answers and answers[0]:
                    tools[-1].results[-1][1].append((question, answers[0]))
    for tool in tools:
        tool.results = [result for result in tool.results if result[1]]
    return [tool for tool in tools if tool.results]


def read_dialogues(folder: Path) -> list[Family]:
    """Said alternatively: `U:` and `A:` lines that follow each other. Called at once: `C:` lines that do."""
    families: list[Family] = []
    for file in files(folder):
        for marker, text in marked_lines(file, r"##|F:|-|D:|U:|C:|R:|A:"):
            text = text.strip()
            if marker == "##":
                families.append(Family(text))
            elif marker == "F:":
                name, _, description = text.partition("|")
                families[-1].tools.append(Tool(name.strip(), description.strip()))
            elif marker == "-":
                families[-1].tools[-1].params.append(read_param(text, True))
            elif marker == "D:":
                families[-1].scripts.append([])
            else:
                steps = families[-1].scripts[-1]
                if steps and steps[-1][0] == marker:
                    steps[-1][1].append(text)
                else:
                    steps.append((marker, [text]))
    return families


def read_records(folder: Path) -> list[Record]:
    records: list[Record] = []
    for file in files(folder):
        for marker, text in marked_lines(file, r"##|-|L:|T:"):
            text = text.strip()
            if marker == "##":
                records.append(Record(text))
            elif marker == "-" and records:
                param = read_param(text, False)
                if param:
                    records[-1].fields.append(param)
            elif marker == "L:" and records:
                name, _, row = text.partition("=>")
                records[-1].rows.setdefault(name.strip(), []).append(row.strip())
            elif marker == "T:" and records:
                records[-1].texts.append(text)
    return [record for record in records if record.fields and record.texts]


def read_tasks(folder: Path) -> list[Task]:
    tasks: list[Task] = []
    for file in files(folder):
        for marker, text in marked_lines(file, r"##|I:|X:"):
            if marker == "##":
                tasks.append(Task(text.strip()))
            elif marker == "I:" and tasks:
                tasks[-1].instructions.append(text.strip().replace("\\n", "\n"))
            elif marker == "X:" and tasks:
                parts = text.strip().rsplit("=>", 1)
                if len(parts) == 2 and parts[1].strip():
                    tasks[-1].pairs.append(tuple(part.strip().replace("\\n", "\n") for part in parts))
    return [task for task in tasks if task.instructions and task.pairs]


def read_chats(folder: Path) -> list[dict]:
    """Conversations: a system prompt or None, and turns of (phrasings, answers)."""
    chats = []
    for file in files(folder):
        for entry in re.split(r"(?m)^---\s*$", file.read_text()):
            chat = read_chat(entry)
            chat["everyday"] = file.name.startswith("b-")
            if chat["turns"]:
                chats.append(chat)
    return chats


def read_chat(entry: str) -> dict:
    system, turns, last = None, [], None
    lines = []
    for line in entry.strip("\n").splitlines():
        match = re.match(r"(S|U|A):(?:\s|$)", line)
        if match:
            lines.append([match.group(1), line[match.end() :]])
        elif lines:
            lines[-1][1] += "\n" + line
    for marker, text in lines:
        text = text.strip()
        if not text:
            continue
        if marker == "S":
            system = text
        elif marker == "U":
            if last != "U":
                turns.append(([], []))
            turns[-1][0].append(text)
        elif turns:
            turns[-1][1].append(text)
        last = marker
    return {"system": system, "turns": [turn for turn in turns if turn[1]]}
