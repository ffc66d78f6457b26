"""Join the prepared pairs into a few files that travel to the GPU machine.

  python3 pack.py PAIRS QUESTIONS.jsonl OUT

QUESTIONS.jsonl is what ../chat/questions/generate.ts made of some of the passages. Each file holds a part of every source;
lines that share a passage stand together, so that they pack well.
"""

import json
import lzma
import os
import sys
import zlib
from multiprocessing import Pool

from sources.text import cut

PARTS, LONGEST = 3, {"wikipedia": 500}


def rows(folder, questions):
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".tsv"):
            continue
        name = name[:-4]
        with open(f"{folder}/{name}.tsv", encoding="utf-8") as file:
            for line in file:
                prose, query, passage = line.rstrip("\n").split("\t")
                yield name, prose, query, cut(passage, LONGEST.get(name, 700))
    with open(questions, encoding="utf-8") as file:
        for line in file:
            found = json.loads(line)
            for asked in found["qa"]:
                if len(asked["q"].split()) >= 4 and "___" not in asked["q"]:
                    yield "questions", "0", asked["q"], cut(found["passage"], 500)


def write(part):
    lines, path = part
    lines.sort(key=lambda row: (row[3][:60], row[0]))
    text = "".join("\t".join(row) + "\n" for row in lines)
    with open(path, "wb") as file:
        file.write(lzma.compress(text.encode(), preset=4))
    return f"{path}: {len(lines)} pairs, {len(text) / 1e6:.1f} MB, {os.path.getsize(path) / 1048576:.1f} MiB packed"


def main(folder, questions, out):
    parts = [[] for _ in range(PARTS)]
    for row in rows(folder, questions):
        parts[zlib.crc32(row[3][:60].encode()) % PARTS].append(row)
    with Pool(2) as pool:
        for line in pool.imap(write, [(lines, f"{out}/pairs.{n}.xz") for n, lines in enumerate(parts)]):
            print(line, flush=True)


main(*sys.argv[1:4])
