"""Rows of tokens for each training step, made by many processes, the same for the same seed."""

import gc
import os
from multiprocessing import get_context
from pathlib import Path

import numpy as np

ASSISTANT, END, START = 3, 5, 0
MARKS = {1, 2, 3, 4}
CONTEXT = 2_048
_worker: dict = {}


def load(folder: Path, data: Path, work: Path, plan: dict) -> None:
    """Once, before the processes are forked: they share it."""
    import mixture

    library, sets = mixture.load(folder, data)
    prose = np.load(work / "prose.npy", mmap_mode="r")
    begins = np.load(work / "prose-begins.npy")
    _worker.update(library=library, sets=sets, prose=prose, begins=begins, plan=plan, mixture=mixture, work=work)


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
    plan = _worker["plan"]
    rng = np.random.default_rng([plan["seed"], step])
    phase = 0 if step < plan["first_phase"] else 1
    shares = _worker["mixture"].PHASES[phase]
    stream = _worker["mixture"].Mixture(_worker["library"], _worker["sets"], plan["seed"] * 1_000_003 + step)
    size, prompt_weight = plan["tokens"], (0.3, 0.1)[phase]
    documents = prose_documents(rng, int(size * shares["prose"] * 0.8))
    for kind, maker in (("questions", stream.questions), ("sets", stream.from_sets), ("made", stream.made)):
        documents += conversations(maker, int(size * shares[kind]), prompt_weight)
    documents += conversations(stream.made, size - sum(len(ids) for ids, _ in documents) + CONTEXT, prompt_weight)
    order = rng.permutation(len(documents))
    return packed([documents[index] for index in order], size, rng)


def prose_documents(rng, wanted: int) -> list:
    prose, begins = _worker["prose"], _worker["begins"]
    found = []
    while wanted > 0:
        begin = int(begins[rng.integers(len(begins))])
        if rng.random() < 0.5:
            begin += int(rng.integers(0, 1_000))
        length = CONTEXT if rng.random() < 0.25 else CONTEXT // 2
        ids = np.asarray(prose[begin : begin + length], dtype=np.int64)
        found.append((ids, np.ones(len(ids), np.float16)))
        wanted -= len(ids)
    return found


def conversations(maker, wanted: int, prompt_weight: float) -> list:
    found = []
    while wanted > 0:
        texts = [maker() for _ in range(32)]
        for encoded in _worker["tokenizer"].encode_batch(texts, add_special_tokens=False):
            ids = np.asarray(encoded.ids, dtype=np.int64)
            if len(ids) > CONTEXT:
                continue
            found.append((ids, weights_of(ids, prompt_weight)))
            wanted -= len(ids)
            if wanted <= 0:
                break
    return found


def packed(documents, size: int, rng):
    """Rows of whole documents; what is left of a row is filled with prose. One token more than asked for, as the last target."""
    kept, waiting = [], list(reversed(documents))
    for _ in range(size // CONTEXT):
        room = CONTEXT
        while room > 0:
            found = next((at for at in range(len(waiting) - 1, max(-1, len(waiting) - 24), -1) if len(waiting[at][0]) <= room), None)
            kept.append(filler(rng, room) if found is None else waiting.pop(found))
            room -= len(kept[-1][0])
    kept.append(filler(rng, 1))
    ids = np.concatenate([one for one, _ in kept])
    weights = np.concatenate([one for _, one in kept])
    lengths = np.asarray([len(one) for one, _ in kept], np.int32)
    # The first token of a document is never a target.
    weights[np.cumsum(lengths) - lengths] = 0
    return ids.astype(np.uint16), weights, lengths


def filler(rng, length: int):
    begins = _worker["begins"]
    begin = int(begins[rng.integers(len(begins))])
    return np.asarray(_worker["prose"][begin : begin + length], dtype=np.int64), np.ones(length, np.float16)


def rows(folder: Path, data: Path, work: Path, plan: dict, workers: int):
    """The rows of all steps, in order. To be started before the GPU is touched."""
    load(folder, data, work, plan)
    gc.freeze()
    pool = get_context("fork").Pool(workers, start_worker)
    return pool.imap(make_batch, range(plan["steps"]), chunksize=1)
