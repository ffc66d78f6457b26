"""The same value in other words: `{int:2-9#n~words}` says in words what `{int:2-9#n}` writes in digits."""

from wording import MONTHS, ordinal, words_of

CURRENCIES = {
    "usd": ["${}", "${}", "{} dollars", "USD {}", "{} USD"],
    "eur": ["€{}", "{} euros", "EUR {}", "{} EUR", "{} €"],
    "gbp": ["£{}", "{} pounds", "GBP {}", "{} GBP"],
    "chf": ["CHF {}", "{} francs", "{} CHF"],
}


def form(rng, name: str, value: str) -> str | None:
    """`value` in the form of that name; None for an unknown form."""
    if name in CURRENCIES:
        return rng.choice(CURRENCIES[name]).format(price(rng, value))
    maker = FORMS.get(name)
    return maker(rng, value) if maker else None


def price(rng, value: str) -> str:
    """1550 as 1,550 or 1,550.00."""
    number = float(value)
    return f"{number:,.2f}" if number != int(number) or rng.random() < 0.3 else f"{int(number):,}"


def grouped(rng, value: str) -> str:
    """1550 as 1,550."""
    number = float(value)
    return f"{int(number):,}" if number == int(number) else f"{number:,}"


def continental(rng, value: str) -> str:
    """1550 as 1.550,00."""
    return f"{float(value):,.2f}".translate(str.maketrans(",.", ".,"))


def thousands(rng, value: str) -> str:
    """3200 as 3.2k."""
    return f"{float(value) / 1000:g}{rng.choice(['k', 'k', 'K'])}"


def hundreds(rng, value: str) -> str:
    """1200 as twelve hundred."""
    number = int(value)
    if number % 100 or number % 1000 == 0 or number > 9900:
        return words_of(number)
    return f"{words_of(number // 100)} hundred"


def times(rng, value: str) -> str:
    number = int(value)
    return {1: "once", 2: "twice"}.get(number) or f"{words_of(number) if number < 13 else number} times"


def parts_of(isodate: str) -> tuple[int, int, int]:
    year, month, day = isodate.split("-")
    return int(year), int(month), int(day)


def long_date(rng, value: str) -> str:
    year, month, day = parts_of(value)
    shapes = ["{m} {d}, {y}", "{m} {d}, {y}", "{d} {m} {y}", "{o} {m} {y}", "the {o} of {m} {y}", "{m} {o}, {y}"]
    return rng.choice(shapes).format(m=MONTHS[month - 1], d=day, y=year, o=ordinal(day))


def short_date(rng, value: str) -> str:
    year, month, day = parts_of(value)
    name = MONTHS[month - 1][:3]
    return rng.choice([f"{name} {day}, {year}", f"{day} {name} {year}", f"{day:02d}-{name}-{year}", f"{day}. {name} {year}"])


def dotted_date(rng, value: str) -> str:
    year, month, day = parts_of(value)
    return rng.choice([f"{day:02d}.{month:02d}.{year}", f"{day}.{month}.{year}"])


def day_date(rng, value: str) -> str:
    """Without the year."""
    _, month, day = parts_of(value)
    return rng.choice(["{m} {d}", "{d} {m}", "{m} {o}", "the {o} of {m}"]).format(m=MONTHS[month - 1], d=day, o=ordinal(day))


def any_date(rng, value: str) -> str:
    return rng.choice([long_date, long_date, short_date, dotted_date, lambda _, same: same])(rng, value)


def half_day(rng, value: str) -> str:
    """14:30 as 2:30 pm."""
    hour, minute = (int(part) for part in value.split(":"))
    half = rng.choice(["am", " am", " a.m."]) if hour < 12 else rng.choice(["pm", " pm", " p.m."])
    shown = f"{hour % 12 or 12}"
    return f"{shown}{half}" if minute == 0 and rng.random() < 0.6 else f"{shown}:{minute:02d}{half}"


def upper(rng, value: str) -> str:
    return value.upper()


def lower(rng, value: str) -> str:
    return value.lower()


FORMS = {
    "words": lambda rng, value: words_of(int(value)),
    "Words": lambda rng, value: words_of(int(value)).capitalize(),
    "ordinal": lambda rng, value: ordinal(int(value)),
    "grouped": grouped,
    "continental": continental,
    "k": thousands,
    "hundreds": hundreds,
    "times": times,
    "long": long_date,
    "short": short_date,
    "dots": dotted_date,
    "day": day_date,
    "date": any_date,
    "clock": half_day,
    "upper": upper,
    "lower": lower,
}
