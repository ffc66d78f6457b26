"""Trains the model on one GPU: python3 train.py --data FOLDER --work FOLDER --out FOLDER --steps N."""

import argparse
import json
import os
import time
from multiprocessing import Value
from pathlib import Path

import numpy as np

import batches
import prepare

HERE = Path(__file__).parent
# With packed attention the kernel's work grows with the room for documents, used or not; with a mask it does not.
MOST_DOCUMENTS = 4_096
MEAN_EVERY = 10
# The steps between these tell the speed, and with it where the second phase begins; the first ones compile.
MEASURED_STEPS = 40, 140
# For the last measuring and writing.
LAST_SECONDS = 25


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of sources as .jsonl, or of archives of them")
    parser.add_argument("--work", type=Path, required=True, help="for what is made on the way")
    parser.add_argument("--out", type=Path, required=True, help="for the weights")
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="for all of it, from getting the data ready to the last weights, whatever the steps")
    parser.add_argument("--tokens", type=int, default=131_072, help="a step's tokens")
    parser.add_argument("--first-phase", type=float, default=0.5, help="share of the steps")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--decay-from", type=float, default=0.3, help="share of the steps before the rate falls")
    parser.add_argument("--mean-from", type=float, default=0.92, help="share of the steps from which the weights are averaged")
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save-every", type=int, default=0)
    parser.add_argument("--log-every", type=int, default=50)
    parser.add_argument("--start-from", type=Path, help="parts of an earlier run; with fewer layers, they are repeated")
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--device", default="cuda", help="cpu: for trying it out, without compiling")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--attention", choices=["packed", "masked", "whole"], default="masked", help="on a CPU always whole")
    return parser.parse_args()


def ready(asked) -> Path:
    """Unpacks and encodes what is not there yet; the folder with the data."""
    asked.work.mkdir(parents=True, exist_ok=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    data = asked.data
    if any(data.glob("*.tar.xz.*")):
        data = asked.work / "data"
        if not data.exists():
            prepare.join_pieces(asked.data, asked.work / "archives")
            prepare.unpack(asked.work / "archives", data)
    made = asked.work / "tokenizer.json"
    if not made.exists():
        made.write_text((HERE / "tokenizer.json").read_text())
    if not any(asked.work.glob("prose-*.npy")):
        prepare.encode(data, asked.work, asked.workers)
    return data


class Row:
    """One step's tokens on the device."""

    def __init__(self, made, most_documents: int, device: str):
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

        def put(array, kind):
            plain = torch.from_numpy(np.ascontiguousarray(array))
            return (plain.pin_memory() if device == "cuda" else plain).to(device, kind, non_blocking=True)

        self.tokens = put(ids[:-1].astype(np.int32), torch.int64)
        self.targets = put(ids[1:].astype(np.int32), torch.int64)
        self.weights = put(weights[1:].astype(np.float32), torch.float32)
        self.positions = put(positions.astype(np.int32), torch.int64)
        self.starts = put(starts, torch.int32)


def progress(asked, step: int, seconds: float) -> float:
    """How much of the training is over."""
    return min(1.0, max(step / asked.steps, seconds / asked.seconds))


def rate(asked, step: int, seconds: float) -> float:
    """Warm-up, a plateau, then down to zero in a straight line."""
    share = progress(asked, step, seconds)
    falling = 1.0 if share < asked.decay_from else (1 - share) / (1 - asked.decay_from)
    return min(1.0, (step + 1) / asked.warm_up) * max(falling, 0.005)


class Mean:
    """The mean of the weights of the last steps."""

    def __init__(self, model):
        self.params, self.count = [param.detach().clone() for param in model.parameters()], 1

    def add(self, model) -> None:
        self.count += 1
        for mean, param in zip(self.params, model.parameters()):
            mean.lerp_(param.detach(), 1 / self.count)

    def swap(self, model) -> None:
        """Puts the mean into the model, and what the model had here."""
        for mean, param in zip(self.params, model.parameters()):
            kept = param.detach().clone()
            param.data.copy_(mean)
            mean.copy_(kept)


def measured(model, attend, held_out, asked) -> dict[str, float]:
    """The loss on rows that are not trained on, by kind; conversations: on the answers alone."""
    import torch

    model.eval()
    losses = {}
    with torch.no_grad():
        for kind, made in held_out:
            row = Row(made, MOST_DOCUMENTS, asked.device)
            losses[kind] = round(model(*inputs(row, attend, len(row.tokens))).item(), 4)
    model.train()
    print("held out:", " ".join(f"{kind} {loss:.3f}" for kind, loss in losses.items()), flush=True)
    return losses


def inputs(row, attend, tokens: int) -> tuple:
    borders = attend.prepare(row.starts[1:], tokens) if hasattr(attend, "prepare") else row.starts
    return row.tokens, row.positions, borders, batches.CONTEXT, row.targets, row.weights


def built(asked):
    """The model as it starts, and its attention."""
    import torch

    from export import load
    from model import Model, Shape, masked_attention, packed_attention, whole_attention

    torch.manual_seed(asked.seed)
    torch.set_float32_matmul_precision("high")
    context = batches.CONTEXT
    ways = {"packed": packed_attention, "masked": lambda: masked_attention(context), "whole": lambda: whole_attention(context)}
    attend = ways[asked.attention if asked.device == "cuda" else "whole"]()
    model = Model(Shape(dropout=asked.dropout, layers=asked.layers), attend).to(asked.device)
    if asked.start_from:
        load(model, asked.start_from)
    if asked.device == "cuda":
        model.compile_parts()
    print(f"{sum(param.numel() for param in model.parameters()) / 1e6:.1f}M parameters", flush=True)
    return model, attend


def steps_until(asked, step: int, seconds: float, measured_from: float) -> int:
    """The step at which the first phase's share of the time is over, at the speed of the measured steps."""
    speed = (MEASURED_STEPS[1] - MEASURED_STEPS[0]) / (seconds - measured_from)
    return step + int((asked.first_phase * asked.seconds - seconds) * speed)


def train(asked, rows, held_out, first_phase, begun: float):
    import torch

    from export import save
    from optimizer import optimizers

    model, attend = built(asked)
    held_out = held_out.get()
    steppers = optimizers(model, asked.lr, compiled=asked.device == "cuda")
    base = [[group["lr"] for group in stepper.param_groups] for stepper in steppers]
    log, losses, mean = {"start": measured(model, attend, held_out, asked), "steps": []}, [], None
    started = marked = time.time()
    asked.seconds -= started - begun + LAST_SECONDS
    measured_from = 0.0
    for step, made in enumerate(rows):
        seconds = time.time() - started
        if seconds >= asked.seconds:
            break
        row = Row(made, MOST_DOCUMENTS, asked.device)
        now = rate(asked, step, seconds)
        for stepper, rates in zip(steppers, base):
            for group, one in zip(stepper.param_groups, rates):
                group["lr"] = one * now
        loss = model(*inputs(row, attend, asked.tokens))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
            stepper.zero_grad(set_to_none=True)
        losses.append(loss.detach())
        if step in MEASURED_STEPS:
            loss.item()  # waits for the GPU
            if step == MEASURED_STEPS[1]:
                first_phase.value = min(first_phase.value, steps_until(asked, step, time.time() - started, measured_from))
                print(f"second phase from step {first_phase.value}", flush=True)
            measured_from = time.time() - started
        if progress(asked, step, seconds) >= asked.mean_from and step % MEAN_EVERY == 0:
            if mean is None:
                mean = Mean(model)
            else:
                mean.add(model)
        if (step + 1) % asked.log_every == 0:
            average = torch.stack(losses).mean().item()
            speed = len(losses) * asked.tokens / (time.time() - marked)
            marked, losses = time.time(), []
            log["steps"].append((step + 1, round(average, 4)))
            memory = torch.cuda.max_memory_allocated() / 1e9 if asked.device == "cuda" else 0
            print(f"step {step + 1} {time.time() - started:.0f}s loss {average:.4f} {speed / 1e3:.0f}k/s rate {now:.3f} {memory:.0f}GB", flush=True)
        if asked.save_every and (step + 1) % asked.save_every == 0:
            save(model, asked.out)
    log["end"] = measured(model, attend, held_out, asked)
    if mean is not None:
        mean.swap(model)
        log["mean"] = measured(model, attend, held_out, asked)
        if sum(log["end"].values()) < sum(log["mean"].values()):
            mean.swap(model)
    save(model, asked.out)
    (asked.out / "log.json").write_text(json.dumps(log))
    print("finished", flush=True)


def main() -> None:
    asked = arguments()
    started = time.time()
    data = ready(asked)
    print(f"data ready after {time.time() - started:.0f}s", flush=True)
    plan = {
        "seed": asked.seed,
        "steps": asked.steps,
        "first_phase": Value("q", int(asked.steps * asked.first_phase), lock=False),
        "tokens": asked.tokens,
        "held_out_tokens": asked.tokens,
    }
    held_out, encodings, rows = batches.rows(HERE, data, asked.work, plan, asked.workers)
    first = next(rows)
    print(f"first row after {time.time() - started:.0f}s: {len(first[2])} documents", flush=True)
    train(asked, chained(first, rows), held_out, plan["first_phase"], started)
    (asked.out / "encodings.json").write_text(json.dumps(encodings.get(), ensure_ascii=False))
    os._exit(0)  # the workers are not waited for


def chained(first, rest):
    yield first
    yield from rest


if __name__ == "__main__":
    main()
