"""What an exchange adds to a relationship, and when stages move."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.emotion import NEUTRAL, Emotion
from bot.stream.bonds import Delta, Stage, Standing, WeightRule
from bot.stream.stages import MOVES, move
from bot.stream.weights import Side, blend, is_aimed, sign, weigh
from tests.stream.feelings import ANGER, CONTENT, JOY, SORROW

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ANA, IDA, BEN = 1, 2, 3


def side(
    agent: int, text: str, emotion: Emotion, *, name: str = "Ana", is_persona: bool = False
) -> Side:
    return Side(
        agent=agent, names=(name,), texts=(text,), emotions=(emotion,), is_persona=is_persona
    )


def ida(emotion: Emotion = NEUTRAL) -> Side:
    return side(IDA, "I see.", emotion, name="Ida", is_persona=True)


def by_pair(deltas: list[Delta]) -> dict[tuple[int, int], int]:
    return {(d.agent, d.other): d.delta for d in deltas}


def test_pleasant_and_lively_is_plus_one_unpleasant_minus_one_else_nothing() -> None:
    assert [sign(e)[0] for e in (JOY, CONTENT, SORROW, ANGER, NEUTRAL)] == [1, 0, -1, -1, 0]


def test_a_joyful_exchange_raises_both_weights_by_one() -> None:
    found = by_pair(weigh(side(ANA, "what a lovely evening", JOY), ida(), WeightRule.TOWARD))
    assert found == {(ANA, IDA): 1, (IDA, ANA): 1}


@pytest.mark.parametrize(("rule", "delta"), [(WeightRule.DIALOGUE, -1), (WeightRule.TOWARD, 0)])
def test_a_confided_sorrow_costs_something_only_under_the_patents_rule(
    rule: WeightRule, delta: int
) -> None:
    found = by_pair(weigh(side(ANA, "you know, my dog died", SORROW), ida(), rule))
    assert found == {(ANA, IDA): delta, (IDA, ANA): delta}


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("I hate you", -1),
        ("Ida is so stupid", -1),
        ("go to hell", -1),
        ("I hate my boss, he is stupid and he never listens", 0),
        ("te odio, eres horrible", -1),
        ("odio a mi jefe, él nunca escucha a nadie", 0),
        ("我讨厌你", -1),
        ("我讨厌他，他从来不听别人说话，每天都这样，真的很烦，真的真的很烦，烦死了，我受够了", 0),
    ],
)
def test_anger_counts_only_where_it_is_aimed_at_the_other(text: str, delta: int) -> None:
    found = by_pair(weigh(side(ANA, text, ANGER), ida(), WeightRule.TOWARD))
    assert found[IDA, ANA] == delta


def test_a_personas_own_words_prove_no_feeling() -> None:
    found = by_pair(weigh(side(ANA, "good morning", NEUTRAL), ida(JOY), WeightRule.TOWARD))
    assert found == {(ANA, IDA): 0, (IDA, ANA): 0}


def test_between_people_each_shows_their_own() -> None:
    ana, ben = side(ANA, "you are lovely", JOY), side(BEN, "I hate you", ANGER, name="Ben")
    assert by_pair(weigh(ana, ben, WeightRule.TOWARD)) == {(ANA, BEN): 1, (BEN, ANA): -1}
    assert by_pair(weigh(ana, ben, WeightRule.DIALOGUE)) == {(ANA, BEN): 0, (BEN, ANA): 0}


def test_many_lines_of_one_side_weigh_no_more_than_one() -> None:
    many = Side(agent=ANA, names=("Ana",), texts=("lovely",) * 10, emotions=(JOY,) * 10)
    assert by_pair(weigh(many, ida(), WeightRule.TOWARD))[IDA, ANA] == 1


def test_the_mean_of_no_feelings_is_none() -> None:
    assert blend([]) == NEUTRAL
    assert blend([JOY, JOY]) == JOY


def test_a_long_text_that_names_nobody_is_aimed_at_nobody() -> None:
    assert is_aimed("shut up", ["Ida"])
    assert not is_aimed("the weather is a disgrace and the trains are late again", ["Ida"])


def standing(**more: int) -> Standing:
    silent = more.pop("silent", 0)
    fields: dict[str, object] = {"last_at": NOW - timedelta(days=silent), **more}
    return Standing(**fields)  # type: ignore[arg-type]


def after(stage: Stage, **more: int) -> Stage:
    return move(stage, standing(**more), NOW).after


def test_one_evening_leads_no_further_than_the_beginning() -> None:
    hundred = {"weight": 101, "exchanges": 100, "days": 1, "lately": 100, "recent": 10}
    assert after(Stage.FIRST_MET, **hundred) is Stage.FIRST_MET
    assert after(Stage.FAMILIAR, **hundred) is Stage.FAMILIAR


def test_days_and_good_exchanges_lead_from_first_met_to_dependent() -> None:
    assert after(Stage.FIRST_MET, weight=4, exchanges=8, days=3) is Stage.FAMILIAR
    grown = {"weight": 12, "exchanges": 30, "days": 12, "lately": 20, "recent": 4}
    assert after(Stage.FAMILIAR, **grown) is Stage.DEPENDENT
    assert after(Stage.DEPENDENT, **grown) is Stage.DEPENDENT


def test_one_insult_ends_no_friendship_days_of_quarrel_do() -> None:
    friends = {"weight": 9, "exchanges": 20, "days": 8}
    assert after(Stage.FAMILIAR, **friends, recent=-1, bad_days=1) is Stage.FAMILIAR
    assert after(Stage.FAMILIAR, **friends, recent=-10, bad_days=1) is Stage.FAMILIAR
    assert after(Stage.FAMILIAR, **friends, recent=-6, bad_days=3) is Stage.SEPARATED


def test_a_long_silence_separates_and_a_few_good_days_mend() -> None:
    assert after(Stage.FAMILIAR, weight=9, exchanges=20, days=8, silent=59) is Stage.FAMILIAR
    assert after(Stage.FAMILIAR, weight=9, exchanges=20, days=8, silent=61) is Stage.SEPARATED
    back = {"weight": 9, "exchanges": 22, "days": 9, "recent": 2}
    assert after(Stage.SEPARATED, **back, since_exchanges=2, since_days=1) is Stage.SEPARATED
    assert after(Stage.SEPARATED, **back, since_exchanges=4, since_days=2) is Stage.FAMILIAR


def test_nothing_flickers_where_a_move_up_has_just_been_made() -> None:
    known = {"weight": 2, "exchanges": 6, "days": 3}
    assert after(Stage.FIRST_MET, **known) is Stage.FAMILIAR
    assert after(Stage.FAMILIAR, **{**known, "weight": 1}) is Stage.FAMILIAR
    close = {"weight": 10, "exchanges": 24, "days": 10, "lately": 8, "recent": 0}
    assert after(Stage.FAMILIAR, **close) is Stage.DEPENDENT
    assert after(Stage.DEPENDENT, **{**close, "weight": 9}) is Stage.DEPENDENT


def test_every_stage_can_be_left_and_every_move_says_why() -> None:
    assert {m.before for m in MOVES} == set(Stage)
    assert all(m.why and m.before is not m.after for m in MOVES)
