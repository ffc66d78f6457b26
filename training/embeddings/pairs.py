"""Training pairs: read, cleaned of what the judged collections hold, grown, cut into pieces of words."""

import csv
import json
import lzma
import os
import random
import re
from multiprocessing import Pool

import numpy as np
import torch

from sources.text import sentences

SHARED = 10  # words in a row that a training text may not share with a judged text; nor may it be a judged text as a whole
ASKS = ["articles about {}", "I am looking for papers on {}", "what is known about {}?", "information concerning {}",
        "{} - any work on this?", "I'm interested in {}", "which articles deal with {}", "find documents on {}", "tell me about {}",
        "how does {} work", "give me everything on {}", "is there anything about {}"]
INCLUDED = re.compile(r"\[?!INCLUDE\s*\[[^\]]*\]\s*")  # what Microsoft's pages put in from other files
STOP = set("a an the of in on and or to for is are be by with as at from that this it which was were has have been not we our their its can "
           "will may also these those such than more into other but they he she his her you your i".split())


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def runs(text):
    found = words(text)
    if len(found) <= SHARED:
        return [" ".join(found)]
    return (" ".join(found[i:i + SHARED]) for i in range(len(found) - SHARED + 1))


def judged_runs(folder):
    banned = set()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".collection.json"):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                collection = json.load(file)
            for text in [f"{d['title']} {d['text']}" for d in collection["documents"]] + [q["text"] for q in collection["questions"]]:
                banned.update(runs(text))
    with open(f"{folder}/stsb.csv", encoding="utf-8") as file:
        for first, second, _ in csv.reader(file):
            banned.update([*runs(first), *runs(second)])
    return banned


class Shared:
    """What forked workers look at without its being sent to them."""
    texts, banned, tokenizer = [], set(), None


def spread(work, texts, *options):
    """The results of work(start, end, *options) on the parts of a list, in order, from all cores. Nothing on the GPU may be needed."""
    Shared.texts = texts
    size = max(1, len(texts) // 128)
    with Pool() as pool:
        return pool.starmap(work, [(start, start + size, *options) for start in range(0, len(texts), size)], chunksize=1)


def allowed(start, end):
    return [not any(run in Shared.banned for text in row[2:4] for run in runs(text)) for row in Shared.texts[start:end]]


def read(folder):
    """[(source, prose?, query, passage)] of the files that pack.py wrote."""
    rows = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("pairs."):
            with lzma.open(f"{folder}/{name}", "rt", encoding="utf-8") as file:
                for line in file:
                    source, prose, query, passage = line.rstrip("\n").split("\t", 3)
                    passage = INCLUDED.sub(" ", passage).strip()
                    if len(passage) > 15:
                        rows.append((source, prose == "1", query, passage))
    return rows


def clean(rows, banned):
    Shared.banned = banned
    keep = [kept for part in spread(allowed, rows) for kept in part]
    return [row for row, kept in zip(rows, keep) if kept]


def more(start, end, seed):
    rng, out = random.Random(seed * 10_000_000 + start), []
    for name, prose, query, passage in Shared.texts[start:end]:
        if not prose:
            continue
        parts = sentences(passage)
        at = rng.randrange(len(parts)) if parts else 0
        if len(parts) >= 3 and len(parts[at]) > 40:
            out.append((name + "-rest", False, parts[at], " ".join(parts[:at] + parts[at + 1:])))
        if rng.random() < 0.35 and parts:
            content = [w for w in words(rng.choice(parts)) if w not in STOP and len(w) > 2]
            if len(content) >= 4:
                chosen = sorted(rng.sample(range(len(content)), rng.randint(2, min(6, len(content)))))
                out.append(("keywords", False, " ".join(content[i] for i in chosen), passage))
        if rng.random() < 0.25 and not query.endswith("?") and len(query) > 12:
            out.append((name + "-asked", False, rng.choice(ASKS).format(query[0].lower() + query[1:]), passage))
    return out


def grown(rows, seed):
    """More pairs from prose: a sentence -> the rest, a few words of a sentence -> the whole, and titles inside a request."""
    return [row for part in spread(more, rows, seed) for row in part]


def unique(rows):
    seen, out = set(), []
    for row in rows:
        key = (row[2].lower(), row[3][:100])
        if key not in seen:
            seen.add(key)
            out.append(row)
    return out


def cut_up(start, end, longest):
    found = Shared.tokenizer.encode_batch_fast(Shared.texts[start:end], add_special_tokens=False)
    ids = [one.ids[:longest] or [1] for one in found]
    return np.array([n for one in ids for n in one], np.int32), np.array([len(one) for one in ids], np.int64)


def flat(tokenizer, texts, longest):
    Shared.tokenizer = tokenizer
    pieces, lengths = zip(*spread(cut_up, texts, longest))
    return np.concatenate(pieces), np.concatenate([[0], np.cumsum(np.concatenate(lengths))])


class Pairs:
    """The pieces of all queries and passages in two flat arrays on the GPU, with offsets."""

    def __init__(self, rows, tokenizer, longest=160):
        queries, passages = flat(tokenizer, [r[2] for r in rows], 48), flat(tokenizer, [r[3] for r in rows], longest)
        self.sources = sorted({r[0] for r in rows})
        number = {name: n for n, name in enumerate(self.sources)}
        source = np.array([number[r[0]] for r in rows])
        self.members = [np.flatnonzero(source == n) for n in range(len(self.sources))]
        groups = {}
        self.group = torch.tensor([groups.setdefault(r[3][:120], len(groups)) for r in rows]).cuda()
        self.queries, self.passages = (tuple(torch.from_numpy(part).cuda() for part in side) for side in (queries, passages))
        self.negatives = None

    @staticmethod
    def bag(flat, index):
        """The pieces of some texts one after another, and where each text begins."""
        ids, starts = flat
        first, count = starts[index], starts[index + 1] - starts[index]
        ends = torch.cumsum(count, 0)
        offsets = ends - count
        where = torch.arange(int(ends[-1]), device="cuda") + torch.repeat_interleave(first - offsets, count)
        return ids[where].long(), offsets

    def batches(self, size, seed, power=0.75):
        """Without end: a third of the batches mixed, the others from one source, so that the others' passages are hard."""
        rng = np.random.default_rng(seed)
        weight = np.array([len(m) for m in self.members], float) ** power
        weight /= weight.sum()
        order, at, step = [rng.permutation(m) for m in self.members], [0] * len(self.members), 0
        while True:
            if step % 3 == 0:
                counts = rng.multinomial(size, weight)
            else:
                counts = np.zeros(len(order), int)
                counts[rng.choice(len(order), p=weight)] = size
            take = []
            for s in np.flatnonzero(counts):
                n = min(int(counts[s]), len(order[s]))
                if at[s] + n > len(order[s]):
                    order[s], at[s] = rng.permutation(self.members[s]), 0
                take.append(order[s][at[s]:at[s] + n])
                at[s] += n
            step += 1
            yield torch.from_numpy(np.concatenate(take)).cuda()
