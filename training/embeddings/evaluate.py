"""Measures of retrieval: BM25, vectors alone, and both together, on judged collections and on held-out training pairs."""

import csv
import json
import os
import re

import numpy as np

SKIPPED = set("a an the of in on and or to for is are be by with as at from that this it which was were has have been not what how can do "
              "does did i my me".split())
WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0, 3.0)


def collections(folder):
    """{name: (documents, [(question, {right})])} of every NAME.collection.json."""
    out = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".collection.json"):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                found = json.load(file)
            texts = [re.sub(r"\s+", " ", f"{d['title']} {d['text']}").strip() for d in found["documents"]]
            out[name.split(".")[0]] = texts, [(q["text"], set(q["right"])) for q in found["questions"]]
    return out


def terms(text):
    return [re.sub(r"(ing|ed|es|s)$", "", w) for w in re.findall(r"[a-z0-9_]+", text.lower()) if w not in SKIPPED]


def bm25(documents, questions, k1=1.2, b=0.75):
    index, lengths = {}, np.zeros(len(documents))
    for n, text in enumerate(documents):
        found = terms(text)
        lengths[n] = len(found)
        for term in found:
            counts = index.setdefault(term, {})
            counts[n] = counts.get(n, 0) + 1
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    scores = np.zeros((len(questions), len(documents)), np.float32)
    for i, question in enumerate(questions):
        for term in set(terms(question)) & index.keys():
            where = np.fromiter(index[term].keys(), int)
            counts = np.fromiter(index[term].values(), float)
            rare = np.log(1 + (len(documents) - len(where) + 0.5) / (len(where) + 0.5))
            scores[i, where] += rare * counts * (k1 + 1) / (counts + norm[where])
    return scores


def ndcg(scores, asked):
    total = 0.0
    for row, (_, right) in zip(scores, asked):
        top = np.argpartition(-row, 10)[:10] if len(row) > 10 else np.arange(len(row))
        top = top[np.argsort(-row[top], kind="stable")]
        best = sum(1 / np.log2(i + 2) for i in range(min(10, len(right))))
        total += sum((int(d) in right) / np.log2(i + 2) for i, d in enumerate(top)) / best
    return total / len(asked)


def standard(scores):
    return (scores - scores.mean(1, keepdims=True)) / (scores.std(1, keepdims=True) + 1e-6)


def spearman(a, b):
    def ranks(values):
        values = np.asarray(values, float)
        order = np.argsort(values, kind="stable")
        out = np.empty(len(values))
        out[order] = np.arange(len(values))
        for value in np.unique(values):  # equal values share their mean rank
            out[values == value] = out[values == value].mean()
        return out
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


class Bench:
    def __init__(self, sets, likeness=()):
        self.sets, self.likeness = sets, likeness
        self.words = {n: bm25(d, [q for q, _ in asked]) for n, (d, asked) in sets.items()}
        self.baseline = {n: ndcg(self.words[n], asked) for n, (_, asked) in sets.items()}

    def cosines(self, embed):
        return {n: embed([q for q, _ in asked]) @ embed(documents).T for n, (documents, asked) in self.sets.items()}

    def alone(self, cosines):
        return {n: ndcg(cosines[n], asked) for n, (_, asked) in self.sets.items()}

    def summed(self, cosines, weight):
        return {n: ndcg(standard(self.words[n]) + weight * standard(cosines[n]), asked) for n, (_, asked) in self.sets.items()}

    def gains(self, cosines):
        """{weight: the gain over BM25 on each set}."""
        return {w: {n: v / self.baseline[n] for n, v in self.summed(cosines, w).items()} for w in WEIGHTS}

    def best_weight(self, cosines, foreign):
        """The weight with the highest mean gain on the sets of sources never trained on, as a user's texts are; of those
        within 0.001 of it, the one with the highest mean gain on all sets."""
        gains = self.gains(cosines)
        gain = {w: np.mean([found[n] for n in foreign]) for w, found in gains.items()}
        near = [w for w in WEIGHTS if gain[w] > max(gain.values()) - 0.001]
        return max(near, key=lambda w: np.mean(list(gains[w].values()))), gain

    def sts(self, embed):
        first, second = embed([r[0] for r in self.likeness]), embed([r[1] for r in self.likeness])
        return spearman((first * second).sum(1), [r[2] for r in self.likeness])


def likeness(folder):
    with open(f"{folder}/stsb.csv", encoding="utf-8") as file:
        return [(a, b, float(c)) for a, b, c in csv.reader(file)]
