"""The wordings around API operations: openers, ways to attach values, answers."""

# {do} is what shall be done ("delete the order"); a question mark at the end stays.
OPENERS = [
    "{do}", "{do}", "{do}", "{do}", "{do}", "please {do}", "please {do}", "can you {do}?", "could you {do}?", "would you {do}?", "I need to {do}", "I want to {do}",
    "I'd like to {do}", "I have to {do}", "help me {do}", "let's {do}", "we need to {do}", "we should {do}", "time to {do}", "go ahead and {do}",
    "can you please {do}?", "could you please {do} for me?", "would you mind helping me {do}?", "I'd like you to {do}", "I want you to {do}", "you should {do} now",
    "now {do}", "next, {do}", "then {do}", "okay, {do}", "hey, {do}", "hi, can you {do}?", "hello, I need to {do}", "quick one: {do}", "kindly {do}",
    "I'm trying to {do}", "I was asked to {do}", "my manager wants me to {do}", "the team wants to {do}", "is it possible to {do}?", "any chance you could {do}?",
    "how about we {do}", "don't forget to {do}", "make sure to {do}", "it's time to {do}", "be so kind as to {do}", "what I need: {do}", "to do: {do}", "first of all, {do}",
    "one more thing: {do}", "I think we have to {do}", "before I leave, {do}", "as discussed, {do}", "if you can, {do}", "when you have a minute, {do}", "right now I must {do}",
    "may I ask you to {do}?", "will you {do}?", "can we {do}?", "could we {do}?", "I'm supposed to {do}", "for the report, {do}", "for {first_name}: {do}", "{first_name} asked me to {do}",
    "the customer wants us to {do}", "we've decided to {do}", "it would be great if you could {do}", "I'd appreciate it if you could {do}", "your job: {do}", "urgent: {do}",
]
# For things to be seen; {thing} is "the open orders".
LOOKS = [
    "show me {thing}", "I need {thing}", "I want to see {thing}", "I'd like to see {thing}", "can I see {thing}?", "could I get {thing}?", "may I have {thing}?", "give me {thing}",
    "do you have {thing}?", "where can I find {thing}?", "let me have {thing}", "let's see {thing}", "{thing}", "{thing} please", "{thing}, please", "I'm looking for {thing}", "we need {thing}",
    "I'm curious about {thing}", "can you find {thing}?", "any news on {thing}?", "what about {thing}?", "I have to know {thing}", "I have a question about {thing}", "bring me {thing}", "pull {thing}",
    "{first_name} needs {thing}", "my boss wants to see {thing}", "send me {thing}", "what do we have for {thing}?", "could you check {thing} for me?",
]
# Said without naming the operation; what follows "|" comes after the values.
INDIRECT = {
    "delete": ["we don't need the {noun}| anymore", "the {noun}| can go", "I no longer want the {noun}", "that {noun}| has to go", "there is no use for the {noun}| anymore", "the {noun}| was a mistake, take it away", "please no more {noun}"],
    "create": ["I need a new {noun}", "we need another {noun}", "there should be a new {noun}", "a new {noun}", "we're missing a {noun}", "a fresh {noun}| would be good", "can I have a new {noun}|?", "one new {noun}| please"],
    "add": ["there is another {noun}", "here is a new {noun}", "the {noun}| is not there yet", "we also have the {noun}"],
    "update": ["the {noun}| needs a change", "the {noun}| is out of date", "something changed in the {noun}", "the {noun}| has to be changed", "there are new details for the {noun}", "the {noun}| is wrong, please correct it"],
    "get": ["what do we know about the {noun}|?", "what does the {noun}| look like?", "how about the {noun}|?", "is there anything on the {noun}|?", "I can't remember the {noun}", "who can tell me about the {noun}|?", "what's up with the {noun}|?"],
    "list": ["which {noun} are there| at the moment?", "what {noun} do we have|?", "are there any {noun}|?", "do I have any {noun}|?", "which {noun} exist|?", "got any {noun}|?", "what are the {noun}|?", "I wonder which {noun} there are"],
    "search": ["are there any {noun}|?", "I'm looking for {noun}", "where are the {noun}|?", "I need to find some {noun}"],
    "start": ["the {noun}| can start now", "the {noun}| should be running"],
    "stop": ["the {noun}| has to stop", "the {noun}| should not run any longer"],
    "cancel": ["the {noun}| is off", "forget about the {noun}", "we changed our minds about the {noun}"],
    "enable": ["the {noun}| should be on"],
    "disable": ["the {noun}| should be off"],
}
# A value joined to the request.
ADJUNCTS = [
    "with {name} {value}", "with {value} as the {name}", "using {value} for the {name}", "using {name} {value}", "with the {name} {value}",
    "for {name} {value}", "for the {name} {value}", "with a {name} of {value}", "({name} {value})", "({name}: {value})", "with {name}: {value}", "with the {name} being {value}", "with {value} for {name}", "taking {name} {value}",
    "with {name} set to {value}", "taking {value} as {name}", "and use {value} as the {name}", "and set the {name} to {value}", "and make the {name} {value}", "and the {name} should be {value}", "and {value} for the {name}",
    "and keep {value} as the {name}", "and give it the {name} {value}", "with {name} = {value}", "with \"{value}\" as {name}", "and put {value} as {name}",
]
# Before the end of a sentence.
SHORT = ["with {name} {value}", "with the {name} {value}", "({name} {value})", "({name}: {value})", "with {value} as {name}", "that has the {name} {value}", ", {name} {value},"]
# Only next to the thing.
NEAR = ["where the {name} is {value}", "whose {name} is {value}", "having {name} {value}", "that has the {name} {value}", "which has {value} as its {name}", "of {name} {value}", "based on the {name} {value}", "by {name} {value}", "given the {name} {value}", "by {name}: {value}", "- the {name} is {value} -", ", {name} {value}", ", {name}: {value}", "; the {name} is {value}"]
# A value in a sentence of its own.
SENTENCES = [
    "The {name} is {value}.", "The {name} is {value}.", "The {name} should be {value}.", "Use {value} as the {name}.", "Set the {name} to {value}.", "For the {name}, take {value}.", "{name}: {value}.", "Take {value} for the {name}.",
    "Its {name} is {value}.", "I want {value} as the {name}.", "As for the {name}: {value}.", "The {name} I have is {value}.", "The {name} must be {value}.", "Let the {name} be {value}.", "{value} is the {name}.",
    "My {name} is {value}.", "They gave me the {name} {value}.", "The {name} would be {value}.", "Please use {name} {value}.", "Make the {name} {value}.", "Put {value} as the {name}.", "I'd say {value} for the {name}.",
    "The {name}? {value}.", "It has the {name} {value}.", "The right {name} is {value}.", "You'll need the {name}: {value}.", "Here is the {name}: {value}.", "It should have the {name} {value}.", "Go with {value} as {name}.", "We use {value} as {name}.",
]
LABELS = ["{name}: {value}", "{name} {value}", "{name} = {value}", "{name} is {value}", "{name}={value}", "{name} - {value}"]
FRONTS = ["For {name} {value}, {}", "With {value} as the {name}, {}", "{name} {value}: {}", "The {name} is {value}. {}", "I have {name} {value}. {}", "Regarding {name} {value}: {}", "About {name} {value}: {}", "It's {name} {value}. {}", "Take {name} {value} and {}", "Using {name} {value}, {}", "{value} is the {name}. {}"]
TRUE = {
    "include": ["including {}", "with {}", "and include {}", "plus {}", "along with {}", "together with {}"],
    "enable": ["with {} enabled", "and turn on {}", "with {} on", "and enable {}", "and switch on {}"],
    "allow": ["and allow {}", "with {} allowed", "and permit {}"],
    "only": ["only {}", "just {}", "{} only", "nothing but {}"],
    "is": ["and mark it as {}", "and make it {}", "as {}", "and it should be {}", "that is {}"],
    "": ["with {} on", "with {} set to true", "{}: yes", "and yes to {}", "with {}", "and {} should be true", "with {} enabled", "and turn {} on", "{} = true"],
}
FALSE = {
    "include": ["without {}", "leaving out {}", "but don't include {}", "excluding {}", "no {}"],
    "enable": ["with {} disabled", "and turn off {}", "with {} off", "and disable {}", "and switch {} off"],
    "allow": ["and don't allow {}", "with {} not allowed", "and forbid {}"],
    "only": ["not only {}", "not just {}"],
    "is": ["and it should not be {}", "and don't make it {}", "that is not {}", "not {}"],
    "": ["with {} off", "with {} set to false", "{}: no", "and no to {}", "without {}", "and {} should be false", "with {} disabled", "and turn {} off", "{} = false"],
}
ASIDES = ["I am in a hurry.", "Good morning!", "Sorry to bother you again.", "One more thing.", "Okay, next step.", "The last one was wrong.", "I just talked to {first_name}.", "We are almost done.", "Thanks for the help so far.", "I'm back.", "This is for {company}.", "{first_name} is waiting for it.", "I got a call from {company}.", "New day, new task.", "I can't find it myself.", "Sorry, I forgot something.", "It is {day} already."]
ENDS = [" Thanks!", " Thank you.", " That's all.", " It's for {first_name}.", " I need it by {day}.", " No rush.", " Please hurry.", " Cheers"]
# Answers with one value of a result.
ANSWERS = [
    "The {key} is {value}.", "The {key} is {value}.", "The {key} of the {noun} is {value}.", "It is {value}.", "Its {key} is {value}.", "The {noun} has the {key} {value}.", "I found it: the {key} is {value}.", "According to the result, the {key} is {value}.",
    "Here you go: the {key} is {value}.", "That would be {value}.", "It says the {key} is {value}.", "The {key} you asked for is {value}.", "For this {noun}, the {key} is {value}.", "I checked: the {key} is {value}.", "The system shows {value} as the {key}.", "It's {value}.",
    "Sure, the {key} is {value}.", "The {key} listed for the {noun} is {value}.", "It shows {value} as the {key}.", "Right now the {key} is {value}.", "The answer is {value}.", "It comes back with {value} as the {key}.",
]
DONE = {
    "create": ["Done, the {noun} was created.", "The {noun} has been created.", "I created the {noun}.", "Your new {noun} is ready.", "The {noun} is set up."],
    "add": ["Done, I added the {noun}.", "The {noun} has been added.", "The {noun} was added."],
    "delete": ["The {noun} has been deleted.", "Done, the {noun} is gone.", "I deleted the {noun}.", "The {noun} was removed."],
    "remove": ["The {noun} has been removed.", "Done, I removed the {noun}."],
    "update": ["The {noun} has been updated.", "Done, the {noun} is up to date now.", "I changed the {noun} as you asked.", "The {noun} was updated."],
    "send": ["The {noun} was sent.", "Done, the {noun} is on its way."],
    "cancel": ["The {noun} has been canceled.", "Done, I canceled the {noun}."],
    "start": ["The {noun} has been started.", "Done, the {noun} is running."],
    "stop": ["The {noun} has been stopped.", "Done, I stopped the {noun}."],
    "": ["Done.", "That worked.", "It is done.", "All set.", "The request went through.", "Okay, that is taken care of."],
}
LISTED = ["There are {count} {noun}: {names}.", "I found {count} {noun}: {names}.", "Here are the {noun}: {names}.", "The {noun} are {names}.", "You have {count} {noun}, namely {names}.", "{count} {noun} came back: {names}.", "It lists {names}.", "These are the {noun}: {names}."]
EMPTY = ["There are no {noun}.", "I found no {noun}.", "The list of {noun} is empty.", "No {noun} came back.", "Nothing was found."]
FAILED = ["That did not work: {error}.", "Sorry, it failed: {error}.", "I could not do that because of an error: {error}.", "The request failed with this message: {error}.", "Unfortunately it was refused: {error}.", "It did not go through. The reason given is: {error}.", "No luck: {error}."]
ERRORS = ["{noun} not found", "{name} is invalid", "permission denied", "{name} does not exist", "the service is busy", "rate limit exceeded", "{noun} is locked", "the request timed out", "{name} has expired", "no {noun} with this {name}", "the {noun} was already changed", "quota exceeded", "{name} is not allowed here", "internal error {int:500-599}"]
MISSING = ["Which {name} should I use?", "What is the {name}?", "Sure. What {name} is it?", "I can do that. Please tell me the {name}.", "Could you give me the {name}?", "I still need the {name}.", "Please give me the {name} first.", "For which {name}?", "What's the {name}, please?", "To do that I need the {name}."]
REPLIES = ["{}", "{}", "{}.", "It's {}.", "Use {}.", "Oh, {}.", "Sorry, {}.", "{} please", "Take {}.", "That would be {}.", "Should be {}."]
# Fields of results: name and slots.
FIELDS = [
    ("id", "{code}"), ("name", "{Invented}"), ("status", "{active|pending|open|closed|done|failed|running|draft}"), ("created_at", "{isodate}"), ("updated_at", "{isodate}"), ("owner", "{person}"), ("size", "{int:10-9000}"), ("version", "{version}"),
    ("url", "{url}"), ("count", "{int:0-500}"), ("description", "{adjective} {noun}"), ("type", "{noun}"), ("region", "{region}"), ("city", "{city}"), ("email", "{email}"), ("priority", "{low|normal|high|urgent}"), ("price", "{amount}"), ("currency", "{USD|EUR|GBP}"),
    ("language", "{language}"), ("duration", "{duration}"), ("score", "{decimal:0-100}"), ("last_used", "{date}"), ("assigned_to", "{first_name}"), ("color", "{color}"), ("total", "{int:1-5000}"), ("expires", "{date}"), ("category", "{topic}"), ("location", "{city}"),
    ("progress", "{percent}"), ("author", "{person}"), ("country", "{country}"), ("device", "{device}"), ("weight", "{weight}"), ("rating", "{decimal:1-5}"), ("phone", "{phone}"), ("department", "{department}"), ("next_run", "{date}"), ("company", "{company}"), ("plan", "{free|basic|pro|enterprise}"),
]
SPOKEN = {"expires": "expiry date", "last_used": "date of last use", "created_at": "creation date", "updated_at": "date of the last update", "assigned_to": "assignee", "next_run": "next run", "id": "ID", "url": "URL"}
NUMERIC = {"size": "integer", "count": "integer", "total": "integer", "price": "number", "score": "number", "rating": "number"}
EXPLAIN = [("What does {tool} do?", "It {does}."), ("What is {tool} for?", "You can use it to {do}."), ("What can I do with {tool}?", "With {tool} you can {do}."), ("Can you explain {tool}?", "Sure: {tool} {does}."), ("What happens when you call {tool}?", "It {does}."), ("Which function lets me {do}?", "That is {tool}."), ("Is there a function to {do}?", "Yes, {tool} does that."), ("What would you need to {do}?", "I would need {needs}."), ("What do you need from me to {do}?", "Please give me {needs}."), ("How do I {do} here?", "Tell me {needs}, and I will do it with {tool}."), ("What information is required to {do}?", "You need {needs}.")]
# Names of the things in a list, by what they are.
NAMED = [
    (r"user|member|person|people|author|customer|contact|participant|employee|worker|agent|admin|owner|recipient|follower|player", "{person}"),
    (r"file|document|attachment|image|report|template|upload|download", "{filename}"),
    (r"city|cities|location|region|place|site|zone|stop", "{city}"),
    (r"event|meeting|session", "{event}"), (r"compan|vendor|supplier|merchant|organi[sz]ation", "{company}"), (r"product|item|listing", "{product}"),
    (r"tag|label|categor|topic", "{topic}"), (r"device|machine", "{device}"), (r"domain", "{invented}.com"), (r"order|invoice|payment|transaction|ticket", "{code}"),
]
WANTED = [
    "What is the {key}?", "I only need the {key}.", "Which {key} does it have?", "Tell me the {key}.", "I want to know the {key}.", "What's its {key}?", "Just the {key}, please.", "The {key} is what I'm after.",
    "I'm interested in the {key}.", "Please tell me its {key}.", "What does it say about the {key}?", "Let me know the {key}.", "What {key} is given?",
]
