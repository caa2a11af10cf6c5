/** The names by which accounts are addressed. */
import { Effect } from "effect"
import { brokenHandleRule } from "../shared/Slug.ts"
import { HandleInvalid } from "./Account.ts"

/** Handles are the same whatever the case of their letters. */
export const normaliseHandle = (handle: string): string => handle.toLowerCase()

export const checkHandle = (handle: string): Effect.Effect<void, HandleInvalid> => {
  const rule = brokenHandleRule(handle)
  return rule === undefined ? Effect.void : Effect.fail(new HandleInvalid({ metadata: { handle, rule } }))
}
