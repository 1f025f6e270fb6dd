"""Made-up lines without feeling in other languages than English, for the multilingual heads.

GoEmotions alone says what people call neutral, and it is English. As with the drills, each line
is put together from parts that were written for this.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.emotion_data import Labelled

PLAIN: Final[Mapping[str, Sequence[tuple[str, Sequence[str]]]]] = {
    "es": (
        ("El {} llega a las seis.", ("tren", "barco", "avión", "correo")),
        ("La {} abre los lunes a las diez.", ("biblioteca", "tienda", "farmacia", "oficina")),
        ("La mesa está al lado de la {}.", ("puerta", "ventana", "cocina", "escalera")),
        ("Mi primo trabaja en {}.", ("un banco", "correos", "una fábrica", "Sevilla")),
        ("¿Cuánto cuesta {}?", ("el pan", "el billete", "un kilo de arroz", "la entrada")),
        ("¿Dónde está {}?", ("la estación", "el museo", "la calle Mayor", "Lima")),
        ("¿Cómo se dice {} en inglés?", ("mesa", "libro", "jueves", "cuchara")),
        ("¿A qué hora empieza {}?", ("la clase", "la película", "la reunión", "el partido")),
    ),
    "zh": (
        ("{}六点到。", ("火车", "飞机", "船", "邮件")),
        ("{}星期一十点开门。", ("图书馆", "商店", "药店", "银行")),
        ("桌子在{}旁边。", ("门", "窗户", "厨房", "楼梯")),
        ("我表哥在{}上班。", ("银行", "邮局", "工厂", "上海")),
        ("{}多少钱？", ("面包", "车票", "一斤米", "门票")),
        ("{}在哪里？", ("车站", "博物馆", "洗手间", "利马")),
        ("{}用英语怎么说？", ("桌子", "书", "星期四", "勺子")),
        ("{}几点开始？", ("课", "电影", "会议", "比赛")),
    ),
    "de": (
        ("Der {} kommt um sechs an.", ("Zug", "Dampfer", "Flieger", "Brief")),
        ("Die {} öffnet montags um zehn.", ("Bibliothek", "Bäckerei", "Apotheke", "Bank")),
        ("Der Tisch steht neben {}.", ("der Tür", "dem Fenster", "der Küche", "der Treppe")),
        ("Mein Vetter arbeitet {}.", ("bei der Bank", "bei der Post", "in Köln", "im Büro")),
        ("Wie viel kostet {}?", ("das Brot", "die Fahrkarte", "ein Kilo Reis", "der Eintritt")),
        ("Wo ist {}?", ("der Bahnhof", "das Museum", "die Hauptstraße", "Lima")),
        ("Wie heißt {} auf Englisch?", ("Tisch", "Buch", "Donnerstag", "Löffel")),
        ("Wann beginnt {}?", ("der Unterricht", "der Film", "die Sitzung", "das Spiel")),
    ),
    "fr": (
        ("{} arrive à six heures.", ("Le train", "Le bateau", "L'avion", "Le courrier")),
        ("{} ouvre le lundi à dix heures.", ("La banque", "La mairie", "La pharmacie", "L'école")),
        ("La table est à côté de {}.", ("la porte", "la fenêtre", "la cuisine", "l'escalier")),
        ("Mon cousin travaille {}.", ("à la banque", "à la poste", "à Lyon", "à l'usine")),
        ("Combien coûte {} ?", ("le pain", "le billet", "un kilo de riz", "l'entrée")),
        ("Où est {} ?", ("la gare", "le musée", "la rue Neuve", "Lima")),
        ("Comment dit-on {} en anglais ?", ("table", "livre", "jeudi", "cuillère")),
        ("À quelle heure commence {} ?", ("le cours", "le film", "la réunion", "le match")),
    ),
}


def plain() -> list[Labelled]:
    """All of them, by language."""
    return [
        Labelled(text=frame.format(part), named=frozenset(), neutral=True)
        for frames in PLAIN.values()
        for frame, parts in frames
        for part in parts
    ]
