"""Rows of tokens for each training step, made by many processes, the same for the same seed."""

import gc
import os
from collections import deque
from multiprocessing import get_context
from pathlib import Path

import numpy as np

ASSISTANT, END, START = 3, 5, 0
MARKS = {1, 2, 3, 4}
CONTEXT = 4_096
# Of the texts that are longer, a share is read as far as the context reaches.
SHORT_TEXT = 1_024
# Rows that no training step has, to measure by.
HELD_OUT_SEED = 1_000_000_007
ROWS_AHEAD = 96
_worker: dict = {}


def load(folder: Path, data: Path, work: Path, plan: dict) -> None:
    """Once, before the processes are forked: they share it."""
    import mixture

    library, sets = mixture.load(folder, data)
    prose = {}
    for file in sorted(work.glob("prose-*.npy")):
        if not file.stem.endswith("-begins"):
            prose[file.stem[6:]] = (np.load(file, mmap_mode="r"), np.load(work / f"{file.stem}-begins.npy"))
    _worker.update(library=library, sets=sets, prose=prose, plan=plan, mixture=mixture, work=work)


def start_worker() -> None:
    import tokenizer

    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _worker["tokenizer"] = tokenizer.fast(_worker["work"] / "tokenizer.json")


def weights_of(ids: np.ndarray, prompt_weight: float) -> np.ndarray:
    """1 for what the assistant says, `prompt_weight` for the rest."""
    role = np.zeros(len(ids), np.int64)
    marks = np.isin(ids, list(MARKS))
    places = np.where(marks, np.arange(len(ids)), 0)
    role = ids[np.maximum.accumulate(places)]
    said = (role == ASSISTANT) & ~marks
    return np.where(said, 1.0, prompt_weight).astype(np.float16)


def make_batch(step: int):
    """Tokens, targets' weights and document lengths of one step."""
    plan, mixture = _worker["plan"], _worker["mixture"]
    phase = 0 if step < plan["first_phase"].value else 1
    rng = np.random.default_rng([plan["seed"], step])
    stream = mixture.Mixture(_worker["library"], _worker["sets"], plan["seed"] * 1_000_003 + step)
    shares = {kind: share for kind, share in mixture.PHASES[phase].items() if kind in _worker["prose"] or kind in mixture.MADE and stream.has(kind)}
    size, documents = plan["tokens"], []
    for kind, share in shares.items():
        documents += documents_of(kind, stream, rng, int(size * share / sum(shares.values())), mixture.PROMPT_WEIGHTS[phase])
    documents += documents_of("calls", stream, rng, size - sum(len(ids) for ids, _ in documents) + CONTEXT, mixture.PROMPT_WEIGHTS[phase])
    order = rng.permutation(len(documents))
    return packed([documents[index] for index in order], size, rng)


def make_held_out(kind: str):
    """A row of one kind, with the loss on answers alone."""
    rng = np.random.default_rng([HELD_OUT_SEED, len(kind)])
    stream = _worker["mixture"].Mixture(_worker["library"], _worker["sets"], HELD_OUT_SEED)
    tokens = _worker["plan"]["held_out_tokens"]
    return kind, packed(documents_of(kind, stream, rng, tokens + CONTEXT, 0.0), tokens, rng, 0.0)


def make_encodings(count: int = 48) -> list[dict]:
    """Conversations as tokens, for a test that the runtime reads them the same way."""
    from render import render

    stream = _worker["mixture"].Mixture(_worker["library"], _worker["sets"], seed=-1)
    found = []
    while len(found) < count:
        made = stream.conversation(stream.rng.choice(["calls", "results", "extraction", "reading", "everyday"]))
        *before, last = made["messages"]
        text = render({**made, "messages": before}, open_answer=True)
        if last["role"] == "assistant" and len(text) < 1_500:
            found.append({**made, "messages": before, "tokens": _worker["tokenizer"].encode(text, add_special_tokens=False).ids})
    return found


def documents_of(kind: str, stream, rng, wanted: int, prompt_weight: float) -> list:
    if kind in _worker["prose"]:
        return prose_documents(kind, rng, wanted)
    return conversations(lambda: stream.text(kind), wanted, prompt_weight)


def prose_documents(kind: str, rng, wanted: int) -> list:
    """Whole texts; of long ones a part, which mostly begins where the text begins."""
    prose, begins = _worker["prose"][kind]
    found = []
    while wanted > 0:
        index = int(rng.integers(len(begins) - 1))
        begin, end = int(begins[index]), int(begins[index + 1])
        most = CONTEXT if rng.random() < 0.3 else SHORT_TEXT
        if end - begin > most and rng.random() < 0.4:
            begin += int(rng.integers(end - begin - most))
        ids = np.asarray(prose[begin : min(end, begin + most)], dtype=np.int64)
        found.append((ids, np.ones(len(ids), np.float16)))
        wanted -= len(ids)
    return found


def conversations(maker, wanted: int, prompt_weight: float) -> list:
    found = []
    while wanted > 0:
        texts = [maker() for _ in range(16)]
        for encoded in _worker["tokenizer"].encode_batch(texts, add_special_tokens=False):
            ids = np.asarray(encoded.ids, dtype=np.int64)
            if len(ids) > CONTEXT:
                continue
            found.append((ids, weights_of(ids, prompt_weight)))
            wanted -= len(ids)
            if wanted <= 0:
                break
    return found


def packed(documents, size: int, rng, filler_weight: float = 1.0):
    """Rows of whole documents; what is left of a row is filled with prose. One token more than asked for, as the last target."""
    kept, waiting = [], list(reversed(documents))
    for _ in range(size // CONTEXT):
        room = CONTEXT
        while room > 0:
            found = next((at for at in range(len(waiting) - 1, max(-1, len(waiting) - 48), -1) if len(waiting[at][0]) <= room), None)
            kept.append(filler(rng, room, filler_weight) if found is None else waiting.pop(found))
            room -= len(kept[-1][0])
    kept.append(filler(rng, 1, filler_weight))
    ids = np.concatenate([one for one, _ in kept])
    weights = np.concatenate([one for _, one in kept])
    lengths = np.asarray([len(one) for one, _ in kept], np.int32)
    # The first token of a document is never a target.
    weights[np.cumsum(lengths) - lengths] = 0
    return ids.astype(np.uint16), weights, lengths


def filler(rng, length: int, weight: float):
    """A piece of prose of just this length."""
    prose, begins = max(_worker["prose"].values(), key=lambda found: len(found[0]))
    begin = int(begins[rng.integers(len(begins))])
    ids = np.asarray(prose[begin : begin + length], dtype=np.int64)
    if len(ids) < length:
        ids = np.asarray(prose[:length], dtype=np.int64)
    return ids, np.full(length, weight, np.float16)


def rows(folder: Path, data: Path, work: Path, plan: dict, workers: int):
    """Held-out rows by kind, encodings, and the rows of all steps, in order. To be started before the GPU is touched."""
    load(folder, data, work, plan)
    gc.freeze()
    pool = get_context("fork").Pool(workers, start_worker)
    import mixture

    kinds = [kind for kind in mixture.PHASES[0] if kind in _worker["prose"] or kind in mixture.MADE]
    held_out = pool.map_async(make_held_out, kinds, chunksize=1)
    rows = ahead(pool, plan["steps"])
    return held_out, pool.apply_async(make_encodings), rows


def ahead(pool, steps: int):
    """Not many more rows than are needed: which phase the later ones belong to is known only after a while."""
    waiting = deque()
    for step in range(steps):
        waiting.append(pool.apply_async(make_batch, (step,)))
        if len(waiting) > ROWS_AHEAD:
            yield waiting.popleft().get()
    while waiting:
        yield waiting.popleft().get()
