"""Further facts for a record: a sentence more in its text, a field more in its schema; yes or no, a choice, an amount, a date."""

import re

from generate.words import split_name, style

# Field, what says yes, what says no ("/" between phrasings).
FLAGS = [line.split("|") for line in """
pets_allowed|Pets are welcome./You may bring a dog or a cat./Animals are no problem here.|No pets, please./Animals have to stay outside./Dogs and cats are not permitted.
paid|The bill has been settled./It is already paid for./The money arrived yesterday.|Payment is still open./Nothing has been paid so far./We are still waiting for the money.
urgent|This cannot wait./Please hurry, it is urgent./It has to be done at once.|There is no hurry./Take your time with it./It is not urgent at all.
in_stock|We have it in stock./It is on the shelf and ready to go.|It is sold out for now./Out of stock until further notice.
smoking|Smoking is allowed on the terrace and inside./Smokers are welcome.|It is a non-smoking place./Nobody may smoke here.
has_parking|You can park right at the door./There is parking for visitors.|There is nowhere to park./Parking is not available.
vegetarian|There is no meat in it./It suits vegetarians.|It contains meat./Not for vegetarians.
wheelchair_access|You can get in with a wheelchair./There are no steps anywhere.|There are steps at the entrance, so a wheelchair will not get in./Sadly there is no step-free way in.
insured|It is insured./Insurance is included.|There is no insurance on it./It is not insured.
returned|It has been brought back./She gave it back last week.|It has not come back yet./We are still missing it.
member|He is a member of the club./She has been a member for years.|He does not belong to the club./She is not a member.
first_visit|It was her first time here./They had never been here before.|They have been here before./It was not his first visit.
confirmed|The date is confirmed./Everybody has said yes, so it is fixed.|Nothing is confirmed yet./The date is still to be confirmed.
working|It works perfectly./Everything runs as it should.|It does not work at the moment./It is broken./It won't even switch on.
open_on_sunday|It is open on Sundays too./Sunday is no exception, the doors are open.|On Sundays it stays closed./Closed on Sunday.
furnished|It comes with furniture./All rooms are furnished.|It is unfurnished./You have to bring your own furniture.
has_balcony|A balcony looks over the yard./There is a small balcony.|There is no balcony./It lacks a balcony.
needs_signature|Somebody has to sign for it./A signature is required.|You do not need to sign./No signature needed.
can_drive|I have a licence and can drive./She is able to drive./He can take the car.|I do not drive./She has no driving licence./He can't drive.
available|It is still available./It can be had right away.|It is gone already./It is no longer available.
refundable|You get your money back if you cancel./The ticket can be refunded.|There are no refunds./The price is not refunded.
overdue|It should have been back days ago./It is overdue.|It is not overdue yet./There is still time before it is due.
online|It takes place online./You join by video.|Everybody meets in person./You have to be there yourself.
breakfast_included|Breakfast is part of the price./The price covers breakfast.|Breakfast costs extra./Breakfast is not included.
married|She is married./He has a wife.|He is single./She is not married.
allergic|The patient is allergic to penicillin./There is a known allergy.|No allergies are known./There are no allergies.
solved|The problem is solved./It could be fixed on the same day.|The problem is still there./Nobody has been able to fix it.
children_allowed|Children may come along./Families with children are welcome.|Adults only./It is not for children.
new|It is brand new, still in its box./Nobody has ever used it.|It is second-hand./It has been used for a while.
safe|The bridge is safe to cross./There is no danger.|It is not safe./It is too dangerous at the moment.
approved|The board has approved it./It got the green light.|The request was turned down./It was not approved.
delivered|It has reached its destination./The parcel was handed over at the door.|It is still on its way./It has not arrived.
has_garden|There is a garden behind the house./A garden belongs to it.|There is no garden./It comes without a garden.
open_at_night|The doors stay open all night./You can come at any hour of the night.|At night it is locked./It closes in the evening.
recommended|I would recommend it to anybody./Go there, it is worth it.|I cannot recommend it./Better stay away.
injured|He hurt himself in the fall./There was one injury.|Nobody was hurt./She was not injured.
""".strip().splitlines()]
# Field, choices, for each choice what says it.
CHOICES = [
    ("condition", {"new": "It has never been used.", "good": "It is in good shape.", "worn": "It shows signs of wear.", "damaged": "It has a crack on one side."}),
    ("mood", {"happy": "She was beaming.", "angry": "He was furious.", "sad": "She was close to tears.", "calm": "He stayed calm throughout."}),
    ("severity", {"minor": "It is a small thing.", "major": "It is a serious matter.", "critical": "It is an emergency."}),
    ("season", {"spring": "It was springtime.", "summer": "It was the middle of summer.", "autumn": "The leaves were falling.", "winter": "There was snow on the ground."}),
    ("size", {"small": "It is a small one.", "medium": "It is of medium size.", "large": "It is a large one."}),
    ("payment", {"cash": "It was paid in cash.", "card": "It was paid by card.", "transfer": "The money came by bank transfer."}),
    ("transport", {"car": "They came by car.", "train": "They took the train.", "bike": "They arrived on their bikes.", "foot": "They walked."}),
    ("status", {"open": "Nobody has taken care of it so far.", "in_progress": "Someone is working on it.", "done": "It has been completed."}),
    ("gender", {"female": "The patient is a woman.", "male": "The patient is a man."}),
    ("sky", {"clear": "There was not a cloud in the sky.", "cloudy": "The sky was full of clouds.", "rainy": "It rained all day."}),
    ("shift", {"morning": "The early shift suits best.", "afternoon": "After lunch would be best.", "night": "The night shift is fine."}),
    ("outcome", {"won": "In the end they won.", "lost": "They lost.", "draw": "Neither side won."}),
    ("direction", {"north": "It faces north.", "south": "The windows look south.", "east": "It faces the east.", "west": "The front looks to the west."}),
    ("frequency", {"daily": "It happens every day.", "weekly": "It takes place once a week.", "monthly": "It comes once a month.", "yearly": "It is a yearly thing."}),
    ("urgency", {"low": "It can wait.", "normal": "Handle it in the usual time.", "high": "It should be dealt with today."}),
    ("level", {"beginner": "No experience is needed.", "intermediate": "You should know the basics.", "advanced": "It is for those with long experience."}),
    ("temperature", {"hot": "It is served hot.", "cold": "It is served cold."}),
    ("delivery", {"pickup": "It will be collected in person.", "post": "It goes by post.", "courier": "A courier brings it."}),
]
# Field, type, slot, sentences.
VALUES = [line.split("|") for line in """
price|number|amount|It costs {v} euros./The price is {v} dollars./You pay {v} euros for it./For {v} pounds it is yours.
deposit|integer|int:20-900|A deposit of {v} euros is due./They want {v} dollars as a deposit.
age_years|integer|int:1-90|It is {v} years old./The age is given as {v} years.
weight_kg|number|decimal:1-90|It weighs {v} kilograms./On the scales it came to {v} kg.
height_m|number|decimal:1-60|It is {v} metres high./The height is {v} m.
length_km|number|decimal:1-60|It is {v} kilometres long./The whole way is {v} km.
duration_minutes|integer|int:5-240|It takes {v} minutes./It lasted {v} minutes./Plan {v} minutes for it.
hours|number|decimal:1-12|It took {v} hours./After {v} hours it was over.
people|integer|int:2-90|{v} people took part./There is room for {v} people.
pages|integer|int:12-800|It has {v} pages./On {v} pages it tells the whole story.
rooms|integer|int:1-9|There are {v} rooms./It has {v} rooms.
area_m2|number|decimal:20-200|It measures {v} square metres./The floor space is {v} m².
floor|integer|int:1-20|It is on floor {v}./You find it on level {v}.
discount_percent|integer|int:5-60|There is {v} percent off./You save {v}%.
battery_percent|integer|int:1-99|The battery is at {v} percent./{v}% of the charge is left.
temperature_celsius|integer|int:2-38|It was {v} degrees./The thermometer showed {v} degrees Celsius.
distance_km|integer|int:2-900|It is {v} kilometres away./The distance is {v} km.
speed_kmh|integer|int:10-200|It went at {v} km/h./The speed was {v} kilometres an hour.
founded|integer|year:1850-2022|It was founded in {v}./It goes back to {v}.
built|integer|year:1750-2020|It was built in {v}./The year over the door is {v}.
score|integer|int:1-100|The score was {v}./It got {v} points.
tickets_left|integer|int:2-400|There are {v} tickets left./Only {v} tickets can still be had.
contact|string|person|Ask for {v}./The person to talk to is {v}./Get in touch with {v}.
manager|string|person|{v} is in charge./It is run by {v}.
witness|string|person|{v} saw it happen./The only witness is {v}.
photographer|string|person|{v} took the pictures./The photos are by {v}.
previous_owner|string|person|It used to belong to {v}./Before that, {v} owned it.
email|string|email|Write to {v}./Mail goes to {v}.
phone|string|phone|Call {v}./The number is {v}.
town|string|city|It is in {v}./You find it in {v}./All this happened in {v}.
street|string|address|The address is {v}./It stands at {v}.
country|string|country|It comes from {v}./It was made in {v}.
color|string|color|It is {v}./The colour is {v}./It comes in {v}.
material|string|material|It is made of {v}./The material is {v}.
reference|string|code|The reference is {v}./Please quote {v}./It is filed under {v}.
weekday|string|day|It is on a {v}./Come on {v}./{v} is the day.
start_time|string|time24|It begins at {v}./Doors open at {v}./Be there by {v}.
end_time|string|time24|It ends at {v}./At {v} it is over.
deadline|string|date|The last day is {v}./It must be done by {v}./The deadline is {v}.
company|string|company|The maker is {v}./It comes from a company called {v}./{v} is behind it.
language|string|language|It is in {v}./Everything is said in {v}.
team|string|team|They play for the {v}./The team is called {v}.
book|string|book|The book is called {v}./She was reading {v}./The title is {v}.
dish|string|dish|They serve {v}./The favourite dish is {v}.
instrument|string|instrument|He plays the {v}./The instrument is a {v}.
animal|string|animal|The animal is a {v}./It was a {v}.
vehicle|string|vehicle|They went by {v}./The vehicle is a {v}.
room|string|room|It happened in the {v}./Look in the {v}.
""".strip().splitlines()]

SENTENCE_END = re.compile(r"(?<!\bProf)(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?<!\bNo)(?<!\.[am])(?<!\b[A-Z])\. ")


class AddedFacts:
    """Makes facts with a maker's random generator and slots."""

    def __init__(self, maker):
        self.maker = maker

    def add(self, text: str, properties: dict, answer: dict, count: int) -> str:
        """The text with sentences for further fields; some fields stay unsaid and get null."""
        sentences = []
        for _ in range(count):
            sentence = self.one(properties, answer)
            if sentence:
                sentences.append(sentence)
        return self.woven(text, sentences)

    def one(self, properties: dict, answer: dict) -> str | None:
        maker = self.maker
        roll = maker.rng.random()
        said = maker.chance(0.88)
        if roll < 0.4:
            field, yes, no = maker.pick(FLAGS)
            schema, value = {"type": "boolean"}, maker.chance(0.5)
            sentence = maker.pick((yes if value else no).split("/"))
        elif roll < 0.6:
            field, choices = maker.pick(CHOICES)
            value = maker.pick(list(choices))
            names = list(choices)
            maker.rng.shuffle(names)
            schema, sentence, said = {"type": "string", "enum": names}, choices[value], True
        else:
            field, kind, slot, shapes = maker.pick(VALUES)
            value = maker.slots.fill("{" + slot + "}", {})
            sentence = maker.pick(shapes.split("/")).format(v=value)
            if kind != "string":
                value = float(value) if kind == "number" else int(value)
                value = int(value) if value == int(value) else value
            schema = {"type": kind}
        name = style(split_name(field), "camel") if any(key != key.lower() for key in properties) else field
        if any(name in key or key in name for key in properties):
            return None
        if not said:
            schema["type"], value, sentence = [schema["type"], "null"], None, None
        if maker.chance(0.25) and "enum" not in schema:
            schema["description"] = " ".join(split_name(field)).capitalize()
        items = list(properties.items())
        items.insert(maker.rng.randint(0, len(items)), (name, schema))
        answer[name] = value
        properties.clear()
        properties.update(items)
        ordered = {key: answer[key] for key in properties if key in answer}
        answer.clear()
        answer.update(ordered)
        return sentence

    def woven(self, text: str, sentences: list[str]) -> str:
        """Between the sentences of the text or after them."""
        parts = SENTENCE_END.split(text) if "\n" not in text else [text]
        if len(parts) < 3:
            parts = [text]
        for sentence in sentences:
            if len(parts) > 1 and self.maker.chance(0.5):
                at = self.maker.rng.randint(1, len(parts) - 1)
                parts.insert(at, sentence.rstrip("."))
            else:
                last = parts[-1].rstrip()
                parts[-1] = f"{last if last.endswith(('.', '!', '?')) else last + '.'} {sentence}"
        return ". ".join(parts)
