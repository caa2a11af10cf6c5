/** Holds what is published to the rules of moderation, by whichever address it is written, changed or published. */
import { Effect } from "effect"
import type { PostHeldForReview } from "../event/ThreadEvents.ts"
import {
  ContentFilter,
  type ContentRules,
  type Held,
  inspect,
  type Verdict
} from "../filter/ContentFilter.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { textLengthOf } from "../text/DocumentText.ts"
import { ContentBlocked } from "./Post.ts"
import { PostStore } from "./PostStore.ts"
import { checkLength, checkMarkup, type PostText } from "./PostText.ts"
import type { PostState } from "./PostVisibility.ts"
import { storedFilter, textToCheck } from "./ThreadRules.ts"

/** What is written, and what is changed; absent, it stays. */
export interface Written {
  readonly title?: string | undefined
  readonly text?: PostText | undefined
}

/** The rules, and what they say of what is written. */
export interface Inspection {
  readonly rules: ContentRules
  readonly verdict: Verdict
}

/** What of the rules for words a request is above: of a moderator who says which visibility a post has. */
export type Exempt = "nothing" | "stored text" | "all"

/** Fails if the text is blocked; answers why it is held, if it is. */
export const heldBy = (verdict: Verdict): Effect.Effect<Held | undefined, ContentBlocked> => {
  if (verdict._tag === "Blocked") {
    return Effect.fail(new ContentBlocked({ metadata: { field: verdict.field } }))
  }
  return Effect.succeed(verdict._tag === "Held" ? verdict : undefined)
}

/** The event that a post is held for review. */
export const heldEvent = (
  { id, thread }: Pick<PostState, "id"> & { readonly thread: Pick<PostState, "id"> },
  held: Held
): PostHeldForReview => ({
  _tag: "PostHeldForReview",
  thread_id: thread.id,
  ...(id === thread.id ? {} : { reply_id: id }),
  reason: held.reason,
  ...(held.reason === "word" ? { word: held.word } : {})
})

export const makeContentChecks = Effect.gen(function* () {
  const store = yield* PostStore
  const { rules } = yield* ContentFilter

  /** Inspects what is written, before a transaction begins, as it may take a while. */
  const inspected = Effect.fnUntraced(function* ({ text, title }: Written) {
    const current = yield* rules
    const verdict = yield* inspect(current, { title, body: text?.body })
    return { rules: current, verdict } satisfies Inspection
  })

  /** Checks a change of a post, in a transaction that has locked its thread. Answers why the post is held, if it is. */
  const checkChange = Effect.fnUntraced(function* (
    kind: "thread" | "reply",
    { id, visibility: before }: PostState,
    { text, title, visibility: after = before }: Written & { readonly visibility?: Visibility | undefined },
    { rules, verdict }: Inspection,
    exempt: Exempt
  ) {
    if (text !== undefined) yield* checkMarkup(text, kind)
    const measured = textToCheck(before, after, text)
    const filter = storedFilter(before, after, exempt !== "nothing")
    const stored = measured === "stored" || filter !== "nothing" ? yield* store.findContent(id) : undefined
    if (measured !== "none") {
      const length =
        measured === "stored" ? (stored === undefined ? 0 : textLengthOf(stored.body)) : measured.length
      yield* checkLength(length, rules.lengths[kind])
    }
    const held = exempt === "all" ? undefined : yield* heldBy(verdict)
    if (stored === undefined || filter === "nothing") return held
    const unchanged = yield* inspect(rules, {
      title: title === undefined ? stored.title : undefined,
      body: text === undefined ? stored.body : undefined
    })
    const heldAsStored = yield* heldBy(unchanged)
    return held ?? (filter === "block" ? undefined : heldAsStored)
  })

  return { rules, inspected, checkChange } as const
})
