/** Reads the pages that are due, a few at a time, beside everything else. */
import { Context, DateTime, type Duration, Effect, Layer, Option, Queue, Semaphore } from "effect"
import { Transaction } from "../shared/Transaction.ts"
import { type Attempt, decideNextFetch, triesMax } from "./LinkFetchRules.ts"
import { type FetchState, LinkFetchSignal, LinkFetchStore, type TakenFetch } from "./LinkFetchStore.ts"
import { LinkStore } from "./LinkStore.ts"
import { describedByPage, isSameText } from "./LinkText.ts"
import { makePageReader } from "./PageReader.ts"

/** Pages that this process reads at the same time: of all hosts, and of one. */
export const parallelFetches = { all: 8, host: 2 }

// Longer than a page may take, and than storing what it says.
const takenFor: Duration.Input = "2 minutes"

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

const stateAfter = (attempt: Attempt, tries: number, now: DateTime.Utc): Omit<FetchState, "tries"> => {
  const next = decideNextFetch(attempt, tries)
  return {
    dueAt: next._tag === "Retry" ? DateTime.addDuration(now, next.after) : undefined,
    reason: attempt._tag === "Read" ? undefined : attempt.reason
  }
}

/** The state of a page that was read, or tried to be, outside of the queue. */
export const stateOfAttempt = (attempt: Attempt, now: DateTime.Utc): FetchState => ({
  ...stateAfter(attempt, 1, now),
  tries: attempt._tag === "Failed" ? 1 : 0
})

const make = Effect.gen(function* () {
  const fetches = yield* LinkFetchStore
  const links = yield* LinkStore
  const transaction = yield* Transaction
  const readPage = yield* makePageReader
  const signal = yield* LinkFetchSignal

  const take = Effect.fnUntraced(function* (butHosts: ReadonlyArray<string>) {
    const now = yield* DateTime.now
    return yield* fetches.take(now, DateTime.addDuration(now, takenFor), butHosts)
  })

  const store = Effect.fnUntraced(function* (fetch: TakenFetch, attempt: Attempt) {
    const now = yield* DateTime.now
    if (attempt._tag === "Read") {
      const text = Option.getOrUndefined(yield* links.findTextForUpdate(fetch.linkId))
      const after = text && describedByPage(text, attempt.page)
      if (text && after && !isSameText(text, after)) yield* links.setText(fetch.linkId, after, now)
    }
    yield* fetches.finish(fetch, stateAfter(attempt, fetch.tries, now), now)
  })

  /** One that was never finished, although it was tried often enough, ended the process perhaps. */
  const attempt = ({ tries, url }: TakenFetch): Effect.Effect<Attempt> =>
    tries > triesMax ? Effect.succeed({ _tag: "Failed", reason: "unfinished" }) : readPage(url)

  /** What fails here is due again later. */
  const run = (fetch: TakenFetch) =>
    attempt(fetch).pipe(
      Effect.flatMap((attempt) => transaction(store(fetch, attempt))),
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logWarning("Fetching a page failed", cause), { link_id: fetch.linkId })
      )
    )

  /** Reads all that is due now, one page after the other. */
  const drain = Effect.gen(function* () {
    for (;;) {
      const fetch = yield* take([])
      if (fetch === undefined) return
      yield* run(fetch)
    }
  })

  /** Reads what becomes due, as long as the service runs. */
  const follow = Effect.gen(function* () {
    const places = Semaphore.makeUnsafe(parallelFetches.all)
    const hosts = makeHosts()

    const begin = (fetch: TakenFetch) => {
      hosts.add(fetch.host, 1)
      return Effect.interruptible(run(fetch)).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            hosts.add(fetch.host, -1)
            // Its host may have more.
            return Effect.andThen(places.release(1), Queue.offer(signal, undefined))
          })
        ),
        Effect.forkScoped
      )
    }

    const wait = Effect.timeoutOption(Queue.take(signal), lookEvery)

    /** Begins one fetch, or waits until there may be one. */
    const next = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(places.take(1))
        const fetch = yield* Effect.onExit(restore(take(hosts.full())), (exit) =>
          exit._tag === "Success" && exit.value !== undefined ? Effect.void : places.release(1)
        )
        if (fetch === undefined) yield* restore(wait)
        else yield* begin(fetch)
      })
    )

    return yield* next.pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(Effect.logWarning("Looking for pages to fetch failed", cause), Effect.sleep(lookEvery))
      ),
      Effect.forever
    )
  }).pipe(Effect.scoped)

  return { drain, follow } as const
})

export class LinkFetching extends Context.Service<LinkFetching, Effect.Success<typeof make>>()(
  "forum/domain/LinkFetching"
) {
  static readonly layer = Layer.effect(LinkFetching, make)
}
