/** Holds the limits of texts where a post is changed, by whichever address. */
import { Effect } from "effect"
import type { Visibility } from "../shared/Visibility.ts"
import { textLengthOf } from "./DocumentText.ts"
import type { PostState } from "./PostState.ts"
import { PostStore } from "./PostStore.ts"
import { checkLength, checkMarkup, type PostText } from "./PostText.ts"
import { textToCheck } from "./ThreadRules.ts"

/** In a transaction that has locked the thread, so that the text that is there stays. */
export const makeTextLimits = Effect.map(PostStore, (store) =>
  Effect.fnUntraced(function* (
    kind: "thread" | "reply",
    { id, visibility: before }: PostState,
    { text, visibility = before }: { readonly text?: PostText; readonly visibility?: Visibility }
  ) {
    if (text !== undefined) yield* checkMarkup(text, kind)
    const checked = textToCheck(before, visibility, text)
    if (checked === "none") return
    yield* checkLength(checked === "stored" ? textLengthOf(yield* store.findBody(id)) : checked.length, kind)
  })
)
