/** What is sent to token endpoints, and what their answers mean (RFC 6749, 4.1.3 to 6). Pure. */
import { DateTime, Option, Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import * as Text from "../field/Text.ts"
import { type AuthMethod, scopeMax } from "./RemoteConnection.ts"
import { type Answered, isSuccess, type Sent } from "./RemoteRequests.ts"

/** Characters of a token. Those that say much about their account have some thousands. */
const tokenMax = 32_000

const Token = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(tokenMax),
  Schema.makeFilter(Text.isStorable, { expected: "text that can be stored" })
)

const Kind = Schema.String.check(Schema.isPattern(/^[!-~]{1,100}$/))

const Granted = Schema.fromJsonString(
  Schema.Struct({
    access_token: Token,
    token_type: Kind,
    expires_in: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Number, Schema.String]))),
    refresh_token: Schema.optionalKey(Schema.NullOr(Schema.String)),
    scope: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

const Refused = Schema.fromJsonString(Schema.Struct({ error: Schema.String }))

/** What a server gives for a code, or for a token to refresh. */
export interface Grant {
  readonly accessToken: Redacted.Redacted
  readonly tokenType: string
  /** Absent if the server does not say. */
  readonly expiry: DateTime.Utc | undefined
  /** Absent if there is none, or none but the one before. */
  readonly refreshToken: Redacted.Redacted | undefined
  /** Absent if it is what was asked for. */
  readonly scope: string | undefined
}

/** Why there is no grant; with what a person reads, which has nothing that the server has chosen. */
export interface TokenRefusal {
  readonly reason: "unreachable" | "refused" | "answer"
  readonly message: string
}

/** Codes that standards know. Others are not repeated, as a server could put anything into them. */
const knownErrors = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
  "access_denied",
  "server_error",
  "temporarily_unavailable"
])

export const unreachable: TokenRefusal = {
  reason: "unreachable",
  message: "The server gave no whole answer"
}

const noToken: TokenRefusal = { reason: "answer", message: "The server answered without a token" }

const refusalOf = ({ status, text }: Answered): TokenRefusal | undefined => {
  const error = Option.map(Schema.decodeUnknownOption(Refused)(text), (found) => found.error)
  if (Option.isNone(error) && isSuccess(status)) return undefined
  const code = Option.getOrElse(error, () => "")
  return {
    reason: "refused",
    message: knownErrors.has(code)
      ? `The server refused: ${code}`
      : `The server refused with status ${status}`
  }
}

const yearSeconds = 365 * 24 * 60 * 60

/** When a token expires. Nobody relies on more than a year. */
const expiryOf = (given: number | string | null | undefined, at: DateTime.Utc) => {
  const seconds = given === null || given === undefined || given === "" ? Number.NaN : Number(given)
  if (Number.isNaN(seconds)) return undefined
  return DateTime.add(at, { seconds: Math.floor(Math.min(Math.max(seconds, 0), yearSeconds)) })
}

const isToken = Schema.is(Token)

const scopeOf = (given: string | null | undefined): string | undefined => {
  const line = Text.toLine(given ?? "")
  return line === "" || line.length > scopeMax || !Text.isStorable(line) ? undefined : line
}

/** Reads what a token endpoint answered at a time. */
export const readGrant = (
  answer: Option.Option<Answered>,
  at: DateTime.Utc
): Result.Result<Grant, TokenRefusal> => {
  if (Option.isNone(answer)) return Result.fail(unreachable)
  const refusal = refusalOf(answer.value)
  if (refusal !== undefined) return Result.fail(refusal)
  return Option.match(Schema.decodeUnknownOption(Granted)(answer.value.text), {
    onNone: () => Result.fail(noToken),
    onSome: ({ access_token, expires_in, refresh_token, scope, token_type }) =>
      Result.succeed({
        accessToken: Redacted.make(access_token),
        tokenType: token_type,
        expiry: expiryOf(expires_in, at),
        refreshToken: isToken(refresh_token) ? Redacted.make(refresh_token) : undefined,
        scope: scopeOf(scope)
      })
  })
}

/** As whom this service asks a token endpoint. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | undefined
  readonly method: AuthMethod
}

/** As forms write it (RFC 6749, 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

const basicOf = (id: string, secret: string) =>
  `Basic ${Base64.encode(`${formEncoded(id)}:${formEncoded(secret)}`)}`

/** The form that asks for a token, with the credentials where the server wants them. */
export const tokenRequest = (
  { clientId, clientSecret, method }: Credentials,
  parameters: Readonly<Record<string, string>>
): Sent => {
  const secret = clientSecret === undefined ? "" : Redacted.value(clientSecret)
  const inBody = {
    ...(method === "client_secret_basic" ? {} : { client_id: clientId }),
    ...(method === "client_secret_post" ? { client_secret: secret } : {})
  }
  return {
    contentType: "application/x-www-form-urlencoded",
    text: new URLSearchParams({ ...parameters, ...inBody }).toString(),
    ...(method === "client_secret_basic" ? { headers: { authorization: basicOf(clientId, secret) } } : {})
  }
}
