"""Short programs with what they are for: Exercism (MIT), 30 seconds of code (CC BY 4.0), MBPP 601 to 974 (CC BY 4.0)."""

import json
import re

from common import Repo, arguments, chat, pick, tidy, write

TRACKS = {"exercism/python": (r"\.meta/example\.py$", "Python", "python"), "exercism/javascript": (r"\.meta/proof\.ci\.js$", "JavaScript", "javascript")}
SNIPPETS = "Chalarangelo/30-seconds-of-code"
MBPP = "google-research/google-research"
# 11 to 510 are for measuring, and so are the prompts before and the checks between.
FIRST_TASK = 601
MAX_CODE = 1_500
LANGUAGES = {"js": "JavaScript", "css": "CSS", "git": "Git", "react": "React", "python": "Python", "html": "HTML"}
HOW = ["How do I {t} in {l}?", "How can I {t} with {l}?", "Show me how to {t} in {l}.", "{l}: {t}", "I want to {t} in {l}."]


def exercises(repo, pattern, language, mark):
    told = dict(repo.files(r"^exercises/practice/[^/]+/\.docs/instructions\.md$", "exercises/"))
    for path, code in repo.files(pattern, "exercises/"):
        folder = path.split("/.meta/")[0]
        text = told.get(f"{folder}/.docs/instructions.md")
        if not text or len(code) > MAX_CODE:
            continue
        plain = re.sub(r"```.*?```|^\|.*$|^#+ .*$|^\[[^\]]+\]:.*$", "", text, flags=re.S | re.M)
        plain = re.sub(r"\[([^\]]+)\][(\[][^)\]]*[)\]]", r"\1", plain)
        paragraphs = [tidy(one) for one in re.split(r"\n\s*\n", plain) if one.strip()]
        asked = "\n\n".join(paragraphs)[:900].rsplit(".", 1)[0] + "."
        if len(asked) < 25:
            continue
        lead = pick([f"Write this in {language}.", f"Solve this in {language}:", f"Please write {language} code for this task.", f"{language} exercise:"], path)
        yield chat(f"{lead}\n\n{asked}", f"```{mark}\n{code.strip()}\n```")


def named(title, language):
    return title if language in title else f"{title} in {language}"


def snippets(repo):
    for path, text in repo.files(r"^content/snippets/(js|css|git|react|python|html)/s/.*\.md$", "content/"):
        head = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S)
        title = head and re.search(r"^title: (.*)$", head.group(1), re.M)
        if not title:
            continue
        first, _, rest = head.group(2).strip().partition("\n\n")
        code = re.search(r"```\w*\n.*?```", head.group(2), re.S)
        opening = tidy(re.sub(r"\[([^\]]+)\]\([^)]*\)|\*+", r"\1", first))
        name = title.group(1).strip("\"'")
        how = re.match(r"How (?:can|do) (?:I|you) (.*?)\??$", name)
        asked = pick(HOW, path).format(t=how.group(1)[0].lower() + how.group(1)[1:], l=LANGUAGES[path.split("/")[2]]) if how else named(name, LANGUAGES[path.split("/")[2]])
        if code and len(code.group()) < MAX_CODE and 20 < len(opening) < 500 and "```" not in first and not opening.startswith(("#", ">", "!")):
            yield chat(asked, f"{opening}\n\n{code.group()}")


def functions(repo):
    for line in repo.text("mbpp/mbpp.jsonl").splitlines():
        task = json.loads(line)
        if task["task_id"] >= FIRST_TASK:
            code = task["code"].replace("\r\n", "\n").expandtabs(4).rstrip()
            asked = tidy(task["text"]).replace("Write a function", pick(["Write a Python function", "Write a function in Python", "Please write a Python function"], line))
            yield chat(f"{asked} It must pass this check: {task['test_list'][0]}" if pick("abc", line) == "a" else asked, f"```python\n{code}\n```")


def main():
    mirrors, out = arguments(__doc__)
    found = [one for name, track in TRACKS.items() for one in exercises(Repo(mirrors, name), *track)]
    write(out / "chat-programs.jsonl", [*found, *snippets(Repo(mirrors, SNIPPETS)), *functions(Repo(mirrors, MBPP))])


if __name__ == "__main__":
    main()
