"""Wordset (CC BY-SA 4.0): what words mean, with an example. OpenTriviaQA (CC BY-SA 4.0): questions with choices."""

import json
import re

from common import Repo, arguments, chat, pick, tidy, write

WORDS = "wordset/wordset-dictionary"
TRIVIA = "uberspot/OpenTriviaQA"
ASK = ['What does "{w}" mean?', "What does {w} mean?", "Define {w}.", "What is the meaning of {w}?", "Explain the word {w}.", "{W}: what does it mean?",
       'Give me a definition of "{w}".', "what's the definition of {w}", "Use {w} in a sentence and tell me what it means."]
MEANS = ['"{W}" is {a} {p} that means: {d}. Example: {e}', "{W} ({p}): {d}. For example: {e}", "{W} means: {d}. Example: {e}"]
RUDE = re.compile(r"\b(sex|slur|offensive|obscene|vulgar|genital|penis|vagina|disparaging|prostitut)\w*", re.I)
CHOICES = ["{q}\n{c}", "{q}\n\n{c}", "{q} Choose one:\n{c}", "Multiple choice: {q}\n{c}"]
CATEGORIES = r"^categories/(animals|for-kids|general|geography|history|humanities|literature|people|religion-faith|science-technology|world|hobbies|newest)$"


def definitions(repo):
    for _, text in repo.files(r"^data/[a-z]\.json$", "data/"):
        for word, entry in json.loads(text).items():
            meaning = next((one for one in entry.get("meanings", []) if one.get("example") and len(one["example"]) > 15), None)
            if not meaning or not re.fullmatch(r"[a-z]{3,14}( [a-z]{3,12})?", word) or RUDE.search(meaning["def"] + meaning["example"]):
                continue
            kind = meaning["speech_part"]
            example = tidy(meaning["example"])
            example = example[0].upper() + example[1:] + ("" if example[-1] in ".?!" else ".")
            told = pick(MEANS, word).format(W=word[0].upper() + word[1:], a="an" if kind[0] in "aeiou" else "a", p=kind, d=tidy(meaning["def"]).rstrip("."), e=example)
            yield chat(pick(ASK, word + "q").format(w=word, W=word[0].upper() + word[1:]), told)


def trivia(repo):
    for _, text in repo.files(CATEGORIES, "categories/"):
        for block in re.split(r"^#Q ", text, flags=re.M)[1:]:
            question, found = re.match(r"(.*?)\n\^ (.*?)\n", block, re.S), re.findall(r"^([A-D]) (.+)$", block, re.M)
            if question and len(found) == 4 and len(question.group(1)) < 200:
                right = tidy(question.group(2))
                letter = next((name for name, value in found if tidy(value) == right), None)
                choices = "\n".join(f"{name}. {tidy(value)}" if pick("ab", block) == "a" else f"{name}) {tidy(value)}" for name, value in found)
                if letter:
                    yield chat(pick(CHOICES, block).format(q=tidy(question.group(1)), c=choices), pick([f"{letter}. {right}", f"{right} ({letter})", f"The answer is {letter}: {right}."], block + "a"))


def main():
    mirrors, out = arguments(__doc__)
    write(out / "chat-words.jsonl", definitions(Repo(mirrors, WORDS)))
    write(out / "chat-trivia.jsonl", trivia(Repo(mirrors, TRIVIA)))


if __name__ == "__main__":
    main()
