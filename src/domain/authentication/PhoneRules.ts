/** What somebody is sent who asks with a handle and a phone number. Pure. */
import { toLine } from "../field/Text.ts"

export type Reply =
  /** The code: the number is that of the handle. */
  | { readonly _tag: "Code" }
  /** The number is that of the account with another handle. */
  | { readonly _tag: "OtherHandle"; readonly handle: string }
  /** The handle has another number. */
  | { readonly _tag: "OtherNumber" }

/**
 * What goes to the number that somebody names with a handle, which has a number itself: that of its account, or of
 * who signs up with it. A message goes out in every case, and every request is answered alike: only who has the
 * number learns whose it is, and nobody which number a handle has.
 */
export const decideReply = (
  number: string,
  numberOfHandle: string | undefined,
  owner: string | undefined
): Reply => {
  if (number === numberOfHandle) return { _tag: "Code" }
  return owner === undefined ? { _tag: "OtherNumber" } : { _tag: "OtherHandle", handle: owner }
}

const titleMax = 40

/** The title of an instance as messages show it: short, as each message costs. */
const nameOf = (title: string): string => Array.from(toLine(title)).slice(0, titleMax).join("").trimEnd()

const ignore = "If you did not ask for this, ignore it."

/** The message with a code. */
export const codeText = (title: string, handle: string, code: string, minutes: number): string =>
  `${code} is your code for ${handle} on ${nameOf(title)}. It is valid for ${minutes === 60 ? "one hour" : `${minutes} minutes`}. ${ignore}`

/** The message to who has signed up with another handle. */
export const otherHandleText = (title: string, handle: string): string =>
  `This number belongs to ${handle} on ${nameOf(title)}. Sign in with that handle. ${ignore}`

/** The message to who names the handle of somebody else. */
export const otherNumberText = (title: string, handle: string): string =>
  `Somebody else has the handle ${handle} on ${nameOf(title)}, or it has another number. Choose another handle. ${ignore}`
