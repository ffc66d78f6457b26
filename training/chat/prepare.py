"""Gets the data ready for training: `pack` puts everything into one archive, `learn` makes the tokenizer, `encode` the prose."""

import argparse
import io
import json
import lzma
import os
import random
import tarfile
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import tokenizer

DOCUMENT = "<|endoftext|>"


# Too much of a kind: technical documentation would drown the rest.
SHARES = {"prose-docs": 0.3, "qg-docs-1": 0.4, "qg-docs-2": 0.4, "qg-papers-1": 0.12, "qg-papers-2": 0.12, "prose-elife-introductions": 0.2, "prose-books": 0.7, "extractions-wikipedia": 0.4, "prose-wikipedia": 0.7, "dialogues-schema-guided": 0.6}
LEFT_OUT = {"calls-taskmaster", "utterances-nlupp", "utterances-restaurants"}
# How many times each source is read for one time of the others.
REPEATED = {"prose-storybooks": 4, "prose-fairytale": 2}
# What one transfer may carry, with room for the code beside it.
PIECE_BYTES = 32 * 1024 * 1024


def prose(data: Path) -> dict[str, list[str]]:
    """The texts by the kind that the mixture counts them to."""
    from mixture import PROSE

    found: dict[str, list[str]] = {}
    for file in sorted(Path(data).glob("prose-*.jsonl")):
        texts = [json.loads(line)["text"] for line in file.open()]
        found.setdefault(PROSE.get(file.stem, "taught"), []).extend(texts * REPEATED.get(file.stem, 1))
    return {kind: texts for kind, texts in found.items() if texts}


def pack(data: Path, out: Path, workers: int, parts: int = 2) -> None:
    """Archives, with windows so large that what comes twice is stored once; then pieces that can be carried."""
    out.mkdir(parents=True, exist_ok=True)
    groups: dict[str, list[Path]] = {}
    for file in sorted(Path(data).glob("*.jsonl")):
        if file.stem not in LEFT_OUT:
            groups.setdefault(file.stem.split("-")[1], []).append(file)
    shares: list[list[Path]] = [[] for _ in range(parts)]
    for group in sorted(groups.values(), key=weight, reverse=True):
        min(shares, key=weight).extend(group)
    archives = [out / f"data-{number}.tar.xz" for number in range(parts)]
    with Pool(workers) as pool:
        pool.starmap(pack_files, zip(shares, archives))
    in_pieces(archives, out)


def in_pieces(archives: list[Path], out: Path) -> None:
    """Each archive cut into files `NAME.NNN`, and the archive itself removed."""
    for archive in archives:
        content = archive.read_bytes()
        for number, at in enumerate(range(0, len(content), PIECE_BYTES)):
            (out / f"{archive.name}.{number:03}").write_bytes(content[at : at + PIECE_BYTES])
        archive.unlink()


def join_pieces(folder: Path, into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for name in sorted({file.stem for file in folder.glob("*.tar.xz.*")}):
        pieces = sorted(folder.glob(f"{name}.*"))
        (into / name).write_bytes(b"".join(piece.read_bytes() for piece in pieces))


def weight(files: list[Path]) -> float:
    return sum(file.stat().st_size * SHARES.get(file.stem, 1.0) for file in files)


def pack_files(files: list[Path], out: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 28}]
    with lzma.open(out, "wb", format=lzma.FORMAT_XZ, filters=filters) as stream:
        with tarfile.open(fileobj=stream, mode="w|") as archive:
            for file in files:
                content = b"".join(kept(file))
                entry = tarfile.TarInfo(file.name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))


def kept(file: Path):
    """The lines of a source, thinned out where there are too many of them."""
    share = SHARES.get(file.stem, 1.0)
    for number, line in enumerate(file.open("rb")):
        if number * share % 1 < share:
            yield line


def unpack(folder: Path, data: Path) -> None:
    """All archives of a folder, side by side."""
    data.mkdir(parents=True, exist_ok=True)
    archives = sorted(folder.glob("*.tar.xz"))
    with Pool(len(archives)) as pool:
        pool.starmap(unpack_one, [(archive, data) for archive in archives])


def unpack_one(archive: Path, data: Path) -> None:
    with tarfile.open(archive, "r:*") as found:
        found.extractall(data, filter="data")


def learn(folder: Path, data: Path, out: Path) -> None:
    """The tokenizer, from a sample of everything the model will read."""
    import mixture

    rng = random.Random(1)
    library, sets = mixture.load(folder, data)
    stream = mixture.Mixture(library, sets, 1)
    texts = [text for kind in prose(data).values() for text in kind if rng.random() < 0.4]
    texts += [plain(stream.text(kind)) for kind in mixture.MADE if stream.has(kind) for _ in range(2_000)]
    tokenizer.learn(texts, out)


def plain(text: str) -> str:
    for mark in tokenizer.SPECIAL:
        text = text.replace(mark, "\n")
    return text


_encoder = None


def encode_texts(job: tuple[str, list[str]]) -> tuple[np.ndarray, list[int]]:
    global _encoder
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if _encoder is None:
        _encoder = tokenizer.fast(Path(job[0]))
    encoded = _encoder.encode_batch([DOCUMENT + text for text in job[1]], add_special_tokens=False)
    return np.concatenate([np.asarray(one.ids, np.uint16) for one in encoded]), [len(one.ids) for one in encoded]


def encode(data: Path, work: Path, workers: int) -> None:
    """The prose of each kind as one row of tokens, and where its documents begin and the last one ends."""
    with Pool(workers) as pool:
        for kind, texts in prose(data).items():
            jobs = [(str(work / "tokenizer.json"), texts[at : at + 300]) for at in range(0, len(texts), 300)]
            parts = pool.map(encode_texts, jobs, chunksize=1)
            ids = np.concatenate([part for part, _ in parts])
            ends = np.cumsum(np.concatenate([part for _, part in parts]))
            np.save(work / f"prose-{kind}-begins.npy", np.concatenate([[0], ends]))
            np.save(work / f"prose-{kind}.npy", ids)
            print(f"{kind}: {len(texts)} documents, {len(ids) / 1e6:.1f}M tokens, {sum(map(len, texts)) / len(ids):.2f} letters a token", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["pack", "learn"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2, help="archives that are made side by side")
    asked = parser.parse_args()
    if asked.step == "pack":
        pack(asked.data, asked.out, asked.workers)
    else:
        learn(Path(__file__).parent, asked.data, asked.out)


if __name__ == "__main__":
    main()
