/** Work for each of thousands of rows, which does not keep other requests waiting. */
import { Effect } from "effect"

// Takes so little time that other requests do not wait for it.
const withoutBreak = 500

/** Maps a list that may be long, with breaks in which other requests run. */
export const mapInSlices = Effect.fnUntraced(function* <A, B>(items: ReadonlyArray<A>, map: (item: A) => B) {
  if (items.length <= withoutBreak) return items.map(map)
  const results: Array<B> = []
  for (let done = 0; done < items.length; done += withoutBreak) {
    for (const item of items.slice(done, done + withoutBreak)) results.push(map(item))
    yield* Effect.yieldNow
  }
  return results
})
