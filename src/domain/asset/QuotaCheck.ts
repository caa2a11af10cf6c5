/** Holds accounts to what they may upload on a day. */
import { DateTime, Effect } from "effect"
import type { AccountId } from "../shared/Id.ts"
import { AssetStore, type CountedUpload } from "./AssetStore.ts"
import { dayOf, secondsLeftOf, UploadQuota, UploadQuotaExceeded } from "./UploadQuota.ts"

export const makeQuotaCheck = Effect.gen(function* () {
  const store = yield* AssetStore
  const maximum = yield* UploadQuota

  const exceeded = (at: DateTime.Utc) =>
    Effect.fail(
      new UploadQuotaExceeded({ metadata: { maximum: maximum ?? 0, retry_after: secondsLeftOf(at) } })
    )

  /** Before anything is received. Others may be uploaded meanwhile, so that it is decided again when it is stored. */
  const check = Effect.fnUntraced(function* (owner: AccountId) {
    if (maximum === undefined) return
    const at = yield* DateTime.now
    if ((yield* store.findUploaded(owner, dayOf(at))) >= maximum) yield* exceeded(at)
  })

  /** Counts an upload when it is stored, or refuses it. */
  const count = Effect.fnUntraced(function* (upload: CountedUpload) {
    if (!(yield* store.countUpload(upload, maximum))) yield* exceeded(upload.at)
  })

  return { maximum, check, count, exceeded } as const
})
