/** Email addresses as people write them, and the one form in which they are stored. */
import { Schema, SchemaGetter } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"

/** Lengths of a stored address and of the part before its host, in characters. */
const length = { min: 3, max: 254, local: 64 }

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`)
const inQuotes = /^"([^"\\]+)"$/

/** The part before the host. Quotes that an address needs hide what programs take for another address; others are dropped. */
const toLocal = (text: string): string | undefined => {
  const local = inQuotes.exec(text)?.[1] ?? text
  return local.length <= length.local && dotAtom.test(local) ? local.toLowerCase() : undefined
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The name of the host in ASCII (UTS 46). Neither a number nor the address of a machine is a name. */
const toHost = (text: string): string | undefined => {
  if (!/^[^\s"#%/:<>?@[\\\]^|]+$/.test(text)) return undefined
  const host = URL.parse(`http://${text}`)?.hostname
  const labels = host?.split(".") ?? []
  return labels.every((one) => label.test(one)) && !/^\d*$/.test(labels.at(-1) ?? "") ? host : undefined
}

// A display name: quoted, or without the characters that have a meaning in lists of addresses.
const named = /^(?:"(?:[^"\\]|\\.)*"|[^"\\<>()[\]@,;:])*<([^<>]*)>$/

/** The one form of an address: without a display name, in lower case, its host in ASCII. */
export const toEmailAddress = (text: string): string | undefined => {
  const written = text.trim()
  const address = (named.exec(written)?.[1] ?? written).trim()
  const at = address.lastIndexOf("@")
  const [local, host] = [toLocal(address.slice(0, Math.max(0, at))), toHost(address.slice(at + 1))]
  if (at < 0 || local === undefined || host === undefined) return undefined
  const whole = `${local}@${host}`
  return whole.length >= length.min && whole.length <= length.max ? whole : undefined
}

const isEmailAddress = (text: string): boolean => toEmailAddress(text) === text

/** An address in a request; a display name before it is dropped. */
export const EmailAddressText = Text.verbatim({
  max: 1000,
  format: "email",
  description: `An address of ${length.min} to ${length.max} characters. Letter case does not matter, and a display name before it is dropped.`,
  examples: ["odin@asgard.example"]
}).pipe(
  Schema.decodeTo(Schema.String.check(Schema.makeFilter(isEmailAddress, { expected: "an email address" })), {
    decode: SchemaGetter.transform((text: string) => toEmailAddress(text) ?? text),
    encode: SchemaGetter.passthrough<string>()
  })
)

export const NewEmailAddress = Schema.Struct({ email_address: EmailAddressText })
  .annotate({ identifier: "AccountEmailInitialProps", description: "The address to add" })
  .pipe(withExample({ email_address: "raven@asgard.example" }))

export const EmailVerification = Schema.Struct({
  verified: Schema.Boolean.annotate({ description: "Whether it counts as confirmed" })
})
  .annotate({
    identifier: "AccountEmailVerifiedStatusMutableProps",
    description: "Whether an address counts as confirmed by its owner"
  })
  .pipe(withExample({ verified: true }))

/** How many addresses an account may have. */
export const addressesMax = 20

export class EmailAddressTaken extends Problem<EmailAddressTaken>()("EmailAddressTaken", {
  status: 409,
  title: "Another account has this email address",
  explanation: "An email address belongs to one account at most. Letter case does not distinguish addresses.",
  metadata: { email_address: Schema.String }
}) {}

export class TooManyEmailAddresses extends Problem<TooManyEmailAddresses>()("TooManyEmailAddresses", {
  status: 400,
  title: "The account has too many email addresses",
  explanation: `An account may have ${addressesMax} email addresses. Remove one first.`,
  metadata: { maximum: Schema.Int }
}) {}

export class EmailAddressNotFound extends Problem<EmailAddressNotFound>()("EmailAddressNotFound", {
  status: 404,
  title: "The account has no such email address",
  explanation: "No email address with this id belongs to the account. It may belong to another one.",
  metadata: { email_address: Schema.String }
}) {}
