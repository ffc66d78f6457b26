"""Slots: random values for the places in braces that the written texts leave open.

`{kind}`, `{kind:args}`, `{kind#label}` or `{a|b|c}`. The same text in braces has the same value within one entry;
`{kind#label~form}` is that value in another form.
"""

import re
from pathlib import Path

from forms import form
from wording import MONTHS, ordinal, words_of

SLOT = re.compile(r"\{([A-Za-z_]+\d*)(?::([^{}#|~]*))?(?:#([\w-]+))?(?:~(\w+))?\}|\{(?![\w.-]+=)([^{}\"]*\|[^{}\"]*?)(?:#([\w-]+))?\}")
# "a" before a value that begins with a vowel.
ARTICLE = re.compile(r"(^|\s)a ((?!(?:one|once|eu|or|and|is|in|of|as|at|if|on|a|an)\b|eu|one-)[aeio]\w+)")
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ONSETS = "b br c ch cl d dr f fl g gl gr h j k kl l m n p ph pl pr qu r s sh sk sl st t th tr v w y z".split()
VOWELS = "a e i o u a e i o ai ea ia io oo".split()
CODAS = ["", "", "", "l", "n", "r", "s", "t", "m", "th", "nd", "rn", "x", "k"]
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
DOMAINS = "com net org io co example.com".split()


def load_lists(folder: Path) -> dict[str, list[str]]:
    """The word lists, one file a kind."""
    lists = {}
    for file in sorted(Path(folder).glob("*.txt")):
        lines = (line.strip() for line in file.read_text().splitlines())
        lists[file.stem] = list(dict.fromkeys(line for line in lines if line))
    return lists


def plain(number: float) -> str:
    """A number without needless zeros."""
    return f"{number:g}" if abs(number) < 1e6 else str(int(number))


class Slots:
    """Makes values with one random generator."""

    def __init__(self, rng, lists: dict[str, list[str]]):
        self.rng = rng
        self.lists = lists

    def fill(self, text: str, known: dict[str, str]) -> str:
        """`text` with its slots filled; `known` keeps what was chosen."""

        def value(match: re.Match) -> str:
            key = match.group(0)
            if key in known:
                return known[key]
            if match.group(4) is not None:
                return self.formed(key, match.group(4), known) or key
            if match.group(5) is not None:
                known[key] = self.rng.choice(match.group(5).split("|")).strip()
                return known[key]
            made = self.make(match.group(1), match.group(2), set(known.values()))
            if made is None:
                return key
            known[key] = made
            return made

        given = text
        for _ in range(3):  # choices may hold slots
            filled = SLOT.sub(value, text)
            if filled == text:
                break
            text = filled
        return text if text == given else ARTICLE.sub(r"\1an \2", text)

    def formed(self, key: str, name: str, known: dict[str, str]) -> str | None:
        """A value that is also told in its own form."""
        plain_key = key.removesuffix(f"~{name}}}") + "}"
        value = self.fill(plain_key, known)
        said = None if value == plain_key else form(self.rng, name, value)
        if said is not None:
            known[key] = said
        return said

    def make(self, kind: str, args: str | None = None, taken: set[str] = frozenset()) -> str | None:
        """A value of a kind, other than those taken; None for an unknown kind."""
        value = None
        for _ in range(6):
            value = self._make(kind, args)
            if value not in taken:
                break
        return value

    def _make(self, kind: str, args: str | None) -> str | None:
        maker = getattr(self, f"_{kind}", None)
        if maker is not None:
            return maker(args)
        if kind in self.lists:
            if kind in COINED and self.rng.random() < 0.25:
                return COINED[kind].format(self._Invented(None), self.rng.choice(self.lists["noun"]).capitalize())
            return self.rng.choice(self.lists[kind])
        return None

    def _pick(self, kind: str) -> str:
        return self.rng.choice(self.lists[kind])

    def _range(self, args: str | None, low: float, high: float) -> tuple[float, float]:
        found = re.fullmatch(r"\s*(-?[\d.]+)\s*-\s*(-?[\d.]+)\s*", (args or "").replace(",", ""))
        if not found:
            return low, high
        low, high = float(found.group(1)), float(found.group(2))
        return (low, high) if low <= high else (high, low)

    def _int(self, args):
        span, _, step = (args or "").partition("/")
        low, high = self._range(span, 2, self.rng.choice([9, 30, 100, 500, 3000]))
        return str(self.rng.randrange(int(low), int(high) + 1, int(step or 1)))

    def _word_int(self, args):
        low, high = self._range(args, 2, 20)
        return words_of(self.rng.randint(int(low), min(int(high), 999_999)))

    def _ordinal(self, args):
        low, high = self._range(args, 1, 30)
        return ordinal(self.rng.randint(int(low), int(high)))

    def _decimal(self, args):
        low, high = self._range(args, 0, self.rng.choice([1, 10, 100, 1000]))
        return plain(round(self.rng.uniform(low, high), self.rng.choice([1, 1, 2])))

    def _year(self, args):
        low, high = self._range(args, 1700, 2025)
        return str(self.rng.randint(int(low), int(high)))

    def _amount(self, args):
        low, high = self._range(args, 1, self.rng.choice([20, 100, 1000, 20000]))
        cents = self.rng.random() < 0.5
        return f"{self.rng.uniform(low, high):.2f}" if cents else str(self.rng.randint(int(low), max(int(low), int(high))))

    def _money(self, args):
        amount = self._amount(args)
        whole, _, cents = amount.partition(".")
        grouped = f"{int(whole):,}" + (f".{cents}" if cents else "")
        return self.rng.choice(["${}", "${}", "${}", "{} dollars", "{} euros", "€{}", "£{}", "{} pounds"]).format(grouped)

    def _percent(self, args):
        low, high = self._range(args, 1, 99)
        number = plain(round(self.rng.uniform(low, high), self.rng.choice([0, 0, 1])))
        return number + self.rng.choice(["%", "%", " percent"])

    def _unit(self, low, high, units, args):
        low, high = self._range(args, low, high)
        number = self.rng.uniform(low, high)
        return f"{plain(round(number, 0 if number > 20 else self.rng.choice([0, 1])))} {self.rng.choice(units)}"

    def _temperature(self, args):
        return self._unit(-20, 100, ["degrees", "degrees Celsius", "degrees Fahrenheit", "°C", "°F"], args)

    def _distance(self, args):
        return self._unit(1, 900, ["kilometers", "km", "miles", "meters"], args)

    def _weight(self, args):
        return self._unit(1, 500, ["kilograms", "kg", "pounds", "grams", "tons"], args)

    def _length(self, args):
        return self._unit(1, 300, ["meters", "feet", "centimeters", "inches", "cm"], args)

    def _area(self, args):
        return self._unit(2, 900, ["square kilometers", "square miles", "hectares", "acres", "square meters"], args)

    def _volume(self, args):
        return self._unit(1, 900, ["liters", "gallons", "milliliters", "cubic meters", "cups"], args)

    def _speed(self, args):
        return self._unit(5, 300, ["km/h", "miles per hour", "kilometers per hour", "knots", "mph"], args)

    def _duration(self, args):
        unit, most = self.rng.choice([("minute", 90), ("hour", 24), ("day", 30), ("week", 12), ("month", 18), ("year", 30)])
        number = self.rng.randint(1, most)
        said = words_of(number) if number < 13 and self.rng.random() < 0.4 else str(number)
        return f"{said} {unit}{'' if number == 1 else 's'}"

    def _month(self, args):
        return self.rng.choice(MONTHS)

    def _day(self, args):
        return self.rng.choice(DAYS)

    def _date(self, args):
        low, high = self._range(args, 1900, 2030)
        month, day, year = self.rng.choice(MONTHS), self.rng.randint(1, 28), self.rng.randint(int(low), int(high))
        shapes = ["{m} {d}, {y}", "{m} {d}, {y}", "{d} {m} {y}", "{m} {d}", "{o} of {m}", "{m} {o}"]
        return self.rng.choice(shapes).format(m=month, d=day, y=year, o=ordinal(day))

    def _isodate(self, args):
        low, high = self._range(args, 2018, 2031)
        return f"{self.rng.randint(int(low), int(high))}-{self.rng.randint(1, 12):02d}-{self.rng.randint(1, 28):02d}"

    def _shortdate(self, args):
        month, day, year = self.rng.randint(1, 12), self.rng.randint(1, 28), self.rng.randint(2015, 2030)
        return self.rng.choice([f"{month}/{day}/{year}", f"{day:02d}.{month:02d}.{year}", f"{MONTHS[month - 1][:3]} {day}"])

    def _time(self, args):
        hour, minute = self.rng.randint(1, 12), self.rng.choice([0, 0, 15, 30, 45, self.rng.randint(1, 59)])
        half = self.rng.choice(["am", "pm", " am", " pm", " a.m.", " p.m."])
        return f"{hour}{half}" if minute == 0 and self.rng.random() < 0.6 else f"{hour}:{minute:02d}{half}"

    def _time24(self, args):
        return f"{self.rng.randint(0, 23):02d}:{self.rng.choice([0, 15, 30, 45, self.rng.randint(0, 59)]):02d}"

    def _invented(self, args):
        syllables = self.rng.choice([2, 2, 3])
        return "".join(
            self.rng.choice(ONSETS) + self.rng.choice(VOWELS) + (self.rng.choice(CODAS) if i == syllables - 1 else "")
            for i in range(syllables)
        )

    def _Invented(self, args):  # noqa: N802 (the kind's own name)
        return self._invented(None).capitalize()

    def _person(self, args):
        roll = self.rng.random()
        last = self._Invented(None) if roll < 0.08 else self._pick("last_name")
        middle = f" {self.rng.choice(LETTERS)}." if 0.9 < roll < 0.93 else ""
        return f"{self._pick('first_name')}{middle} {last}"

    def _address(self, args):
        return f"{self.rng.randint(1, 990)} {self._pick('street')}"

    def _username(self, args):
        name = self._pick("first_name").lower()
        return self.rng.choice(
            [f"{name}{self.rng.randint(1, 99)}", f"{name}.{self._pick('last_name').lower()}", f"{name}_{self._invented(None)}"]
        ).replace(" ", "")

    def _email(self, args):
        host = f"{self._invented(None)}.{self.rng.choice(DOMAINS)}"
        return f"{self._username(None)}@{host}".replace("'", "")

    def _phone(self, args):
        block = lambda size: "".join(str(self.rng.randint(0, 9)) for _ in range(size))  # noqa: E731
        return self.rng.choice([f"555-{block(4)}", f"+1 {block(3)} 555 {block(4)}", f"0{block(3)} {block(6)}", f"({block(3)}) 555-{block(4)}"])

    def _url(self, args):
        return f"https://{self._invented(None)}.{self.rng.choice(DOMAINS)}/{self._pick('noun').replace(' ', '-')}"

    def _filename(self, args):
        ending = self.rng.choice("txt md csv json pdf docx xlsx png jpg py js ts log yaml zip".split())
        stem = self.rng.choice([self._pick("noun"), self._pick("topic"), f"{self._pick('noun')}_{self.rng.randint(1, 2030)}"])
        return f"{stem.lower().replace(' ', self.rng.choice('_-'))}.{ending}"

    def _path(self, args):
        folders = "/".join(self._pick("noun").replace(" ", "_") for _ in range(self.rng.randint(1, 2)))
        return self.rng.choice(["/home/", "/var/", "./", "/srv/", "docs/", "src/"]) + f"{folders}/{self._filename(None)}"

    def _ip(self, args):
        return ".".join(str(self.rng.randint(1, 254)) for _ in range(4))

    def _code(self, args):
        letters = "".join(self.rng.choice(LETTERS) for _ in range(self.rng.randint(1, 3)))
        return f"{letters}{self.rng.choice(['-', '', '-'])}{self.rng.randint(10, 99999)}"

    def _order_id(self, args):
        return self.rng.choice([self._code(None), str(self.rng.randint(10000, 9999999)), f"#{self.rng.randint(100, 99999)}", f"ORD-{self.rng.randint(100, 99999)}"])

    def _flight(self, args):
        return f"{self.rng.choice(LETTERS)}{self.rng.choice(LETTERS)}{self.rng.choice(['', ' '])}{self.rng.randint(10, 9999)}"

    def _plate(self, args):
        letters = lambda n: "".join(self.rng.choice(LETTERS) for _ in range(n))  # noqa: E731
        return self.rng.choice([f"{letters(3)} {self.rng.randint(100, 9999)}", f"{letters(1)}-{letters(2)} {self.rng.randint(10, 999)}", f"{self.rng.randint(1, 9)}{letters(3)}{self.rng.randint(100, 999)}"])

    def _isbn(self, args):
        return f"978-{self.rng.randint(0, 9)}-{self.rng.randint(100, 999)}-{self.rng.randint(10000, 99999)}-{self.rng.randint(0, 9)}"

    def _version(self, args):
        return ".".join(str(self.rng.randint(0, 20)) for _ in range(self.rng.choice([2, 3, 3])))


COINED = {
    "company": "{0} {1}",
    "city": "{0}",
    "region": "{0}",
    "river": "{0} River",
    "island": "{0} Island",
    "lake": "Lake {0}",
    "university": "University of {0}",
    "school": "{0} School",
    "hospital": "{0} Hospital",
    "hotel": "Hotel {0}",
    "restaurant": "{0} {1}",
    "shop": "{0} {1}",
    "park": "{0} Park",
    "bridge": "{0} Bridge",
    "team": "{0} {1}s",
    "band": "The {1}s of {0}",
    "book": "The {1} of {0}",
    "movie": "{0}: The {1}",
    "song": "{1} and {0}",
    "product": "{0} {1}",
    "app": "{0}",
    "festival": "{0} {1} Festival",
    "award": "{0} Prize",
    "street": "{0} Street",
}
