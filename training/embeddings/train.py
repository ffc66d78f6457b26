"""Train the table on a GPU.

  python3 train.py PAIRS JUDGED OUT [seconds of the base] [seconds of a seed] [seeds]

PAIRS holds what pack.py wrote; JUDGED the collections that are measured and never trained on. First a base
without mined negatives; then, from the base, one table a seed with mined negatives; their mean is the model. Weights are written
before anything is measured. The weight of meaning beside words is found on pairs held out of training, never on JUDGED.
"""

import json
import lzma
import random
import sys
import time
from multiprocessing import Pool

import torch
import torch.nn.functional as F

import evaluate
import pairs as data
import pieces
from mine import mine
from model import NESTED, Table, in_bytes, save, train

PAIRS, JUDGED, OUT = sys.argv[1:4]
BASE, SEED, SEEDS = (int(x) for x in (sys.argv[4:] + ["110", "60", "4"][len(sys.argv) - 4:]))
# Never trained on: whole documentation sets, papers' summaries, and a part of the questions.
HELD_DOCUMENTATION = {"vue", "prometheus", "handbook", "rails"}
WHOLE = ("documentation", "scitldr")
HELD_PARTS = ["medquad", "fairytales", "superni", "qamr", "acl", "elife", "sql"]
START = time.time()


def say(*what):
    print(f"[{time.time() - START:4.0f}s]", *what, flush=True)


def held_out(rows):
    """(training rows, {name: (documents, questions)}): the sets on which the weight is chosen."""
    sets, rng, groups = {}, random.Random(2), {}
    for row in rows:
        groups.setdefault("documentation" if row[0] in HELD_DOCUMENTATION else row[0], []).append(row)
    held = set()
    for name in [*WHOLE, *HELD_PARTS]:
        part = groups.get(name, [])
        passages = sorted({row[3] for row in part})
        right = set(passages if name in WHOLE else rng.sample(passages, min(400, len(passages) // 4)))
        held |= {(name, p) for p in right}
        asked = {}
        for row in part:
            if row[3] in right:
                asked.setdefault(row[2], set()).add(row[3])
        chosen = rng.sample(sorted(asked), min(500, len(asked)))
        others = passages if len(passages) < 8000 else sorted(right) + rng.sample(passages, 6000)
        documents = sorted(set(others))
        at = {text: n for n, text in enumerate(documents)}
        sets[name] = documents, [(q, {at[p] for p in asked[q]}) for q in chosen]
    kept = [r for r in rows if r[0] not in HELD_DOCUMENTATION and r[0] != "scitldr" and (r[0], r[3]) not in held]
    return kept, sets


def embedder(weight, tokenizer, size):
    rows = weight[:, :size].contiguous()

    @torch.no_grad()
    def embed(texts):
        out = []
        for i in range(0, len(texts), 512):
            ids = [e.ids or [1] for e in tokenizer.encode_batch(texts[i:i + 512], add_special_tokens=False)]
            counts = torch.tensor([len(x) for x in ids]).cuda()
            flat = torch.tensor([x for y in ids for x in y]).cuda()
            out.append(F.normalize(F.embedding_bag(flat, rows, torch.cumsum(counts, 0) - counts, mode="sum"), dim=-1))
        return torch.cat(out).cpu().numpy()
    return embed


def measure(label, weight, tokenizer, held, judged, results, weight_of_meaning=None, size=512):
    """Held-out and judged figures of a table in eight bits. The judged ones are only shown."""
    whole, scales = in_bytes(weight)
    embed = embedder(whole.float() * scales, tokenizer, size)
    own = held.cosines(embed)
    best, gain = held.best_weight(own, WHOLE)
    chosen = weight_of_meaning or best
    cosines = judged.cosines(embed)
    row = {"held alone": held.alone(own), "held sum": held.summed(own, chosen), "best weight": best, "gain": gain[best],
           "alone": judged.alone(cosines), "sum": judged.summed(cosines, chosen), "weight": chosen, "sts": judged.sts(embed)}
    results[label] = row
    short = lambda part: " ".join(f"{n} {v:.3f}" for n, v in part.items())
    say(f"{label}: STS-B {row['sts']:.4f}; weight {chosen}\n   held alone {short(row['held alone'])}\n   held sum   {short(row['held sum'])}"
        f"\n   alone {short(row['alone'])}\n   sum   {short(row['sum'])}")
    with open(f"{OUT}/results.json", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    return row


def prepared():
    """(pairs, tokenizer, counts by source, two measures under way in other processes)."""
    rows = data.read(PAIRS)
    say(len(rows), "records")
    kept = data.clean(rows, data.judged_runs(JUDGED))
    say(len(rows) - len(kept), f"dropped: {data.SHARED} words in a row shared with a judged text")
    kept, sets = held_out(kept)
    with lzma.open(f"{OUT}/held.json.xz", "wt", preset=1) as file:
        json.dump({name: [texts, [[q, sorted(right)] for q, right in asked]] for name, (texts, asked) in sets.items()}, file)
    pool = Pool(2)  # before the GPU is used: BM25 takes its time
    benches = [pool.apply_async(evaluate.Bench, (sets,)),
               pool.apply_async(evaluate.Bench, (evaluate.collections(JUDGED), evaluate.likeness(JUDGED)))]
    rows = data.unique(kept + data.grown(kept, 5))
    counts = {}
    for row in rows:
        counts[row[0]] = counts.get(row[0], 0) + 1
    say(len(rows), "pairs", counts)
    tokenizer = pieces.learned(rows)
    say("pieces of words learnt")
    pairs = data.Pairs(rows, tokenizer)
    say("all texts cut into", len(pairs.queries[0]), "and", len(pairs.passages[0]), "pieces")
    return pairs, tokenizer, counts, benches


def main():
    pairs, tokenizer, counts, benches = prepared()
    torch.manual_seed(1)
    base = train(Table(pieces.COUNT, NESTED[-1]), pairs, BASE, 0.002, 1)
    say("base trained")
    save(OUT, base.rows.weight.detach(), tokenizer, 1.0)
    mine(base, pairs)
    say("hard negatives mined")
    tables = []
    for seed in range(SEEDS):
        model = Table(pieces.COUNT, NESTED[-1])
        model.load_state_dict(base.state_dict())
        tables.append(train(model, pairs, SEED, 0.001, 100 + seed).rows.weight.detach().clone())
    mean = torch.stack(tables).mean(0)
    save(OUT, mean, tokenizer, 1.0)
    say("mean of the seeds written")
    held, judged = (bench.get() for bench in benches)
    results = {"pairs": counts, "bm25": judged.baseline, "held bm25": held.baseline}
    say("BM25", judged.baseline, "\n   held", held.baseline)
    row = measure("mean of seeds", mean, tokenizer, held, judged, results)
    save(OUT, mean, tokenizer, row["weight"])
    measure("one seed", tables[0], tokenizer, held, judged, results)
    measure("base", base.rows.weight.detach(), tokenizer, held, judged, results)
    measure("base and mean", (mean + base.rows.weight.detach()) / 2, tokenizer, held, judged, results)
    for size in NESTED[:-1]:
        measure(f"mean of seeds, {size} numbers", mean, tokenizer, held, judged, results, row["weight"], size)


if __name__ == "__main__":
    main()
