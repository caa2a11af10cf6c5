/** Signing in with an account at another service: what browsers bring back from there, and what is wrong with it. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { callback } from "./ElsewhereExamples.ts"

/** How many minutes people have to sign in at the other service. */
export const awayMinutes = 10

/** Accounts elsewhere of an account: its ways to sign in are listed on one page. */
export const identitiesMax = 20

/** A provider in an address. Which there are depends on the settings. */
export const ProviderMark = Text.term({
  max: 100,
  description: "The provider, such as `oauth_oidc`, of those that `AuthProviderList` lists with a link"
})

export const OAuthCallback = Schema.Struct({
  state: Text.verbatim({ max: 1000, description: "The parameter `state` that the provider sent back" }),
  code: Text.verbatim({ max: 4000, description: "The parameter `code` that the provider sent" })
})
  .annotate({ identifier: "OAuthCallback", description: "What a provider gave the browser to bring back" })
  .pipe(withExample(callback))
export interface OAuthCallback extends Schema.Schema.Type<typeof OAuthCallback> {}

export class ProviderUnknown extends Problem<ProviderUnknown>()("ProviderUnknown", {
  status: 400,
  title: "Nobody signs in here with this provider",
  explanation:
    "The instance offers the providers that `AuthProviderList` lists with a link. Which ones those are is up to its operator.",
  metadata: { provider: Schema.String }
}) {}

export class ElsewhereRefused extends Problem<ElsewhereRefused>()("ElsewhereRefused", {
  status: 401,
  title: "The sign-in at the provider was not accepted",
  explanation: `\`reason\` is \`state\` if this browser did not begin to sign in so: the cookie with the state is missing, is ${awayMinutes} minutes old, was used before, or belongs to another provider or session. It is \`answer\` if the provider does not stand by the code, or says something else than it was asked for. Begin again either way.`,
  metadata: { reason: Schema.Literals(["state", "answer"]) }
}) {}

export class ProviderUnavailable extends Problem<ProviderUnavailable>()("ProviderUnavailable", {
  status: 502,
  title: "The provider does not answer as it should",
  explanation:
    "The service could not reach the provider, or did not understand what it answered. Try again later, or sign in by other means. Its operator finds the cause in the log.",
  metadata: { provider: Schema.String }
}) {}

export class IdentityTaken extends Problem<IdentityTaken>()("IdentityTaken", {
  status: 409,
  title: "Another account signs in with this account at the provider",
  explanation:
    "An account elsewhere belongs to one account here. Sign in with it, and give it up there first."
}) {}

export class TooManyIdentities extends Problem<TooManyIdentities>()("TooManyIdentities", {
  status: 409,
  title: "The account has too many accounts elsewhere",
  explanation: `An account signs in with ${identitiesMax} accounts at other services at most. Remove one to add another.`,
  metadata: { maximum: Schema.Int }
}) {}
