/** Copies of files at addresses that members name. */
import { Effect, Semaphore, Stream } from "effect"
import { Assets } from "../asset/Assets.ts"
import type { Uploader } from "../asset/UploadQuota.ts"
import { Outbound, type OutboundError } from "../outbound/Outbound.ts"
import { checkPermission } from "../shared/Actor.ts"
import { WriteQueue } from "../storage/Transaction.ts"
import { AssetSourceFailed } from "./NodeProblems.ts"

const asked = {
  accept: "*/*",
  maxBytes: 8 * 1024 * 1024,
  beyond: "failure",
  redirects: 5,
  within: "10 seconds"
} as const

// Each is in memory as a whole. One account has at most two of them, by its queue.
const parallelCopies = 8

const reasonOf = (error: OutboundError) => (error._tag === "OutboundRefused" ? "refused" : error.reason)

/** What the file at an address is called. */
const nameOf = (url: string): string | undefined => {
  const name = URL.parse(url)?.pathname.split("/").at(-1)
  return name === undefined || name === "" ? undefined : name
}

/** Stores copies of files as assets of who asked for them, before any transaction. */
export const makeSourceCopier = Effect.gen(function* () {
  const { send } = yield* Outbound
  const assets = yield* Assets
  const places = Semaphore.makeUnsafe(parallelCopies)
  const queue = yield* WriteQueue

  const failed = (url: string, reason: AssetSourceFailed["metadata"]["reason"]) =>
    new AssetSourceFailed({ metadata: { url, reason } })

  const copy = Effect.fnUntraced(function* (uploader: Uploader, url: string) {
    const { body, status } = yield* send({ ...asked, url }).pipe(
      Effect.mapError((error) => failed(url, reasonOf(error)))
    )
    if (status < 200 || status > 299) return yield* failed(url, "status")
    const file = { name: nameOf(url), parent: undefined, bytes: Stream.make(body) }
    const asset = yield* assets.createFor(uploader, file)
    return asset.id
  })

  const copyAll = (uploader: Uploader, sources: ReadonlyArray<string>) =>
    queue(
      `files for ${uploader.account.accountId}`,
      Effect.forEach(new Set(sources), (url) => places.withPermit(copy(uploader, url)))
    )

  return Effect.fnUntraced(function* (uploader: Uploader, sources: ReadonlyArray<string>) {
    if (sources.length === 0) return []
    yield* checkPermission(uploader.account, "UPLOAD_ASSET")
    yield* assets.check(uploader)
    return yield* copyAll(uploader, sources).pipe(Effect.catchTag("AssetNotFound", Effect.die))
  })
})
