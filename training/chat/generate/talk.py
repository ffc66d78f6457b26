"""Conversations and tasks as they were written, with their phrasings and values mixed."""

import json
import re
from pathlib import Path

from generate.base import Maker, assistant, user


# Who it is and what it can do is told in our own words alone.
IDENTITY = re.compile(r"\b(who|what) are you\b|\byour (own )?name\b|\bare you (a|an|real|human|alive)\b|\b(made|created|built|trained) you\b|\b(computer program|chat ?bot|language model|artificial intelligence|assistant)\b", re.I)


def load_chats(folder: Path) -> dict[str, list]:
    """Free sets of questions and answers, by name."""
    found = {}
    for file in sorted(Path(folder).glob("chat-*.jsonl")):
        read = (json.loads(line)["messages"] for line in file.open())
        found[file.stem[5:]] = [messages for messages in read if not any(IDENTITY.search(one["content"]) for one in messages)]
    return found


class TalkMaker(Maker):
    def conversation(self) -> dict:
        chat = self.pick(self.library.chats)
        known, messages = {}, []
        if chat["system"]:
            messages.append({"role": "system", "content": self.slots.fill(chat["system"], known)})
        else:
            messages += self.system(0.25)
        messages += self.turns(chat, known)
        if not chat["system"] and self.chance(0.35):
            more = self.pick(self.library.chats)
            if not more["system"]:
                messages += self.turns(more, {})
        return {"messages": messages}

    def turns(self, chat, known) -> list[dict]:
        messages = []
        for phrasings, answers in chat["turns"]:
            messages.append(user(self.typed(self.slots.fill(self.pick(phrasings), known))))
            messages.append(assistant(self.slots.fill(self.pick(answers), known)))
        return messages

    def typed(self, text: str) -> str:
        """As people type it."""
        roll = self.rng.random()
        if roll < 0.05:
            return text.lower()
        if roll < 0.12:
            return text.rstrip(".?!")
        if 0.15 < roll < 0.2 and len(text) > 12 and "{" not in text:
            return self.misspelt(text)
        if roll < 0.15:
            return self.pick(["Hi, ", "Hello! ", "Hey, ", "Please: ", "Question: ", "Ok. "]) + text
        return text

    def misspelt(self, text: str) -> str:
        """One letter lost, doubled or swapped."""
        at = self.rng.randrange(1, len(text) - 1)
        if not text[at].isalpha():
            return text
        return self.pick([text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:], text[:at] + text[at + 1] + text[at] + text[at + 2 :]])

    def task(self) -> dict:
        task = self.pick(self.library.tasks)
        known: dict = {}
        instruction = self.slots.fill(self.pick(task.instructions), known)
        first, answer = (self.slots.fill(part, known) for part in self.pick(task.pairs))
        as_system = self.chance(0.15) and "{x}" not in instruction
        messages = [{"role": "system", "content": instruction}] if as_system else self.system(0.2)
        messages += [user(first if as_system else self.instructed(instruction, first)), assistant(answer)]
        fixed = dict(known) if "#" in "".join(known) else {}
        for _ in range(self.pick([0, 0, 0, 1, 2])):
            known = dict(fixed)
            more, answer = (self.slots.fill(part, known) for part in self.pick(task.pairs))
            if as_system or self.chance(0.5):
                messages += [user(more), assistant(answer)]
        return {"messages": messages}

    def instructed(self, instruction: str, text: str) -> str:
        if "{x}" in instruction:
            return instruction.replace("{x}", text)
        shape = self.pick(["{i}\n\n{x}", "{i}\n{x}", "{i} {x}", "{x}\n\n{i}", '{i}\n"{x}"', "{i}\n\nText: {x}", "{i}\n\nInput: {x}"])
        return shape.format(i=instruction, x=text)
