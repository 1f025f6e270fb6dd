"""Sentences with the feeling that most people would hear in them.

`expected` names what may lead; "" is a text without feeling (ones, or so near to them that no
score reaches FAINT); a name after "-" must not lead. `wrong` marks what the shipped heads are
known to get wrong: the model card lists it, and a test notices when one comes right.
"""

from dataclasses import dataclass

from bot.emotion import Emotion
from bot.feeling import leading

FAINT = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    text: str
    expected: tuple[str, ...]
    wrong: bool = False

    def fits(self, emotion: Emotion) -> bool:
        first = leading(emotion) if max(emotion.scores) >= FAINT else ""
        banned = {name[1:] for name in self.expected if name.startswith("-")}
        return first not in banned if banned else first in self.expected


def _all(table: str, wrong: frozenset[str]) -> list[Sentence]:
    rows = [line.partition(" | ") for line in table.strip().splitlines()]
    return [
        Sentence(
            text=text,
            expected=tuple(
                "" if name == "neutral" else name for name in expected.strip().split(" or ")
            ),
            wrong=text in wrong,
        )
        for expected, _, text in rows
    ]


_ENGLISH = """
joy                       | I finally got the job!
anger or sadness          | He lied to me again.
neutral                   | The bus leaves at nine.
-joy                      | I am not happy about this at all.
anger or disgust          | I hate what he did to her.
anger or disgust          | My boss treats the new guy like dirt and it makes me furious.
anger                     | How dare they speak to my sister like that!
anger or sadness or disgust | Oh great, another Monday. Just what I needed.
anger or sadness or disgust | Wow, thanks for deleting my backups. Really brilliant.
-anger                    | I'm not angry with you.
-fear                     | There is nothing to be afraid of.
-anger                    | I don't hate it.
-sadness                  | Don't be sad, everything will be fine.
sadness                   | 😭😭
joy                       | lol
joy or acceptance         | ❤️
anger                     | 😡
fear or surprise          | 😱
joy                       | 🎉🎉🎉
joy                       | haha that's hilarious 😂
joy or sadness            | I'm so happy for you, but I will miss you terribly.
fear or anticipation or joy | I'm excited but also scared about tomorrow.
neutral                   | ok
neutral                   | ?
neutral                   | k
neutral                   | yes
neutral                   | What is the capital of France?
neutral                   | How many kilometres are in a mile?
neutral                   | When does the shop open?
neutral                   | The meeting is in room 12.
neutral                   | Paris is the capital of France.
neutral                   | He works at the post office.
neutral                   | The red one is on the second shelf.
sadness                   | My grandmother died last night.
sadness                   | I miss my dad.
sadness                   | I feel so lonely tonight.
fear                      | There's someone in the house and I'm terrified.
fear                      | I'm worried about the results.
disgust                   | That is disgusting, there's mould in my sandwich.
disgust                   | Ew, gross.
anticipation or joy       | I can't wait for the concert tomorrow!
anticipation              | I hope we win the finals.
acceptance                | I trust you completely.
acceptance                | You can count on me.
surprise                  | Wait, what? You're moving to Japan?!
surprise                  | I didn't expect that at all.
surprise                  | Oh my god, I can't believe it!
anger                     | Shut up and leave me alone!
anger                     | Stop touching my things!
anger or surprise         | WHY WOULD YOU DO THAT
joy or acceptance         | Thank you so much, this means the world to me.
joy or acceptance         | I'm so proud of you!
joy or acceptance         | I love you.
joy                       | This is the best day of my life.
"""

_OTHERS = """
joy                       | ¡Por fin conseguí el trabajo!
anger or sadness          | Me mintió otra vez.
neutral                   | El autobús sale a las nueve.
-joy                      | No estoy nada contento con esto.
sadness                   | Echo mucho de menos a mi padre.
fear                      | Tengo mucho miedo.
disgust                   | ¡Qué asco!
neutral                   | ¿Cuál es la capital de Francia?
joy or acceptance         | Te quiero mucho.
anger                     | ¡Cállate y déjame en paz!
joy                       | 我终于找到工作了！
anger or sadness          | 他又骗了我。
neutral                   | 公交车九点出发。
-joy                      | 我一点也不高兴。
sadness                   | 我很想念我的爸爸。
fear                      | 我好害怕。
disgust                   | 真恶心！
neutral                   | 法国的首都是哪里？
joy or acceptance         | 我爱你。
anger                     | 闭嘴，别烦我！
joy                       | Ich habe endlich die Stelle bekommen!
anger or sadness          | Er hat mich schon wieder angelogen.
neutral                   | Der Bus fährt um neun.
-joy                      | Ich bin überhaupt nicht froh darüber.
sadness                   | Ich vermisse meinen Vater so sehr.
fear                      | Ich habe solche Angst.
disgust                   | Igitt, ist das eklig!
neutral                   | Was ist die Hauptstadt von Frankreich?
joy or acceptance         | Ich liebe dich.
anger                     | Halt den Mund und lass mich in Ruhe!
joy                       | J'ai enfin eu le poste !
anger or sadness          | Il m'a encore menti.
neutral                   | Le bus part à neuf heures.
-joy                      | Je ne suis pas du tout content de ça.
sadness                   | Mon père me manque tellement.
fear                      | J'ai très peur.
disgust                   | Beurk, c'est dégoûtant !
neutral                   | Quelle est la capitale de la France ?
joy or acceptance         | Je t'aime.
anger                     | Tais-toi et laisse-moi tranquille !
joy                       | I finally got the job!
anger or sadness          | He lied to me again.
neutral                   | The bus leaves at nine.
-joy                      | I am not happy about this at all.
"""
"""Ten each in Spanish, Chinese, German and French, and four in English."""

ENGLISH_WRONG: frozenset[str] = frozenset(
    {
        "Wow, thanks for deleting my backups. Really brilliant.",
    }
)
OTHERS_WRONG: frozenset[str] = frozenset(
    {
        "¡Qué asco!",
        "¿Cuál es la capital de Francia?",
        "Er hat mich schon wieder angelogen.",
        "Igitt, ist das eklig!",
        "Was ist die Hauptstadt von Frankreich?",
        "Beurk, c'est dégoûtant !",
    }
)

ENGLISH = _all(_ENGLISH, ENGLISH_WRONG)
OTHERS = _all(_OTHERS, OTHERS_WRONG)
