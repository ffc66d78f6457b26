"""The mean of two trainings, the second of which began with the weights of the first: python3 average.py FIRST SECOND --out PARTS.

What the first knew and the second forgot is found again; what the second learnt stays. The first may have fewer layers:
it is grown as the second was when it began.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np

from export import ADDING, numbers, origins, quantized, read_parts, write_parts


def layers_of(index: dict) -> int:
    return sum(tensor["name"].endswith(".attn_q") for tensor in index["tensors"])


def begun_with(name: str, made_of: list[tuple[int, bool]]) -> tuple[str, bool]:
    """Of which tensor this one was made, and whether it began with zeros instead."""
    if not name.startswith("blk."):
        return name, False
    _, layer, leaf = name.split(".")
    source, is_copy = made_of[int(layer)]
    return f"blk.{source}.{leaf}", is_copy and leaf in ADDING


def average(first: Path, second: Path, share: float, out: Path) -> None:
    (before, old), (after, new) = read_parts(first), read_parts(second)
    places = {tensor["name"]: tensor for tensor in before["tensors"]}
    made_of = origins(layers_of(before), layers_of(after))
    data, table = bytearray(), []
    for tensor in after["tensors"]:
        source, is_zero = begun_with(tensor["name"], made_of)
        learnt = numbers(new, tensor)
        mean = (1 - share) * (np.zeros_like(learnt) if is_zero else numbers(old, places[source])) + share * learnt
        table.append({**tensor, "at": len(data)})
        data += mean.astype(np.float32).tobytes() if tensor["type"] == "F32" else quantized(mean)
    write_parts(bytes(data), {**after, "tensors": table}, out)
    shutil.copy(second / "encodings.json", out / "encodings.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the second")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    average(asked.first, asked.second, asked.share, asked.out)


if __name__ == "__main__":
    main()
