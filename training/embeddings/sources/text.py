"""Small operations on text that all sources share."""

import re

LONGEST = 900


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def cut(text, limit=LONGEST):
    """The beginning of a text, to the end of a sentence where there is one."""
    text = squeeze(text)
    if len(text) <= limit:
        return text
    end = text.rfind(". ", limit // 2, limit)
    return text[: end + 1] if end > 0 else text[:limit].rsplit(" ", 1)[0]


def around(passage, answer, limit=LONGEST):
    """The part of a long passage that holds the answer, else its beginning."""
    passage = squeeze(passage)
    at = passage.find(answer) if len(answer) > 3 else -1
    if len(passage) <= limit or at < limit // 2:
        return cut(passage, limit)
    start = passage.rfind(". ", 0, at - limit // 4)
    return cut(passage[start + 2 if start > 0 else at - limit // 4:], limit)


def untokenise(text):
    """Text whose words and marks stand apart, written as people write it."""
    text = re.sub(r" ([,.;:?!%)\]])", r"\1", text)
    text = re.sub(r"([(\[$]) ", r"\1", text)
    text = re.sub(r" ('s|'t|'re|'ve|'ll|'d|n't)\b", r"\1", text)
    return text.replace(" ' ", "' ").replace("`` ", '"').replace(" ''", '"')


def sentences(text):
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text) if s]
