/** Changes as server-sent events. */
import { Effect, Fiber, Option, Stream } from "effect"
import type { LoggedChange } from "../../domain/change/ChangeFeed.ts"
import { entryOf } from "../../domain/change/ChangeHistory.ts"

const encoder = new TextEncoder()

/** How long browsers wait before they connect again, in milliseconds. */
const retryMillis = 3000

/** How long nothing is sent at most, so that those in between see that the connection is in use. */
const silenceMax = "15 seconds"

const beginning = encoder.encode(`retry: ${retryMillis}\n\n`)
const comment = encoder.encode(":\n\n")

// Of the same change for all streams, as long as any has it.
const frames = new WeakMap<LoggedChange, Uint8Array>()

const frameOf = (change: LoggedChange): Uint8Array => {
  const known = frames.get(change)
  if (known !== undefined) return known
  const entry = entryOf(change)
  const frame = encoder.encode(`id: ${entry.cursor}\nevent: change\ndata: ${JSON.stringify(entry)}\n\n`)
  frames.set(change, frame)
  return frame
}

/**
 * Changes that come in parts as events, with a comment whenever nothing comes for a while. What the next part is taken
 * by goes on meanwhile, so that none is lost.
 */
export const asEvents = <E>(next: Effect.Effect<ReadonlyArray<LoggedChange>, E>) =>
  Effect.map(Effect.scope, (scope): Stream.Stream<Uint8Array> => {
    let taking: Fiber.Fiber<ReadonlyArray<LoggedChange>, E> | undefined
    const come = Effect.gen(function* () {
      taking ??= yield* Effect.forkIn(next, scope)
      const exit = yield* Effect.timeoutOption(Fiber.await(taking), silenceMax)
      if (Option.isNone(exit)) return [comment]
      taking = undefined
      return (yield* exit.value).map(frameOf)
    })
    return Stream.concat(
      Stream.succeed(beginning),
      Stream.fromIterableEffectRepeat(come).pipe(Stream.catchCause(() => Stream.empty))
    )
  })
