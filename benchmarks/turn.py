"""What the memory stream adds to a turn, without a model; aim: under 5 ms of processor time."""

from benchmarks.record import Options, Record
from benchmarks.talk import IDA
from benchmarks.turn_cost import TURNS, turn_cost_rows


async def run(options: Options) -> Record:
    """One row; with a limit, over fewer lines."""
    return Record(
        bench="turn",
        n=TURNS,
        seed=options.seed,
        settings={"limit": options.limit},
        rows=await turn_cost_rows(IDA, options),
    )
