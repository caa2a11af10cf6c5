/** Makes the archives of own data that accounts have asked for, one at a time, beside everything else. */
import { Context, DateTime, Effect, Layer, Option, Schedule, Stream } from "effect"
import { AssetBytesUnavailable } from "../asset/Asset.ts"
import { AssetBytes } from "../asset/AssetBytes.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { makeDiskReserve } from "../asset/DiskSpace.ts"
import { makeLeftovers } from "../asset/Leftovers.ts"
import { EventLog } from "../event/EventLog.ts"
import { InternalErrors } from "../operations/InternalErrors.ts"
import { makeWorker } from "../queue/Worker.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { keptFor } from "./OwnData.ts"
import { OwnDataArchives } from "./OwnDataArchives.ts"
import { decideNextTry, keepEvery, leaseTime, makingMax, triesMax } from "./OwnDataRules.ts"
import { OwnDataSignal, OwnDataStore, type TakenOwnData } from "./OwnDataStore.ts"

// Other instances are asked as well, and what failed is due again later.
const lookEvery = "5 seconds"

const after = (duration: typeof keptFor) =>
  Effect.map(DateTime.now, (now) => DateTime.addDuration(now, duration))

const make = Effect.gen(function* () {
  const store = yield* OwnDataStore
  const archives = yield* OwnDataArchives
  const bytes = yield* AssetBytes
  const assets = yield* AssetStore
  const events = yield* EventLog
  const ids = yield* Ids
  const errors = yield* InternalErrors
  const transaction = yield* Transaction
  const reserve = yield* makeDiskReserve
  const leftovers = yield* makeLeftovers
  const signal = yield* OwnDataSignal

  const isMine = (taken: TakenOwnData) =>
    Effect.flatMap(after(leaseTime), (until) => store.keep(taken, until))

  /** Ends once the archive is not this process's to make any more. */
  const whileMine = (taken: TakenOwnData) =>
    isMine(taken).pipe(
      Effect.filterOrFail(
        (mine) => mine,
        () => "lost" as const
      ),
      Effect.repeat(Schedule.spaced(keepEvery)),
      Effect.catch(() => Effect.void)
    )

  /** Stores the archive and says where it is: both, or neither. */
  const finish = Effect.fnUntraced(function* (taken: TakenOwnData, key: string, size: number) {
    const madeAt = yield* DateTime.now
    const archive = { store: bytes.store, key, size, madeAt }
    const isStored = yield* store.finish(taken, archive, DateTime.addDuration(madeAt, keptFor))
    // Somebody else makes it, it is not wanted any more, or its bytes took so long that they count as abandoned.
    if (!isStored || !(yield* assets.adoptUploads([key]))) {
      return yield* new AssetBytesUnavailable({ metadata: { retry_after: 5 } })
    }
    yield* events.append(taken.accountId, { _tag: "AccountExportReady", id: taken.accountId })
  })

  const makeArchive = Effect.fnUntraced(function* (taken: TakenOwnData) {
    yield* reserve.check
    const key = yield* ids.unguessable
    let size = 0
    const measured = Stream.tap(reserve.guard(archives.read(taken.accountId)), (part) =>
      Effect.sync(() => {
        size += part.length
      })
    )
    const arrived = yield* bytes.receive(measured)
    const complete = Effect.gen(function* () {
      yield* assets.noteUploads([{ store: bytes.store, key }], yield* DateTime.now)
      yield* arrived.keep(key)
      yield* transaction(finish(taken, key, size))
    })
    yield* Effect.uninterruptible(Effect.onError(complete, (cause) => leftovers.takeBack([key], cause)))
  }, Effect.scoped)

  /** Tries again later, or gives up. */
  const postpone = Effect.fnUntraced(function* (taken: TakenOwnData) {
    const next = decideNextTry(taken.tries, yield* DateTime.now)
    if (next === undefined) yield* store.giveUp(taken, yield* after(keptFor))
    else yield* store.keep(taken, next)
  })

  /** Makes it, unless no try was ever finished though there were enough: perhaps it makes the process end. */
  const attempt = (taken: TakenOwnData) =>
    taken.tries > triesMax
      ? Effect.fail(new Error("The service ended while it collected them, several times"))
      : Effect.timeout(makeArchive(taken), makingMax)

  // Who stops in the middle has not failed: another instance begins at once, or this one when it starts again.
  const giveBack = (taken: TakenOwnData) => Effect.flatMap(DateTime.now, (now) => store.giveBack(taken, now))

  const run = (taken: TakenOwnData) =>
    attempt(taken).pipe(
      Effect.raceFirst(whileMine(taken)),
      Effect.catchCause((failure) =>
        Effect.andThen(
          errors.report({ where: "own data", what: "Own data could not be collected", failure }),
          postpone(taken)
        )
      ),
      Effect.onInterrupt(() => giveBack(taken))
    )

  const take = Effect.gen(function* () {
    const now = yield* DateTime.now
    return Option.getOrUndefined(yield* store.take(now, DateTime.addDuration(now, leaseTime)))
  })

  const { drain, follow } = makeWorker<TakenOwnData>({
    parallel: 1,
    take,
    run,
    signal,
    lookEvery,
    report: (cause) => Effect.logWarning("Looking for own data to collect failed", cause)
  })

  /** Forgets archives whose time is over. */
  const clean = Effect.flatMap(DateTime.now, store.deleteExpired)

  return { clean, drain, follow } as const
})

export class OwnDataMaking extends Context.Service<OwnDataMaking, Effect.Success<typeof make>>()(
  "forum/domain/OwnDataMaking"
) {
  static readonly layer = Layer.effect(OwnDataMaking, make).pipe(Layer.provide(InternalErrors.layer))
}
