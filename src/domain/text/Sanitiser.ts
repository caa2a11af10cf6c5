/** Reads what people write, without delaying other requests. */
import { Context, Effect, Layer } from "effect"
import { InTransaction } from "../storage/Transaction.ts"
import { type Reading, readingOf, type TooComplex } from "./RichText.ts"
import { maxima } from "./richtext/Budget.ts"
import { type ExceededLimit, type SanitisedText, sanitise } from "./richtext/Sanitise.ts"
import type { SanitiserUnavailable } from "./TextProblem.ts"

/** Sanitises texts beside the service, a few at a time. */
export class SanitiserThreads extends Context.Service<
  SanitiserThreads,
  {
    readonly sanitise: (input: string) => Effect.Effect<SanitisedText | ExceededLimit, SanitiserUnavailable>
  }
>()("forum/domain/SanitiserThreads") {}

/** What is sanitised at once takes at most about 3 ms, during which no other request is served. */
const atOnce = { size: 16 * 1024, steps: 25_000 }

const tooLarge = readingOf({ exceeded: "size" })

const make = Effect.map(SanitiserThreads, (threads) => {
  const readBeside = (input: string) => Effect.flatMap(threads.sanitise(input), readingOf)

  const readNow = (input: string) => {
    if (input.length > maxima.size) return tooLarge
    if (input.length > atOnce.size) return readBeside(input)
    const result = sanitise(input, atOnce.steps)
    return "exceeded" in result && result.exceeded === "steps" ? readBeside(input) : readingOf(result)
  }

  /** The sanitised document of any input, HTML or plain text, and what is derived from it. */
  const read = (input: string): Effect.Effect<Reading, TooComplex | SanitiserUnavailable> =>
    Effect.flatMap(InTransaction, (isWithin) =>
      isWithin ? Effect.die(new Error("A text is read within a transaction")) : readNow(input)
    )

  return { read } as const
})

export class Sanitiser extends Context.Service<Sanitiser, Effect.Success<typeof make>>()(
  "forum/domain/Sanitiser"
) {
  static readonly layer = Layer.effect(Sanitiser, make)
}
