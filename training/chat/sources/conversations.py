"""Question and answer pairs: tldr (CC BY), GSM8K (MIT), TheAlgorithms (MIT), ChatterBot (BSD), self-instruct seeds
(Apache-2.0), World Factbook (public domain)."""

import ast
import builtins
import html
import json
import re
import textwrap

from common import Repo, arguments, chat, pick, tidy, write

HOW = ["How do I {d} with {c}?", "How can I {d} using {c}?", "What's the {c} command to {d}?", "{c}: {d}",
       "I want to {d} in the terminal. How?", "Show me how to {d} with `{c}`.", "Which command can {d}? I have {c} installed.",
       "Give me a {c} one-liner to {d}.", "What do I type to {d}?", "Command to {d}, please ({c}).",
       "need to {d} using {c}, what's the syntax", "Please write a {c} command that will {d}."]
LEAD = ["", "", "", "Use:\n", "Run this:\n", "You can use `{c}`:\n", "Try this command:\n"]
OPEN_VERB = re.compile(r"^[A-Z][a-z]+$")


def tldr(repo):
    for path, text in repo.files(r"^pages/(common|linux|osx|windows)/.*\.md$"):
        title = re.search(r"^# (.+)$", text, re.M)
        about = re.findall(r"^> (.+)$", text, re.M)
        if not title:
            continue
        name = title[1].strip()
        if about and not about[0].startswith("This command is an alias"):
            yield chat(pick([f"What does `{name}` do?", f"What is the {name} command for?", f"Explain {name} in one line.",
                             f"what's {name}", f"Tell me what the command {name} does.", f"When would I use {name}?"], path),
                       tidy(about[0].replace("`", "")))
        for line, code in re.findall(r"^- (.+):\n\n`(.+)`$", text, re.M):
            line = re.sub(r"\[(\w)\](\w+)", r"\1\2", line).replace("`", "").strip()
            word = line.split(" ")[0]
            if not OPEN_VERB.match(word) or word in ("Example", "By", "With", "In") or len(line) > 110 or code.startswith("<"):
                continue
            code = re.sub(r"\{\{\[([^|\]]+)\|([^\]]+)\]\}\}", r"\2", code)
            code = code.replace("{{", "<").replace("}}", ">") if re.search(r"\{\{[^}]* ", code) else re.sub(r"\{\{|\}\}", "", code)
            ask = pick(HOW, line + name).format(d=line[0].lower() + line[1:], c=name)
            lead = pick(LEAD, name + line).format(c=name)
            yield chat(ask, f"{lead}```bash\n{code}\n```")


def gsm8k(repo):
    for line in repo.text("grade_school_math/data/train.jsonl").splitlines():
        item = json.loads(line)
        steps, result = re.sub(r"<<[^>]*>>", "", item["answer"]).rsplit("####", 1)
        end = pick(["The answer is {r}.", "So the answer is {r}.", "Answer: {r}", "That makes {r}."], item["question"])
        yield chat(item["question"].strip(), steps.strip() + "\n" + end.format(r=result.strip()))


def stands_alone(node):
    """True when a function uses only its own names and Python's."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    own = {n.id for n in names if not isinstance(n.ctx, ast.Load)} | {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    own |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)}
    own |= {n.name for n in ast.walk(node) if isinstance(n, ast.ExceptHandler)}
    return all(n.id in own or hasattr(builtins, n.id) for n in names)


def algorithms(repo):
    """Short documented functions: the first docstring line becomes the request."""
    for path, text in repo.files(r"^(?!\.|docs|scripts|web_programming|machine_learning|neural|project_euler|computer_vision|digital_image|quantum).*\.py$"):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in tree.body:
            doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if not doc or node.name.startswith(("test", "main", "_")):
                continue
            first = tidy(doc.split("\n\n")[0].split(">>>")[0])
            node.body = node.body[1:]
            if not node.body or not 20 < len(first) < 220 or not re.match(r"[A-Z][a-z]+ ?", first):
                continue
            code = ast.unparse(node)
            if not stands_alone(node) or not 60 < len(code) < 900 or re.search(r":param|Args|Wikipedia|https?:", first):
                continue
            low = first[0].lower() + first[1:].rstrip(".")
            name = node.name.replace("_", " ")
            ask = pick([f"Write a Python function `{node.name}`. {first}", f"Python: {low}. Just the function, please.",
                        f"Can you code this in Python? {first}", f"I need a Python function for {name}: {low}.",
                        f"Implement {name} in Python.", f"Show me a short Python function called {node.name}: {low}."], path + node.name)
            yield chat(ask, f"```python\n{code}\n```")


CHATTERBOT = ("tech_support", "science", "money", "literature", "psychology", "conversations", "greetings", "trivia", "history",
              "computers", "emotion", "health")


def chatterbot(repo):
    """A small reader for the corpus's YAML: lists of lists of plain strings."""
    for path, text in repo.files(r"chatterbot_corpus/data/english/(%s)\.yml$" % "|".join(CHATTERBOT)):
        for block in re.split(r"^- - ", text, flags=re.M)[1:]:
            if "|\n" in block or ">\n" in block:
                continue
            lines = [tidy(re.sub(r"\n\s+", " ", part)).strip("'\"") for part in re.split(r"\n  - ", block)]
            answer = lines[1] if len(lines) == 2 else ""
            if re.search(r"\b(robot|software|my (brain|processor|creator|program)|A\.?I\.?|chatterbot|ALICE|god|kill|sex)\b", " ".join(lines), re.I):
                continue
            if 2 <= len(answer) <= 400 and len(lines[0]) > 3:
                yield chat(lines[0], answer[0].upper() + answer[1:])


def instruction_rows(items):
    """Alpaca-style rows as conversations."""
    for item in items:
        ask, given, out = (str(item.get(k) or "").strip() for k in ("instruction", "input", "output"))
        if given and given.lower() not in ("none", "n/a", "<noinput>", "no input"):
            ask += "\n\n" + given
        if ask and out and len(ask) < 1500 and len(out) < 1500 and not re.search(r"as an ai|language model|openai|chatgpt|gpt-?\d|fuck|shit", out + ask, re.I):
            yield chat(ask, out)


def seeds(repo):
    rows = [json.loads(line) for line in repo.text("data/seed_tasks.jsonl").splitlines()]
    return instruction_rows({"instruction": r["instruction"], **i} for r in rows for i in r["instances"])


ACRONYMS = {"UNESCO", "ASEAN", "ECOWAS", "UNITA", "FRELIMO", "RENAMO", "SWAPO", "NATO", "UNHCR", "UNICEF", "COVID", "MONUSCO"}


def flat(value):
    """Plain text of a factbook entry."""
    if not isinstance(value, dict):
        return ""
    text = value.get("text", "") if isinstance(value.get("text", ""), str) else ""
    text = re.sub(r"<[^>]+>", " ", html.unescape(html.unescape(text)))
    text = re.sub(r"\s*\((19|20)\d\d( est\.)?\)", "", text)
    return tidy(re.sub(r"\b[A-Z]{5,}\b", lambda m: m[0] if m[0] in ACRONYMS else m[0].capitalize(), text))


ASKS = [("Government/Capital/name", ["What is the capital of {c}?", "Which city is the capital of {c}?", "{c}'s capital?", "Name the capital city of {c}."], "The capital of {c} is {v}."),
        ("Geography/Location", ["Where is {c}?", "Where is {c} located?", "In which part of the world is {c}?"], "{C} is in {v}."),
        ("Geography/Area/total", ["How big is {c}?", "What is the area of {c}?", "How large is {c} in square kilometers?"], "{C} covers {v}."),
        ("Geography/Climate", ["What is the climate like in {c}?", "What kind of weather does {c} have?", "Describe the climate of {c}."], "The climate of {c}: {v}."),
        ("Geography/Terrain", ["What does the land look like in {c}?", "Describe the terrain of {c}."], "The terrain of {c}: {v}."),
        ("Geography/Elevation/highest point", ["What is the highest point in {c}?", "How high is the highest mountain in {c}?"], "The highest point in {c} is {v}."),
        ("Geography/Natural resources", ["What natural resources does {c} have?", "Which raw materials are found in {c}?"], "{C} has {v}."),
        ("Geography/Coastline", ["How long is the coastline of {c}?", "Does {c} have a coast?"], "The coastline of {c} is {v} long."),
        ("Geography/Land boundaries/border countries", ["Which countries border {c}?", "What are the neighbors of {c}?"], "{C} borders {v}."),
        ("People and Society/Languages/Languages", ["Which languages are spoken in {c}?", "What language do people speak in {c}?"], "Languages in {c}: {v}."),
        ("People and Society/Nationality/noun", ["What do you call people from {c}?", "What is the word for the people of {c}?"], "People from {c} are called {v}."),
        ("Government/Government type", ["What type of government does {c} have?", "How is {c} governed?"], "The government type of {c}: {v}."),
        ("Government/National symbol(s)", ["What is the national symbol of {c}?", "Which symbols stand for {c}?"], "National symbols of {c}: {v}."),
        ("Economy/Agricultural products", ["What do farmers grow in {c}?", "What are the main farm products of {c}?"], "Main farm products of {c}: {v}."),
        ("Economy/Industries", ["What are the main industries of {c}?", "Which industries matter in {c}?"], "Main industries of {c}: {v}."),
        ("Economy/Exports - commodities", ["What does {c} export?", "Which goods does {c} sell abroad?"], "{C} mainly exports {v}.")]


def factbook(repo):
    """Yield ('chat', row) and ('prose', row) for every country."""
    for path, text in repo.files(r"^[a-z-]+/[a-z]{2}\.json$"):
        data = json.loads(text)
        name = flat(data.get("Government", {}).get("Country name", {}).get("conventional short form", {}))
        if not name or name.lower() == "none" or name.count(",") > 1 or path.startswith(("meta", "oceans", "world")):
            continue
        the = "the " + name if re.match(r"(Bahamas|Gambia|Netherlands|Philippines|Maldives|United|Central|Dominican Rep|Czech Rep|Marshall|Solomon|Cayman|Cook|Faroe)", name) else name
        parts = []
        background = flat(data.get("Introduction", {}).get("Background", {}))
        if background:
            parts.append(background)
        for where, asks, answer in ASKS:
            value = data
            for key in where.split("/"):
                value = value.get(key, {}) if isinstance(value, dict) else {}
            value = flat(value).rstrip(".").split(" ++ ")[0].split("; note")[0].split(" note:")[0]
            if not value or len(value) > 350 or value.lower() in ("none", "na") or value.startswith("0 km"):
                continue
            value = value.replace("sq km", "square kilometers")
            text = answer.format(c=the, C=the[0].upper() + the[1:], v=value) .replace("covers total", "covers")
            if where.endswith("noun"):
                value = re.split(r"[(;]", value.replace("(s)", "s").replace("(es)", "es"))[0].strip()
                text = f"People from {the} are called {value}."
            if where.endswith("Government type") and re.search(r"(republic|monarchy|democracy|state|federation|dictatorship|realm)$", value):
                article = "an" if value[0].lower() in "aeio" else "a"
                text = f"{the[0].upper() + the[1:]} is {article} {value}."
            if where == "Geography/Location" and ", " in value:
                text = f"{the[0].upper() + the[1:]} is in {value.split(', ')[0]}, {value.split(', ', 1)[1]}."
            parts.append(text)
            yield "chat", chat(pick(asks, name + where).format(c=the), text)
        if len(background) > 150:
            yield "chat", chat(pick(["Tell me about {c}.", "Give me a short overview of {c}.", "Summarize the history of {c}.",
                                     "What should I know about the history of {c}?"], name).format(c=the), background[:1800].rsplit(". ", 1)[0].rstrip(".") + ".")
        body = [p for p in parts if p]
        if len(body) > 3:
            yield "prose", {"text": name + "\n\n" + body[0] + "\n\n" + " ".join(body[1:])}


def main():
    mirrors, out = arguments(__doc__)
    for name, repo, reader in [("tldr", "tldr-pages/tldr", tldr), ("gsm8k", "openai/grade-school-math", gsm8k),
                               ("algos", "TheAlgorithms/Python", algorithms), ("chatterbot", "gunthercox/chatterbot-corpus", chatterbot),
                               ("seeds", "yizhongw/self-instruct", seeds)]:
        write(out / f"chat-{name}.jsonl", reader(Repo(mirrors, repo)))
    rows = list(factbook(Repo(mirrors, "factbook/factbook.json")))
    write(out / "chat-factbook.jsonl", (r for kind, r in rows if kind == "chat"))
    write(out / "prose-factbook.jsonl", (r for kind, r in rows if kind == "prose"))


if __name__ == "__main__":
    main()
