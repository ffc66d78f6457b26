"""What needs no call, beside functions that share its words; and requests whose function is not there."""

from generate.base import assistant, user
from generate.tools import NO_TOOL, Shown, ToolMaker
from generate.words import content_words, sloppy, split_name

LACKING = [
    "Sorry, there is no function for this here.",
    "That is outside what I can do with these functions.",
    "I can't help with that here: none of the functions I have fits.",
    "I'm afraid I have no tool for that.",
    "My functions are for other things, so I can't do this one.",
]
# What is only said: of a thing that a function is about ({w}), somebody ({n}), or nothing at all.
REMARKS = [
    (["Thanks, {n} was so happy with the {w}!", "Thank you for your help with the {w} the other day.", "The {w} was just right, thank you!", "{n} says thanks as well.", "Cheers, you saved my day with that {w}."],
     ["You're welcome!", "Glad to hear that!", "Happy to help."]),
    (["I really like the {w}.", "The {w} always reminds me of {n}.", "What a nice {w} we had yesterday!", "I could talk about the {w} for hours.", "The {w} is my favorite part of it all."],
     ["How nice!", "That sounds lovely.", "I'm glad you enjoy it."]),
    (["I was so nervous because of the {w} yesterday.", "{n} is fed up with the {w}.", "The {w} gave me a headache last week.", "I never understood the {w} at school.", "Honestly, I'm tired of the {w}."],
     ["I'm sorry to hear that.", "That sounds tiring. I hope it gets better.", "Oh dear. I hope tomorrow is easier."]),
    (["Do you like the {w}?", "What do you think of the {w}, personally?", "Have you ever seen a {w} yourself?", "Would you be afraid of the {w}?"],
     ["I'm a program, so I have no feelings about it, but tell me more.", "I can't see or feel things, but I like to hear about it.", "I have no taste of my own. What do you think?"]),
    (["Forget the {w} for now, I'll do it myself.", "No need to do anything about the {w}.", "Let's leave the {w} as it is.", "Don't do anything yet, {n} wants to think about the {w} first."],
     ["All right, I'll leave it.", "Okay, nothing was done.", "Fine. Tell me when you need me."]),
    (["Hi, it's {n}!", "Hello, {n} here again.", "Good evening, this is {n}.", "Hey, are you awake?"], ["Hello! How can I help you?", "Hi! What can I do for you?"]),
]
# Of which lists a parameter's name must be one to be spoken of.
THINGS = ("noun", "animal", "food", "vehicle", "room", "furniture", "tool", "sport", "plant", "instrument")
# What functions that give general answers are about: beside them such a question would need a call.
ANSWERING = content_words(
    "define definition dictionary meaning mean word term vocabulary glossary explain explanation encyclopedia wiki fact trivia quiz question answer "
    "knowledge search browse lookup synonym translate symptom disease illness medicine medication drug health diagnose diagnosis treatment doctor pharmacist"
)
# Of these a function might be asked: they stand beside functions of any kind.
FAR = ("trivia", "factbook", "gsm8k")
NEAR = ("words", "medical", "glossary", "chitchat", "open", "seeds", "docs")


class UncalledMaker(ToolMaker):
    def __init__(self, library, seed):
        super().__init__(library, seed)
        self.by_word: dict[str, list[int]] = library.tools_by_word
        self.near_talk, self.far_talk = library.plain_talk
        self.things = {word for kind in THINGS for word in library.lists[kind]}

    def conversation(self) -> dict:
        if not self.near_talk or self.chance(0.35):
            return self.lacking() if self.chance(0.5) else self.remark()
        if self.far_talk and self.chance(0.2):
            messages = self.pick(self.far_talk)
            return self.beside(self.rng.randrange(len(self.library.tools)), messages, content_words(messages[0]["content"]))
        messages = self.general() if self.chance(0.5) else self.pick(self.near_talk)
        near = [index for word in content_words(messages[0]["content"]) - ANSWERING for index in self.by_word.get(word, [])]
        return self.beside(self.pick(near) if near and self.chance(0.8) else self.rng.randrange(len(self.library.tools)), messages, set())

    def general(self) -> list[dict]:
        """A question that was written as part of plain talk."""
        phrasings, answers = self.pick(self.library.general)["turns"][0]
        known: dict = {}
        return [user(sloppy(self.rng, self.slots.fill(self.pick(phrasings), known))), assistant(self.slots.fill(self.pick(answers), known))]

    def beside(self, index: int, messages: list, strange: set[str]) -> dict:
        """A question and its answer, beside functions of which none could give it or speaks of the strange words."""
        _, functions = self.toolbox(index)
        unfit = ANSWERING | strange
        kept = [one for one in functions if not unfit & content_words(one["description"] + " " + " ".join(split_name(one["name"])))]
        return {"messages": self.system() + messages[:2], "tools": kept} if kept else self.conversation()

    def remark(self) -> dict:
        """Something said of what a function is about, where nothing is to be done."""
        index = self.rng.randrange(len(self.library.tools))
        words = [param.name for param in self.library.tools[index].params if param.name in self.things]
        _, functions = self.toolbox(index)
        said, answers = self.pick(REMARKS)
        text = self.slots.fill(self.pick(said).format(w=self.pick(words) if words else "{noun}", n="{first_name}"), {})
        return {"messages": self.system() + [user(sloppy(self.rng, text)), assistant(self.pick(answers))], "tools": functions}

    def lacking(self) -> dict:
        """A request, and a toolbox in which nothing shares a word with what it is for."""
        index = self.rng.randrange(len(self.library.tools))
        tool = self.library.tools[index]
        shown = Shown(self, tool)
        _, text, _ = self.request(index, shown)
        wanted = content_words(tool.description + " " + " ".join(split_name(tool.name)))
        kept = []
        for other in self.others(index, 6):
            if not wanted & content_words(other.description + " " + " ".join(split_name(other.name))):
                kept.append(other)
        functions = [Shown(self, other).function for other in kept[: self.pick([1, 1, 2, 3])]]
        functions = list({function["name"]: function for function in functions}.values())
        if not functions:
            return super().conversation()
        answer = self.pick(NO_TOOL + LACKING)
        return {"messages": self.system() + [user(text), assistant(answer)], "tools": functions}


def index_by_word(tools: list) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, tool in enumerate(tools):
        for word in content_words(f"{' '.join(split_name(tool.name))} {tool.description} {' '.join(param.description or param.name for param in tool.params)}"):
            found.setdefault(word, []).append(index)
    return found


def plain_talk(sets: dict[str, list]) -> tuple[list, list]:
    """Questions of the free sets that a short answer in words is enough for: those of `NEAR`, those of `FAR`."""

    def short(names) -> list:
        return [
            messages
            for name in names
            for messages in sets.get(name, [])
            if len(messages) >= 2 and messages[0]["role"] == "user" and len(messages[0]["content"]) < 300 and len(messages[1]["content"]) < 500
        ]

    return short(NEAR), short(FAR)
