/** Makes the texts that describe the API, each on a thread that ends when it is made. */
import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { Contents } from "../../../http/bytes/CachedResponse.ts"
import { Descriptions, type Kind } from "../../../http/instance/Descriptions.ts"
import { answerOfThread } from "../answerOfThread.ts"

/** What a thread is told to make. */
export interface Order {
  readonly kind: Kind
  readonly publicUrl: string
  readonly version: string
}

const program = new URL("./thread.ts", import.meta.url)

const make = (order: Order) => answerOfThread<Contents>(program, order, "made the text")

/** The tools by their order: services that follow one another in a process, as those of tests do, have the same. */
const keptTools = new LRUCache<string, Contents>({ max: 4 })

const makeOnce = (order: Order) =>
  Effect.suspend(() => {
    const key = JSON.stringify(order)
    const kept = keptTools.get(key)
    return kept === undefined
      ? Effect.tap(make(order), (contents) => Effect.sync(() => keptTools.set(key, contents)))
      : Effect.succeed(kept)
  })

export const layer = Layer.succeed(Descriptions, {
  make: (kind, { publicUrl, version }) => {
    const order: Order = { kind, publicUrl: publicUrl.href, version }
    return kind === "tools" ? makeOnce(order) : make(order)
  }
})
