"""The language model itself: loaded and run in the worker thread, one answer at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.bundled_model.prepare import prepared
from adapters.local_models import loading, quiet_libraries
from bot.errors import ModelRefused
from bot.ports import Line

if TYPE_CHECKING:
    from torch import Tensor

CHUNK_TOKENS = 128
"""A prompt is read in pieces, so that it can be given up within half a second."""

PENALIZED_TOKENS = 192
"""So far back is a word's repetition made less likely: about the last two lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is drawn. `temperature` 0 always takes the likeliest.

    Gentle: a small model loses its thread when it is hotter, and loops without the penalty.
    """

    temperature: float = 0.7
    top_p: float = 0.9
    repetition_penalty: float = 1.1


GREEDY = Sampling(temperature=0.0, repetition_penalty=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be generated. `beginning` is put in the model's mouth and not handed out.
    `one_paragraph`: a blank line ends the answer; what a tiny model adds to it is rambling."""

    lines: Sequence[Line]
    room: int  # tokens that prompt and answer may fill together
    max_tokens: int
    sampling: Sampling
    beginning: str = ""
    one_paragraph: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """How many tokens went in and came out."""

    prompt_tokens: int
    completion_tokens: int


class Generator:
    """A causal language model with a chat template, in memory.

    Keeps the attention cache of the last prompt: what the next one has in common with it,
    counted from the start, is not read again.
    """

    def __init__(self, model: str, seed: int | None = None) -> None:
        source = prepared(model)
        quiet_libraries()
        import torch  # noqa: PLC0415 - takes seconds
        from transformers import (  # noqa: PLC0415 - as above
            AutoModelForCausalLM,
            AutoTokenizer,
            DynamicCache,
        )

        here = Path(source).is_dir()
        self._tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=here)
        if not self._tokenizer.chat_template:
            raise ModelRefused(f"{model} has no chat template: name a model made for chats.")
        with loading():
            self._model = AutoModelForCausalLM.from_pretrained(
                source, dtype=torch.float32, local_files_only=here
            )
        self._new_cache: Callable[[], DynamicCache] = partial(
            DynamicCache, config=self._model.config
        )
        self._cache = self._new_cache()
        self._read: list[int] = []  # the tokens in the cache
        self._ends = sorted(self._tokenizer.all_special_ids)
        self._random = torch.Generator()
        if seed is None:
            self._random.seed()
        else:
            self._random.manual_seed(seed)

    def answer(
        self, order: Order, put: Callable[[str], None], stopped: Callable[[], bool]
    ) -> Spent | None:
        """Hands out the answer piece by piece. None if it was stopped. Blocks."""
        prompt = self._prompt(order)
        tokens: list[int] = []
        text = _GrowingText(self._tokenizer.decode, one_paragraph=order.one_paragraph)
        for token in self._tokens(prompt, order, stopped):
            tokens.append(token)
            if piece := text.grown(tokens):
                put(piece)
            if text.over:
                break
        if stopped():
            return None
        if rest := text.rest(tokens):
            put(rest)
        return Spent(prompt_tokens=len(prompt), completion_tokens=len(tokens))

    def _prompt(self, order: Order) -> list[int]:
        """Within the room: of a prompt that is too long, the middle is left out."""
        text = self._tokenizer.apply_chat_template(
            [self._message(line) for line in order.lines],
            add_generation_prompt=True,
            tokenize=False,
        )
        encode = self._tokenizer.encode
        tokens: list[int] = encode(text + order.beginning, add_special_tokens=False)
        most = max(order.room - order.max_tokens, order.room // 2)
        if len(tokens) <= most:
            return tokens
        return [*tokens[: most // 3], *tokens[-(most - most // 3) :]]

    def _message(self, line: Line) -> Mapping[str, str]:
        """What people write must not end their turn: it is read as if without such marks."""
        text = line.text.encode("utf-8", "replace").decode("utf-8")
        for mark in self._tokenizer.all_special_tokens:
            text = text.replace(mark, "")
        return {"role": line.role, "content": text}

    def _tokens(
        self, prompt: Sequence[int], order: Order, stopped: Callable[[], bool]
    ) -> Iterator[int]:
        """The answer's tokens, without the one that ends it."""
        import torch  # noqa: PLC0415 - takes seconds

        self._keep_common(prompt)
        ahead = list(prompt[len(self._read) :])
        said: list[int] = []
        choose = self._chooser(order.sampling)
        with torch.inference_mode():
            while not stopped():
                scores = self._score(ahead[:CHUNK_TOKENS])
                ahead = ahead[CHUNK_TOKENS:]
                if ahead:
                    continue
                if not said:
                    scores[:, self._ends] = -torch.inf  # an answer says something
                token = choose([*prompt, *said][-PENALIZED_TOKENS:], scores)
                if token in self._ends:
                    return
                said.append(token)
                yield token
                if len(said) >= order.max_tokens:
                    return
                ahead = [token]

    def _keep_common(self, prompt: Sequence[int]) -> None:
        """Forgets of the cache what does not begin this prompt; one token is always read."""
        common = _common(self._read, prompt[:-1])
        if surplus := len(self._read) - common:
            try:
                self._cache.crop(-surplus)
                del self._read[common:]
            except (ValueError, NotImplementedError):  # of models that look back only so far
                self._forget()

    def _forget(self) -> None:
        self._cache, self._read = self._new_cache(), []

    def _score(self, tokens: Sequence[int]) -> "Tensor":
        """Reads tokens; the scores of every possible next one, shape (1, vocabulary)."""
        import torch  # noqa: PLC0415 - takes seconds

        try:
            output = self._model(
                torch.tensor([list(tokens)]), cache=self._cache, use_cache=True, logits_to_keep=1
            )
        except BaseException:
            self._forget()  # half of its layers may have seen these tokens
            raise
        self._read.extend(tokens)
        scores: Tensor = output.logits[:, -1].float()
        return scores

    def _chooser(self, sampling: Sampling) -> "Callable[[Sequence[int], Tensor], int]":
        """A function from the last tokens and the scores to the next token."""
        import torch  # noqa: PLC0415 - takes seconds
        from transformers import (  # noqa: PLC0415 - as above
            LogitsProcessorList,
            RepetitionPenaltyLogitsProcessor,
            TemperatureLogitsWarper,
            TopPLogitsWarper,
        )

        steps = LogitsProcessorList()
        if sampling.repetition_penalty != 1.0:
            steps.append(RepetitionPenaltyLogitsProcessor(sampling.repetition_penalty))
        if sampling.temperature:
            steps.append(TemperatureLogitsWarper(sampling.temperature))
            steps.append(TopPLogitsWarper(sampling.top_p))

        def choose(last: Sequence[int], scores: "Tensor") -> int:
            scores = steps(torch.tensor([list(last)]), scores)
            if not sampling.temperature:
                return int(scores.argmax())
            return int(torch.multinomial(scores.softmax(-1), 1, generator=self._random))

        return choose


class _GrowingText:
    """Tokens as text, without white space around it. What may still change waits: blanks at
    the end, and a character whose bytes are spread over several tokens."""

    def __init__(self, decode: Callable[[Sequence[int]], str], *, one_paragraph: bool) -> None:
        self._decode = decode
        self._one_paragraph = one_paragraph
        self._given = ""
        self.over = False

    def grown(self, tokens: Sequence[int]) -> str:
        """What can be given out since the last time."""
        text = self._decode(tokens).strip()
        return "" if text.endswith("\ufffd") else self._new_part(text)

    def rest(self, tokens: Sequence[int]) -> str:
        """What was held back, at the end."""
        return self._new_part(self._decode(tokens).strip())

    def _new_part(self, text: str) -> str:
        if self._one_paragraph:
            text, blank_line, _ = text.partition("\n\n")
            self.over = bool(blank_line)
        part = text[len(self._given) :]
        self._given = text
        return part


def _common(left: Iterable[int], right: Iterable[int]) -> int:
    """How many items two sequences have in common from the start."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
