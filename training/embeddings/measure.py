"""Measure finished weights on judged collections, or on the pairs that train.py held out.

  python3 measure.py WEIGHTS JUDGED|held.json.xz [weight of meaning]

WEIGHTS holds what export.py wrote. Needs numpy alone: no GPU, no library for pieces of words.
"""

import json
import lzma
import re
import sys
import unicodedata

import numpy as np

import evaluate

LONGEST_WORD = 60


class Weights:
    def __init__(self, folder):
        with open(f"{folder}/model.json", encoding="utf-8") as file:
            self.about = json.load(file)
        with open(f"{folder}/vocabulary.txt", encoding="utf-8") as file:
            self.pieces = {piece: n for n, piece in enumerate(file.read().split("\n")[:-1])}
        table = np.fromfile(f"{folder}/table.i8", np.int8).reshape(self.about["pieces"], self.about["numbers"])
        self.rows = table.astype(np.float32) * np.fromfile(f"{folder}/scales.f32", "<f4")[:, None]
        self.known = {}

    def word(self, word):
        found, at = [], 0
        while at < len(word):
            for end in range(len(word), at, -1):
                number = self.pieces.get(("##" if at else "") + word[at:end])
                if number is not None:
                    break
            else:
                return [1]
            found.append(number)
            at = end
        return found

    def ids(self, text):
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").lower()
        out = []
        for word in re.findall(r"[^\W_]+|[^\w\s]|_", text):
            if word not in self.known:
                self.known[word] = [1] if len(word) > LONGEST_WORD else self.word(word)
            out += self.known[word]
        return out or [1]

    def embedder(self, size):
        rows = self.rows[:, :size]

        def embed(texts):
            sums = np.stack([rows[self.ids(text)].sum(0) for text in texts])
            return sums / (np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9)
        return embed


def bench_of(path):
    if not path.endswith(".xz"):
        return evaluate.Bench(evaluate.collections(path), evaluate.likeness(path))
    with lzma.open(path, "rt", encoding="utf-8") as file:
        held = json.load(file)
    return evaluate.Bench({name: (texts, [(q, set(right)) for q, right in asked]) for name, (texts, asked) in held.items()})


def main(folder, path, weight=None):
    weights, bench = Weights(folder), bench_of(path)
    weight = float(weight or weights.about["meaningWeight"])
    base = bench.baseline

    def line(label, found, likeness=""):
        ratio = np.mean([found[n] / base[n] for n in found])
        print(f"| {label} | " + " | ".join(f"{v:.3f}" for v in found.values()) + f" | {ratio:.3f} | {likeness} |", flush=True)
    print("| | " + " | ".join(bench.sets) + " | mean of ratios | STS-B |")
    line("BM25", base)
    for size in reversed(weights.about["nested"]):
        embed = weights.embedder(size)
        cosines = bench.cosines(embed)
        line(f"{size} numbers alone", bench.alone(cosines), f"{bench.sts(embed):.4f}" if bench.likeness else "")
        line(f"{size} numbers and BM25, weight {weight}", bench.summed(cosines, weight))
        if path.endswith(".xz"):
            for tried, found in bench.gains(cosines).items():
                line(f"{size} numbers and BM25, weight {tried}", {n: v * base[n] for n, v in found.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
