"""The mean of two trainings, the second of which began with the weights of the first: python3 average.py FIRST SECOND --out PARTS.

What the first knew and the second forgot is found again; what the second learnt stays.
"""

import argparse
import shutil
from pathlib import Path

from export import numbers, quantized, read_parts, write_parts


def average(first: Path, second: Path, out: Path) -> None:
    (before, old), (after, new) = read_parts(first), read_parts(second)
    places = {tensor["name"]: tensor for tensor in before["tensors"]}
    data, table = bytearray(), []
    for tensor in after["tensors"]:
        mean = (numbers(old, places[tensor["name"]]) + numbers(new, tensor)) / 2
        table.append({**tensor, "at": len(data)})
        data += mean.tobytes() if tensor["type"] == "F32" else quantized(mean)
    write_parts(bytes(data), {**after, "tensors": table}, out)
    shutil.copy(second / "encodings.json", out / "encodings.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    average(asked.first, asked.second, asked.out)


if __name__ == "__main__":
    main()
