"""The mean of two trainings, the second of which began with the weights of the first: python3 average.py FIRST SECOND --out PARTS.

What the first knew and the second forgot is found again; what the second learnt stays.
"""

import argparse
import json
import shutil
from pathlib import Path

from export import PARTS, numbers, quantized


def read(parts: Path) -> tuple[dict, bytes]:
    data = b"".join((parts / f"weights-{part}.part").read_bytes() for part in range(PARTS))
    return json.loads((parts / "index.json").read_text()), data


def average(first: Path, second: Path, out: Path) -> None:
    (before, old), (after, new) = read(first), read(second)
    places = {tensor["name"]: tensor for tensor in before["tensors"]}
    data, table = bytearray(), []
    for tensor in after["tensors"]:
        mean = (numbers(old, places[tensor["name"]]) + numbers(new, tensor)) / 2
        table.append({**tensor, "at": len(data)})
        data += mean.tobytes() if tensor["type"] == "F32" else quantized(mean)
    size = -(-len(data) // PARTS)
    out.mkdir(parents=True, exist_ok=True)
    for part in range(PARTS):
        (out / f"weights-{part}.part").write_bytes(data[part * size : (part + 1) * size])
    (out / "index.json").write_text(json.dumps({**after, "tensors": table, "bytes": len(data)}))
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
