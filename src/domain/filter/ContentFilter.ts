/** What of people's texts is refused, or held for review. */
import { Context, Effect, Layer, Semaphore } from "effect"
import { piecesOf } from "../field/TextPieces.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { ModerationSettings } from "../settings/ModerationSetting.ts"
import type { RichText } from "../text/RichText.ts"
import { visibleText } from "../text/SearchText.ts"
import { isRepetitive, shortestRepetitive } from "./Repetition.ts"
import { comparable, WordFinder } from "./WordFinder.ts"

/** The settings, made ready to be applied. */
export interface ContentRules {
  /** How many bytes of plain text threads and replies may have. */
  readonly lengths: { readonly thread: number; readonly reply: number }
  readonly blocked: WordFinder
  readonly reported: WordFinder
}

/** Makes the settings ready to be applied. */
export const rulesOf = Effect.fnUntraced(function* (settings: ModerationSettings) {
  return {
    lengths: { thread: settings.thread_body_length_max, reply: settings.reply_body_length_max },
    blocked: yield* WordFinder.make(settings.word_block_list),
    reported: yield* WordFinder.make(settings.word_report_list)
  } satisfies ContentRules
})

export interface Content {
  readonly title?: string | undefined
  readonly body?: RichText | undefined
}

/** Why a text is held: a word of the list, or that it says the same over and over. */
export type Held =
  | { readonly _tag: "Held"; readonly reason: "word"; readonly word: string }
  | { readonly _tag: "Held"; readonly reason: "repetition" }

export type Verdict =
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Blocked"; readonly field: "title" | "body" }
  | Held

export const passed: Verdict = { _tag: "Passed" }

/** Looks for words in a text, a piece at a time, so that other requests go on between them. */
const wordsIn = Effect.fnUntraced(function* (
  { blocked, reported }: ContentRules,
  field: "title" | "body",
  text: string
) {
  const [blocking, reporting] = [blocked.search(), reported.search()]
  let verdict: Verdict = passed
  let isFirst = true
  for (const piece of piecesOf(text)) {
    if (!isFirst) yield* Effect.yieldNow
    isFirst = false
    const form = comparable(piece)
    if (blocking.next(form) !== undefined) return { _tag: "Blocked", field } satisfies Verdict
    if (verdict._tag === "Held") continue
    const word = reporting.next(form)
    if (word !== undefined) verdict = { _tag: "Held", reason: "word", word }
  }
  return verdict
})

const worst = (one: Verdict, other: Verdict): Verdict => {
  if (one._tag === "Blocked" || other._tag === "Passed") return one
  return other._tag === "Blocked" || one._tag === "Passed" ? other : one
}

/** What the rules say of a text. Blocked words count more than reported ones, and these more than repetition. */
export const inspect = Effect.fnUntraced(function* (rules: ContentRules, { body, title }: Content) {
  const hasWords = !rules.blocked.isEmpty || !rules.reported.isEmpty
  let verdict: Verdict = passed
  if (title !== undefined && hasWords) verdict = yield* wordsIn(rules, "title", title)
  if (verdict._tag === "Blocked" || body === undefined) return verdict
  if (!hasWords && body.length < shortestRepetitive) return verdict
  const text = visibleText(body)
  if (hasWords) verdict = worst(verdict, yield* wordsIn(rules, "body", text))
  return verdict._tag === "Passed" && isRepetitive(text)
    ? ({ _tag: "Held", reason: "repetition" } satisfies Verdict)
    : verdict
})

const make = Effect.map(InstanceSettings, (settings) => {
  let kept: { readonly of: ModerationSettings; readonly rules: ContentRules } | undefined
  const oneAtATime = Semaphore.makeUnsafe(1)

  const prepared = Effect.fnUntraced(function* (current: ModerationSettings) {
    if (kept?.of !== current) kept = { of: current, rules: yield* rulesOf(current) }
    return kept.rules
  })

  return {
    /** The rules as they are now, or were a moment ago. */
    rules: Effect.flatMap(settings.moderation, (current) =>
      kept?.of === current ? Effect.succeed(kept.rules) : oneAtATime.withPermit(prepared(current))
    )
  } as const
})

export class ContentFilter extends Context.Service<ContentFilter, Effect.Success<typeof make>>()(
  "forum/domain/ContentFilter"
) {
  static readonly layer = Layer.effect(ContentFilter, make).pipe(Layer.provide(InstanceSettings.layer))
}
