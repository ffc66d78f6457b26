"""Schema-guided dialogues (CC BY-SA 4.0): conversations with functions, their calls, results, and answers in words.

Of each dialogue the turns up to the last call or result are kept. A system's turn that has a call becomes three messages:
the call, its result, and what was said. Turns that say nothing of their results are kept only where they ask back.
"""

import json
import re

from common import Repo, arguments, pick, tidy, write

REPOSITORY = "google-research-datasets/dstc8-schema-guided-dialogue"
MAX_RESULTS = 3
WORDS = {"True": True, "False": False}
# The sets call one function by many names; so do programs.
VERBS = {"Find": ("find", "search", "list", "get", "look_up"), "Get": ("get", "fetch", "show", "find"), "Search": ("search", "find", "query"),
         "Reserve": ("reserve", "book", "make_reservation_for"), "Book": ("book", "reserve", "order"), "Buy": ("buy", "purchase", "order"),
         "Check": ("check", "get", "show"), "Lookup": ("look_up", "find", "get"), "Play": ("play", "start"), "Schedule": ("schedule", "plan", "arrange")}


def snake(name, key):
    """The method's name in one of the ways that programs write it."""
    parts = re.findall(r"[A-Z][a-z]*|\d+", name)
    first = pick(VERBS.get(parts[0], (parts[0].lower(),)), key)
    words = "_".join([first, *(part.lower() for part in parts[1:])])
    return pick((words, words, re.sub(r"_(\w)", lambda found: found.group(1).upper(), words), words.replace("_", "-")), key + "form")


def value(text):
    if text in WORDS:
        return WORDS[text]
    return int(text) if re.fullmatch(r"0|[1-9]\d{0,5}", text) else text


def field(slot):
    values = [value(one) for one in slot["possible_values"]]
    schema = {"type": "string", "description": slot["description"]}
    if set(values) == {True, False}:
        schema["type"] = "boolean"
    elif values and all(isinstance(one, int) for one in values):
        schema["type"] = "integer"
    elif slot["is_categorical"] and values:
        schema["enum"] = values
    return schema


def tool(service, intent, name):
    slots = {slot["name"]: field(slot) for slot in service["slots"]}
    names = [*intent["required_slots"], *intent["optional_slots"]]
    parameters = {"type": "object", "properties": {one: slots[one] for one in names}, "required": intent["required_slots"]}
    return {"name": name, "description": intent["description"], "parameters": parameters}


def typed(values, schema):
    kinds = {name: one["type"] for name, one in schema["properties"].items()}
    return {name: value(text) if kinds.get(name) in ("boolean", "integer") else text for name, text in values.items()}


def told(results, said):
    """Whether the answer has a value of the results, so that it can be learnt from them."""
    values = {str(one) for result in results for one in result.values() if len(str(one)) > 1 and str(one) not in WORDS}
    return any(one.lower() in said.lower() for one in values)


def conversation(dialogue, services):
    messages, tools, names, last = [], {}, {}, 0
    for service in dialogue["services"]:
        for intent in services[service]["intents"]:
            key = dialogue["dialogue_id"] + intent["name"]
            names[service, intent["name"]] = snake(intent["name"], key)
            if names[service, intent["name"]] in tools:  # of another service: calls could not be told apart
                return [], []
            tools[names[service, intent["name"]]] = tool(services[service], intent, names[service, intent["name"]])
    for turn in dialogue["turns"]:
        said = tidy(turn["utterance"])
        if turn["speaker"] == "USER":
            messages.append({"role": "user", "content": said})
            continue
        for frame in turn["frames"]:
            if "service_call" not in frame:
                continue
            call, results = frame["service_call"], frame["service_results"][:MAX_RESULTS]
            if results and not told(results, said) and not re.search(r"\b(book|reserv|schedul|done|success|confirm|sent|added|transfer|purchas|play)", said, re.I):
                return cut(messages, last), list(tools.values())
            name = names[frame["service"], call["method"]]
            arguments_ = typed(call["parameters"], tools[name]["parameters"])
            messages.append({"role": "assistant", "calls": [[name, arguments_]]})
            shown = [{one: value(text) for one, text in result.items()} for result in results]
            messages.append({"role": "tool", "content": json.dumps(shown if len(shown) != 1 else shown[0], ensure_ascii=False)})
        messages.append({"role": "assistant", "content": said})
        last = len(messages)
    return cut(messages, last), list(tools.values())


def cut(messages, last):
    return messages[:last] if any("calls" in one for one in messages[:last]) else []


def conversations(repo):
    for part in ("train", "dev"):
        services = {one["service_name"]: one for one in json.loads(repo.text(f"{part}/schema.json"))}
        for _, text in repo.files(rf"^{part}/dialogues_\d+\.json$", f"{part}/"):
            for dialogue in json.loads(text):
                messages, tools = conversation(dialogue, services)
                if messages:
                    yield {"tools": tools, "messages": messages}


def main():
    mirrors, out = arguments(__doc__)
    write(out / "dialogues-schema-guided.jsonl", conversations(Repo(mirrors, REPOSITORY)))


if __name__ == "__main__":
    main()
