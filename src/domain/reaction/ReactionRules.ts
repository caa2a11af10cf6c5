/** Which reactions may be added and removed. Pure. */
import { type AccountActor, holds } from "../shared/Actor.ts"
import type { AccountId, Id } from "../shared/Id.ts"
import { reactionsMax } from "./Reaction.ts"

/** A reaction to a post. */
export interface StoredReaction {
  readonly id: typeof Id.Type
  readonly accountId: AccountId
  readonly emoji: string
}

export type Addition =
  | { readonly _tag: "Add" }
  | { readonly _tag: "Exists"; readonly id: typeof Id.Type }
  | { readonly _tag: "Refuse"; readonly limit: keyof typeof reactionsMax }

const refuse = (limit: keyof typeof reactionsMax): Addition => ({ _tag: "Refuse", limit })

/** What becomes of a reaction, beside those that the post has. */
export const decideAddition = (
  present: ReadonlyArray<StoredReaction>,
  { accountId, emoji }: Pick<StoredReaction, "accountId" | "emoji">
): Addition => {
  const own = present.filter((one) => one.accountId === accountId)
  const same = own.find((one) => one.emoji === emoji)
  if (same !== undefined) return { _tag: "Exists", id: same.id }
  if (own.length >= reactionsMax.account) return refuse("account")
  if (present.length >= reactionsMax.post) return refuse("post")
  const different = new Set(present.map((one) => one.emoji))
  return different.size >= reactionsMax.emoji && !different.has(emoji) ? refuse("emoji") : { _tag: "Add" }
}

/** Whether a caller may remove a reaction: its account may, and administrators. Moderators hide posts instead. */
export const mayRemove = ({ accountId }: Pick<StoredReaction, "accountId">, actor: AccountActor): boolean =>
  accountId === actor.accountId || holds(actor, "ADMINISTRATOR")
