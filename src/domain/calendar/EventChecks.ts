/** What is checked of events before they are created or changed. */
import { Effect } from "effect"
import { AssetUnknown } from "../asset/Asset.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import type { AssetId } from "../shared/Id.ts"
import { makeContentChecks } from "../thread/ContentChecks.ts"
import { ContentBlocked } from "../thread/Post.ts"
import { checkLength, type PostText } from "../thread/PostText.ts"
import { ThreadTitleMissing } from "../thread/Thread.ts"

/** What no change of an event leads to: the filter for words is about discussions, and events have names. */
type Impossible = ContentBlocked | ThreadTitleMissing

export const unfiltered = <A, E, R>(write: Effect.Effect<A, E | Impossible, R>) =>
  Effect.catchIf(write, isImpossible, (problem) => Effect.die(new Error(problem.message)))

const isImpossible = <E>(error: E | Impossible): error is Impossible =>
  error instanceof ContentBlocked || error instanceof ThreadTitleMissing

export const makeEventChecks = Effect.gen(function* () {
  const assets = yield* AssetStore
  const { rules } = yield* makeContentChecks

  /** Fails if the text is longer than that of a published thread may be: whoever sees an event reads its text. */
  const checkTextLength = Effect.fnUntraced(function* ({ length }: PostText) {
    const { lengths } = yield* rules
    yield* checkLength(length, lengths.thread)
  })

  /** Fails if there is no such image. Assets are never deleted, so the check still holds when the event is written. */
  const checkImage = Effect.fnUntraced(function* (id: AssetId | null | undefined) {
    if (id === undefined || id === null || (yield* assets.findByIds([id])).has(id)) return
    yield* new AssetUnknown({ metadata: { field: "primary_image_asset_id", id } })
  })

  return { checkImage, checkTextLength } as const
})
