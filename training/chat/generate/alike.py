"""Extraction where several fields could take each other's values: two people with two parts, a title beside the series it
belongs to, a place to leave and one to reach, streets with their numbers. Names are long, and are wanted whole."""

from generate.records import RecordMaker
from generate.roles import told
from generate.words import split_name, style

# Texts that say the same, and the fields with where their values come from. Order in the text is not order of the fields.
KINDS: list[tuple[list[str], dict[str, str]]] = [
    (["{person} translated {book} by {person#2} for {company}.", "For {company}, {person} has translated {book}. {person#2}, who wrote it, helped with the dialects.", "{book}, written by {person#2}, appears at {company}; the translator is {person}."],
     {"title": "{book}", "author": "{person#2}", "translator": "{person}", "publisher": "{company}"}),
    (["{band} will play {song} from the album {book} in {city} on {date}.", "On {date} the band {band} comes to {city}. They open with {song}, which everybody knows from {book}.", "From their album {book}, {band} chose {song} as the first piece of the evening in {city} ({date})."],
     {"band": "{band}", "song": "{song}", "album": "{book}", "city": "{city}", "date": "{date}"}),
    (["{person} has sued {person#2}. Judge {last_name} hears the case on {date}.", "Before Judge {last_name}, on {date}: {person#2} has to answer to {person}, who has brought the case.", "The defendant is {person#2}, the plaintiff {person}, and the hearing on {date} is led by Judge {last_name}."],
     {"plaintiff": "{person}", "defendant": "{person#2}", "judge": "{last_name}", "hearing": "{date}"}),
    (["{team} won at home against {team#2}, {int:3-6} to {int:0-2}, before {int:300-9000} people.", "Before {int:300-9000} people the guests from {team#2} lost: {team} took it {int:3-6} to {int:0-2}.", "{int:0-2} goals for {team#2} as visitors, {int:3-6} for the hosts, {team}; {int:300-9000} had come."],
     {"home_team": "{team}", "away_team": "{team#2}", "home_goals": "{int:3-6}", "away_goals": "{int:0-2}", "spectators": "{int:300-9000}"}),
    (["Please move my things from {street} {int:1-180} to {street#2} {int:1-180#b}. {person} will open the door.", "The new flat is at {street#2} {int:1-180#b}, the old one at {street} {int:1-180}. Ask for {person}.", "{person} moves out of {street} {int:1-180} and into {street#2} {int:1-180#b}."],
     {"old_address": "{street} {int:1-180}", "new_address": "{street#2} {int:1-180#b}", "name": "{person}"}),
    (["{person} lends {person#2} {money} until {date}.", "Until {date} {person#2} has {money} from {person}.", "{person#2} borrowed {money} from {person} and will give it back by {date}."],
     {"lender": "{person}", "borrower": "{person#2}", "amount": "{money}", "due": "{date}"}),
    (["In {movie}, which {company} made, {person} plays under the direction of {person#2}.", "{person#2} directs {movie} for {company}; the lead is {person}.", "The lead in {movie} went to {person}. {person#2} directs, {company} pays."],
     {"film": "{movie}", "lead": "{person}", "director": "{person#2}", "studio": "{company}"}),
    (["The truck left {city} at {time} and reached {city#2} at {time#b}. {person} drove.", "{person} reached {city#2} at {time#b}, after leaving {city} at {time}.", "Arrival in {city#2}: {time#b}. Departure from {city}: {time}. Driver: {person}."],
     {"from": "{city}", "to": "{city#2}", "departure": "{time}", "arrival": "{time#b}", "driver": "{person}"}),
    (["{person} of {company} hands the project {Invented} over to {person#2} on {date}.", "From {date} {person#2} looks after {Invented}; so far {person} of {company} did.", "On {date} the project {Invented} goes from {person} ({company}) to {person#2}."],
     {"project": "{Invented}", "handed_over_by": "{person}", "taken_over_by": "{person#2}", "company": "{company}", "date": "{date}"}),
    (["{person} interviewed {person#2}, {job} at {university}, about {topic}.", "About {topic}: the {job} {person#2} of {university} answers {person}'s questions.", "{person} put the questions, {person#2} answered: a talk with the {job} of {university} on {topic}."],
     {"interviewer": "{person}", "guest": "{person#2}", "profession": "{job}", "university": "{university}", "subject": "{topic}"}),
    (["Table for {int:2-12} at {restaurant} on {day} at {time}, in the name of {person}; {person#2} pays.", "{person#2} pays for the {int:2-12} of us at {restaurant}, {day}, {time}. It is booked for {person}.", "Booked by {person}: {restaurant}, {day} {time}, {int:2-12} guests. The bill goes to {person#2}."],
     {"restaurant": "{restaurant}", "guests": "{int:2-12}", "day": "{day}", "time": "{time}", "booked_by": "{person}", "paid_by": "{person#2}"}),
    (["{person} swaps the shift on {day} with {person#2}, who then has {day#2} off.", "{person#2} takes over {day} from {person} and gets {day#2} off for it.", "On {day} {person#2} works in place of {person}; {day#2} is free for that."],
     {"shift_of": "{person}", "taken_by": "{person#2}", "day": "{day}", "free_day": "{day#2}"}),
]
ADDED = ["Everybody was content.", "More about it next week.", "It took longer than planned.", "Nobody had expected that.", "Please keep this for the files."]


class AlikeMaker(RecordMaker):
    def conversation(self) -> dict:
        text, values, unsaid = self.from_roles() if self.chance(0.55) else self.from_kinds()
        if not all(value in text for value in values.values()):
            return self.conversation()
        names = list(values)
        if self.chance(0.5):
            self.rng.shuffle(names)
        if self.chance(0.25):
            names = names[: self.rng.randint(2, len(names))]
        how = self.pick(["snake", "snake", "camel", "pascal"])
        properties, answer = {}, {}
        for name in names:
            new, whole = style(split_name(name), how), values[name].isdigit()
            properties[new] = {"type": "integer" if whole else "string"}
            answer[new] = int(values[name]) if whole else values[name]
            if self.chance(0.3):
                properties[new]["description"] = " ".join(split_name(name)).capitalize()
        if unsaid and self.chance(0.35):
            absent = style(split_name(self.pick(unsaid)), how)
            properties[absent], answer[absent] = {"type": ["string", "null"]}, None
        return self.asked(text, properties, answer)

    def from_kinds(self) -> tuple[str, dict[str, str], list[str]]:
        """A text about one thing, its fields, and fields of which it says nothing."""
        texts, fields = self.pick(KINDS)
        known: dict = {}
        text = self.slots.fill(self.pick(texts), known)
        values = {name: self.slots.fill(slot, known) for name, slot in fields.items()}
        if self.chance(0.4):
            text = f"{text} {self.pick(ADDED)}" if self.chance(0.7) else f"{self.pick(ADDED)} {text}"
        return text, values, ["witness", "phone", "reference", "remark", "deputy"]

    def from_roles(self) -> tuple[str, dict[str, str], list[str]]:
        """Sentences in any order; of the fields that could have the same values some stay unsaid."""
        sentences, values, unsaid = told(self)
        if self.chance(0.4):
            sentences.insert(self.rng.randint(0, len(sentences)), self.pick(ADDED))
        between = self.pick([" ", " ", " ", "\n", "\n- "])
        opening = self.slots.fill(self.pick(["", "", "", "About the {noun}:", "Note on the {noun}:", "Hi {first_name},"]), {})
        return (f"{opening}{between}" if opening else "") + between.join(sentences), values, unsaid
