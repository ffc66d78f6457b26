"""The model: a table with a row of numbers for each piece of a word; a text is the sum of its pieces, made unit length."""

import json
import math
import time

import torch
import torch.nn.functional as F
from torch import nn

NESTED = [64, 128, 256, 512]


class Table(nn.Module):
    def __init__(self, pieces, numbers, drop=0.1):
        super().__init__()
        self.rows = nn.EmbeddingBag(pieces, numbers, mode="sum")
        nn.init.normal_(self.rows.weight, std=1 / math.sqrt(numbers))
        self.drop = drop

    def forward(self, bag):
        ids, offsets = bag
        kept = (torch.rand(ids.shape, device=ids.device) > self.drop).float() if self.training else None
        return self.rows(ids, offsets, per_sample_weights=kept)


def contrast(queries, passages, same, scale, negatives=None):
    """How badly each query finds its passage among all of the batch (and the mined ones), and each passage its query, at every nested size."""
    loss, target = 0.0, torch.arange(len(queries), device=queries.device)
    for size in NESTED:
        q, p = F.normalize(queries[:, :size], dim=-1), F.normalize(passages[:, :size], dim=-1)
        with torch.autocast("cuda", torch.bfloat16):
            logits = q @ p.T * scale
            hard = q @ F.normalize(negatives[:, :size], dim=-1).T * scale if negatives is not None else None
        logits = logits.masked_fill(same[0], -1e4).float()
        back = F.cross_entropy(logits.T, target)
        if hard is not None:
            logits = torch.cat((logits, hard.masked_fill(same[1], -1e4).float()), 1)
        loss = loss + 0.7 * F.cross_entropy(logits, target) + 0.3 * back
    return loss / len(NESTED)


def train(model, pairs, seconds, rate, seed, size=8192, scale=20.0):
    """Adam with the rate falling to zero over a given time; with mined negatives where the pairs have them."""
    model.cuda().train()
    torch.manual_seed(seed)
    choice = torch.Generator(device="cuda").manual_seed(seed)
    adam = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98), fused=True)
    began, steps, shown = time.time(), 0, 0.0
    for index in pairs.batches(size, seed):
        share = (time.time() - began) / seconds
        if share >= 1:
            break
        adam.param_groups[0]["lr"] = rate * min(1, (steps + 1) / 100) * (1 - share)
        group = pairs.group[index]
        same, mined = [group[:, None] == group[None]], None
        same[0].fill_diagonal_(False)
        if pairs.negatives is not None:
            column = torch.randint(pairs.negatives.shape[1], (len(index),), generator=choice, device="cuda")
            chosen = pairs.negatives[index, column].long()
            same.append(group[:, None] == pairs.group[chosen][None])
            mined = model(pairs.bag(pairs.passages, chosen))
        loss = contrast(model(pairs.bag(pairs.queries, index)), model(pairs.bag(pairs.passages, index)), same, scale, mined)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        steps += 1
        if steps % 50 == 0:
            shown = float(loss.detach())
    print(f"  seed {seed}: {steps} steps in {time.time() - began:.0f} s, last loss {shown:.3f}", flush=True)
    return model.eval()


def in_bytes(weight):
    """Eight bits and a scale a row."""
    scales = weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
    return (weight / scales).round().clamp(-127, 127).to(torch.int8), scales.float()


def save(folder, weight, tokenizer, meaning_weight):
    whole, scales = in_bytes(weight)
    # In two parts, each small enough to be brought home; export.py joins them.
    half = len(whole) // 2
    whole[:half].cpu().numpy().tofile(f"{folder}/table.0.i8")
    whole[half:].cpu().numpy().tofile(f"{folder}/table.1.i8")
    scales.cpu().numpy().astype("<f4").tofile(f"{folder}/scales.f32")
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda piece: piece[1])
    with open(f"{folder}/vocabulary.txt", "w", encoding="utf-8") as file:
        file.write("".join(f"{piece}\n" for piece, _ in pieces))
    with open(f"{folder}/model.json", "w", encoding="utf-8") as file:
        json.dump({"name": "atoll-embed-2", "pieces": len(whole), "numbers": whole.shape[1], "nested": NESTED,
                   "meaningWeight": meaning_weight}, file, indent=2)
        file.write("\n")
