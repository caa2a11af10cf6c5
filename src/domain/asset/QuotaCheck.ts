/** Holds uploads to what may be uploaded on a day. */
import { DateTime, Effect } from "effect"
import { AssetStore, type CountedUpload } from "./AssetStore.ts"
import {
  dayOf,
  decideLimits,
  exceeded,
  findFull,
  type Limits,
  type Sum,
  type Uploader,
  UploadQuotas
} from "./UploadQuota.ts"

export const makeQuotaCheck = Effect.gen(function* () {
  const store = yield* AssetStore
  const quotas = yield* UploadQuotas

  /**
   * Fails if a quota has no room for any file, before anything is received. Others may upload meanwhile, so that it is
   * decided again when the file is stored, by the limits that hold at that time.
   */
  const check = Effect.fnUntraced(function* (uploader: Uploader) {
    const at = yield* DateTime.now
    const { account, network } = uploader
    const { since, uploaded } = yield* store.findUploaded(account.accountId, network, dayOf(at))
    const limitsAt = (at: DateTime.Utc): Limits => decideLimits(quotas, uploader, since, at)
    const full = findFull(limitsAt(at), uploaded)
    return full === undefined ? limitsAt : yield* exceeded(full, at)
  })

  /** Refuses an upload because of one of the sums that it counts in. */
  const refuse = ({ at, limits }: CountedUpload, sum: Sum) => Effect.fail(exceeded(limits[sum], at))

  /** Counts an upload in the transaction that stores it, or refuses it. */
  const count = Effect.fnUntraced(function* (upload: CountedUpload) {
    const sum = yield* store.countUpload(upload)
    if (sum !== undefined) yield* refuse(upload, sum)
  })

  return { check, count, refuse } as const
})
