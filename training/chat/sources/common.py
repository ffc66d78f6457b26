"""Shared helpers: reading files out of git mirrors, cleaning text, writing JSON lines."""

import argparse
import json
import re
import subprocess
import zlib
from pathlib import Path

MIN_CHARS = 200
MAX_CHARS = 8000

QUOTES = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2010": "-", "\u2011": "-",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u200a": " ", "\u2026": "...", "\u2060": "", "\u200b": "", "\ufeff": "", "\u00ad": "",
})


def arguments(doc):
    """Return the folder of mirrors and the output folder given on the command line."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("mirrors", type=Path, help="folder with one clone per repository, named owner+name")
    parser.add_argument("out", type=Path, help="folder for the .jsonl files")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    return args.mirrors, args.out


class Repo:
    """One clone, bare or not, read at a fixed commit; objects the clone lacks are skipped."""

    def __init__(self, mirrors, name, commit="HEAD"):
        base = Path(mirrors) / name.replace("/", "+")
        places = (base, base / ".git", base / "repo", base / "repo" / ".git")
        self.git_dir = next((p for p in places if (p / "HEAD").exists()), None)
        self.name, self.commit = name, commit

    def exists(self):
        return self.git_dir is not None

    def git(self, *args):
        """Run a git command and return its output as text."""
        run = subprocess.run(["git", f"--git-dir={self.git_dir}", *args], capture_output=True, check=True)
        return run.stdout.decode("utf-8", "replace")

    def files(self, pattern, folder=""):
        """Yield (path, text) of every stored file whose path matches the pattern (a regex, or a test of the path)."""
        if not self.exists():
            print(f"{self.name} is not there, and left out")
            return
        wants = pattern if callable(pattern) else re.compile(pattern).search
        listing = self.git("ls-tree", "-r", "-z", self.commit, *([folder] if folder else []))
        wanted = []
        for line in listing.split("\0"):
            if "\t" in line:
                meta, path = line.split("\t", 1)
                if " blob " in meta and wants(path):
                    wanted.append((meta.split()[2], path))
        if not wanted:
            return
        pipe = subprocess.Popen(["git", f"--git-dir={self.git_dir}", "cat-file", "--batch"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for oid, path in wanted:
            pipe.stdin.write(oid.encode() + b"\n")
            pipe.stdin.flush()
            header = pipe.stdout.readline().split()
            if len(header) < 3:
                continue
            data = pipe.stdout.read(int(header[2]) + 1)[:-1]
            yield path, data.decode("utf-8", "replace")
        pipe.stdin.close()
        pipe.wait()

    def text(self, path):
        """Return one file's text, or None when it is not stored."""
        for _, text in self.files("^" + re.escape(path) + "$", path):
            return text
        return None


def tidy(text):
    """Plain quotes and single spaces inside one paragraph."""
    text = text.translate(QUOTES).replace("\u2014", " - ").replace("\u2212", "-")
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ([,.;:?!)])", r"\1", text).strip()


def sections(paragraphs, limit=MAX_CHARS):
    """Join paragraphs into documents of MIN_CHARS to limit characters."""
    part, size = [], 0
    for para in paragraphs:
        if len(para) > limit:
            continue
        if size + len(para) > limit and part:
            if size >= MIN_CHARS:
                yield "\n\n".join(part)
            part, size = [], 0
        part.append(para)
        size += len(para) + 2
    if size >= MIN_CHARS:
        yield "\n\n".join(part)


def write(path, rows):
    """Write rows as JSON lines without exact duplicates; print the count and the size."""
    seen, size = set(), 0
    with open(path, "w", encoding="utf-8") as out:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False)
            key = hash(line)
            if key not in seen:
                seen.add(key)
                out.write(line + "\n")
                size += len(line) + 1
    print(f"{path.name}: {len(seen)} rows, {size / 1e6:.1f} MB")


def chat(question, answer):
    """One single-turn conversation."""
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def pick(options, key):
    """Choose one option, always the same one for the same key."""
    return options[zlib.crc32(key.encode()) % len(options)]
