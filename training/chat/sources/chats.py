"""Talk between people, read as prose (PhotoChat CC BY 4.0, Topical-Chat CDLA-Sharing 1.0), and small talk with an assistant (MIT).

What two people tell each other is not what an assistant may say of itself: their chats are texts with two speakers, never answers.
"""

import json
import re

from common import Repo, arguments, chat, pick, tidy, write

PHOTOCHAT = "google-research/google-research"
TOPICAL = "alexa/Topical-Chat"
CHITCHAT = "microsoft/botframework-solutions"
CHITCHAT_FILE = "samples/csharp/assistants/enterprise-assistant/VirtualAssistantSample/Deployment/Resources/QnA/en-us/Chitchat.qna"
NAMES = ["Anna", "Ben", "Carla", "David", "Ella", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kim", "Leo", "Maya", "Nick", "Olga", "Paul"]
PER_ANSWER = 25
RUDE = re.compile(r"\b(fart|poop|pee|puke|vomit|sex|suck|damn|hell|stupid|idiot|shit|fuck|ass|burp|bitch)\w*\b", re.I)


def as_prose(turns, key):
    """One line a turn, with names or with dashes; turns of one speaker that follow each other are joined."""
    first, second = pick(NAMES, key), pick([one for one in NAMES if one != pick(NAMES, key)], key + "2")
    lines, last = [], None
    for speaker, said in turns:
        said = tidy(said)
        if not said or RUDE.search(said):
            continue
        if speaker == last:
            lines[-1] += " " + said
        else:
            lines.append(f"{first if speaker == turns[0][0] else second}: {said}")
        last = speaker
    return "\n".join(lines)


def photochat(repo):
    for path, text in repo.files(r"photochat/(train|dev|test)/.*\.json$", "multimodalchat/"):
        for one in json.loads(text):
            yield as_prose([(turn["user_id"], turn["message"]) for turn in one["dialogue"]], f"{path}{one['dialogue_id']}")


def topical(repo):
    for _, text in repo.files(r"^conversations/(valid|test)_(freq|rare)\.json$", "conversations/"):
        for key, one in json.loads(text).items():
            yield as_prose([(turn["agent"], turn["message"]) for turn in one["content"]], key)


def chitchat(repo):
    for block in re.split(r"^## \? ", repo.text(CHITCHAT_FILE), flags=re.M)[1:]:
        answer = re.search(r"```markdown\s*(.*?)\s*```", block, re.S)
        asked = [block.splitlines()[0].strip(), *re.findall(r"^- (?!editorial)(.+)$", block.split("**Filters")[0], re.M)]
        kept = [tidy(one) for one in asked if not RUDE.search(one)]
        for question in kept[:: max(1, len(kept) // PER_ANSWER)][:PER_ANSWER]:
            if answer:
                yield chat(question, tidy(answer.group(1)))


def main():
    mirrors, out = arguments(__doc__)
    talks = [*photochat(Repo(mirrors, PHOTOCHAT)), *topical(Repo(mirrors, TOPICAL))]
    write(out / "prose-chats.jsonl", ({"text": text} for text in talks if len(text) > 150))
    write(out / "chat-chitchat.jsonl", chitchat(Repo(mirrors, CHITCHAT)))


if __name__ == "__main__":
    main()
