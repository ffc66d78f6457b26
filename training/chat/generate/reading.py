"""Questions on passages: answered from the text, and said so when the text has no answer."""

import json
import re
from pathlib import Path

from generate.base import Maker, assistant, calling, tool_result, user
from generate.words import lower_first

WRAPS = [
    "{p}\n\n{q}",
    "{p}\n\n{q}",
    "{p}\n{q}",
    "{q}\n\n{p}",
    "Passage:\n{p}\n\nQuestion: {q}",
    "Read the text and answer the question.\n\n{p}\n\nQuestion: {q}",
    "Context: {p}\n\nQuestion: {q}\nAnswer:",
    "Context:\n{p}\n\n{q}",
    "Text: {p}\nQ: {q}\nA:",
    '"{p}"\n\n{q}',
    "Here is a text:\n{p}\n\nBased on it: {q}",
    "Use the following passage to answer: {q}\n\n{p}",
    "{q}\n\nUse this text:\n{p}",
    "Answer from the document below.\n\nDocument:\n{p}\n\n{q}",
    "<context>\n{p}\n</context>\n\n{q}",
    "```\n{p}\n```\n{q}",
    "I found this: {p}\n\n{q}",
    "My notes say:\n{p}\n\n{q}",
    "Article: {p}\n\nReader's question: {q}",
    "According to the following text, {ql}\n\n{p}",
    "Given the information below, {ql}\n---\n{p}\n---",
    "{p}\n\nFrom this text, {ql}",
    "Information:\n{p}\n\nPlease answer: {q}",
    "Question: {q}\nText: {p}",
    "Please read this and tell me: {q}\n\n{p}",
]
SYSTEMS = [
    "Answer the user's questions using only this text:\n\n{p}",
    "Use the context to answer.\n\nContext:\n{p}",
    "You are a helpful assistant. Answer from the following document.\n\n{p}",
    "Knowledge base:\n{p}\n\nAnswer only from the knowledge base.",
    "{p}\n\nAnswer questions about the text above.",
]
READ_FIRST = ["Please read this text:\n\n{p}", "I will ask you about this text: {p}", "{p}", "Here is something to read.\n\n{p}", "Remember this: {p}"]
READY = ["I have read it. What would you like to know?", "Okay, go ahead.", "Got it. What is your question?", "Thanks, I've read the text. Ask me anything about it."]
SHORT = ["Answer in a few words.", "Keep it short.", "Just the answer, please.", "Answer briefly.", "Give only the answer.", "Use as few words as possible.", "Short answer."]
LONG = ["Answer in a full sentence.", "Please answer with a complete sentence.", "Use a full sentence."]
REFUSALS = [
    "The text does not say.",
    "The text does not say that.",
    "The passage does not mention that.",
    "The text does not mention that.",
    "That is not stated in the text.",
    "The text does not contain this information.",
    "I can't find that in the text.",
]
CUSTOM = ["I don't know", "Not found", "N/A", "unknown", "No answer", "not in the text", "I cannot tell", "Unanswerable", "No information", "I'm not sure"]
CUSTOM_RULE = [
    'If the answer is not in the text, say "{c}".',
    'Say "{c}" if the text does not tell.',
    "If you cannot find it, answer: {c}",
    "Reply with {c} when the text has no answer.",
    'When the information is missing, write "{c}".',
]
TITLES = ["Document {n}:\n", "[{n}] ", "Source {n}: ", "({n}) ", "Passage {n}\n", ""]


# How often a kind of question is asked: those of crowds more than those that are easy to make.
SHARES = {kind: 5 for kind in ("when", "where", "how-many", "who-subject", "why", "agent", "apposition", "percent", "how-much", "how-long", "called")}
SHARES |= {kind: 1 for kind in ("what-subject", "kind-of", "cloze", "in-situ", "stands-for")}
THINNED = {"what-subject", "cloze", "in-situ", "stands-for"}


SENTENCE = re.compile(r"(?:[^.!?]|(?<=\b[A-Z])\.|(?<=\b(?:Mr|Dr|St))\.|(?<=\bMrs)\.|\.(?=\d))+[.!?]+[\"')]*\.?\s*")
WORD = re.compile(r"\w+")


def load_questions(folder: Path) -> list[dict]:
    """Passages with questions made from prose."""
    found = []
    for file in sorted(Path(folder).glob("qg-*.jsonl")):
        for line in file.open():
            item = json.loads(line)
            qa = [
                (one["q"], one["a"], one.get("s"))
                for number, one in enumerate(item["qa"])
                for _ in range(SHARES.get(one["kind"], 2) - (one["kind"] in THINNED and number % 2))
            ]
            if qa:
                found.append({"text": item["passage"], "qa": qa, "un": item.get("un", [])})
    return found


def load_human_questions(folder: Path) -> list[dict]:
    """Passages with questions that people wrote; what is asked of the passage before is the unanswerable."""
    found: dict[str, dict] = {}
    before = None
    for file in sorted(Path(folder).glob("qa-*.jsonl")):
        for line in file.open():
            item = json.loads(line)
            if len(item["passage"]) > 4_000:
                continue
            source = found.get(item["passage"])
            if source is None:
                source = found[item["passage"]] = {"text": item["passage"], "qa": [], "un": []}
                if before is not None and "qamr" not in file.name:
                    source["un"] = [question for question, _, _ in before["qa"][:2]]
                before = source
            source["qa"].append((item["question"], item["answer"], None))
    return list(found.values())


class ReadingMaker(Maker):
    """From written passages; `from_prose` from generated ones."""

    def __init__(self, library, seed):
        super().__init__(library, seed)
        # Passages with many questions: each asks for another part of the same text.
        self.rich = [passage for passage in library.passages if len(passage.questions) >= 10]

    def written(self) -> dict:
        passage, known = self.pick(self.rich if self.rich and self.chance(0.3) else self.library.passages), {}
        text = self.slots.fill(passage.text, known)
        fill = lambda value: None if value is None else self.slots.fill(value, known)  # noqa: E731
        qa = [(fill(q), fill(a), fill(s)) for q, a, s in passage.questions]
        return {"text": text, "qa": qa, "un": [fill(q) for q in passage.unanswerable]}

    def conversation(self) -> dict:
        return self.about(self.written())

    def from_prose(self) -> dict:
        if self.library.human_questions and (not self.library.questions or self.chance(0.25)):
            return self.about(self.pick(self.library.human_questions))
        return self.about(self.pick(self.library.questions))

    def about(self, source: dict) -> dict:
        count = self.pick([1, 1, 2, 3, 4, 5, 6])
        asked = []
        for _ in range(count):
            if source["un"] and self.chance(0.11):
                asked.append((self.pick(source["un"]), None, None))
            else:
                asked.append(self.pick(source["qa"]))
        asked = list(dict.fromkeys(asked))
        rule, refusal, length = self.rules()
        text = self.among_others(source["text"])
        messages, tools = self.opening(text, asked[0][0], rule)
        for index, (question, answer, sentence) in enumerate(asked):
            if index > 0:
                messages.append(user(question))
            told = (answer, sentence or self.telling(source["text"], question, answer))
            messages.append(assistant(self.reply(*told, refusal, length)))
        return {"messages": messages, "tools": tools}

    def rules(self) -> tuple[str, str | None, str]:
        """What is asked of the answers: their length, and what to say when there is none."""
        rules, refusal, length = [], None, "free"
        if self.chance(0.2):
            refusal = self.pick(CUSTOM)
            rules.append(self.pick(CUSTOM_RULE).format(c=refusal))
        roll = self.rng.random()
        if roll < 0.2:
            length = "short"
            rules.append(self.pick(SHORT))
        elif roll < 0.27:
            length = "long"
            rules.append(self.pick(LONG))
        self.rng.shuffle(rules)
        return " ".join(rules), refusal, length

    def reply(self, answer, sentence, refusal, length) -> str:
        if answer is None:
            return refusal or self.pick(REFUSALS)
        if length == "short" or sentence is None:
            return answer
        return sentence if length == "long" or self.chance(0.8) else answer

    def telling(self, text: str, question: str, answer: str | None) -> str | None:
        """The sentence of the text that has the answer; of several, the one most like the question."""
        if answer is None or len(answer) > 90:
            return None
        holding = [sentence.strip() for sentence in SENTENCE.findall(text) if answer in sentence]
        if not holding:
            return None
        asked = set(WORD.findall(question.lower()))
        best = max(holding, key=lambda sentence: len(asked & set(WORD.findall(sentence.lower()))))
        return best if len(best) < 240 else None

    def among_others(self, text: str) -> str:
        """The text, sometimes with others around it."""
        if len(text) > 900 or not self.chance(0.22):
            return text
        roll = self.rng.random()
        others = self.rng.randint(8, 14) if roll < 0.08 else self.rng.randint(3, 6) if roll < 0.28 else self.rng.randint(1, 2)
        texts = [text] + [self.other_text() for _ in range(others)]
        self.rng.shuffle(texts)
        title = self.pick(TITLES)
        return "\n\n".join(title.format(n=index + 1) + one for index, one in enumerate(texts))

    def other_text(self) -> str:
        if self.library.questions and self.chance(0.6):
            return self.pick(self.library.questions)["text"][:900]
        return self.slots.fill(self.pick(self.library.passages).text, {})

    def opening(self, text: str, question: str, rule: str) -> tuple[list[dict], list[dict]]:
        asked = f"{question} {rule}".strip()
        roll = self.rng.random()
        if roll < 0.17:
            system = self.pick(SYSTEMS).format(p=text) + (f"\n{rule}" if rule else "")
            return [{"role": "system", "content": system}, user(question)], []
        if roll < 0.23:
            return [user(self.pick(READ_FIRST).format(p=text)), assistant(self.pick(READY)), user(asked)], []
        if roll < 0.30:
            return self.searched(text, question, rule)
        said = self.pick(WRAPS).format(p=text, q=question, ql=lower_first(question))
        if rule and self.chance(0.5):
            return self.system(0.2) + [user(f"{rule}\n\n{said}")], []
        if rule and self.chance(0.5):
            return [{"role": "system", "content": rule}, user(said)], []
        return self.system(0.25) + [user(f"{said}\n{rule}".strip())], []

    def searched(self, text: str, question: str, rule: str) -> tuple[list[dict], list[dict]]:
        """The passage comes as the result of a search."""
        name = self.pick(["search", "file_search", "search_documents", "lookup", "retrieve", "searchDocs", "knowledge_base"])
        description = self.pick(["Search the documents", "Find passages in the user's files", "Look up information"])
        param = self.pick(["query", "q", "text", "question"])
        schema = {"type": "object", "properties": {param: {"type": "string", "description": "What to look for"}}, "required": [param]}
        result = text if self.chance(0.5) else json.dumps({"results": [{"text": text}]}, ensure_ascii=False)
        messages = ([{"role": "system", "content": rule}] if rule else self.system(0.3)) + [
            user(question),
            calling([(name, {param: question})]),
            tool_result(result),
        ]
        return messages, [{"name": name, "description": description, "parameters": schema}]
