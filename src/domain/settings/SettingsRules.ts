/** How changes of settings are merged with what there is. Pure. */
import { Result } from "effect"
import type { JsonObject } from "../shared/Json.ts"
import type { RichText } from "../shared/RichText.ts"
import { hasAtMost } from "../shared/Text.ts"
import type { AdminSettingsChanges } from "./AdminSetting.ts"
import {
  type MessageOfTheDayChanges,
  MessagePeriodInvalid,
  SettingsTooLarge,
  type StoredGeneral
} from "./GeneralSetting.ts"

/** Characters of sanitised markup of a text, and of merged metadata as JSON. */
export const limits = { markup: 128 * 1024, metadata: 64 * 1024 }

/** The sanitised texts of a request. */
export interface SettingsTexts {
  readonly content: RichText | undefined
  readonly motd: RichText | undefined
}

const isEmpty = (object: object) => Object.keys(object).length === 0

/** Key by key at the top level; an empty object clears. */
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
      ...(texts.content === undefined ? {} : { content: texts.content }),
      ...(metadata === undefined ? {} : { metadata: mergedMetadata(rest.metadata, metadata) }),
      ...(message === undefined ? {} : { motd: message })
    }
    const problem = findTooLarge(merged)
    return problem === undefined ? merged : yield* Result.fail(problem)
  })
