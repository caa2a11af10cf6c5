/** What the fields of clients are made of, for all who write them. */
import { Schema } from "effect"
import { isSecretHash, secretHashMax } from "../authentication/SecretHash.ts"
import * as Text from "../field/Text.ts"
import { Permission } from "../shared/Permission.ts"
import { scopes } from "../vocabulary/Scope.ts"
import { type RedirectRefusal, redirectAddressMax, refusalOfRedirect } from "./RedirectAddress.ts"

/** Redirect addresses of a client, and the characters of all of them together: lists show them of every client. */
export const redirectsMax = 10
export const redirectsLengthMax = 4000

/** More would name some twice. */
const scopesMax = 64
const grantsMax = 8

export const Grant = Schema.Literals([
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code"
]).annotate({ identifier: "OAuthGrant", description: "A way in which a client gets tokens" })
export type Grant = typeof Grant.Type

export const ClientType = Schema.Literals(["public", "confidential"]).annotate({
  identifier: "OAuthClientType",
  description: "Whether the client has a secret: programs in the hands of people cannot keep one"
})
export type ClientType = typeof ClientType.Type

export const ScopePolicy = Schema.Literals(["explicit", "inherit"]).annotate({
  identifier: "OAuthClientScopePolicy",
  description:
    "What people grant who are asked for no permission by name: with `inherit` all that they may do, with `explicit` none"
})
export type ScopePolicy = typeof ScopePolicy.Type

export const ClientScope = Schema.Literals(scopes).annotate({
  identifier: "OAuthScope",
  description: "What a client may ask for: something about the person, or a permission"
})

export const name = Text.visibleLine({
  max: 100,
  description: "What people who are asked for their approval read"
})

/** Redirect addresses, of which these are refused, with so many characters together. */
export const makeRedirects = (
  refusalOf: (address: string) => RedirectRefusal | undefined,
  lengthMax: number,
  description: string
) => {
  const isRedirect = Schema.makeFilter((address: string) => {
    const refusal = refusalOf(address)
    return refusal === undefined ? true : `Expected an address that can be registered; this one ${refusal}`
  })
  const isShortTogether = Schema.makeFilter(
    (addresses: ReadonlyArray<string>) => addresses.join("").length <= lengthMax,
    { expected: `addresses of ${lengthMax.toLocaleString("en")} characters together` }
  )
  return Schema.Array(
    Text.verbatim({ max: redirectAddressMax, format: "uri", description }).check(isRedirect)
  ).check(Schema.isMaxLength(redirectsMax), isShortTogether)
}

export const redirects = makeRedirects(
  refusalOfRedirect,
  redirectsLengthMax,
  "Where an authorisation may lead: exactly this address, but for the port of `127.0.0.1` and `[::1]`"
).annotate({ description: `Where authorisations may lead, ${redirectsLengthMax} characters together` })

export const allScopes = Schema.Array(ClientScope)
  .check(Schema.isMaxLength(scopesMax))
  .annotate({ description: "What the client may ask for" })

export const permissions = Schema.Array(Permission)
  .check(Schema.isMaxLength(scopesMax))
  .annotate({ description: "The permissions that the client may ask for" })

export const grants = Schema.Array(Grant)
  .check(Schema.isMaxLength(grantsMax))
  .annotate({ description: "How the client may get tokens" })

// What metadata documents of clients are read by begins like that.
const clientIdForm = "^(?![Hh][Tt][Tt][Pp][Ss]?:)[!-~]+$"

const clientIdPattern = new RegExp(clientIdForm)

const isClientId = Schema.makeFilter((id: string) => clientIdPattern.test(id), {
  expected: "printable ASCII without spaces that does not begin like an address"
})

export const clientId = Text.verbatim({
  max: 200,
  pattern: clientIdForm,
  description: "The unique id by which programs name the client; no address, as that would name a document"
}).check(isClientId)

const isHash = Schema.makeFilter(isSecretHash, {
  expected: "a hash by Argon2id in PHC string format that costs no more than allowed"
})

export const secretHash = Text.verbatim({
  max: secretHashMax,
  pattern: "^\\$argon2id\\$v=19\\$",
  description:
    "The hash of a secret that you keep, of 16 random bytes or more, by Argon2id in PHC string format (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`), with at most 64 MiB, 10 passes and 4 lanes, and 256 MiB for memory times passes"
}).check(isHash)
