"""Sentences that each give somebody or something a part: several of one kind in a text could take each other's fields."""

# Kind of value, field, what says it ("/" between phrasings).
ROLES = [line.split("|") for line in """
person|buyer|{v} bought it./{v} paid for it and took it home./It went to {v} for good money.
person|seller|{v} sold it./{v} gave it up for money./Until then it was for sale at {v}'s.
person|sender|{v} sent it./It was posted by {v}./On the back stands the name of {v}, who sent it.
person|recipient|It is meant for {v}./{v} is to get it./To be handed to {v} only.
person|driver|{v} drove./Behind the wheel sat {v}./{v} was at the wheel.
person|passenger|{v} sat in the back./Next to the driver sat {v}./{v} rode along.
person|organizer|The planning is in the hands of {v}./{v} organizes it./It is put together by {v}.
person|substitute|{v} steps in if need be./In case of illness {v} takes over./{v} would do it otherwise.
person|instructor|The lessons are given by {v}./{v} gives the lessons./It is {v} who explains everything.
person|pupil|{v} takes the lessons./The one who wants to learn it is {v}./{v} is learning it.
person|author|{v} wrote it./It comes from the pen of {v}./The words are by {v}.
person|illustrator|The pictures are by {v}./{v} drew the pictures./All drawings were made by {v}.
person|composer|{v} wrote the music./The music is by {v}.
person|winner|First prize went to {v}./{v} came first./Nobody was better than {v}.
person|runner_up|{v} came second./Second place went to {v}./Only just beaten: {v}.
person|cook|{v} cooks./The food is made by {v}./In the kitchen stands {v}.
person|complained_by|{v} has complained./The complaint came from {v}./{v} is not content with it and has said so.
person|answered_by|{v} wrote back./The answer was given by {v}.
person|approved_by|{v} has agreed./It bears the signature of {v}./The yes came from {v}.
person|checked_by|{v} looked it over once more./It was checked by {v}.
person|tenant|{v} lives there./{v} rents it./The rent is paid by {v}.
person|landlord|The house belongs to {v}./It is rented out by {v}.
person|caretaker|{v} has the keys and looks after the house./For repairs there is {v}.
person|emergency_contact|If something happens, {v} is to be told./In an emergency, ask for {v}.
book|title|The book is called {v}./On the cover it says {v}./Its title is {v}.
book|series|It belongs to the series {v}./It is one volume of {v}.
book|next_volume|It will be followed by {v}./The next volume is to be {v}.
book|working_title|While it was being written, it was called {v}./At first it was to be called {v}.
song|opening_song|They begin with {v}./The first piece is {v}.
song|encore|At the very end they play {v}./When everybody shouts for more, there is {v}.
movie|film|They show {v}./On the screen: {v}.
movie|short_film|Before that there is {v}, which lasts ten minutes./As a short one before it comes {v}.
event|event|It is part of {v}./The whole is called {v}.
festival|festival|It belongs to the {v}./All this is at the {v}.
award|award|It has won the {v}./For this there was the {v}.
city|from_city|It starts in {v}./They set off in {v}./Everything begins in {v}.
city|to_city|It ends in {v}./They are bound for {v}./At last they reach {v}.
city|stopover|On the way they stop in {v}./They spend a night in {v}.
address|delivery_address|Bring it to {v}./It is to be delivered to {v}.
address|billing_address|The bill goes to {v}./Invoices are sent to {v}.
address|pickup_address|It has to be fetched at {v}./It stands ready at {v}.
place_number|home_address|He lives at {v}./Home is {v}.
place_number|workshop|The workshop is at {v}./The work is done at {v}.
place_number|storage|Until then it is kept at {v}./You will find it stored at {v}.
date|ordered_on|It was ordered on {v}./The order is from {v}.
date|delivered_on|It was delivered on {v}./It came on {v}.
date|paid_on|The money arrived on {v}./It was paid on {v}.
date|valid_until|It is good until {v}./After {v} it is worth nothing.
time|opens_at|The doors open at {v}./Nobody gets in before {v}.
time|closes_at|At {v} everybody has to leave./It closes at {v}.
time|last_entry|The last ones are let in at {v}./After {v} nobody new gets in.
company|manufacturer|It was made by {v}./{v} makes it.
company|dealer|It was bought at {v}./{v} has it in the shop.
company|insurer|It is insured with {v}./Damage is paid for by {v}.
company|carrier|{v} brings it./It is shipped by {v}.
phone|phone|The number is {v}./Call {v}.
phone|emergency_phone|At night call {v}./When it is urgent: {v}.
int:1-40|adults|There are {v} adults./Adults: {v}.
int:1-40|children|There are {v} children./Children: {v}.
int:5-400|price|It costs {v} euros./The price is {v} dollars.
int:5-400|deposit|A deposit of {v} euros is kept back./As a deposit they want {v} dollars.
int:5-400|late_fee|Whoever is late pays {v} euros more./Being late costs {v} dollars.
""".strip().splitlines()]
KINDS = sorted({kind for kind, _, _ in ROLES})
# Kinds whose values are longer than a word or two, in the shapes they have.
SHAPES = {
    "person": ["{person}", "{person}", "{person}", "{first_name} {first_name#2} {last_name}", "{first_name} {last_name}-{last_name#2}", "{first_name} {word_between} {last_name}"],
    "place_number": ["{street} {int:1-180}", "{street} {int:1-180}{a|b|c}", "{int:1-180} {street}", "{int:1-180} {street}, {city}"],
    "address": ["{address}", "{address}, {city}", "{street} {int:1-90}, {city}"],
    "company": ["{company}", "{company}", "{company} of {city}", "{last_name}, {last_name#2} & {last_name#3}", "{last_name} Brothers"],
    "event": ["{event}", "{event} of {city}"],
}
BETWEEN = ["de", "van", "von", "van der", "de la", "bin", "O."]


def told(maker) -> tuple[list[str], dict[str, str], list[str]]:
    """Sentences, fields with their values, and fields of the same kinds of which nothing is said."""
    first = maker.pick([kind for kind in KINDS if sum(kind == one for one, _, _ in ROLES) > 1])
    same = [role for role in ROLES if role[0] == first]
    maker.rng.shuffle(same)
    count = maker.pick([2, 2, 2, 3])
    others = maker.rng.sample([role for role in ROLES if role[0] != first], maker.pick([0, 1, 1, 2, 3]))
    sentences, values = [], {}
    for kind, field, phrasings in same[:count] + others:
        value = value_of(maker, kind, set(values.values()))
        values[field] = value
        sentences.append(maker.pick(phrasings.split("/")).format(v=value))
    maker.rng.shuffle(sentences)
    return sentences, values, [field for _, field, _ in same[count:]]


def value_of(maker, kind: str, taken: set[str]) -> str:
    """A value of a kind, other than those taken."""
    while True:
        shape = maker.pick(SHAPES.get(kind, ["{" + kind + "}"])).replace("{word_between}", maker.pick(BETWEEN))
        value = maker.slots.fill(shape, {})
        if value not in taken:
            return value
