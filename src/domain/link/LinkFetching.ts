/** Reads the pages that are due, a few at a time, beside everything else. */
import { Context, DateTime, type Duration, Effect, Layer, Option, Queue, Semaphore } from "effect"
import { makeDiskReserve } from "../asset/DiskSpace.ts"
import type { Failure } from "../operations/InternalErrorRules.ts"
import { InternalErrors } from "../operations/InternalErrors.ts"
import type { AssetId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Attempt, decideNextFetch, triesMax } from "./LinkFetchRules.ts"
import { type FetchState, LinkFetchSignal, LinkFetchStore, type TakenFetch } from "./LinkFetchStore.ts"
import { LinkStore } from "./LinkStore.ts"
import { describedByPage, isSameText, type PagePictures, type PageText } from "./LinkText.ts"
import { makePageReader } from "./PageReader.ts"
import { makePictureCopier } from "./PictureCopier.ts"

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

const stateAfter = (attempt: Attempt, tries: number, now: DateTime.Utc): Omit<FetchState, "tries"> => {
  const next = decideNextFetch(attempt, tries)
  return {
    dueAt: next._tag === "Retry" ? DateTime.addDuration(now, next.after) : undefined,
    reason: attempt._tag === "Read" ? undefined : attempt.reason
  }
}

/** The state after a page was read, or tried to be, outside of the queue. Its pictures are still to be copied. */
export const stateOfAttempt = (attempt: Attempt, now: DateTime.Utc): FetchState =>
  attempt._tag === "Read"
    ? { dueAt: now, tries: 0, reason: undefined }
    : { ...stateAfter(attempt, 1, now), tries: attempt._tag === "Failed" ? 1 : 0 }

const noPictures = { favicon: undefined, primaryImage: undefined }

/** What was read has pictures for which the disk has no room now. */
const withoutRoom: Attempt = { _tag: "Failed", reason: "no room" }

const make = Effect.gen(function* () {
  const fetches = yield* LinkFetchStore
  const links = yield* LinkStore
  const transaction = yield* Transaction
  const readPage = yield* makePageReader
  const copyPicture = yield* makePictureCopier
  const { findShortage } = yield* makeDiskReserve
  const signal = yield* LinkFetchSignal
  const { report } = yield* InternalErrors

  const take = Effect.fnUntraced(function* (butHosts: ReadonlyArray<string>) {
    const now = yield* DateTime.now
    return yield* fetches.take(now, DateTime.addDuration(now, takenFor), butHosts)
  })

  const storeText = Effect.fnUntraced(function* ({ linkId }: TakenFetch, page: PageText) {
    const text = Option.getOrUndefined(yield* links.findTextForUpdate(linkId))
    const after = text && describedByPage(text, page)
    if (text && after && !isSameText(text, after)) yield* links.setText(linkId, after, yield* DateTime.now)
  })

  /** Copies the pictures of which there are no copies yet; nothing, if there are some and the disk has no room. */
  const copyMissing = Effect.fnUntraced(function* ({ linkId }: TakenFetch, found: PagePictures) {
    const known = yield* links.findPictures(linkId)
    const missing = (has: AssetId | undefined, url: string | undefined) =>
      has === undefined ? url : undefined
    const favicon = missing(known.favicon, found.favicon)
    const primaryImage = missing(known.primaryImage, found.primaryImage)
    if (favicon === undefined && primaryImage === undefined) return noPictures
    if ((yield* findShortage) !== undefined) return undefined
    const copy = (url: string | undefined, name: string) =>
      url === undefined
        ? Effect.undefined
        : Effect.map(copyPicture(url, name), (copied) => Option.getOrUndefined(copied))
    return {
      favicon: yield* copy(favicon, "favicon"),
      primaryImage: yield* copy(primaryImage, "preview")
    }
  })

  /** The text is shown before the pictures are there. */
  const store = Effect.fnUntraced(function* (fetch: TakenFetch, attempt: Attempt) {
    const pictures =
      attempt._tag === "Read"
        ? yield* Effect.andThen(
            transaction(storeText(fetch, attempt.page)),
            copyMissing(fetch, attempt.pictures)
          )
        : noPictures
    const now = yield* DateTime.now
    const outcome = pictures === undefined ? withoutRoom : attempt
    yield* transaction(
      Effect.andThen(
        links.addPictures(fetch.linkId, pictures ?? noPictures, now),
        fetches.finish(fetch, stateAfter(outcome, fetch.tries, now), now)
      )
    )
  })

  const reportOf = ({ linkId, tries }: TakenFetch, what: string, failure: Failure) =>
    report({ where: "fetching of links", what, failure, about: { link_id: linkId, tries } })

  /** One that was never finished, although it was tried often enough, ended the process perhaps. */
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
      Effect.catchCause((failure) =>
        Effect.andThen(
          report({ where: "fetching of links", what: "Looking for pages to fetch failed", failure }),
          Effect.sleep(lookEvery)
        )
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
