/** Makes the texts that describe the API, each on a thread that ends when it is made. */
import { Layer } from "effect"
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

export const layer = Layer.succeed(Descriptions, {
  make: (kind, { publicUrl, version }) => make({ kind, publicUrl: publicUrl.href, version })
})
