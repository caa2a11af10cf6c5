/** Asking for one's own data, and getting it. */
import { Context, DateTime, Effect, Layer, Option, Queue } from "effect"
import { AssetBytesUnavailable } from "../asset/Asset.ts"
import { AssetBytes } from "../asset/AssetBytes.ts"
import { makeOwnerChecks } from "../authentication/OwnerChecks.ts"
import { PasswordAuth } from "../authentication/PasswordAuth.ts"
import { EventLog } from "../event/EventLog.ts"
import { Timestamp } from "../field/Resource.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { AfterCommit, Transaction } from "../storage/Transaction.ts"
import {
  type AskedOwnData,
  archivePath,
  dailyMax,
  type OwnDataExport,
  OwnDataNotFound,
  OwnDataNotReady,
  OwnDataRunning,
  TooManyOwnData
} from "./OwnData.ts"
import { decideAsking } from "./OwnDataRules.ts"
import { OwnDataSignal, OwnDataStore, type StoredOwnData } from "./OwnDataStore.ts"

const timestamp = (at: DateTime.Utc) => Timestamp.make(DateTime.formatIso(at))

const shown = ({ archive, expiresAt, isWaiting, requestedAt }: StoredOwnData): OwnDataExport => ({
  state: archive !== undefined ? "ready" : isWaiting ? "waiting" : "failed",
  requested_at: timestamp(requestedAt),
  ...(expiresAt && { expires_at: timestamp(expiresAt) }),
  ...(archive && { made_at: timestamp(archive.madeAt), size: archive.size, path: archivePath })
})

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

const make = Effect.gen(function* () {
  const store = yield* OwnDataStore
  const bytes = yield* AssetBytes
  const events = yield* EventLog
  const transaction = yield* Transaction
  const afterCommit = yield* AfterCommit
  const signal = yield* OwnDataSignal
  const owner = yield* makeOwnerChecks

  /** The caller, whose only credential is a session. */
  const caller = Effect.gen(function* () {
    const { accountId, session } = yield* CurrentAccount
    if (session === undefined) return yield* Effect.die(new Error("Own data was asked for without a session"))
    return { accountId, session }
  })

  const ask = Effect.fnUntraced(function* () {
    const { accountId, session } = yield* caller
    const at = yield* DateTime.now
    const decision = decideAsking(Option.getOrUndefined(yield* store.lock(accountId)), at)
    if (decision._tag === "Running") return yield* new OwnDataRunning()
    if (decision._tag === "TooMany") {
      const millis = DateTime.toEpochMillis(decision.until) - DateTime.toEpochMillis(at)
      return yield* new TooManyOwnData({
        metadata: { maximum: dailyMax, retry_after: Math.ceil(millis / 1000) }
      })
    }
    const { asked } = decision
    yield* store.request({ accountId, at, session, asked })
    yield* events.append(accountId, { _tag: "AccountExportRequested", id: accountId })
    return shown({
      requestedAt: at,
      session,
      asked,
      isWaiting: true,
      archive: undefined,
      expiresAt: undefined
    })
  })

  /** Has the caller's own data collected, once they have proven to be the owner of the account. */
  const request = Effect.fn("OwnDataExports.request")(function* ({ password }: AskedOwnData) {
    yield* owner.check(password)
    const answer = yield* transaction(ask())
    yield* afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))
    return answer
  })

  const getStored = Effect.fnUntraced(function* (accountId: AccountId) {
    const found = Option.getOrUndefined(yield* store.find(accountId))
    const now = yield* DateTime.now
    const isOver = found?.expiresAt !== undefined && DateTime.isLessThanOrEqualTo(found.expiresAt, now)
    return found === undefined || isOver ? yield* new OwnDataNotFound() : found
  })

  const get = Effect.fn("OwnDataExports.get")(function* () {
    return shown(yield* getStored((yield* caller).accountId))
  })

  /** The caller's archive: for the session that asked for it, or one that began a short time ago. */
  const open = Effect.fn("OwnDataExports.open")(function* () {
    const { accountId, session } = yield* caller
    const stored = yield* getStored(accountId)
    if (!isSame(stored.session, session)) yield* owner.checkRecent()
    if (stored.archive === undefined) return yield* new OwnDataNotReady()
    const opened = Option.getOrUndefined(yield* bytes.open(stored.archive))
    // Somebody has taken the file away, or it is replaced right now.
    return opened ?? (yield* new AssetBytesUnavailable({ metadata: { retry_after: 5 } }))
  })

  return { request, get, open } as const
})

export class OwnDataExports extends Context.Service<OwnDataExports, Effect.Success<typeof make>>()(
  "forum/domain/OwnDataExports"
) {
  static readonly layer = Layer.effect(OwnDataExports, make).pipe(Layer.provide(PasswordAuth.layer))
}
