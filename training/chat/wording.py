"""Numbers and months in English words."""

MONTHS = "January February March April May June July August September October November December".split()
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def words_of(number: int) -> str:
    """Numbers up to 999,999 written out."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + ("" if number % 10 == 0 else "-" + ONES[number % 10])
    if number < 1000:
        rest = "" if number % 100 == 0 else " and " + words_of(number % 100)
        return ONES[number // 100] + " hundred" + rest
    rest = "" if number % 1000 == 0 else " " + words_of(number % 1000)
    return words_of(number // 1000) + " thousand" + rest


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd ..."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
