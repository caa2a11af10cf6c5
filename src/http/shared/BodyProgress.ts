import { Context } from "effect"

/**
 * Tells the server that an operation has written a part of a body elsewhere, so that it does not count as memory any
 * more. The body is named by the request of the platform.
 */
export const BodyProgress = Context.Reference<(source: object, bytes: number) => void>(
  "forum/http/BodyProgress",
  { defaultValue: () => () => {} }
)
