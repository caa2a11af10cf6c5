/** Tokens that let programs register clients by themselves, and nothing else (RFC 7591, 3). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { secretText } from "../field/SecretText.ts"
import * as Text from "../field/Text.ts"
import { AccountId, InitialAccessTokenId } from "../shared/Id.ts"
import { Instant } from "../shared/Instant.ts"
import { Problem } from "../shared/Problem.ts"
import { initialToken, issuedInitialToken } from "./InitialAccessTokenExamples.ts"

/** What every initial access token starts with, so that people and programs that look for leaked secrets know it. */
export const initialTokenPrefix = "fiat_"

/** Tokens of an instance, with those that do not work any more. The database holds this limit, too. */
export const initialTokensMax = 200

/** Days for which a token stays listed that stopped working. */
export const keptDays = 30

export const registrationsMax = 1000
export const daysMax = 365

const secondsMax = daysMax * 24 * 60 * 60

const fields = {
  id: InitialAccessTokenId,
  createdAt: Timestamp.annotateKey({ description: "When it was created" }),
  name: Schema.optionalKey(Schema.String).annotateKey({ description: "What its creator calls it" }),
  created_by: AccountId.annotateKey({ description: "The administrator who created it" }),
  expires_at: Timestamp.annotateKey({ description: "From when on it does not work" }),
  max_registrations: Schema.Int.annotate({ description: "How many clients can be registered with it" }),
  registrations_used: Schema.Int.annotate({ description: "How many clients were registered with it" }),
  revoked_at: Schema.optionalKey(Timestamp).annotateKey({ description: "When it was revoked, if it was" }),
  last_used_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "When a client was last registered with it; absent if none was"
  })
}

/** A token as it is shown after it was issued. */
export const InitialAccessToken = Schema.Struct(fields)
  .annotate({
    identifier: "OAuthInitialAccessToken",
    description: "A token with which programs register clients"
  })
  .pipe(withExample(initialToken))
export interface InitialAccessToken extends Schema.Schema.Type<typeof InitialAccessToken> {}

export const InitialAccessTokenIssued = Schema.Struct({
  ...fields,
  token: secretText("The bearer token. It is shown this once.")
})
  .annotate({
    identifier: "OAuthInitialAccessTokenIssued",
    description: "A token with which programs register clients, just created"
  })
  .pipe(withExample(issuedInitialToken))
export interface InitialAccessTokenIssued extends Schema.Schema.Type<typeof InitialAccessTokenIssued> {}

export const NewInitialAccessToken = Schema.Struct({
  expires_at: Schema.optionalKey(Instant).annotateKey({
    description: `From when on it does not work: in the future, and within ${daysMax} days. Needed without \`expires_in\``
  }),
  expires_in: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: secondsMax }))
  ).annotateKey({ description: "For how many seconds it works, instead of `expires_at`" }),
  max_registrations: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: registrationsMax }))
  ).annotateKey({ description: "How many clients can be registered with it; 1 if it is absent" }),
  name: Schema.optionalKey(Text.visibleLine({ max: 100, description: "What to call it" }))
})
  .annotate({
    identifier: "OAuthInitialAccessTokenCreateProps",
    description: "A token to create with which programs register clients"
  })
  .pipe(
    withExample({
      // An instant would be one in the past some day.
      expires_in: 30 * 24 * 60 * 60,
      max_registrations: initialToken.max_registrations,
      name: initialToken.name
    })
  )
export interface NewInitialAccessToken extends Schema.Schema.Type<typeof NewInitialAccessToken> {}

export class InitialAccessTokenNotFound extends Problem<InitialAccessTokenNotFound>()(
  "InitialAccessTokenNotFound",
  {
    status: 404,
    title: "There is no such initial access token",
    explanation: "No initial access token has this id.",
    metadata: { initial_access_token_id: Schema.String }
  }
) {}

export const ExpiryRule = Schema.Literals(["missing", "twice", "past", "too-late"])
export type ExpiryRule = typeof ExpiryRule.Type

export class InitialAccessTokenExpiryInvalid extends Problem<InitialAccessTokenExpiryInvalid>()(
  "InitialAccessTokenExpiryInvalid",
  {
    status: 400,
    title: "The token cannot expire then",
    explanation: `An initial access token has either \`expires_at\` or \`expires_in\`, in the future and within ${daysMax} days. \`rule\` says what is wrong.`,
    metadata: { rule: ExpiryRule }
  }
) {}

export class TooManyInitialAccessTokens extends Problem<TooManyInitialAccessTokens>()(
  "TooManyInitialAccessTokens",
  {
    status: 409,
    title: "There are too many initial access tokens",
    explanation: `An instance has ${initialTokensMax} initial access tokens at most. Those that no longer work make room for new ones, so revoke one to create another.`,
    metadata: { maximum: Schema.Int }
  }
) {}
