import { Effect } from "effect"
import { Outbound } from "../outbound/Outbound.ts"
import { type Attempt, decideAnswer, decideError } from "./LinkFetchRules.ts"

// Only the head of a page is needed, which comes first and is rarely longer.
const bytesMax = 1024 * 1024

const asked = {
  accept: "text/html, application/xhtml+xml;q=0.9",
  maxBytes: bytesMax,
  beyond: "cut",
  redirects: 5,
  within: "10 seconds"
} as const

// Loaded with the first page, as its parser has forty modules.
const reading = Effect.promise(() => import("./PageHead.ts"))

/** Reads what the page at an address says of itself; never fails. */
export const makePageReader = Effect.map(Outbound, ({ send }) =>
  Effect.fnUntraced(
    function* (url: string) {
      const { body, headers, status, url: address } = yield* send({ ...asked, url })
      const contentType = headers["content-type"] ?? ""
      const decided = decideAnswer(status, contentType)
      if (decided !== undefined) return decided
      const { decodePage, readHead } = yield* reading
      const head = yield* readHead(decodePage(body, contentType), address)
      return { _tag: "Read", ...head } satisfies Attempt
    },
    Effect.catch((error) => Effect.succeed<Attempt>(decideError(error)))
  )
)
