/** What may be uploaded, in tests of that. */
import { Layer } from "effect"
import { type Quotas, UploadQuotas } from "../../src/domain/asset/UploadQuota.ts"

const unlimited: Quotas = { account: undefined, firstDay: undefined, network: undefined, instance: undefined }

/** These quotas, in bytes, and no other. */
export const only = (quotas: Partial<Quotas>) => Layer.succeed(UploadQuotas, { ...unlimited, ...quotas })
