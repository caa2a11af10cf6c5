/** How this service registers at servers of others (RFC 7591), and what it makes of their answers. Pure. */
import { Option, Redacted, Result, Schema } from "effect"
import { type ownClient, ownGrants } from "../discovery/ClientMetadata.ts"
import * as Text from "../field/Text.ts"
import { readRemoteAddress } from "./RemoteAddress.ts"
import {
  AuthMethod,
  clientIdMax,
  clientSecretMax,
  redirectsLengthMax,
  redirectsMax
} from "./RemoteConnection.ts"
import type { registrationRefusals } from "./RemoteRefusal.ts"
import { type Answered, isSuccess, type Sent } from "./RemoteRequests.ts"
import type { Credentials } from "./TokenRules.ts"

export type RegistrationRefusal = (typeof registrationRefusals)[number]

const isStorable = Schema.makeFilter(Text.isStorable, { expected: "text that can be stored" })

const Registered = Schema.fromJsonString(
  Schema.Struct({
    client_id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(clientIdMax), isStorable),
    client_secret: Schema.optionalKey(
      Schema.NullOr(Schema.String.check(Schema.isMaxLength(clientSecretMax), isStorable))
    ),
    token_endpoint_auth_method: Schema.optionalKey(Schema.NullOr(Schema.String)),
    redirect_uris: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(Schema.String.check(isStorable)).check(
          Schema.isMaxLength(redirectsMax),
          Schema.makeFilter((all: ReadonlyArray<string>) => all.join("").length <= redirectsLengthMax)
        )
      )
    )
  })
)

/** As whom a server has registered this service. */
export interface Registration extends Credentials {
  readonly redirectUris: ReadonlyArray<string>
}

export const registrationRequest = (
  own: ReturnType<typeof ownClient>,
  title: string,
  scope: string | undefined
): Sent => ({
  contentType: "application/json",
  text: JSON.stringify({
    client_name: title,
    client_uri: own.clientUri,
    redirect_uris: [own.redirectUri],
    ...ownGrants,
    ...(scope === undefined ? {} : { scope })
  })
})

const isAuthMethod = Schema.is(AuthMethod)

const isAddress = (text: string) => Result.isSuccess(readRemoteAddress(text))

/** How to authenticate by what was given; where nothing is said, as the standard does. */
const methodOf = (given: string, hasSecret: boolean): AuthMethod | RegistrationRefusal => {
  if (given === "") return hasSecret ? "client_secret_basic" : "none"
  if (!isAuthMethod(given)) return "method"
  return given === "none" || hasSecret ? given : "answer"
}

/** Reads what a registration endpoint answered. */
export const readRegistration = (
  answer: Option.Option<Answered>,
  redirectUri: string
): Result.Result<Registration, RegistrationRefusal> => {
  if (Option.isNone(answer)) return Result.fail("unreachable")
  if (!isSuccess(answer.value.status)) return Result.fail("refused")
  const found = Option.getOrUndefined(Schema.decodeUnknownOption(Registered)(answer.value.text))
  if (found === undefined) return Result.fail("answer")
  const secret = found.client_secret ?? ""
  const method = methodOf(found.token_endpoint_auth_method ?? "", secret !== "")
  if (!isAuthMethod(method)) return Result.fail(method)
  const redirectUris = found.redirect_uris ?? [redirectUri]
  if (!redirectUris.includes(redirectUri)) return Result.fail("redirect")
  return Result.succeed({
    clientId: found.client_id,
    clientSecret: method === "none" ? undefined : Redacted.make(secret),
    method,
    redirectUris: redirectUris.filter((address) => address === redirectUri || isAddress(address))
  })
}
