/** The mail that says that an account is to be erased. Pure. */
import { toLine } from "../field/Text.ts"
import { documentOf, escaped, type Letter } from "../mail/Letter.ts"

/** What is sent to whom an account belongs that is to be erased on a day. */
export const erasureLetter = (instance: string, handle: string, day: string): Letter => {
  const title = toLine(instance)
  const about = `The account ${handle} on ${title} will be erased on ${day} (UTC), with everything that is known of it.`
  const undo = "Until then you can sign in as before and take the request back."
  const warn = "If you did not ask for this, take it back and change your password."
  return {
    subject: `Your account on ${title} will be erased`,
    text: `${about}\n\n${undo}\n${warn}\n`,
    html: documentOf(...[about, undo, warn].map(escaped))
  }
}
