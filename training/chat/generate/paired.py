"""The same question twice: of a passage that tells the answer, and of the passage without the sentences that tell it.

Only what the text says decides here: subject, wording and question are alike on both sides.
"""

import re

from generate.reading import SENTENCE, WORD, ReadingMaker
from generate.words import content_words

# What people ask of nearly every text, and the words that would stand in one that tells it.
OFTEN_ASKED = [
    ("What does it cost?", ("$", "€", "£", "cost", "price", "fee", "pay", "free", "dollar", "euro", "pound")),
    ("Is there a telephone number?", ("phone", "call", "555")),
    ("What is the e-mail address?", ("@", "mail")),
    ("On which days is it closed?", ("closed", "close", "open", "monday", "sunday", "holiday")),
    ("How many people work there?", ("employ", "staff", "work", "people", "team")),
    ("Who is in charge of it?", ("manage", "direct", "head", "led ", "chair", "charge", "boss", "found")),
    ("What was the weather like?", ("rain", "sun", "wind", "weather", "snow", "storm", "cloud")),
    ("Who paid for it?", ("paid", "pay", "fund", "donat", "grant", "money", "sponsor")),
    ("How old is the owner?", ("year", "age", "old", "born")),
    ("What colour is it?", ("red", "blue", "green", "black", "white", "yellow", "brown", "grey", "gray", "colo")),
    ("What will happen next year?", ("next year", "20")),
    ("How far is it from the station?", ("station", "km", "kilomet", "mile", "metre", "meter", "walk")),
]
LEAST_WORDS_LEFT = 25


class PairedMaker(ReadingMaker):
    def conversation(self) -> dict:
        for _ in range(20):
            source = self.source()
            asked = self.pick(source["qa"])
            if not self.chance(0.42):
                return self.asked(self.shortened(source["text"], asked), asked)
            if source["un"] and self.chance(0.3):
                return self.asked(source["text"], (self.pick(source["un"]), None, None))
            without = self.without_answer(source["text"], asked[1])
            if without is not None:
                return self.asked(without, (asked[0], None, None))
            question = self.often_asked(source["text"])
            if question is not None:
                return self.asked(source["text"], (question, None, None), alone=True)
        return super().conversation()

    def source(self) -> dict:
        others = [texts for texts in (self.library.questions, self.library.human_questions) if texts]
        return self.written() if not others or self.chance(0.6) else self.pick(self.pick(others))

    def without_answer(self, text: str, answer: str) -> str | None:
        """The text without what tells the answer; none where that cannot be known or too little would be left."""
        wanted = words_of(answer)
        if not wanted or len(answer) > 90:
            return None
        sentences = SENTENCE.findall(text)
        left = [one for one in sentences if f" {wanted} " not in f" {words_of(one)} "]
        rest = "".join(left).strip()
        if len(left) == len(sentences) or len(WORD.findall(rest)) < LEAST_WORDS_LEFT:
            return None
        return rest

    def shortened(self, text: str, asked: tuple) -> str:
        """Sometimes without a sentence that has nothing to do with the question: a gap alone does not mean that the answer is gone."""
        sentences = SENTENCE.findall(text)
        if len(sentences) < 4 or not self.chance(0.4):
            return text
        meant = content_words(" ".join(part for part in asked if part))
        holding = [at for at, one in enumerate(sentences) if asked[1] in one or meant & content_words(one)]
        far = [at for at in range(1, len(sentences)) if all(abs(at - one) > 1 for one in holding)]
        if not holding or not far:
            return text
        gone = sentences[self.pick(far)].strip()
        return re.sub(r"  +", " ", text.replace(gone, "", 1)).strip()

    def often_asked(self, text: str) -> str | None:
        told = text.lower()
        open_questions = [question for question, signs in OFTEN_ASKED if not any(sign in told for sign in signs)]
        return self.pick(open_questions) if open_questions else None

    def asked(self, text: str, asked: tuple, alone: bool = False) -> dict:
        """Among other texts or not: whether it has an answer is not to be told from that. `alone` where others might have one."""
        question, answer, sentence = asked
        rule, refusal, length = self.rules() if self.chance(0.3) else ("", None, "free")
        messages, tools = self.opening(text if alone else self.among_others(text), question, rule)
        told = sentence or self.telling(text, question, answer)
        messages.append({"role": "assistant", "content": self.reply(answer, told, refusal, length)})
        return {"messages": messages, "tools": tools}


def words_of(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))
