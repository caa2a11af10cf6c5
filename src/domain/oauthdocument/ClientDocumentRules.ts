/** What clients are that are named by the address of a document about them (OAuth Client ID Metadata Document). Pure. */
import { Duration, Result, Schema } from "effect"
import { hasAtMost, isVisible, toLine } from "../field/Text.ts"
import { type Grant, redirectsMax } from "../oauthclient/OAuthClientFields.ts"
import { refusalOfOpenRedirect } from "../oauthclient/RedirectAddress.ts"
import { redirectsLengthMax } from "../oauthclient/Registration.ts"
import type { OutboundAnswer } from "../outbound/Outbound.ts"
import { decideDial, hostOf, portOf } from "../outbound/OutboundRules.ts"
import type { Permission } from "../shared/Permission.ts"
import { isScope, isStandardScope, type Scope, standardScopes } from "../vocabulary/Scope.ts"
import type { DocumentSettings } from "./DocumentSettings.ts"

/** Bytes of a document. */
export const documentMax = 5 * 1024

/** Characters of the address of a document, and of the name of a client. The database holds both, too. */
export const documentAddressMax = 500
const nameMax = 100

/** What clients may ask for where the operator says nothing else: to read what members read. */
const usualPermissions: ReadonlyArray<Permission> = [
  "READ_PUBLISHED_THREADS",
  "READ_PUBLISHED_LIBRARY",
  "LIST_PROFILES",
  "READ_PROFILE",
  "LIST_COLLECTIONS",
  "READ_COLLECTION"
]

/** Permissions over other people and the instance, and those that lead to others. */
const privileged: ReadonlySet<Scope> = new Set<Permission>([
  "ADMINISTRATOR",
  "MANAGE_SETTINGS",
  "MANAGE_ACCOUNTS",
  "MANAGE_ROLES",
  "MANAGE_REPORTS",
  "MANAGE_WARNINGS",
  "MANAGE_SUSPENSIONS",
  "VIEW_ACCOUNTS",
  "VIEW_MODERATION_NOTES",
  "MANAGE_MODERATION_NOTES",
  "USE_OAUTH_CLIENTS",
  "USE_PERSONAL_ACCESS_KEYS"
])

/** Whether the id of a client is the address of a document. */
export const isDocumentAddress = (clientId: string): boolean => {
  const url = URL.parse(clientId)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== ""
}

/** Why nothing is fetched from an address, decided without asking anybody; nothing if it may be. */
export const refusalOfDocumentAddress = (
  clientId: string,
  { allowsInsecure }: DocumentSettings
): string | undefined => {
  const url = URL.parse(clientId)
  if (url === null) return "it is no address"
  if (clientId.length > documentAddressMax) return "it is too long"
  if (url.protocol !== "https:" && !allowsInsecure) return "it is not https"
  if (`${url.username}${url.password}` !== "") return "it has a user name or password"
  if (clientId.includes("#")) return "it has a fragment"
  if (url.pathname === "/") return "it has no path"
  // This also finds dots as a part of the path, which an address that was read has no more.
  if (url.href !== clientId) return "it is not written as programs read it"
  const host = hostOf(url)
  if (allowsInsecure || host._tag === "Name") return undefined
  const isOpen = host._tag === "Address" && decideDial(host.address, portOf(url), []) === "dial"
  return isOpen ? undefined : "it is not on the public internet"
}

/** A client as its document describes it. */
export interface DocumentClient {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly allowedScopes: ReadonlyArray<Scope>
  readonly allowedGrants: ReadonlyArray<Grant>
}

const Document = Schema.Struct({
  client_id: Schema.String,
  client_name: Schema.optionalKey(Schema.String),
  redirect_uris: Schema.Array(Schema.String),
  grant_types: Schema.optionalKey(Schema.Array(Schema.String)),
  scope: Schema.optionalKey(Schema.String),
  token_endpoint_auth_method: Schema.optionalKey(Schema.Literal("none")),
  client_secret: Schema.optionalKey(Schema.Never),
  client_secret_expires_at: Schema.optionalKey(Schema.Never)
})
type Document = typeof Document.Type

const decodeDocument = Schema.decodeUnknownResult(Schema.fromJsonString(Document))

const jsonType = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)\s*(?:;|$)/i

const textOf = (body: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

const nameOf = ({ client_id, client_name = "" }: Document): string => {
  const line = toLine(client_name)
  const name = isVisible(line) ? line : client_id
  return hasAtMost(name, nameMax) ? name : [...name].slice(0, nameMax).join("").trim()
}

/** What the client may ask for: of what its document says, what such clients may have. The rest is left out. */
const scopesOf = (
  { scope = "" }: Document,
  { allowedPermissions, allowsPrivileged }: DocumentSettings
): ReadonlyArray<Scope> => {
  const words = scope.split(" ").filter((word) => word !== "")
  const allowed: ReadonlySet<Scope> = new Set(
    allowedPermissions.length === 0 ? usualPermissions : allowedPermissions
  )
  const known = [...new Set(words.length === 0 ? standardScopes : words)].filter(isScope)
  return known.filter(
    (one) => isStandardScope(one) || (allowed.has(one) && (allowsPrivileged || !privileged.has(one)))
  )
}

const refusalOfRedirects = (addresses: ReadonlyArray<string>): string | undefined => {
  if (addresses.length === 0) return "redirect_uris has no address"
  if (addresses.length > redirectsMax) return "redirect_uris has too many addresses"
  if (addresses.join("").length > redirectsLengthMax) return "redirect_uris is too long"
  const refusal = addresses.map(refusalOfOpenRedirect).find((one) => one !== undefined)
  return refusal === undefined ? undefined : `an address in redirect_uris ${refusal}`
}

/** What the client is that an answer describes; or why it describes none. */
export const readDocument = (
  clientId: string,
  { body, headers, status }: Pick<OutboundAnswer, "body" | "headers" | "status">,
  settings: DocumentSettings
): Result.Result<DocumentClient, string> => {
  if (status !== 200) return Result.fail(`the answer has the status ${status}`)
  if (!jsonType.test(headers["content-type"] ?? "")) return Result.fail("it is not JSON by its type")
  const text = textOf(body)
  const decoded = text === undefined ? undefined : decodeDocument(text)
  if (decoded === undefined || Result.isFailure(decoded)) {
    return Result.fail("it is not the metadata of a public client")
  }
  const document = decoded.success
  if (document.client_id !== clientId) return Result.fail("its client_id is not its address")
  const refusal = refusalOfRedirects(document.redirect_uris)
  if (refusal !== undefined) return Result.fail(refusal)
  const allowedScopes = scopesOf(document, settings)
  const refreshes =
    allowedScopes.includes("offline_access") &&
    (document.grant_types ?? ["refresh_token"]).includes("refresh_token")
  return Result.succeed({
    clientId,
    name: nameOf(document),
    redirectUris: [...new Set(document.redirect_uris)],
    allowedScopes,
    allowedGrants: refreshes ? ["authorization_code", "refresh_token"] : ["authorization_code"]
  })
}

const usuallyFresh = Duration.minutes(5)
const freshMax = Duration.hours(1)

/** For how long a document is not fetched again, by the `Cache-Control` of its answer. */
export const freshFor = (cacheControl = ""): Duration.Duration => {
  const directives = cacheControl
    .toLowerCase()
    .split(",")
    .map((directive) => directive.trim())
  if (directives.some((one) => /^no-(?:store|cache)(?:=|$)/.test(one))) return Duration.zero
  const age = directives.flatMap((one) => /^max-age="?(-?\d{1,10})"?$/.exec(one)?.[1] ?? [])[0]
  if (age === undefined) return usuallyFresh
  return Duration.min(Duration.seconds(Math.max(0, Number(age))), freshMax)
}
