"""Read files of a local copy of a public repository (bare git) without checking it out."""

import os
import re
import subprocess


class Repository:
    def __init__(self, mirrors, name):
        folder = os.path.join(mirrors, name.replace("/", "+"), "repo")
        if os.path.isdir(os.path.join(folder, ".git")):
            folder = os.path.join(folder, ".git")
        self.git = ["git", f"--git-dir={folder}"]

    def blobs(self, under, pattern, most):
        listing = subprocess.run(
            [*self.git, "-c", "core.quotepath=off", "ls-tree", "-r", "-l", "HEAD", "--", under],
            capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            left, path = line.split("\t", 1)
            _, _, blob, size = left.split()
            # A size that is no number is a file too large for the stored copy.
            if size.isdigit() and int(size) < most and re.search(pattern, path):
                yield path, blob

    def files(self, under, pattern, most=4_194_305, wanted=None):
        """(path, bytes) of every file under a folder whose path matches, in the order of the tree."""
        chosen = [b for b in self.blobs(under, pattern, most) if wanted is None or b[0] in wanted]
        process = subprocess.Popen([*self.git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for path, blob in chosen:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            head = process.stdout.readline().split()
            if len(head) < 3:
                continue
            data = process.stdout.read(int(head[2]))
            process.stdout.read(1)
            yield path, data
        process.stdin.close()
        process.wait()

    def texts(self, under, pattern, most=4_194_305, wanted=None):
        for path, data in self.files(under, pattern, most, wanted):
            yield path, data.decode("utf-8", "replace")
