/** What somebody who comes back from another service becomes here. Pure. */
import { handleKey } from "../account/Handle.ts"
import type { AccountId } from "../shared/Id.ts"
import { slugify } from "../shared/Slug.ts"
import type { IdentityOwner } from "./IdentityStore.ts"

/** Who sends the request that finishes a sign-in; absent, if a guest does. */
export type Sender = { readonly accountId: AccountId; readonly suspended: boolean } | undefined

export type Return =
  | { readonly _tag: "Suspended" }
  /** The caller, or the account of who signs in, has it already: a session begins. */
  | { readonly _tag: "SignIn"; readonly owner: IdentityOwner }
  | { readonly _tag: "Add"; readonly accountId: AccountId }
  /** Another account has it. */
  | { readonly _tag: "Taken" }
  | { readonly _tag: "SignUp" }

/**
 * Whether the sender may finish what a browser began: the account that was signed in then is so now. Without this, who
 * gets a state of their own into the browser of somebody else would sign in to the account of that person for ever.
 */
export const mayFinish = (began: AccountId | undefined, sender: Sender): boolean =>
  began === sender?.accountId

/** What is done for the sender with an identity that has this owner, if any. */
export const decideReturn = (sender: Sender, owner: IdentityOwner | undefined): Return => {
  if (sender === undefined) {
    if (owner === undefined) return { _tag: "SignUp" }
    return owner.suspended ? { _tag: "Suspended" } : { _tag: "SignIn", owner }
  }
  if (sender.suspended) return { _tag: "Suspended" }
  if (owner === undefined) return { _tag: "Add", accountId: sender.accountId }
  return owner.accountId === sender.accountId ? { _tag: "SignIn", owner } : { _tag: "Taken" }
}

/** Bytes that a suggested handle has at most, so that a number fits behind it. */
const suggestedBytes = 22

const withinBytes = (text: string, bytes: number): string => {
  let kept = ""
  let length = 0
  for (const character of text) {
    length += new TextEncoder().encode(character).length
    if (length > bytes) break
    kept += character
  }
  return kept
}

/** A handle that is like the first of these names that has letters; undefined if none has. Of an address it is the part before the host. */
export const suggestedHandle = (names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const [local = ""] = name.split("@")
    const handle = slugify(withinBytes(slugify(local), suggestedBytes))
    if (handle !== "" && handleKey(handle) !== "") return handle
  }
  return undefined
}
