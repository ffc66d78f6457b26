"""Finding things in real prose: the sentence about something, the missing words, what comes next."""

import re

from generate.reading import ReadingMaker

SENTENCE = re.compile(r"[^.!?]+[.!?]+[\"')]*\s*")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]+|\d[\d,.]*\d|\d")
COMMON = set(
    "the a an and or but of in on at to for from with by as is are was were be been has have had it its this that these those he she "
    "they we you i his her their our not no which who whom when where while than then so such can could may might will would should "
    "do does did also more most other some any all each one two into over under between after before about there here what how why".split()
)
ABOUT = [
    "Which sentence mentions {w}?",
    "Quote the sentence about {w}.",
    "Find the sentence with \"{w}\" and repeat it.",
    "Where does the text speak of {w}? Quote it.",
    "Copy the sentence that contains \"{w}\".",
]
GAP = [
    "Fill in the blank from the text: {s}",
    "Complete with the words of the text: {s}",
    "{s}\nWhat is missing?",
    "What belongs in the gap? {s}",
    "According to the text: {s}",
]
NEXT = ["What comes right after \"{s}\"?", "Continue the text after: {s}", "Which words follow \"{s}\"?"]
FIRST = ["What is the first sentence of the text?", "Repeat the first sentence.", "How does the text begin?"]
LAST = ["What is the last sentence of the text?", "How does the text end?", "Quote the final sentence."]


class QuoteMaker(ReadingMaker):
    """Questions that can be answered by finding and copying alone; as many as there is prose."""

    def conversation(self) -> dict:
        text = self.pick(self.library.questions)["text"]
        sentences = [sentence.strip() for sentence in SENTENCE.findall(text)]
        sentences = [sentence for sentence in sentences if 20 < len(sentence) < 300]
        if len(sentences) < 2:
            return self.from_prose()
        qa = [made for made in (self.one(text, sentences) for _ in range(6)) if made is not None]
        return self.about({"text": text, "qa": qa, "un": []}) if qa else self.from_prose()

    def one(self, text: str, sentences: list[str]):
        roll = self.rng.random()
        sentence = self.pick(sentences)
        if roll < 0.1:
            return (self.pick(FIRST), sentences[0], None) if text.startswith(sentences[0]) else None
        if roll < 0.16:
            return (self.pick(LAST), sentences[-1], None) if text.rstrip().endswith(sentences[-1]) else None
        if roll < 0.4:
            rare = [word for word in WORD.findall(sentence) if word.lower() not in COMMON and len(word) > 3 and text.count(word) == 1]
            return (self.pick(ABOUT).format(w=self.pick(rare)), sentence, None) if rare else None
        if roll < 0.55:
            return self.following(text, sentence)
        return self.gap(sentence)

    def following(self, text: str, sentence: str):
        words = sentence.split()
        if len(words) < 9:
            return None
        at = self.rng.randint(3, len(words) - 4)
        before, after = " ".join(words[at - 3 : at]), " ".join(words[at : at + self.rng.randint(2, 6)])
        return (self.pick(NEXT).format(s=before), after, None) if text.count(before) == 1 else None

    def gap(self, sentence: str):
        """One to four words left out, from a word that carries meaning on."""
        places = [match for match in WORD.finditer(sentence) if match.group().lower() not in COMMON]
        if not places:
            return None
        place = self.pick(places)
        end = place.end()
        for _ in range(self.pick([0, 0, 1, 1, 2, 3])):
            more = re.match(r" [A-Za-z0-9'-]+", sentence[end:])
            if more is None:
                break
            end += more.end()
        while sentence[place.start() : end].split()[-1].lower() in COMMON and end > place.end():
            end = place.start() + len(sentence[place.start() : end].rsplit(" ", 1)[0])
        mark = self.pick(["____", "______", "...", "[blank]"])
        return self.pick(GAP).format(s=sentence[: place.start()] + mark + sentence[end:]), sentence[place.start() : end], None
