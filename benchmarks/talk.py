"""How fast a turn is: the way to the prompt, recall, a crowd, start-up and import."""

from adapters.embedder import load_embedder
from benchmarks.record import Options, Record
from benchmarks.talk_crowd import crowd_rows
from benchmarks.talk_path import largest_row, path_rows
from benchmarks.talk_start import import_rows, start_rows
from bot.persona import Persona

IDA = Persona(
    key="bench",
    name="Ida",
    description="Ida keeps the lighthouse at Skerry. " * 20,
    greetings=("Hello.",),
    apologies=("Ask again.",),
)


async def run(options: Options) -> Record:
    """All rows; with a limit, without the largest sizes."""
    async with load_embedder("bundled") as embedder:
        await embedder.embed(["warm up"], kind="query")
        rows = await path_rows(IDA, embedder, options)
        rows += await crowd_rows(IDA, embedder, options)
        rows += await import_rows(IDA, embedder, options)
        rows += await start_rows(options)
        if options.limit is None:
            rows += await largest_row(IDA, embedder, options)
    return Record(
        bench="talk",
        n=len(rows),
        seed=options.seed,
        settings={"encoder": embedder.name, "limit": options.limit},
        rows=rows,
    )
