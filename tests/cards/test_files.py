"""Cards in PNG and ZIP files, sound and broken."""

import base64
import io
import json
import stat
import zipfile
import zlib
from collections.abc import Callable

import pytest
from PIL import Image

from adapters.card_files import MOST_FILE_BYTES, CardFile, read_card_file
from adapters.card_png import SIGNATURE, read_png, write_png
from bot.cards.mending import Notes
from bot.errors import PersonaError
from tests.cards.makers import (
    END,
    HEAD,
    PIXELS,
    charx,
    chunk,
    i_txt,
    png,
    t_ext,
    text,
    v2,
    v3,
    z_txt,
)


def names(file: CardFile) -> list[str]:
    return [json.loads(card)["data"]["name"] for card in file.texts]


@pytest.mark.parametrize("make", [t_ext, z_txt, i_txt])
@pytest.mark.parametrize("keyword", [b"chara", b"ccv3", b"Chara"])
def test_a_card_is_found_in_every_kind_of_text(
    make: Callable[[bytes, object], bytes], keyword: bytes
) -> None:
    card = make(keyword, v2())
    assert names(read_card_file("a.png", png(card))) == ["Mirela"]
    assert names(read_card_file("a.png", png(after=[card]))) == ["Mirela"]


def test_a_compressed_international_text_is_read() -> None:
    assert names(read_card_file("a.png", png(i_txt(b"chara", v2(), packed=True)))) == ["Mirela"]


def test_the_v3_card_goes_before_the_v2_card_and_the_first_before_the_second() -> None:
    file = png(
        t_ext(b"chara", v2(name="old")),
        t_ext(b"chara", v2(name="older")),
        after=[t_ext(b"ccv3", v3(name="new"))],
    )
    assert names(read_card_file("a.png", file)) == ["new", "old", "older"]


def test_a_cut_picture_is_left_out_and_its_card_kept() -> None:
    file = png(t_ext(b"chara", v2()))[:-30]
    read = read_card_file("a.png", file)
    assert names(read) == ["Mirela"]
    assert read.picture is None
    assert "cut off" in read.warnings[0]


def test_a_picture_cut_off_before_its_card_is_refused() -> None:
    with pytest.raises(PersonaError, match="cut off before its card"):
        read_card_file("a.png", png(t_ext(b"chara", v2()))[:200])


def test_a_wrong_checksum_is_forgiven_with_a_warning() -> None:
    body = b"chara\0" + base64.b64encode(text(v2()))
    read = read_card_file("a.png", png(chunk(b"tEXt", body, crc=0)))
    assert names(read) == ["Mirela"]
    assert "checksum" in read.warnings[0]


@pytest.mark.parametrize(
    "written",
    [
        base64.urlsafe_b64encode(text(v2(name="a?>~ü"))).rstrip(b"="),
        base64.encodebytes(text(v2(name="a?>~ü"))),
        text(v2(name="a?>~")),
    ],
    ids=["url-safe without padding", "with line ends", "not encoded at all"],
)
def test_sloppy_base64_is_read(written: bytes) -> None:
    (name,) = names(read_card_file("a.png", png(chunk(b"tEXt", b"chara\0" + written))))
    assert name.startswith("a?>~")


def test_a_bomb_in_a_compressed_text_is_refused_without_unpacking_it() -> None:
    bomb = chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(60_000_000)))
    assert len(bomb) < 100_000
    with pytest.raises(PersonaError, match="unpacks to more than 21 MB"):
        read_card_file("a.png", png(bomb))


def test_a_picture_without_a_card_is_told_apart() -> None:
    with pytest.raises(PersonaError, match="without a card"):
        read_card_file("a.png", png())


def test_the_picture_keeps_everything_but_the_card() -> None:
    other = chunk(b"tEXt", b"Software\0brush")
    animated = chunk(b"acTL", b"\0\0\0\1\0\0\0\0")
    file = png(other, t_ext(b"chara", v2()), animated, after=[t_ext(b"ccv3", v3())])
    assert read_card_file("a.png", file).picture == png(other, animated)


def test_a_written_picture_holds_the_cards_and_the_same_pixels() -> None:
    written = write_png([("ccv3", text(v3())), ("chara", text(v2()))], png(), "Mirela")
    assert names(read_card_file("a.png", written)) == ["Mirela", "Mirela"]
    with Image.open(io.BytesIO(written)) as image, Image.open(io.BytesIO(png())) as before:
        assert image.tobytes() == before.tobytes()


def test_writing_replaces_cards_that_were_in_the_picture() -> None:
    before = png(t_ext(b"chara", v2(name="old")), after=[t_ext(b"ccv3", v3(name="old"))])
    written = write_png([("chara", text(v2(name="new")))], before, "new")
    assert names(read_card_file("a.png", written)) == ["new"]


def test_a_card_without_a_picture_gets_a_plain_one() -> None:
    written = write_png([("chara", text(v2()))], None, "Mirela")
    with Image.open(io.BytesIO(written)) as image:
        assert image.size == (400, 600)
    assert written == write_png([("chara", text(v2()))], None, "Mirela")


@pytest.mark.parametrize("form", ["JPEG", "WEBP"])
def test_a_picture_of_another_format_becomes_png(form: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (2000, 10)).save(out, form)
    written = write_png([("chara", text(v2()))], out.getvalue(), "Mirela")
    with Image.open(io.BytesIO(written)) as image:
        assert (image.format, image.size) == ("PNG", (1024, 5))


def test_a_broken_picture_is_refused_when_a_card_is_written() -> None:
    with pytest.raises(PersonaError, match="picture of Mirela is broken"):
        write_png([("chara", text(v2()))], SIGNATURE + b"noise", "Mirela")


def test_a_file_that_is_only_a_beginning_and_a_card_has_no_picture() -> None:
    file = SIGNATURE + t_ext(b"chara", v2()) + END
    assert read_card_file("a.png", file).picture is None
    assert read_png(SIGNATURE + HEAD + t_ext(b"chara", v2()) + END, "a", Notes()).picture is None
    assert read_png(SIGNATURE + HEAD + PIXELS + t_ext(b"chara", v2()) + END, "a", Notes()).picture


def test_a_charx_gives_the_card_and_keeps_its_files() -> None:
    read = read_card_file("a.charx", charx(v3(), assets__icon__a_dot_png=png(), x_dot_json=b"{}"))
    assert names(read) == ["Mirela"]
    assert read.assets is not None
    with zipfile.ZipFile(io.BytesIO(read.assets)) as kept:
        assert kept.namelist() == ["assets/icon/a.png", "x.json"]
        assert kept.read("assets/icon/a.png") == png()


def test_a_charx_behind_a_jpeg_picture_is_read() -> None:
    out = io.BytesIO()
    Image.new("RGB", (2, 2)).save(out, "JPEG")
    assert names(read_card_file("a.jpeg", out.getvalue() + charx(v3()))) == ["Mirela"]


def test_a_card_in_a_folder_of_the_zip_is_found() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mirela/Card.json", text(v3()))
    assert names(read_card_file("a.zip", out.getvalue())) == ["Mirela"]


@pytest.mark.parametrize(
    "name",
    ["../up.png", "a/../../up.png", "/etc/passwd", "C:/x.png", "..\\up.png", "a//b.png", "./a.png"],
)
def test_names_that_point_out_of_the_card_are_left_out(name: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("card.json", text(v3()))
        archive.writestr(name, b"x")
    read = read_card_file("a.charx", out.getvalue())
    assert read.assets is None
    assert "forbidden name" in read.warnings[0]


def test_links_in_a_zip_are_left_out() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("card.json", text(v3()))
        link = zipfile.ZipInfo("assets/link.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    read = read_card_file("a.charx", out.getvalue())
    assert read.assets is None
    assert read.warnings


def test_a_zip_bomb_is_refused_by_what_it_declares() -> None:
    bomb = charx(v3(), **{f"a{number}": bytes(1_000_000) for number in range(201)})
    assert len(bomb) < 1_000_000
    with pytest.raises(PersonaError, match="unpacks to more than 200 MB"):
        read_card_file("a.charx", bomb)


def test_a_zip_that_declares_less_than_it_holds_is_broken() -> None:
    honest = charx(v3(), big=bytes(500_000))
    lying = honest.replace((500_000).to_bytes(4, "little"), (500).to_bytes(4, "little"))
    assert lying != honest
    with pytest.raises(PersonaError, match="broken ZIP"):
        read_card_file("a.charx", lying)


def test_a_card_too_large_inside_of_a_zip_is_refused() -> None:
    with pytest.raises(PersonaError, match=r"card.json is larger than 16 MB"):
        read_card_file("a.charx", charx(v3(description=" " * 17_000_000)))


def test_too_many_files_in_a_zip_are_refused() -> None:
    with pytest.raises(PersonaError, match="more than 5000 files"):
        read_card_file("a.charx", charx(v3(), **{f"a{number}": b"" for number in range(5_001)}))


def test_an_encrypted_zip_is_refused() -> None:
    plain = bytearray(charx(v3()))
    at = plain.index(b"PK\x01\x02") + 8
    plain[at] |= 1
    with pytest.raises(PersonaError, match="encrypted"):
        read_card_file("a.charx", bytes(plain))


@pytest.mark.parametrize("form", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_packing_that_takes_much_memory_is_refused(form: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", form) as archive:
        archive.writestr("card.json", text(v3()))
    with pytest.raises(PersonaError, match="use plain ZIP"):
        read_card_file("a.charx", out.getvalue())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\xff\xd8\xff\xe0 JFIF", "a JPEG picture; save the card as PNG"),
        (b"RIFF\0\0\0\0WEBP", "a WebP picture"),
        (b"GIF89a", "a GIF picture"),
        (b"%PDF-1.7", "a PDF"),
        (b"PK\x03\x04 nothing more", "broken ZIP"),
        (charx(v3())[:-40], "broken ZIP"),
        (SIGNATURE, "cut off before its card"),
        (SIGNATURE + b"\0\0\0\0????", "cut off before its card"),
    ],
)
def test_other_files_are_refused_with_one_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(PersonaError, match=reason) as caught:
        read_card_file("odd", data)
    assert "\n" not in str(caught.value)


def test_a_zip_without_a_card_is_told_apart() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(PersonaError, match=r"without card\.json"):
        read_card_file("a.zip", out.getvalue())


def test_two_hundred_megabytes_are_refused_unread() -> None:
    class Large(bytes):
        def __len__(self) -> int:
            return 200_000_000

    assert MOST_FILE_BYTES < 200_000_000
    with pytest.raises(PersonaError, match="200 MB is too large"):
        read_card_file("a.png", Large())
