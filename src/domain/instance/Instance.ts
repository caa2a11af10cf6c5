/** What an instance is, and what it still needs. */
import { Context, Effect, Layer } from "effect"
import { addressOf, Deployment } from "./Deployment.ts"
import type { Info, OnboardingStatus } from "./Info.ts"
import { InstanceStore, type Progress } from "./InstanceStore.ts"

/** What an administrator has not yet changed. */
const defaults = {
  title: "Forum",
  description: "A place to talk and to keep what was learned.",
  content: "<body></body>",
  accent_colour: "#2f6f5e",
  authentication_mode: "handle",
  registration_mode: "public"
} as const

/** The next step of setting up, in this order. */
export const decideOnboarding = ({ accounts, categories, posts }: Progress): OnboardingStatus => {
  if (accounts === 0) return "requires_first_account"
  if (categories === 0) return "requires_category"
  if (posts === 0) return "requires_first_post"
  return accounts === 1 ? "requires_more_accounts" : "complete"
}

const make = Effect.gen(function* () {
  const store = yield* InstanceStore
  const deployment = yield* Deployment

  const info = Effect.map(
    store.progress,
    (progress): Info => ({
      ...defaults,
      onboarding_status: decideOnboarding(progress),
      capabilities: [],
      web_address: addressOf(deployment.webUrl),
      api_address: addressOf(deployment.publicUrl),
      metadata: {}
    })
  )

  /** The ways to sign in that this instance offers. */
  const signInMethods = {
    providers: [{ provider: "password", name: "Password + either username or email" }],
    mode: defaults.authentication_mode
  }

  return { info, signInMethods, version: deployment.version } as const
})

export class Instance extends Context.Service<Instance, Effect.Success<typeof make>>()(
  "forum/domain/Instance"
) {
  static readonly layer = Layer.effect(Instance, make)
}
