/** The archives of supervised plugins: how they come, where they are, and how they are replaced. */
import { Context, DateTime, Effect, Layer, Option, Semaphore, Stream } from "effect"
import { AssetBytesUnavailable } from "../asset/Asset.ts"
import { type Arrived, AssetBytes, type FileLocation } from "../asset/AssetBytes.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { makeDiskReserve } from "../asset/DiskSpace.ts"
import { makeLeftovers } from "../asset/Leftovers.ts"
import { EventLog } from "../event/EventLog.ts"
import { Outbound, type OutboundError } from "../outbound/Outbound.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { type AccountId, PluginId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { archiveMax } from "./ArchiveLimit.ts"
import { PluginArchives } from "./PluginArchives.ts"
import type { PluginManifest } from "./PluginManifest.ts"
import { PluginAnother, PluginPackageMissing, PluginUnfetched } from "./PluginRefusal.ts"
import { decideArchivedManifest, refusalOfArchive } from "./PluginRules.ts"
import { PluginSignals } from "./PluginSignals.ts"
import { type PluginPackage, PluginStore } from "./PluginStore.ts"
import { getSupervised, makePluginViews } from "./PluginViews.ts"

// An archive is in memory as a whole while it is fetched.
const fetchedTogether = 1
const fetchWithin = "20 seconds"

const unfetched = (error: OutboundError) => {
  if (error._tag === "OutboundRefused") return new PluginUnfetched({ metadata: { reason: "refused" } })
  const reason = error.reason === "size" ? "size" : "unreachable"
  return new PluginUnfetched({ metadata: { reason } })
}

/** An archive that has arrived and may be used. */
interface Ready {
  readonly arrived: Arrived
  readonly manifest: PluginManifest
  readonly archive: PluginPackage
}

const makeArrivals = Effect.gen(function* () {
  const bytes = yield* AssetBytes
  const files = yield* AssetStore
  const archives = yield* PluginArchives
  const ids = yield* Ids
  const transaction = yield* Transaction
  const leftovers = yield* makeLeftovers
  const reserve = yield* makeDiskReserve

  /** Takes an archive, and looks at all of it before anything is stored. */
  const receive = Effect.fnUntraced(function* <E, R>(given: Stream.Stream<Uint8Array, E, R>) {
    yield* reserve.check
    const arrived = yield* bytes.receive(reserve.guard(given))
    const {
      hash,
      manifest: text,
      size
    } = yield* Effect.mapError(archives.inspect(arrived.path), refusalOfArchive)
    const manifest = yield* Effect.fromResult(decideArchivedManifest(text))
    const place: FileLocation = { store: bytes.store, key: `plugin-${yield* ids.unguessable}` }
    return { arrived, manifest, archive: { place, size, hash } } satisfies Ready
  })

  /** Stores the bytes of an archive with what is written of it: both, or neither. */
  const keep = <A, E, R>({ archive, arrived }: Ready, at: DateTime.Utc, write: Effect.Effect<A, E, R>) => {
    const { place } = archive
    const record = Effect.gen(function* () {
      if (!(yield* files.adoptUploads([place.key]))) {
        return yield* new AssetBytesUnavailable({ metadata: { retry_after: 5 } })
      }
      return yield* write
    })
    const complete = Effect.gen(function* () {
      yield* files.noteUploads([place], at)
      yield* arrived.keep(place.key)
      return yield* transaction(record)
    })
    // Whether it was completed would not be known of one that is interrupted; each of its steps has a time limit.
    return Effect.uninterruptible(Effect.onError(complete, (cause) => leftovers.takeBack([place.key], cause)))
  }

  return { receive, keep } as const
})

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const files = yield* AssetStore
  const bytes = yield* AssetBytes
  const events = yield* EventLog
  const ids = yield* Ids
  const outbound = yield* Outbound
  const signals = yield* PluginSignals
  const { getBy, show, showAdded } = yield* makePluginViews
  const { keep, receive } = yield* makeArrivals
  const fetching = yield* Semaphore.make(fetchedTogether)

  /** Adds a plugin by its archive. Nothing is started. */
  const add = Effect.fn("PluginPackages.add")(function* <E, R>(given: Stream.Stream<Uint8Array, E, R>) {
    const { accountId } = yield* CurrentAccount
    const ready = yield* receive(given)
    const { archive, manifest } = ready
    const id = PluginId.make(yield* ids.next)
    const addedAt = yield* DateTime.now
    const addition = Effect.gen(function* () {
      const connection = { mode: "supervised", package: archive } as const
      const added = yield* store.insert({ id, addedAt, manifest, connection })
      yield* events.append(accountId, { _tag: "PluginAdded", id, name: manifest.name, mode: "supervised" })
      return added
    })
    return yield* showAdded(yield* keep(ready, addedAt, addition))
  }, Effect.scoped)

  /** Fetches an archive, and adds a plugin by it. */
  const addFrom = Effect.fn("PluginPackages.addFrom")(function* (url: string) {
    const fetched = Effect.mapError(
      outbound.send({
        url,
        accept: "application/zip, application/octet-stream",
        maxBytes: archiveMax,
        beyond: "failure",
        redirects: 5,
        within: fetchWithin
      }),
      unfetched
    )
    const addition = Effect.gen(function* () {
      const { body, status } = yield* fetched
      if (status !== 200) return yield* new PluginUnfetched({ metadata: { reason: "status", status } })
      return yield* add(Stream.make(body))
    })
    return yield* fetching.withPermits(1)(addition)
  })

  /** Replaces the archive of a plugin, which keeps its configuration. Whoever runs it starts it again. */
  const replace = Effect.fnUntraced(function* (
    ready: Ready,
    given: string,
    actor: AccountId,
    at: DateTime.Utc
  ) {
    const { archive, manifest } = ready
    const replacement = Effect.gen(function* () {
      const plugin = yield* getBy(store.findForUpdate, given)
      const { package: replaced } = yield* getSupervised(plugin)
      const expected = plugin.manifest.id
      if (manifest.id !== expected) {
        return yield* new PluginAnother({ metadata: { expected, found: manifest.id } })
      }
      const updated = yield* store.setPackage(plugin.id, manifest, archive)
      yield* files.noteUploads([replaced.place], at)
      yield* events.append(actor, {
        _tag: "PluginUpdated",
        id: plugin.id,
        name: manifest.name,
        changed: "package"
      })
      return updated
    })
    return yield* keep(ready, at, replacement)
  })

  const update = Effect.fn("PluginPackages.update")(function* <E, R>(
    given: string,
    body: Stream.Stream<Uint8Array, E, R>
  ) {
    const { accountId } = yield* CurrentAccount
    // What cannot be used is not received.
    yield* getSupervised(yield* getBy(store.find, given))
    const ready = yield* receive(body)
    const updated = yield* replace(ready, given, accountId, yield* DateTime.now)
    yield* signals.changed(updated.id)
    return yield* show(updated)
  }, Effect.scoped)

  /** The archive of a plugin, byte for byte, and the id in its manifest. */
  const open = Effect.fn("PluginPackages.open")(function* (given: string) {
    const plugin = yield* getBy(store.find, given)
    const { package: archive } = yield* getSupervised(plugin)
    const opened = yield* bytes.open(archive.place)
    if (Option.isNone(opened)) {
      return yield* new PluginPackageMissing({ metadata: { plugin_instance_id: plugin.id } })
    }
    return { name: plugin.manifest.id, size: archive.size, bytes: opened.value.bytes } as const
  })

  return { add, addFrom, update, open } as const
})

export class PluginPackages extends Context.Service<PluginPackages, Effect.Success<typeof make>>()(
  "forum/domain/PluginPackages"
) {
  static readonly layer = Layer.effect(PluginPackages, make)
}
