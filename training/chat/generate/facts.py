"""Random things with random properties, told in many sentence shapes: who reads can answer, who guesses cannot."""

from generate.reading import ReadingMaker
from generate.tools import typed
from generate.words import joined, style

SUBJECTS = {
    "person": ("person", "who"),
    "company": ("company", "what"),
    "city": ("town", "what"),
    "product": ("device", "what"),
    "team": ("team", "what"),
    "Invented": ("thing", "what"),
    "restaurant": ("restaurant", "what"),
    "festival": ("festival", "what"),
    "book": ("book", "what"),
    "island": ("island", "what"),
    "school": ("school", "what"),
    "app": ("app", "what"),
    "animal": ("animal", "what"),
}
# kind of value, names of the property, sentence shapes ({s} subject, {a} property, {v} value)
PROPERTIES = [
    ("color", ["color", "favorite color", "main color", "logo color"]),
    ("city", ["home town", "headquarters", "birthplace", "main office", "current location", "base"]),
    ("country", ["home country", "country of origin", "largest market"]),
    ("year:1800-2024", ["founding year", "year of birth", "opening year", "launch year", "year of the first record"]),
    ("int:2-900", ["number of members", "staff count", "page count", "number of rooms", "seat count", "stock level", "visitor count"]),
    ("money", ["price", "yearly budget", "monthly fee", "entry fee", "debt", "deposit"]),
    ("weight", ["weight", "cargo weight", "shipping weight"]),
    ("length", ["height", "length", "width", "depth"]),
    ("percent", ["market share", "success rate", "discount", "growth rate", "battery level"]),
    ("person", ["owner", "director", "best friend", "inventor", "coach", "teacher", "chief engineer", "neighbor", "doctor"]),
    ("date", ["release date", "birthday", "deadline", "next inspection", "opening day", "anniversary"]),
    ("time", ["opening time", "closing time", "departure time", "lunch break", "meeting time"]),
    ("day", ["day off", "delivery day", "meeting day", "market day"]),
    ("material", ["main material", "roof material", "casing"]),
    ("language", ["native language", "working language", "second language"]),
    ("job", ["profession", "former job", "dream job"]),
    ("food", ["favorite food", "specialty", "usual breakfast"]),
    ("sport", ["favorite sport", "main sport"]),
    ("instrument", ["instrument", "favorite instrument"]),
    ("animal", ["mascot", "pet", "emblem"]),
    ("email", ["email address", "contact address"]),
    ("phone", ["phone number", "hotline"]),
    ("code", ["model number", "license number", "room code", "serial number"]),
    ("temperature", ["operating temperature", "storage temperature", "boiling point"]),
    ("duration", ["warranty period", "training time", "delivery time", "lifespan"]),
    ("department", ["department", "responsible department"]),
    ("hobby", ["hobby", "weekend activity"]),
    ("subject", ["favorite subject", "field of study"]),
    ("vehicle", ["means of transport", "company car"]),
    ("distance", ["range", "distance to the sea", "daily commute"]),
    ("Invented", ["nickname", "code name", "brand", "middle name", "project name"]),
]
SHAPES = [
    "The {a} of {s} is {v}.",
    "{s} has {v} as its {a}.",
    "For {s}, the {a} is {v}.",
    "{v} is the {a} of {s}.",
    "As for the {a}, {s} has {v}.",
    "{s}'s {a} is {v}.",
    "The {a} given for {s} is {v}.",
    "Records list {v} as the {a} of {s}.",
    "When it comes to the {a}, {s} reports {v}.",
    "{s} (with the {a} {v}) is well known here.",
    "Everyone knows that the {a} of {s} is {v}.",
    "It was decided that {v} would be the {a} of {s}.",
    "{s} recently changed its {a} to {v}.",
    "According to the files, the {a} of {s} is {v}.",
]
PRONOUN = ["The {a} is {v}.", "The {a} is now {v}.", "{v} is the {a}.", "Its {a} is {v}.", "The {a} was set to {v}.", "Also, the {a} is {v}.", "As {a}, {v} is named.", "The {a}: {v}."]
ASK = [
    "What is the {a} of {s}?",
    "What's {s}'s {a}?",
    "Tell me the {a} of {s}.",
    "Which {a} does {s} have?",
    "{s}: what is the {a}?",
    "Can you tell me the {a} of {s}?",
    "Do you know the {a} of {s}?",
    "I need the {a} of {s}.",
    "What {a} is given for {s}?",
]
REVERSE = ["Which one has {v} as its {a}?", "Whose {a} is {v}?", "Who or what has the {a} {v}?", "{v} is the {a} of what?"]
SENTENCE = ["The {a} of {s} is {v}.", "{s}'s {a} is {v}.", "It is {v}.", "The {a} is {v}."]
FILLER = [
    "The weather was mild that week.",
    "Many people took part.",
    "Details were checked twice.",
    "The report was written in a hurry.",
    "Nothing else was recorded.",
    "Local papers wrote about it.",
    "Some questions remain open.",
    "The list is kept in the office.",
]


class FactMaker(ReadingMaker):
    def things(self) -> list[tuple[str, dict]]:
        """One to four subjects, each with its properties; several share the same ones."""
        kind = self.pick(list(SUBJECTS))
        count = self.pick([1, 1, 2, 2, 3, 4])
        shared = self.rng.sample(PROPERTIES, self.rng.randint(2, 6 if count < 3 else 3))
        names = [(value, self.pick(named)) for value, named in shared]
        things = []
        for _ in range(count):
            subject = self.slots.make(kind)
            if kind == "animal":
                subject = f"{self.slots.make('first_name')} the {subject}"
            things.append((subject, {name: self.slots.fill("{" + value + "}", {}) for value, name in names}))
        return things

    def told(self, things) -> str:
        sentences = []
        for subject, facts in things:
            for index, (name, value) in enumerate(facts.items()):
                shape = self.pick(PRONOUN if index > 0 and self.chance(0.5) else SHAPES)
                text = shape.format(s=subject, a=name, v=value)
                sentences.append(text[:1].upper() + text[1:])
            if self.chance(0.3):
                sentences.append(self.pick(FILLER))
        return " ".join(sentences)

    def source(self) -> dict:
        things = self.things()
        qa, un = [], []
        seen = {}
        for _, facts in things:
            for name, value in facts.items():
                seen.setdefault((name, value), 0)
                seen[(name, value)] += 1
        for subject, facts in things:
            for name, value in facts.items():
                sentence = self.pick(SENTENCE).format(s=subject, a=name, v=value)
                qa.append((self.pick(ASK).format(s=subject, a=name), value, sentence))
                if seen[(name, value)] == 1 and len(things) > 1:
                    qa.append((self.pick(REVERSE).format(a=name, v=value), subject, f"It is {subject}."))
            missing = [self.pick(named) for _, named in self.rng.sample(PROPERTIES, 3)]
            un += [self.pick(ASK).format(s=subject, a=name) for name in missing if name not in facts]
        stranger = self.slots.make("person")
        un.append(self.pick(ASK).format(s=stranger, a=self.pick(list(things[0][1]))))
        return {"text": self.told(things), "qa": qa, "un": un}

    def conversation(self) -> dict:
        return self.about(self.source())

    def extraction(self) -> dict:
        """The properties of the things as JSON."""
        things = self.things()
        text = self.told(things)
        how = self.pick(["snake", "snake", "camel"])
        fields = {"name": "string"}
        for name in things[0][1]:
            fields[name] = "string"
        rows = []
        for subject, facts in things:
            row = {"name": subject}
            for name, value in facts.items():
                row[name] = typed(value, "integer") if value.isdigit() else value
                fields[name] = "integer" if value.isdigit() else "string"
            rows.append({style(name.split(), how): value for name, value in row.items()})
        properties = {style(name.split(), how): {"type": kind} for name, kind in fields.items()}
        return {"text": text, "properties": properties, "rows": rows, "names": joined(self.rng, list(properties))}
