"""Trains the model on one GPU: python3 train.py --data FOLDER --work FOLDER --out FOLDER --steps N."""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

import batches
import prepare

HERE = Path(__file__).parent
# The attention kernel's work grows with the room for documents, used or not.
MOST_DOCUMENTS = 1_536


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sources as .jsonl, or of archives of them")
    parser.add_argument("--work", type=Path, required=True, help="for what is made on the way")
    parser.add_argument("--out", type=Path, required=True, help="for the weights")
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="the rate reaches zero by then, whatever the steps")
    parser.add_argument("--tokens", type=int, default=131_072, help="a step's tokens")
    parser.add_argument("--first-phase", type=float, default=0.42, help="share of the steps")
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--decay-from", type=float, default=0.42, help="share of the steps before the rate falls")
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save-every", type=int, default=0)
    parser.add_argument("--start-from", type=Path, help="parts of an earlier run")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--attention", choices=["packed", "masked", "whole"], default="masked")
    return parser.parse_args()


def ready(asked) -> Path:
    """Unpacks and encodes what is not there yet; the folder with the data."""
    asked.work.mkdir(parents=True, exist_ok=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    data = asked.data
    if any(data.glob("*.tar.xz")):
        data = asked.work / "data"
        if not data.exists():
            prepare.unpack(asked.data, data)
    made = asked.work / "tokenizer.json"
    if not made.exists():
        made.write_text((HERE / "tokenizer.json").read_text())
    if not (asked.work / "prose.npy").exists():
        prepare.encode(data, asked.work, asked.workers)
    return data


def write_encodings(asked, data: Path, count: int = 48) -> None:
    """Conversations as tokens, for a test that the runtime reads them the same way."""
    import mixture
    import tokenizer
    from render import render

    stream = mixture.Mixture(*mixture.load(HERE, data), seed=-1)
    encoder = tokenizer.fast(asked.work / "tokenizer.json")
    found = []
    while len(found) < count:
        made = stream.conversation()
        *before, last = made["messages"]
        text = render({**made, "messages": before}, open_answer=True)
        if last["role"] == "assistant" and len(text) < 1_500:
            found.append({**made, "messages": before, "tokens": encoder.encode(text, add_special_tokens=False).ids})
    (asked.out / "encodings.json").write_text(json.dumps(found, ensure_ascii=False))


class Row:
    """One step's tokens on the GPU."""

    def __init__(self, made, most_documents: int):
        import torch

        ids, weights, lengths = made
        size = len(ids) - 1
        lengths = lengths[:-1]  # the last token is a target only
        if len(lengths) > most_documents:
            raise ValueError(f"{len(lengths)} documents in a step; there is room for {most_documents}")
        ends = np.cumsum(lengths)
        starts = np.full(most_documents + 1, size, np.int32)
        starts[0] = 0
        starts[1 : len(ends) + 1] = ends
        positions = np.arange(size) - np.repeat(ends - lengths, lengths)
        put = lambda array, kind: torch.from_numpy(np.ascontiguousarray(array)).pin_memory().to("cuda", kind, non_blocking=True)  # noqa: E731
        self.tokens = put(ids[:-1].astype(np.int32), torch.int64)
        self.targets = put(ids[1:].astype(np.int32), torch.int64)
        self.weights = put(weights[1:].astype(np.float32), torch.float32)
        self.positions = put(positions.astype(np.int32), torch.int64)
        self.starts = put(starts, torch.int32)


def rate(asked, step: int, seconds: float) -> float:
    """Warm-up, a plateau, then down to zero in a straight line."""
    share = min(1.0, max(step / asked.steps, seconds / asked.seconds))
    falling = 1.0 if share < asked.decay_from else (1 - share) / (1 - asked.decay_from)
    return min(1.0, (step + 1) / asked.warm_up) * max(falling, 0.005)


def train(asked, rows):
    import torch

    from export import load, save
    from model import Model, Shape, masked_attention, packed_attention, whole_attention
    from optimizer import optimizers

    torch.manual_seed(asked.seed)
    torch.set_float32_matmul_precision("high")
    ways = {"packed": packed_attention, "masked": lambda: masked_attention(2_048), "whole": lambda: whole_attention(2_048)}
    attend = ways[asked.attention]()
    model = Model(Shape(dropout=asked.dropout), attend).cuda()
    if asked.start_from:
        load(model, asked.start_from)
    print(f"{sum(param.numel() for param in model.parameters()) / 1e6:.1f}M parameters", flush=True)
    steppers = optimizers(model, asked.lr)
    base = [[group["lr"] for group in stepper.param_groups] for stepper in steppers]
    compiled = torch.compile(model, dynamic=False)
    started, marked, losses, log = time.time(), time.time(), [], []
    for step, made in enumerate(rows):
        seconds = time.time() - started
        if seconds >= asked.seconds:
            break
        row = Row(made, MOST_DOCUMENTS)
        now = rate(asked, step, seconds)
        for stepper, rates in zip(steppers, base):
            for group, one in zip(stepper.param_groups, rates):
                group["lr"] = one * now
        borders = attend.prepare(row.starts[1:], asked.tokens) if hasattr(attend, "prepare") else row.starts
        loss = compiled(row.tokens, row.positions, borders, 2_048, row.targets, row.weights)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
            stepper.zero_grad(set_to_none=True)
        losses.append(loss.detach())
        if (step + 1) % 50 == 0:
            mean = torch.stack(losses).mean().item()
            speed = 50 * asked.tokens / (time.time() - marked)
            marked, losses = time.time(), []
            log.append((step + 1, round(mean, 4)))
            print(f"step {step + 1} {time.time() - started:.0f}s loss {mean:.4f} {speed / 1e3:.0f}k/s rate {now:.3f} {torch.cuda.max_memory_allocated() / 1e9:.0f}GB", flush=True)
        if asked.save_every and (step + 1) % asked.save_every == 0:
            save(model, asked.out)
            (asked.out / "log.json").write_text(json.dumps(log))
    save(model, asked.out)
    torch.save(model.state_dict(), asked.work / "final.pt")
    (asked.out / "log.json").write_text(json.dumps(log))
    print("finished", flush=True)


def main() -> None:
    asked = arguments()
    started = time.time()
    data = ready(asked)
    print(f"data ready after {time.time() - started:.0f}s", flush=True)
    write_encodings(asked, data)
    plan = {
        "seed": asked.seed,
        "steps": asked.steps,
        "first_phase": int(asked.steps * asked.first_phase),
        "tokens": asked.tokens,
    }
    rows = batches.rows(HERE, data, asked.work, plan, asked.workers)
    first = next(rows)
    print(f"first row after {time.time() - started:.0f}s: {len(first[2])} documents", flush=True)
    train(asked, chained(first, rows))
    os._exit(0)  # the workers are not waited for


def chained(first, rest):
    yield first
    yield from rest


if __name__ == "__main__":
    main()
