"""No bytes crash the importer, or take long, or take much memory."""

import random
import time
import tracemalloc
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.card_files import import_card
from bot.errors import PersonaError
from bot.persona_folder import read_personas
from tests.cards.makers import (
    END,
    HEAD,
    PIXELS,
    SIGNATURE,
    book,
    charx,
    chunk,
    data,
    entry,
    i_txt,
    png,
    t_ext,
    text,
    v2,
    v3,
    z_txt,
)

SECONDS = 60.0  # of the processor: what explodes takes hours, a slow machine 16
MEGABYTES = 700

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
odd_fields = st.dictionaries(
    st.sampled_from([*data(), "character_book", "assets", "nickname", "group_only_greetings"]),
    json_values,
)
odd_entries = st.dictionaries(
    st.sampled_from([*entry(), "position", "priority", "key", "depth", "selective", "use_regex"]),
    json_values,
)
sound = [
    text(v2(character_book=book(entry()))),
    png(t_ext(b"chara", v2()), after=[z_txt(b"ccv3", v3())]),
    png(i_txt(b"ccv3", v3(), packed=True)),
    charx(v3(), assets__a_dot_png=png()),
]


def survives(content: bytes) -> None:
    """The card is imported as a persona that can be read, or refused with a sentence."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            imported = import_card(content, "card.bin", folder)
        except PersonaError:
            assert list(folder.iterdir()) == []
        else:
            personas, problems = read_personas(folder)
            assert (set(personas), problems) == ({imported.key}, [])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
@example(b"")
def test_no_bytes_crash_the_importer(content: bytes) -> None:
    survives(content)
    survives(SIGNATURE + content)
    survives(b"PK\x03\x04" + content)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sound), st.data())
def test_no_damage_to_a_sound_card_crashes_the_importer(
    content: bytes, data: st.DataObject
) -> None:
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    survives(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))
    survives(bytes(damaged))


@settings(max_examples=100, deadline=None)
@given(odd_fields, st.lists(odd_entries, max_size=3), json_values)
def test_no_values_crash_the_importer(
    fields: dict[str, object], entries: list[object], root: object
) -> None:
    odd = {**data(), "character_book": {"entries": entries}, **fields}
    survives(text({"spec": root, "data": odd}))
    survives(png(t_ext(b"chara", {"spec": "chara_card_v3", "extensions": root, "data": odd})))
    survives(text(fields))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"tEXt", b"zTXt", b"iTXt", b"IDAT", b"IEND"]), st.binary(max_size=60)
        )
    )
)
def test_no_chunks_crash_the_importer(chunks: list[tuple[bytes, bytes]]) -> None:
    odd = [chunk(kind, b"chara" + body) for kind, body in chunks]
    survives(b"".join([SIGNATURE, HEAD, *odd, PIXELS, END]))


def heavy_cards() -> dict[str, bytes]:
    rng = random.Random(7)
    letters = "".join(rng.choices("abcdefgh <>:\n", k=2_000_000))
    packed = zlib.compress(bytes(20_000_000))
    return {
        "many values": b'{"data": [' + b"[]," * 249_000 + b"[]]}",
        "many fields": text({"data": {f"a{number}": 1 for number in range(400_000)}}),
        "many entries": text(v2(character_book=book(*[entry(keys=["a" * 200] * 5)] * 9_000))),
        "long texts": text(v2(description=letters, first_mes=letters, mes_example=letters)),
        "many examples": text(v2(mes_example="<START>\n{{char}}: a\n" * 100_000)),
        "spaces": text(v2(mes_example=" " * 2_000_000, name=" " * 2_000_000)),
        "decorators": text(v2(character_book=book(entry(content="@@depth 1\n" * 200_000)))),
        "macros": text(v2(description="{{random:" * 5_000, first_mes="{{description}}" * 5_000)),
        "regular expressions": text(
            v2(character_book=book(entry(keys=["/" + "(a+)+" * 30 + "$/"] * 200, use_regex=True)))
        ),
        "compressed texts": png(*[chunk(b"zTXt", b"chara\0\0" + packed)] * 50),
        "empty chunks": SIGNATURE + HEAD + chunk(b"tEXt", b"") * 100_000 + END,
        "a deep zip": charx(v3(), **{f"a{number}": bytes(30_000_000) for number in range(4)}),
    }


HEAVY = heavy_cards()


@pytest.mark.parametrize("name", list(HEAVY))
def test_heavy_cards_stay_within_time_and_memory(name: str) -> None:
    tracemalloc.start()
    try:
        started = time.process_time()
        survives(HEAVY[name])
        spent = time.process_time() - started
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert spent < SECONDS
    assert most < MEGABYTES * 1_000_000
