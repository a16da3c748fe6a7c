"""`muver serve`: indexes as a service, with a page to ask them, and its limits."""

from muver.io.typed import Count, Positive, Settings


class Limits(Settings):
    """What a client may ask for. Together they bound the memory of the service."""

    body_kb: Count = 512  # of a request
    requests: Count = 256  # whose bodies are held at a time; shorter ones count by their bytes
    mentions: Count = 64  # of a request
    characters: Count = 10_000  # of a mention with the text around it
    k: Count = 1_000  # candidates of a mention
    candidates: Count = 5_000  # of a request: its mentions times k
    # Of work, by estimate (muver.kb.index.costs).
    tokens: Count = 3_500  # of a request: less than 2 s of one core
    waiting_tokens: Count = 16_384  # of the requests that wait
    batch_tokens: Count = 512  # that are done at a time: a turn of the queue
    seconds: Positive = 20  # to send a request, or to take an answer
    stop_seconds: Count = 30  # for requests in hand when the service is told to end
    look_seconds: Positive = 1  # between looks for changes that other processes made
