/** How changes of settings are merged with what there is. Pure. */
import { Result } from "effect"
import { normaliseHandle } from "../account/Handle.ts"
import type { JsonObject } from "../field/Json.ts"
import { hasAtMost } from "../field/Text.ts"
import type { ClientAddressChanges, StoredClientAddress } from "../settings/ClientAddressSetting.ts"
import {
  type MessageOfTheDayChanges,
  MessagePeriodInvalid,
  SettingsTooLarge,
  type StoredGeneral
} from "../settings/GeneralSetting.ts"
import { type RateLimitChanges, rateLimitBounds, type StoredRateLimit } from "../settings/RateLimitSetting.ts"
import type { RichText } from "../text/RichText.ts"
import type { AdminSettingsChanges } from "./AdminSetting.ts"

/** Characters of sanitised markup of a text, and of merged metadata as JSON. */
export const limits = { markup: 128 * 1024, metadata: 64 * 1024 }

/** The sanitised texts of a request. */
export interface SettingsTexts {
  readonly content: RichText | undefined
  readonly motd: RichText | undefined
}

const isEmpty = (object: object) => Object.keys(object).length === 0

/** The metadata after a change, key by key at the top level. An empty object clears it. */
export const mergedMetadata = (stored: JsonObject | undefined, changes: JsonObject): JsonObject =>
  isEmpty(changes) ? {} : { ...stored, ...changes }

const mergedMotd = (
  stored: StoredGeneral["motd"],
  { metadata, ...changes }: MessageOfTheDayChanges,
  content: RichText | undefined
): Result.Result<StoredGeneral["motd"], MessagePeriodInvalid> => {
  if (metadata === undefined && isEmpty(changes)) return Result.succeed(undefined)
  const merged = {
    ...stored,
    ...changes,
    content: content ?? stored?.content ?? "<body></body>",
    ...(metadata === undefined ? {} : { metadata: mergedMetadata(stored?.metadata, metadata) })
  }
  const { end_at, start_at } = merged
  return start_at !== undefined && end_at !== undefined && end_at < start_at
    ? Result.fail(new MessagePeriodInvalid({ metadata: { start_at, end_at } }))
    : Result.succeed(merged)
}

const tooLarge = (field: string, maximum: number, text: string | undefined) =>
  text === undefined || hasAtMost(text, maximum)
    ? undefined
    : new SettingsTooLarge({ metadata: { field, maximum, length: Array.from(text).length } })

/** Which of the merged settings has no room. */
const findTooLarge = ({ content, metadata, motd }: StoredGeneral) =>
  tooLarge("content", limits.markup, content) ??
  tooLarge("motd.content", limits.markup, motd?.content) ??
  tooLarge("metadata", limits.metadata, JSON.stringify(metadata)) ??
  tooLarge("motd.metadata", limits.metadata, JSON.stringify(motd?.metadata))

/** What is to be stored of the general settings. */
export const mergedGeneral = (
  stored: StoredGeneral,
  { content: _, metadata, motd, services: __, ...scalars }: AdminSettingsChanges,
  texts: SettingsTexts
): Result.Result<StoredGeneral, MessagePeriodInvalid | SettingsTooLarge> =>
  Result.gen(function* () {
    const { motd: former, ...rest } = stored
    const message = motd === undefined ? former : yield* mergedMotd(former, motd, texts.motd)
    const merged: StoredGeneral = {
      ...rest,
      ...scalars,
      ...(scalars.reserved_handles === undefined
        ? {}
        : { reserved_handles: [...new Set(scalars.reserved_handles.map(normaliseHandle))] }),
      ...(texts.content === undefined ? {} : { content: texts.content }),
      ...(metadata === undefined ? {} : { metadata: mergedMetadata(rest.metadata, metadata) }),
      ...(message === undefined ? {} : { motd: message })
    }
    const problem = findTooLarge(merged)
    return problem === undefined ? merged : yield* Result.fail(problem)
  })

/** What is sent for "as at the start": nothing is stored then. */
const isDefault = (value: unknown) => (typeof value === "number" && value <= 0) || value === ""

type Draft<Stored> = { -readonly [Name in keyof Stored]?: Stored[Name] }

/** The settings after a change: values and lists are replaced, and what stands for the default is left out. */
const replaced = <Stored extends object>(stored: Stored, changes: Partial<Stored>): Draft<Stored> => {
  const merged: Draft<Stored> = { ...stored, ...changes }
  for (const name in merged) if (isDefault(merged[name])) delete merged[name]
  return merged
}

const mergedOverrides = (
  stored: StoredRateLimit["cost_overrides"] = {},
  changes: StoredRateLimit["cost_overrides"]
): Record<string, number> => {
  if (changes === undefined) return stored
  return isEmpty(changes) ? {} : { ...stored, ...changes }
}

/** What is to be stored of the rate limits. */
export const mergedRateLimiting = (
  { cost_overrides: former, ...stored }: StoredRateLimit,
  { cost_overrides: changed, ...changes }: RateLimitChanges
): Result.Result<StoredRateLimit, SettingsTooLarge> => {
  const overrides = mergedOverrides(former, changed)
  const length = Object.keys(overrides).length
  const maximum = rateLimitBounds.overrides
  if (length > maximum) {
    const field = "services.rate_limiting.cost_overrides"
    return Result.fail(new SettingsTooLarge({ metadata: { field, maximum, length } }))
  }
  return Result.succeed({
    ...replaced(stored, changes),
    ...(length === 0 ? {} : { cost_overrides: overrides })
  })
}

/** What is to be stored of how addresses of clients are found. */
export const mergedClientAddress = (
  stored: StoredClientAddress,
  changes: ClientAddressChanges
): StoredClientAddress => replaced(stored, changes)
