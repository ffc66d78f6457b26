"""Byte-level BPE, learnt from word counts.

Words are learnt without the space before them; `space + piece` merges come last. So a word splits alike behind a
space, a quote or a bracket, which makes it easier to copy from a sentence into JSON.
"""

import heapq
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

from render import SPECIAL

VOCABULARY = 16_384
LEARNT = 9_800
# As the `smollm` pre-tokenizer of llama.cpp: single digits, then the pattern of GPT-2.
PATTERN = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+|\d| ?[^\s\w]+|_+|\s+(?!\S)|\s+")


def byte_letters() -> dict[int, str]:
    """The letter that stands for each byte."""
    shown = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    letters = {byte: chr(byte) for byte in shown}
    extra = 0
    for byte in range(256):
        if byte not in letters:
            letters[byte] = chr(256 + extra)
            extra += 1
    return letters


LETTERS = byte_letters()
SPACE = LETTERS[32]


def spelled(text: str) -> str:
    return "".join(LETTERS[byte] for byte in text.encode())


def count_words(texts) -> tuple[Counter, Counter]:
    """How often each word comes, and how often behind a space."""
    words, spaced = Counter(), Counter()
    for text in texts:
        for word in PATTERN.findall(text):
            bare = word[1:] if word[0] == " " and len(word) > 1 else word
            words[bare] += 1
            if bare is not word:
                spaced[bare] += 1
    return words, spaced


class Learner:
    """Merges the most frequent pair, again and again, over words with counts."""

    def __init__(self, words: Counter):
        self.splits = [list(spelled(word)) for word in words]
        self.counts = list(words.values())
        self.pairs, self.where = Counter(), defaultdict(set)
        for index, split in enumerate(self.splits):
            for pair in zip(split, split[1:]):
                self.pairs[pair] += self.counts[index]
                self.where[pair].add(index)
        self.heap = [(-count, pair) for pair, count in self.pairs.items()]
        heapq.heapify(self.heap)

    def best(self):
        while self.heap:
            count, pair = heapq.heappop(self.heap)
            if self.pairs.get(pair, 0) == -count:
                return pair if -count > 1 else None
        return None

    def merge(self, pair) -> None:
        changed = set()
        for index in self.where.pop(pair):
            self._merge_in(index, pair, changed)
        self.pairs.pop(pair, None)
        for one in changed:
            if one != pair and self.pairs[one] > 0:
                heapq.heappush(self.heap, (-self.pairs[one], one))

    def _merge_in(self, index, pair, changed) -> None:
        split, count = self.splits[index], self.counts[index]
        for old in zip(split, split[1:]):
            self.pairs[old] -= count
            changed.add(old)
        merged, at = [], 0
        while at < len(split):
            if at + 1 < len(split) and (split[at], split[at + 1]) == pair:
                merged.append(split[at] + split[at + 1])
                at += 2
            else:
                merged.append(split[at])
                at += 1
        self.splits[index] = merged
        for new in zip(merged, merged[1:]):
            self.pairs[new] += count
            self.where[new].add(index)
            changed.add(new)


def learn(texts, out: Path) -> None:
    """Learns the vocabulary and writes it as JSON: `tokens` in order of their ids, and `merges`."""
    words, spaced = count_words(texts)
    kept = Counter({word: count for word, count in words.items() if count > 2})
    learner, merges = Learner(kept), []
    alphabet = [LETTERS[byte] for byte in range(256)]
    tokens = SPECIAL + alphabet
    have = set(tokens)
    while len(tokens) < LEARNT:
        pair = learner.best()
        if pair is None:
            break
        merges.append(pair)
        made = "".join(pair)
        if made not in have:
            have.add(made)
            tokens.append(made)
        learner.merge(pair)
    first = Counter()
    for index, word in enumerate(kept):
        if word in spaced and not word[0].isdigit():
            first[learner.splits[index][0]] += spaced[word]
    for piece, _ in first.most_common():
        if len(tokens) >= VOCABULARY:
            break
        if SPACE + piece not in have and piece[0] != LETTERS[10]:
            merges.append((SPACE, piece))
            tokens.append(SPACE + piece)
    while len(tokens) < VOCABULARY:
        tokens.append(f"<|unused{len(tokens)}|>")
    out.write_text(json.dumps({"tokens": tokens, "merges": merges}, ensure_ascii=False))


def fast(file: Path):
    """The same tokenizer on the `tokenizers` package."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    made = json.loads(Path(file).read_text())
    vocabulary = {token: index for index, token in enumerate(made["tokens"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(pair) for pair in made["merges"]]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in SPECIAL])
    return tokenizer
