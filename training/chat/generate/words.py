"""Names in many styles, and the small words that vary from text to text."""

import re

VERBS = {
    "get": ["fetch", "retrieve", "lookup", "read", "show", "load", "check"],
    "search": ["find", "lookup", "query", "browse", "discover"],
    "find": ["search", "locate", "lookup", "get"],
    "create": ["add", "make", "new", "register", "insert", "open"],
    "add": ["create", "append", "insert", "put", "include"],
    "set": ["update", "change", "adjust", "configure", "apply"],
    "update": ["change", "edit", "modify", "set", "revise"],
    "send": ["deliver", "dispatch", "post", "transmit", "push"],
    "delete": ["remove", "erase", "drop", "clear", "discard"],
    "cancel": ["revoke", "abort", "drop", "void"],
    "book": ["reserve", "schedule", "request", "arrange"],
    "schedule": ["plan", "book", "arrange", "create"],
    "list": ["show", "get", "enumerate", "fetch"],
    "check": ["verify", "get", "query", "test"],
    "calculate": ["compute", "estimate", "work_out", "get"],
    "convert": ["change", "transform", "translate", "exchange"],
    "start": ["begin", "launch", "run", "trigger"],
    "stop": ["end", "halt", "terminate", "pause"],
    "order": ["buy", "purchase", "place_order", "request"],
    "play": ["start", "stream", "queue"],
    "track": ["follow", "trace", "monitor", "locate"],
    "report": ["file", "submit", "log", "record"],
    "translate": ["convert", "render", "interpret"],
    "open": ["launch", "show", "access"],
}
NOUNS = {
    "location": ["place", "city", "where", "area", "loc"],
    "city": ["location", "town", "place", "city_name"],
    "date": ["day", "on_date", "when", "date_str"],
    "time": ["at", "time_of_day", "hour", "when"],
    "name": ["full_name", "title", "label", "called"],
    "title": ["name", "heading", "subject", "label"],
    "query": ["q", "search_text", "keywords", "term", "text"],
    "amount": ["sum", "value", "total", "quantity"],
    "quantity": ["count", "amount", "number", "qty"],
    "message": ["text", "body", "content", "msg"],
    "recipient": ["to", "receiver", "contact", "send_to"],
    "to": ["recipient", "destination", "target"],
    "id": ["identifier", "key", "ref", "number"],
    "email": ["mail", "email_address", "contact_email"],
    "duration": ["length", "how_long", "minutes", "period"],
    "destination": ["to", "target", "arrival", "dest"],
    "origin": ["from", "source", "departure", "start"],
    "category": ["type", "kind", "group", "class"],
    "description": ["details", "note", "summary", "info"],
    "limit": ["max", "max_results", "top", "count"],
    "user": ["account", "member", "person", "username"],
    "price": ["cost", "amount", "rate", "max_price"],
}


def split_name(name: str) -> list[str]:
    """The words of a name in any style."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[\s_\-.]+", spaced) if word]


def style(words: list[str], how: str) -> str:
    if how == "camel":
        return words[0] + "".join(word.capitalize() for word in words[1:])
    if how == "pascal":
        return "".join(word.capitalize() for word in words)
    if how == "kebab":
        return "-".join(words)
    if how == "flat":
        return "".join(words)
    return "_".join(words)


STYLES = ["snake", "snake", "snake", "camel", "camel", "pascal", "kebab"]


def reworded(rng, words: list[str], table: dict[str, list[str]]) -> list[str]:
    """Some of the words by others of the same meaning."""
    out = []
    for word in words:
        others = table.get(word)
        out += split_name(rng.choice(others)) if others and rng.random() < 0.5 else [word]
    return out


def new_tool_name(rng, slots, name: str) -> tuple[str, bool]:
    """Another name for a tool, and whether it still says what the tool does."""
    roll = rng.random()
    words = split_name(name)
    if roll < 0.12:
        opaque = rng.choice(
            [slots.make("invented"), f"tool_{rng.randint(1, 99)}", f"fn{rng.randint(1, 40)}", f"{slots.make('invented')}_{slots.make('invented')}"]
        )
        return opaque, False
    if roll < 0.55:
        words = reworded(rng, words, VERBS)
    if rng.random() < 0.12 and len(words) > 1:
        words = words[1:] + words[:1]
    if rng.random() < 0.1:
        words = words + [rng.choice(["tool", "api", "v2", "action", "service", "now", "info"])]
    return style(words, rng.choice(STYLES)), True


def new_param_name(rng, slots, name: str, how: str) -> tuple[str, bool]:
    roll = rng.random()
    words = split_name(name)
    if roll < 0.07:
        return rng.choice([slots.make("invented"), f"arg{rng.randint(1, 9)}", f"p{rng.randint(1, 9)}", rng.choice("xyzabk")]), False
    if roll < 0.45:
        words = reworded(rng, words, NOUNS)
    return style(words, how), True


def joined(rng, items: list[str]) -> str:
    """A list in words."""
    if len(items) < 2:
        return "".join(items)
    link = rng.choice([" and ", " and ", ", and ", ", "])
    return ", ".join(items[:-1]) + link + items[-1]


def lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if not text[:2].isupper() and not text.startswith("I ") else text


def sloppy(rng, text: str) -> str:
    """How people type when they are in a hurry."""
    roll = rng.random()
    if roll < 0.08:
        return text.rstrip(".!")
    if roll < 0.12:
        return lower_first(text.rstrip("."))
    return text


# What says nothing of a subject.
COMMON = set("the and for with from that this what which who when where why how are was were does did can could would should about into your you have has not get set list find show add new name number all one two any its it's their than more most make tell give many much want need please know think like good best way time day type information text given value".split())


def content_words(text: str) -> set[str]:
    """The words that tell what a text is about."""
    return {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", text.lower())} - COMMON
