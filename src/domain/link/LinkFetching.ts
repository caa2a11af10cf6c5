/** Reads the pages that are due, a few at a time, beside everything else. */
import { Context, DateTime, type Duration, Effect, Layer, Queue } from "effect"
import type { Failure } from "../operations/InternalErrorRules.ts"
import { InternalErrors } from "../operations/InternalErrors.ts"
import { makeWorker } from "../queue/Worker.ts"
import { makeFetchedPages } from "./FetchedPages.ts"
import { type Attempt, triesMax } from "./LinkFetchRules.ts"
import { LinkFetchSignal, LinkFetchStore, type TakenFetch } from "./LinkFetchStore.ts"
import { makePageReader } from "./PageReader.ts"

/** Pages that this process reads at the same time: of all hosts, and of one. */
export const parallelFetches = { all: 8, host: 2 }

// Longer than a page and its pictures may take, which wait for the pictures of others.
const takenFor: Duration.Input = "5 minutes"

// Other instances enqueue as well, and what failed is due again some day.
const lookEvery: Duration.Input = "10 seconds"

/** How many run, by host. */
const makeHosts = () => {
  const running = new Map<string, number>()
  const add = (host: string, count: number) => {
    const now = (running.get(host) ?? 0) + count
    if (now === 0) running.delete(host)
    else running.set(host, now)
  }
  return {
    add,
    full: () => [...running].flatMap(([host, count]) => (count >= parallelFetches.host ? [host] : []))
  }
}

const make = Effect.gen(function* () {
  const fetches = yield* LinkFetchStore
  const readPage = yield* makePageReader
  const store = yield* makeFetchedPages
  const signal = yield* LinkFetchSignal
  const { report } = yield* InternalErrors
  const hosts = makeHosts()

  const take = Effect.gen(function* () {
    const now = yield* DateTime.now
    return yield* fetches.take(now, DateTime.addDuration(now, takenFor), hosts.full())
  })

  const reportOf = ({ linkId, tries }: TakenFetch, what: string, failure: Failure) =>
    report({ where: "fetching of links", what, failure, about: { link_id: linkId, tries } })

  /** Fetches a page, unless no try was ever finished though there were enough: perhaps it makes the process end. */
  const attempt = (fetch: TakenFetch): Effect.Effect<Attempt> =>
    fetch.tries > triesMax
      ? Effect.as(reportOf(fetch, "The page of a link is not fetched any more", "no try was ever finished"), {
          _tag: "Failed",
          reason: "unfinished"
        })
      : readPage(fetch.url)

  /** What fails here is due again later. */
  const run = (fetch: TakenFetch) =>
    attempt(fetch).pipe(
      Effect.flatMap((attempt) => store(fetch, attempt)),
      Effect.catchCause((failure) => reportOf(fetch, "Fetching a page failed", failure))
    )

  const counted = (fetch: TakenFetch) => {
    hosts.add(fetch.host, 1)
    return Effect.ensuring(
      Effect.interruptible(run(fetch)),
      Effect.suspend(() => {
        hosts.add(fetch.host, -1)
        // Its host may have more.
        return Queue.offer(signal, undefined)
      })
    )
  }

  /** Reads what is due: all of it now, one page after the other, or what becomes due, as long as the service runs. */
  return makeWorker<TakenFetch>({
    parallel: parallelFetches.all,
    take,
    run: counted,
    signal,
    lookEvery,
    report: (failure) =>
      report({ where: "fetching of links", what: "Looking for pages to fetch failed", failure })
  })
})

export class LinkFetching extends Context.Service<LinkFetching, Effect.Success<typeof make>>()(
  "forum/domain/LinkFetching"
) {
  static readonly layer = Layer.effect(LinkFetching, make)
}
