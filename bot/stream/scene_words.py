"""Words that change a place, by language: what is done to a thing, and the state that follows."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """Verb forms (a regular expression) and the state they leave behind.

    `particle` is a word before or after the thing ("turn *on* the lamp", "turn the lamp *on*").
    """

    verbs: str
    state: str
    particle: str = ""


ENGLISH: tuple[Deed, ...] = (
    Deed(verbs=r"lights?|lit|kindle[sd]?|rekindle[sd]?", state="burning"),
    Deed(verbs=r"extinguish(?:es|ed)?|douse[sd]?|snuffs?|snuffed|smothers?", state="out"),
    Deed(verbs=r"puts?|blows?|blew|stamps?|stamped|snuffs?|snuffed", particle="out", state="out"),
    Deed(verbs=r"open(?:s|ed)?|pushes|pushed|throws|threw", particle="open", state="open"),
    Deed(verbs=r"open(?:s|ed)?", state="open"),
    Deed(verbs=r"close[sd]?|shuts?|draws|drew", state="closed"),
    Deed(verbs=r"locks?|locked|bolts?|bolted", state="locked"),
    Deed(verbs=r"unlocks?|unlocked|unbolts?|unbolted", state="unlocked"),
    Deed(verbs=r"breaks?|broke|smash(?:es|ed)?|shatters?|shattered", state="broken"),
    Deed(verbs=r"mends?|mended|repairs?|repaired|fix(?:es|ed)?", state="mended"),
    Deed(verbs=r"fills?|filled|refills?|refilled", state="full"),
    Deed(verbs=r"empt(?:y|ies|ied)|drains?|drained", state="empty"),
    Deed(verbs=r"turns?|turned|switch(?:es|ed)?", particle="on", state="on"),
    Deed(verbs=r"turns?|turned|switch(?:es|ed)?", particle="off", state="off"),
)

SPANISH: tuple[Deed, ...] = (
    Deed(verbs="enciende|enciendo|encendió|encendí|prende|prendo|prendió|prendí", state="encendid"),
    Deed(verbs="apaga|apago|apagó|apagué|sopla|sopló", state="apagad"),
    Deed(verbs="abre|abro|abrió|abrí", state="abiert"),
    Deed(verbs="cierra|cierro|cerró|cerré", state="cerrad"),
    Deed(verbs="rompe|rompo|rompió|rompí", state="rot"),
    Deed(verbs="llena|lleno|llenó|llené", state="llen"),
    Deed(verbs="vacía|vacío|vació|vacié", state="vací"),
    Deed(verbs="arregla|arreglo|arregló|arreglé", state="arreglad"),
)
"""The states still lack their ending: it agrees with the thing."""

CHINESE: tuple[Deed, ...] = (
    Deed(verbs="点燃|点着|点起|点上|点亮|生起", state="点着"),
    Deed(verbs="熄灭|吹灭|扑灭|吹熄", state="灭了"),
    Deed(verbs="打开|推开|拉开|敞开", state="开着"),
    Deed(verbs="关上|关好|关紧|合上|拉上|关掉", state="关着"),
    Deed(verbs="锁上|锁好", state="锁着"),
    Deed(verbs="打破|打碎|摔碎|砸碎", state="碎了"),
    Deed(verbs="倒满|装满|灌满", state="满的"),
    Deed(verbs="修好", state="修好了"),
)

FIXTURES = frozenset(
    # a list of one word per item would fill sixty lines
    """
    fire fireplace hearth window windows door doors gate lamp lamps light lights candle candles
    lantern stove oven kettle curtain curtains blinds shutters radio heater television tv
    fuego chimenea ventana ventanas puerta puertas lámpara luz luces vela velas farol estufa
    horno tetera cortina cortinas radio persiana persianas
    火 炉火 篝火 火炉 窗 窗户 窗子 窗帘 门 大门 灯 台灯 油灯 灯笼 蜡烛 炉子 水壶 收音机
    """.split()  # noqa: SIM905
)
"""Things that a room may well have; others must be known there, or be narrated."""

NOT_DONE = re.compile(
    r"\?|？|吗|\b(?:not|never|n't|don't|didn't|doesn't|won't|cannot|can't|couldn't|wouldn't"
    r"|will|would|could|should|shall|may|might|must|if|unless|when|before|almost|nearly|wants?"
    r"|wanted|tries|tried|try|to|let's|please|imagine|pretend|suppose|dreamed|dreamt|remember"
    r"|used|yesterday|tomorrow|later|ago"
    r"|no|nunca|si|cuando|quizás?|casi|quiere|intenta|intentó|favor|ayer|mañana"
    r")\b|[不没别]|如果|要是|想要|请|明天|昨天",
    re.IGNORECASE,
)
"""Asked, denied, wished, planned or long past: nothing changed now."""
