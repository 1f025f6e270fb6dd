"""Finds the low-rank corrections that make the bundled encoder read feelings (LoRA).

Only the upper layers are corrected: what the lower ones say of a text never changes, so it is
computed once and kept, which makes an epoch three times as fast.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from adapters.emotion.tuned import Corrections, bundled_folder

FIRST: Final = 3  # of the six layers, the first that is corrected
RANK: Final = 16
RATE: Final = 1e-3
EPOCHS: Final = 2
BATCH: Final = 48
SHARPNESS: Final = 8.0  # what a unit vector is multiplied with before the head
LINEARS: Final = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The corrections, and the head (d, k) with bias (k,) that were learnt with them."""

    corrections: Corrections
    head: NDArray[np.float32]
    bias: NDArray[np.float32]


class Corrected(nn.Module):  # type: ignore[misc]  # mypy does not follow torch
    """A frozen linear layer plus a product of two narrow matrices, zero at first."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        wide = layer.in_features
        self.into = nn.Parameter(torch.randn(RANK, wide) / math.sqrt(wide))
        self.out = nn.Parameter(torch.zeros(layer.out_features, RANK))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.layer(x) + (self.drop(x) @ self.into.T) @ self.out.T
        return result


class Tuning:
    """The upper layers in training, the lower ones with a memory of what they said."""

    def __init__(self, texts: Sequence[str], outputs: Sequence[int]) -> None:
        folder = str(bundled_folder())
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model = AutoModel.from_pretrained(folder, local_files_only=True)
        self._model.requires_grad_(False)
        self.ids: list[list[int]] = tokenizer(list(texts), truncation=True, max_length=64)[
            "input_ids"
        ]
        self._kept: list[NDArray[np.float16] | None] = [None] * len(self.ids)
        self.layers: dict[str, Corrected] = {}
        for at, layer in enumerate(self._model.encoder.layer):
            for name in LINEARS if at >= FIRST else ():
                parent = layer.get_submodule(name.rpartition(".")[0])
                corrected = Corrected(layer.get_submodule(name))
                setattr(parent, name.rpartition(".")[2], corrected)
                self.layers[f"encoder.layer.{at}.{name}"] = corrected
        self.heads = nn.ModuleList(nn.Linear(self._model.config.hidden_size, k) for k in outputs)
        for head in self.heads:
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        self._drop = nn.Dropout(0.2)

    def corrections(self) -> list[nn.Parameter]:
        return [p for layer in self.layers.values() for p in (layer.into, layer.out)]

    def logits(self, batch: Sequence[int]) -> list[Tensor]:
        """For the texts of a batch, what each head says: shapes (len(batch), k)."""
        tokens, seen = padded([self.ids[at] for at in batch])
        hidden = self._lower(batch, tokens, seen)
        mask = (1 - seen)[:, None, None, :] * torch.finfo(hidden.dtype).min
        for layer in self._model.encoder.layer[FIRST:]:
            result = layer(hidden, attention_mask=mask)
            hidden = result[0] if isinstance(result, tuple) else result
        weight = seen[..., None].to(hidden.dtype)
        mean = nn.functional.normalize((hidden * weight).sum(1) / weight.sum(1), dim=1)
        return [head(self._drop(mean) * SHARPNESS) for head in self.heads]

    def _lower(self, batch: Sequence[int], tokens: Tensor, seen: Tensor) -> Tensor:
        kept = [self._kept[at] for at in batch]
        hidden = torch.zeros(*tokens.shape, self._model.config.hidden_size)
        new = [row for row, states in enumerate(kept) if states is None]
        if new:
            with torch.no_grad():
                hidden[new] = self._first_layers(tokens[new], seen[new])
        for row, (at, states) in enumerate(zip(batch, kept, strict=True)):
            length = len(self.ids[at])
            if states is None:
                self._kept[at] = hidden[row, :length].numpy().astype(np.float16)
            else:
                hidden[row, :length] = torch.from_numpy(states.astype(np.float32))
        return hidden

    def _first_layers(self, tokens: Tensor, seen: Tensor) -> Tensor:
        hidden = self._model.embeddings.eval()(input_ids=tokens)
        mask = (1 - seen)[:, None, None, :] * torch.finfo(hidden.dtype).min
        for layer in self._model.encoder.layer[:FIRST]:
            result = layer.eval()(hidden, attention_mask=mask)
            hidden = result[0] if isinstance(result, tuple) else result
        return hidden

    def train(self) -> None:
        self._model.train()
        self._drop.train()

    def result(self) -> Tuned:
        """The corrections and the first head, as they are now."""
        head = self.heads[0]
        assert isinstance(head, nn.Linear)
        return Tuned(
            corrections={
                name: (layer.out.detach().numpy().copy(), layer.into.detach().numpy().copy())
                for name, layer in self.layers.items()
            },
            head=(head.weight.detach().numpy().T * SHARPNESS).copy(),
            bias=head.bias.detach().numpy().copy(),
        )


def tune(
    texts: Sequence[str],
    wanted: Sequence[NDArray[np.float32]],
    *,
    seed: int,
    epochs: int = EPOCHS,
) -> Iterator[Tuned]:
    """Learns to tell every text's `wanted` rows, each (n, k) with rows summing to one.

    There is a head for each of them; the first is part of the result. Yields after each epoch;
    the rate falls to zero over all. The same seed, data and number of threads give the same.
    """
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    tuning = Tuning(texts, [rows.shape[1] for rows in wanted])
    goals = [torch.from_numpy(rows) for rows in wanted]
    optimizer = torch.optim.AdamW(
        [
            {"params": tuning.corrections(), "lr": RATE, "weight_decay": 0.01},
            {"params": tuning.heads.parameters(), "lr": 2 * RATE, "weight_decay": 0.0},
        ]
    )
    total = epochs * math.ceil(len(texts) / BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, step / (0.06 * total)) * max(0.0, 1 - step / total)
    )
    for epoch in range(epochs):
        tuning.train()
        begun, losses = time.monotonic(), 0.0
        chosen = batches([len(ids) for ids in tuning.ids], order)
        for number, batch in enumerate(chosen, 1):
            said = tuning.logits(batch)
            loss = torch.stack(
                [
                    -(goal[batch] * torch.log_softmax(logits, dim=1)).sum(1).mean()
                    for goal, logits in zip(goals, said, strict=True)
                ]
            ).sum()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(tuning.corrections(), 1.0)
            optimizer.step()
            rate.step()
            losses += float(loss.detach())
            if number % 100 == 0:
                spent = time.monotonic() - begun
                print(
                    f"epoch {epoch + 1}: {number}/{len(chosen)} batches, "
                    f"loss {losses / number:.3f}, {spent:.0f} s",
                    flush=True,
                )
        yield tuning.result()


def batches(lengths: Sequence[int], order: np.random.Generator) -> list[list[int]]:
    """All texts in batches of similar length, shuffled."""
    shuffled = order.permutation(len(lengths))
    size = BATCH * 32
    found: list[list[int]] = []
    for start in range(0, len(shuffled), size):
        pool = sorted(shuffled[start : start + size].tolist(), key=lambda at: lengths[at])
        found += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
    return [found[at] for at in order.permutation(len(found))]


def padded(ids: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Token numbers with zeros to the longest text's length, and 1 where a token is."""
    width = max(map(len, ids))
    tokens = torch.zeros(len(ids), width, dtype=torch.long)
    seen = torch.zeros(len(ids), width, dtype=torch.long)
    for row, text in enumerate(ids):
        tokens[row, : len(text)] = torch.tensor(text)
        seen[row, : len(text)] = 1
    return tokens, seen
