"""Small exact skills: looking things up in tables and lists, counting, arithmetic, dates, copying, sorting."""

import json
from datetime import date, timedelta

from generate.base import Maker, assistant, user
from generate.random_tools import KINDS
from generate.words import joined

NAMED = [
    ("name", "first_name"), ("city", "city"), ("age", "int:5-90"), ("job", "job"), ("color", "color"), ("price", "amount"),
    ("country", "country"), ("day", "day"), ("time", "time24"), ("score", "int:0-100"), ("animal", "animal"), ("code", "code"),
    ("fruit", "fruit"), ("team", "team"), ("room", "room"), ("year", "year"), ("language", "language"), ("email", "email"),
]


class LookupMaker(Maker):
    def conversation(self) -> dict:
        kinds = [self.table, self.json_value, self.sum, self.word_problem, self.compare, self.sort, self.dates, self.copy, self.count, self.remember, self.letters, self.series, self.convert]
        kind = self.rng.choices(kinds, [14, 12, 10, 10, 6, 6, 10, 8, 5, 12, 4, 3, 6])[0]
        return {"messages": self.system(0.2) + kind()}

    def table(self):
        columns = self.rng.sample(NAMED, self.rng.randint(2, 5))
        if not any(name == "name" for name, _ in columns):
            columns.insert(0, ("name", "first_name"))
        names, rows = [name for name, _ in columns], []
        for _ in range(self.rng.randint(2, 7)):
            rows.append([self.slots.fill("{" + kind + "}", {}) for _, kind in columns])
        key = names.index("name")
        if len({row[key] for row in rows}) < len(rows):
            return self.sum()
        row, column = self.pick(rows), self.rng.randrange(len(names))
        if column == key:
            column = (key + 1) % len(names)
        ask = self.pick(["What is the {c} of {n}?", "What is {n}'s {c}?", "Which {c} does {n} have?", "{n}: {c}?", "Tell me {n}'s {c}.", "Look up the {c} for {n}."])
        question = ask.format(c=names[column], n=row[key])
        answer = self.pick(["{v}", "The {c} of {n} is {v}.", "{n}'s {c} is {v}."]).format(c=names[column], n=row[key], v=row[column])
        shape = self.pick(["{t}\n\n{q}", "{q}\n\n{t}", "Here is a table.\n{t}\n{q}", "Data:\n{t}\n\nQuestion: {q}"])
        return [user(shape.format(t=self.written_table(names, rows), q=question)), assistant(answer)]

    def written_table(self, names, rows) -> str:
        how = self.rng.randrange(4)
        if how == 0:
            return "\n".join([",".join(names)] + [",".join(row) for row in rows])
        if how == 1:
            lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
            return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
        if how == 2:
            return "\n".join("; ".join(f"{name}: {value}" for name, value in zip(names, row)) for row in rows)
        return json.dumps([dict(zip(names, row)) for row in rows], ensure_ascii=False)

    def json_value(self):
        facts = {}
        for _ in range(self.rng.randint(2, 7)):
            facts[self.slots.make("noun").replace(" ", "_")] = self.slots.fill("{" + self.pick(KINDS["string"] + KINDS["integer"]) + "}", {})
        key = self.pick(list(facts))
        words = key.replace("_", " ")
        text = json.dumps(facts, ensure_ascii=False) if self.chance(0.5) else "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in facts.items())
        ask = self.pick(["What is the {}?", "Give me the {}.", "Which {} is in there?", "{}?", "Read out the {}."]).format(words)
        answer = self.pick(["{v}", "The {k} is {v}.", "{v}"]).format(k=words, v=facts[key])
        return [user(self.pick(["{t}\n\n{q}", "{q}\n\n{t}", "{t}\n{q}"]).format(t=text, q=ask)), assistant(answer)]

    def sum(self):
        a, b = self.rng.randint(0, 100), self.rng.randint(0, 100)
        op = self.pick(["+", "+", "-", "-", "*", "/"])
        if op == "*":
            a, b = self.rng.randint(0, 12), self.rng.randint(0, 12)
        if op == "/":
            b = self.rng.randint(1, 12)
            a = b * self.rng.randint(0, 12)
        if op == "-" and b > a:
            a, b = b, a
        result = {"+": a + b, "-": a - b, "*": a * b, "/": a // b if b else 0}[op]
        word = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}[op]
        sign = {"*": self.pick(["*", "x", "×"]), "/": self.pick(["/", "÷"])}.get(op, op)
        ask = self.pick([f"What is {a} {word} {b}?", f"{a} {sign} {b}", f"{a} {sign} {b} = ?", f"Calculate {a} {sign} {b}.", f"How much is {a} {word} {b}?", f"what's {a}{sign}{b}", f"Compute {a} {word} {b}."])
        return [user(ask), assistant(self.pick([f"{result}", f"{a} {sign} {b} = {result}", f"{a} {word} {b} is {result}.", f"The answer is {result}."]))]

    def word_problem(self):
        name, thing = self.slots.make("first_name"), self.pick(self.library.lists["fruit"] + self.library.lists["animal"] + ["books", "coins", "stamps", "pencils"])
        things = thing if thing.endswith("s") else thing + ("es" if thing.endswith(("ch", "sh", "x", "s")) else "s")
        a, b = self.rng.randint(5, 60), self.rng.randint(1, 20)
        kind = self.rng.randrange(4)
        if kind == 0:
            b = min(a, b)
            verb = self.pick(["gives away", "sells", "loses", "eats", "donates"])
            text, working = f"{name} has {a} {things} and {verb} {b}. How many {things} are left?", (f"{a} - {b} = {a - b}", a - b)
        elif kind == 1:
            verb = self.pick(["buys", "finds", "gets", "receives"])
            text, working = f"{name} has {a} {things} and {verb} {b} more. How many {things} does {name} have now?", (f"{a} + {b} = {a + b}", a + b)
        elif kind == 2:
            a, b = self.rng.randint(2, 12), self.rng.randint(2, 12)
            text, working = f"There are {a} boxes with {b} {things} each. How many {things} are there in total?", (f"{a} x {b} = {a * b}", a * b)
        else:
            b = self.rng.randint(2, 9)
            a = b * self.rng.randint(2, 12)
            text, working = f"{name} shares {a} {things} equally among {b} friends. How many does each friend get?", (f"{a} / {b} = {a // b}", a // b)
        answer = self.pick([f"{working[0]}, so the answer is {working[1]}.", f"{working[0]}. The answer is {working[1]}."])
        return [user(text), assistant(answer)]

    def compare(self):
        numbers = self.rng.sample(range(1, 1000 if self.chance(0.5) else 60), self.rng.randint(2, 6))
        big = self.chance(0.5)
        word = self.pick(["largest", "biggest", "highest"] if big else ["smallest", "lowest", "least"])
        answer = max(numbers) if big else min(numbers)
        text = joined(self.rng, [str(number) for number in numbers])
        return [user(self.pick([f"Which number is the {word}: {text}?", f"Find the {word} of {text}.", f"{text}: which is the {word}?"])), assistant(self.pick([f"{answer}", f"The {word} is {answer}.", f"{answer} is the {word}."]))]

    def sort(self):
        kind = self.pick(["fruit", "animal", "color", "noun", "first_name", "city", "number"])
        if kind == "number":
            items = [str(number) for number in sorted(self.rng.sample(range(1, 200), self.rng.randint(3, 7)))]
        else:
            items = sorted(set(self.slots.make(kind) for _ in range(self.rng.randint(3, 6))), key=str.lower)
        shuffled = items[:]
        self.rng.shuffle(shuffled)
        how = "in ascending order" if kind == "number" else "alphabetically"
        if self.chance(0.2):
            items, how = items[::-1], "in descending order" if kind == "number" else "in reverse alphabetical order"
        return [user(self.pick([f"Sort {how}: {', '.join(shuffled)}", f"Put these {how}: {', '.join(shuffled)}.", f"{', '.join(shuffled)}\n\nSort this list {how}."])), assistant(", ".join(items))]

    def dates(self):
        start = date(2020, 1, 1) + timedelta(days=self.rng.randint(0, 3000))
        days = self.rng.choice([1, 2, 3, 7, 10, 14, 30])
        said = lambda day: f"{day:%B} {day.day}, {day.year}"  # noqa: E731
        week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        kind = self.rng.randrange(4)
        if kind == 0:
            end = start + timedelta(days=days)
            return [user(self.pick([f"What date is {days} days after {said(start)}?", f"{said(start)} plus {days} days?", f"Add {days} days to {said(start)}."])), assistant(f"{said(end)}.")]
        index, step = self.rng.randrange(7), self.rng.randint(1, 6)
        if kind == 1:
            return [user(self.pick([f"If today is {week[index]}, what day is it in {step} days?", f"Today is {week[index]}. Which weekday comes {step} days later?"])), assistant(f"{week[(index + step) % 7]}.")]
        hour, length = self.rng.randint(0, 20), self.rng.randint(1, 3)
        minute = self.rng.choice([0, 15, 30, 45])
        if kind == 2:
            return [user(f"A meeting starts at {hour:02d}:{minute:02d} and lasts {length} hour{'s' if length > 1 else ''}. When does it end?"), assistant(f"It ends at {hour + length:02d}:{minute:02d}.")]
        return [user(self.pick([f"Write {start.isoformat()} in words.", f"Convert {start.isoformat()} to a long date."])), assistant(said(start))]

    def copy(self):
        text = self.slots.fill(self.pick(["{person}", "{email}", "{address}, {city}", "{code}", "{book}", "{company} in {city}", "{phone}", "{color} {noun}", "{invented} {invented#b} {invented#c}"]), {})
        kind = self.rng.randrange(5)
        if kind == 0:
            return [user(self.pick([f"Repeat after me: {text}", f"Say exactly this: {text}", f"Write \"{text}\"", f"Echo: {text}"])), assistant(text)]
        if kind == 1:
            return [user(self.pick([f"Write in capital letters: {text}", f"Uppercase this: {text}", f"Convert to upper case: {text}"])), assistant(text.upper())]
        if kind == 2:
            return [user(self.pick([f"Make this lower case: {text}", f"lowercase: {text}"])), assistant(text.lower())]
        times = self.rng.randint(2, 4)
        if kind == 3:
            word = self.slots.make("noun")
            return [user(self.pick([f"Say \"{word}\" {times} times.", f"Repeat the word {word} {times} times, separated by commas."])), assistant(", ".join([word] * times))]
        old, new = self.slots.make("color"), self.slots.make("color")
        thing = self.slots.make("noun")
        return [user(f"Replace \"{old}\" with \"{new}\": The {old} {thing} is next to the {old} door."), assistant(f"The {new} {thing} is next to the {new} door.")]

    def count(self):
        kind = self.pick(["fruit", "animal", "color", "noun", "city"])
        items = list(dict.fromkeys(self.slots.make(kind) for _ in range(self.rng.randint(2, 9))))
        return [user(self.pick([f"How many items are in this list? {', '.join(items)}", f"Count the items: {', '.join(items)}", f"{joined(self.rng, items)}: how many are these?"])), assistant(self.pick(["{}", "There are {} items.", "{} items."]).format(len(items)))]

    def remember(self):
        """Facts told in one turn and asked for in a later one."""
        told = self.rng.sample(TOLD, self.rng.randint(2, 4))
        messages, known = [], []
        for sentence, question, answer in told:
            slot: dict = {}
            text = self.slots.fill(sentence, slot)
            known.append((question, self.slots.fill(answer, slot)))
            if messages and self.chance(0.4):
                messages[-2]["content"] += " " + text
            else:
                messages += [user(text), assistant(self.pick(["Got it.", "Nice!", "Thanks for telling me.", "Good to know.", "I see.", "Okay, noted.", "That sounds good."]))]
        self.rng.shuffle(known)
        for question, answer in known[: self.rng.randint(1, len(known))]:
            messages += [user(question), assistant(answer)]
        return messages

    def letters(self):
        word = self.slots.make(self.pick(["noun", "animal", "fruit", "color"])).split()[0].lower()
        kind = self.rng.randrange(4)
        if kind == 0:
            return [user(f"Spell the word {word}."), assistant("-".join(word.upper()))]
        if kind == 1:
            return [user(self.pick([f"What is the first letter of {word}?", f"Which letter does {word} start with?"])), assistant(word[0].upper())]
        if kind == 2:
            return [user(f"What is the last letter of \"{word}\"?"), assistant(word[-1].upper())]
        return [user(f"How many letters does the word {word} have?"), assistant(str(len(word)))]

    def series(self):
        start, step = self.rng.randint(0, 20), self.rng.randint(1, 10)
        shown = [start + step * index for index in range(4)]
        return [user(self.pick([f"Continue the sequence: {', '.join(map(str, shown))}", f"What comes next: {', '.join(map(str, shown))}, ...?"])), assistant(str(start + step * 4))]

    def convert(self):
        number = self.rng.randint(1, 20)
        one, other, factor = self.pick([("meters", "centimeters", 100), ("kilometers", "meters", 1000), ("hours", "minutes", 60), ("minutes", "seconds", 60), ("days", "hours", 24), ("weeks", "days", 7), ("kilograms", "grams", 1000), ("feet", "inches", 12), ("yards", "feet", 3), ("dollars", "cents", 100), ("years", "months", 12), ("liters", "milliliters", 1000), ("dozen", "pieces", 12)])
        return [user(self.pick([f"How many {other} are {number} {one}?", f"Convert {number} {one} to {other}.", f"{number} {one} in {other}?"])), assistant(self.pick([f"{number} {one} are {number * factor} {other}.", f"{number * factor} {other}.", f"{number * factor}"]))]


TOLD = [
    ("My name is {first_name}.", "What is my name?", "Your name is {first_name}."),
    ("I live in {city}.", "Where do I live?", "You live in {city}."),
    ("I work as a {job}.", "What do I do for a living?", "You work as a {job}."),
    ("My favorite color is {color}.", "Which color do I like best?", "Your favorite color is {color}."),
    ("I have a {animal} called {first_name#pet}.", "What is my pet called?", "Your pet is called {first_name#pet}."),
    ("My sister {first_name#sister} is visiting on {day}.", "When does my sister come?", "Your sister {first_name#sister} is visiting on {day}."),
    ("I'm learning {language}.", "Which language am I learning?", "You are learning {language}."),
    ("The project is called {Invented}.", "What's the name of the project?", "The project is called {Invented}."),
    ("My appointment is at {time}.", "What time is my appointment?", "Your appointment is at {time}."),
    ("I want to cook {dish} tonight.", "What did I want to cook?", "You want to cook {dish}."),
    ("My budget is {money}.", "How much can I spend?", "Your budget is {money}."),
    ("We are flying to {city#trip} in {month}.", "Where are we flying and when?", "You are flying to {city#trip} in {month}."),
    ("I play the {instrument}.", "Which instrument do I play?", "You play the {instrument}."),
    ("The meeting room is the {room}.", "In which room do we meet?", "You meet in the {room}."),
    ("My order number is {order_id}.", "Can you repeat my order number?", "Your order number is {order_id}."),
    ("I was born in {year:1950-2010}.", "In which year was I born?", "You were born in {year:1950-2010}."),
    ("My favorite book is {book}.", "What is my favorite book?", "Your favorite book is {book}."),
    ("Our team is {team}.", "What is our team called?", "Your team is {team}."),
    ("I'm allergic to {food}.", "What am I allergic to?", "You are allergic to {food}."),
    ("My boss is {person}.", "Who is my boss?", "Your boss is {person}."),
]
