import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** What the reference says of an operation: its id as clients know it, a line, and what else there is to know. */
export const operation = (identifier: string, summary: string, description?: string) =>
  OpenApi.annotations({ identifier, summary, ...(description === undefined ? {} : { description }) })

/** Whether an operation takes whatever body there is, and refuses none. */
export const TakesAnything = Context.Reference<boolean>("forum/http/TakesAnything", {
  defaultValue: () => false
})

/** For operations that refuse no body. */
export const takesAnything = Context.make(TakesAnything, true)
