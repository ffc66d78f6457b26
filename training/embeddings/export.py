"""Join what train.py brought home into the files that the product reads.

  python3 export.py OUT WEIGHTS
"""

import json
import os
import shutil
import sys


def main(out, weights):
    with open(f"{out}/model.json", encoding="utf-8") as file:
        about = json.load(file)
    with open(f"{weights}/table.i8", "wb") as table:
        for part in (0, 1):
            with open(f"{out}/table.{part}.i8", "rb") as file:
                shutil.copyfileobj(file, table)
    for name in ("scales.f32", "vocabulary.txt", "model.json"):
        shutil.copyfile(f"{out}/{name}", f"{weights}/{name}")
    assert os.path.getsize(f"{weights}/table.i8") == about["pieces"] * about["numbers"]
    assert os.path.getsize(f"{weights}/scales.f32") == about["pieces"] * 4
    with open(f"{weights}/vocabulary.txt", encoding="utf-8") as file:
        assert len(file.read().split("\n")) - 1 == about["pieces"]


main(*sys.argv[1:3])
