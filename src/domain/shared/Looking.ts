/** Waiting for what others bring about, of which nothing tells. */
import { DateTime, type Duration, Effect } from "effect"

export interface Patience {
  /** How long the looks are apart. */
  readonly every: Duration.Duration
  /** After which time there is no further look. */
  readonly within: Duration.Duration
}

/** Looks again and again until what is found is so, and answers it, or what was found last when the time was over. */
export const lookUntil = Effect.fnUntraced(function* <A, E, R>(
  look: Effect.Effect<A, E, R>,
  isSo: (found: A) => boolean,
  { every, within }: Patience
) {
  const end = DateTime.addDuration(yield* DateTime.now, within)
  while (true) {
    const found = yield* look
    if (isSo(found) || DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, end)) return found
    yield* Effect.sleep(every)
  }
})
