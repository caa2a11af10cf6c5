/** What an instance is, and what it still needs. */
import { Context, Effect, Layer } from "effect"
import { Outbox } from "../mail/Outbox.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import type { GeneralSettings } from "../settings/GeneralSetting.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { Info, OnboardingStatus } from "./Info.ts"

/** How far an instance has come; numbers stop counting at two. */
export interface Progress {
  readonly accounts: number
  readonly categories: number
  readonly posts: number
}

/** What the rules of an instance need from storage. */
export class InstanceStore extends Context.Service<
  InstanceStore,
  { readonly progress: Effect.Effect<Progress> }
>()("forum/domain/InstanceStore") {}

/** The next step of setting up, in this order. */
export const decideOnboarding = ({ accounts, categories, posts }: Progress): OnboardingStatus => {
  if (accounts === 0) return "requires_first_account"
  if (categories === 0) return "requires_category"
  if (posts === 0) return "requires_first_post"
  return accounts === 1 ? "requires_more_accounts" : "complete"
}

/** Settings with a way to sign in that works: nobody can sign in by email where no mail is sent. */
const withPossibleMode =
  (sendsMail: boolean) =>
  (general: GeneralSettings): GeneralSettings =>
    general.authentication_mode === "email" && !sendsMail
      ? { ...general, authentication_mode: "handle" }
      : general

const make = Effect.gen(function* () {
  const store = yield* InstanceStore
  const deployment = yield* Deployment
  const settings = yield* InstanceSettings

  const { enabled: sendsMail } = yield* Outbox

  const general = Effect.map(settings.general, withPossibleMode(sendsMail))

  const capabilities = sendsMail ? (["email_client"] as const) : []

  const info = Effect.map(
    Effect.all([store.progress, general], { concurrency: "unbounded" }),
    ([progress, general]): Info => ({
      ...general,
      onboarding_status: decideOnboarding(progress),
      capabilities,
      web_address: addressOf(deployment.webUrl),
      api_address: addressOf(deployment.publicUrl)
    })
  )

  /** What accounts sign in with. */
  const authenticationMode = Effect.map(general, ({ authentication_mode }) => authentication_mode)

  return { info, authenticationMode, version: deployment.version } as const
})

export class Instance extends Context.Service<Instance, Effect.Success<typeof make>>()(
  "forum/domain/Instance"
) {
  static readonly layer = Layer.effect(Instance, make).pipe(Layer.provide(InstanceSettings.layer))
}
