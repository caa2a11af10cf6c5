/** The texts of the mails about signing in. Pure. */

import { toLine } from "../field/Text.ts"
import { documentOf, escaped, type Letter } from "../mail/Letter.ts"

// Names are not in the texts: people choose them, and mail programs make links of what looks like one.
const ignore = "If you did not ask for this, you can ignore this mail."

/** What is sent to an address so that its owner can confirm it, or sign in. */
export const codeLetter = (
  instance: string,
  handle: string,
  { code, minutes }: { readonly code: string; readonly minutes: number }
): Letter => {
  const title = toLine(instance)
  const [ask, about] = [
    "Use this code to verify your account:",
    `It is for the account ${handle} on ${title}, and is valid for ${minutes === 60 ? "one hour" : `${minutes} minutes`}.`
  ]
  return {
    subject: `Welcome to ${title}!`,
    text: `${ask} ${code}\n\n${about}\n${ignore}\n`,
    html: documentOf(`${ask} <strong>${code}</strong>`, escaped(about), ignore)
  }
}

/** What is sent to set a new password by. */
export const resetLetter = (instance: string, handle: string, link: string): Letter => {
  const title = toLine(instance)
  const ask = `Open this address to choose a new password for the account ${handle} on ${title}:`
  const about = "It is valid for one hour and works once."
  const address = escaped(link)
  return {
    subject: `Reset your password on ${title}!`,
    text: `${ask}\n\n${link}\n\n${about}\n${ignore}\n`,
    html: documentOf(escaped(ask), `<a href="${address}">${address}</a>`, about, ignore)
  }
}
