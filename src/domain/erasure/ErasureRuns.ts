/** Erasing the accounts whose time has come: in steps, which whoever goes on after an interruption does again. */
import { type Cause, Context, DateTime, type Duration, Effect, Layer, Option, Queue } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { AssetBytes } from "../asset/AssetBytes.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { Assets } from "../asset/Assets.ts"
import { thumbnailWidths } from "../asset/Thumbnailer.ts"
import { thumbnailKey } from "../asset/Thumbnails.ts"
import { EventLog } from "../event/EventLog.ts"
import { PropertyEdits } from "../library/PropertyEdits.ts"
import { PurgeSignal, PurgeStore, type QueuedContent } from "../moderation/PurgeStore.ts"
import { makeRemovals } from "../moderation/Removals.ts"
import { RoleStore } from "../role/RoleStore.ts"
import type { AccountId, AssetId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { retirement } from "./Erasure.ts"
import { decideStage, leaseTime, postponement, purgeTime, settleTime } from "./ErasureRules.ts"
import { ErasureStore, type TakenErasure } from "./ErasureStore.ts"
import { type Remains, RemainsStore } from "./RemainsStore.ts"

/** What goes whether posts stay or not, and what goes with them. */
const always: ReadonlyArray<QueuedContent> = ["reacts", "likes", "collections"]
const withPosts: ReadonlyArray<QueuedContent> = ["threads", "replies", "nodes", ...always]

// Before all else that belongs to nothing, whenever that was noted.
const longAgo = DateTime.makeUnsafe("1900-01-01T00:00:00Z")

const after = (time: Duration.Duration) => Effect.map(DateTime.now, (now) => DateTime.addDuration(now, time))

/** Begins an erasure: from then on nobody uses the account, and what it made begins to be removed. */
const makeBeginning = Effect.gen(function* () {
  const store = yield* ErasureStore
  const accounts = yield* AccountStore
  const roles = yield* RoleStore
  const purges = yield* PurgeStore
  const signal = yield* PurgeSignal
  const events = yield* EventLog
  const transaction = yield* Transaction

  const begin = Effect.fnUntraced(function* (erasure: TakenErasure) {
    const { accountId, keepPosts } = erasure
    const at = yield* DateTime.now
    yield* roles.lock(accountId)
    if (yield* store.isLastAdministrator(accountId)) return "postponed"
    if (!(yield* store.begin(erasure, at))) return "lost"
    yield* accounts.setAdmin(accountId, false)
    yield* accounts.setSuspension(accountId, at, at)
    const contents = keepPosts ? always : withPosts
    yield* purges.request({ accountId, enactedBy: undefined, contents, at }, at)
    yield* events.append(undefined, { _tag: "AccountUpdated", id: accountId })
    return "begun"
  })

  return Effect.fnUntraced(function* (erasure: TakenErasure) {
    const outcome = yield* transaction(begin(erasure))
    if (outcome === "postponed") {
      yield* Effect.logWarning("The last administrator is not erased. Make another one").pipe(
        Effect.annotateLogs({ account_id: erasure.accountId })
      )
      return yield* store.release(erasure, yield* after(postponement))
    }
    yield* Queue.offer(signal, undefined)
    return yield* store.release(erasure, yield* after(settleTime))
  })
})

/** Removes files that nothing shows any more, with their small versions. */
const makeFileRemoval = Effect.gen(function* () {
  const remains = yield* RemainsStore
  const assets = yield* Assets
  const stored = yield* AssetStore
  const bytes = yield* AssetBytes
  const transaction = yield* Transaction

  /** The files are noted as belonging to nothing in the transaction that removes them from the list of all. */
  const forget = Effect.fnUntraced(function* (ids: ReadonlyArray<AssetId>) {
    const files = yield* stored.findStoredByIds(ids)
    const places = [...files.values()].flatMap(({ id, store }) => [
      { store, key: id },
      ...thumbnailWidths.map((width) => ({ store: bytes.store, key: thumbnailKey(id, width) }))
    ])
    yield* stored.noteUploads(places, longAgo)
    yield* remains.deleteAssets(ids)
  })

  return Effect.fnUntraced(function* (accountId: AccountId) {
    const ids = yield* remains.unusedAssets(accountId)
    if (ids.length === 0) return false
    yield* transaction(forget(ids))
    // What cannot be removed now is removed with what else belongs to nothing.
    yield* Effect.ignoreCause(assets.clean, { log: "Warn" })
    return true
  })
})

const make = Effect.gen(function* () {
  const store = yield* ErasureStore
  const remains = yield* RemainsStore
  const purges = yield* PurgeStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const removals = yield* makeRemovals
  const begin = yield* makeBeginning
  const removeFiles = yield* makeFileRemoval

  const isMine = (erasure: TakenErasure) =>
    Effect.flatMap(after(leaseTime), (until) => store.keep(erasure, until))

  /** Repeats a step until there is nothing more of the same; false once somebody else goes on with the erasure. */
  const exhaust = Effect.fnUntraced(function* <E, R>(
    erasure: TakenErasure,
    step: Effect.Effect<boolean, E, R>
  ) {
    for (;;) {
      if (!(yield* isMine(erasure))) return false
      if (!(yield* step)) return true
    }
  })

  const sweepAll = Effect.fnUntraced(function* (erasure: TakenErasure, of: Remains) {
    for (const { step } of remains.sweeps) if (!(yield* exhaust(erasure, step(of)))) return false
    return true
  })

  /** Removes some of what others cannot read, as its owner would. */
  const removeUnreadable = Effect.fnUntraced(function* (accountId: AccountId) {
    const posts = yield* remains.unreadablePosts(accountId)
    yield* Effect.forEach(posts, (id) => removals.post(undefined, id), { discard: true })
    const nodes = yield* remains.unreadableNodes(accountId)
    yield* Effect.forEach(nodes, (id) => removals.node(undefined, id), { discard: true })
    return posts.length + nodes.length > 0
  })

  const erase = Effect.fnUntraced(function* (erasure: TakenErasure) {
    const { accountId, keepPosts } = erasure
    const of = { accountId, keepPosts, known: yield* remains.findKnown(accountId) }
    yield* remains.makeNobody(yield* DateTime.now)
    if (!(yield* exhaust(erasure, removeUnreadable(accountId)))) return
    if (!(yield* sweepAll(erasure, of))) return
    if (!(yield* exhaust(erasure, removeFiles(accountId)))) return
    yield* transaction(remains.deleteAccount(accountId, yield* after(retirement)))
    yield* store.release(erasure, yield* after(settleTime))
  })

  const end = Effect.fnUntraced(function* (erasure: TakenErasure) {
    const { accountId, keepPosts } = erasure
    const of = { accountId, keepPosts, known: Option.none() }
    if (!(yield* sweepAll(erasure, of))) return
    yield* transaction(
      Effect.gen(function* () {
        if (!(yield* store.finish(erasure))) return
        yield* events.append(undefined, { _tag: "AccountErased", keep_posts: keepPosts })
      })
    )
  })

  /** Does what is next of an erasure. */
  const goOn = Effect.fnUntraced(function* (erasure: TakenErasure) {
    const { accountId, begunAt } = erasure
    const [known, isPurging] = [yield* remains.findKnown(accountId), yield* purges.isQueued(accountId)]
    const progress = { hasBegun: begunAt !== undefined, isThere: Option.isSome(known), isPurging }
    switch (decideStage(progress)) {
      case "begin":
        return yield* begin(erasure)
      case "wait":
        return yield* store.release(erasure, yield* after(purgeTime))
      case "erase":
        return yield* erase(erasure)
      case "end":
        return yield* end(erasure)
    }
  })

  const take = Effect.flatMap(DateTime.now, (now) => store.take(now, DateTime.addDuration(now, leaseTime)))

  /** Goes on with every erasure that is due. One that fails is due again, and holds up no other. */
  const drain = Effect.gen(function* () {
    const failures: Array<Cause.Cause<unknown>> = []
    for (let taken = yield* take; Option.isSome(taken); taken = yield* take) {
      const erasure = taken.value
      yield* Effect.catchCause(goOn(erasure), (cause) => Effect.sync(() => failures.push(cause)))
    }
    yield* store.forgetHandles(yield* DateTime.now)
    const [first] = failures
    if (first !== undefined) yield* Effect.failCause(first)
  })

  return { drain } as const
})

export class ErasureRuns extends Context.Service<ErasureRuns, Effect.Success<typeof make>>()(
  "forum/domain/ErasureRuns"
) {
  static readonly layer = Layer.effect(ErasureRuns, make).pipe(
    Layer.provide(Layer.merge(PropertyEdits.layer, Assets.layer))
  )
}
