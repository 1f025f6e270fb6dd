"""Words for what people are to each other, by language, each with its English word."""

RELATIONS: dict[str, str] = {
    # English
    "sister": "sister", "brother": "brother", "twin": "twin", "sibling": "sibling",
    "mother": "mother", "mum": "mother", "mom": "mother", "father": "father", "dad": "father",
    "son": "son", "daughter": "daughter", "aunt": "aunt", "uncle": "uncle", "cousin": "cousin",
    "niece": "niece", "nephew": "nephew", "grandmother": "grandmother", "gran": "grandmother",
    "grandfather": "grandfather", "husband": "husband", "wife": "wife", "partner": "partner",
    "girlfriend": "girlfriend", "boyfriend": "boyfriend", "fiancé": "fiancé",
    "fiancée": "fiancée", "friend": "friend", "mate": "friend", "buddy": "friend",
    "colleague": "colleague", "coworker": "colleague", "boss": "boss", "neighbour": "neighbour",
    "neighbor": "neighbour", "roommate": "flatmate", "flatmate": "flatmate", "rival": "rival",
    "enemy": "enemy", "teacher": "teacher", "student": "student",
    # Spanish
    "hermana": "sister", "hermano": "brother", "madre": "mother", "mamá": "mother",
    "padre": "father", "papá": "father", "hijo": "son", "hija": "daughter", "tía": "aunt",
    "tío": "uncle", "prima": "cousin", "primo": "cousin", "abuela": "grandmother",
    "abuelo": "grandfather", "marido": "husband", "esposo": "husband", "esposa": "wife",
    "mujer": "wife", "novia": "girlfriend", "novio": "boyfriend", "pareja": "partner",
    "amiga": "friend", "amigo": "friend", "colega": "colleague", "compañera": "colleague",
    "compañero": "colleague", "jefa": "boss", "jefe": "boss", "vecina": "neighbour",
    "vecino": "neighbour", "enemigo": "enemy", "enemiga": "enemy",
    "maestra": "teacher", "maestro": "teacher",
    # German
    "schwester": "sister", "bruder": "brother", "mutter": "mother", "mama": "mother",
    "vater": "father", "papa": "father", "sohn": "son", "tochter": "daughter", "tante": "aunt",
    "onkel": "uncle", "oma": "grandmother", "opa": "grandfather", "mann": "husband",
    "frau": "wife", "freund": "friend", "freundin": "friend", "kollege": "colleague",
    "kollegin": "colleague", "chef": "boss", "chefin": "boss", "nachbar": "neighbour",
    "nachbarin": "neighbour", "rivale": "rival", "rivalin": "rival",
    # Chinese
    "姐姐": "sister", "妹妹": "sister", "哥哥": "brother", "弟弟": "brother", "妈妈": "mother",
    "母亲": "mother", "爸爸": "father", "父亲": "father", "儿子": "son", "女儿": "daughter",
    "阿姨": "aunt", "叔叔": "uncle", "奶奶": "grandmother", "爷爷": "grandfather",
    "丈夫": "husband", "老公": "husband", "妻子": "wife", "老婆": "wife", "女朋友": "girlfriend",
    "男朋友": "boyfriend", "朋友": "friend", "同事": "colleague", "老板": "boss",
    "邻居": "neighbour", "室友": "flatmate", "同学": "classmate", "对手": "rival",
    "敌人": "enemy", "老师": "teacher",
}  # fmt: skip

CHINESE_WORDS = tuple(sorted((w for w in RELATIONS if ord(w[0]) > 0x2E80), key=len, reverse=True))
OTHER_WORDS = tuple(sorted((w for w in RELATIONS if ord(w[0]) <= 0x2E80), key=len, reverse=True))
