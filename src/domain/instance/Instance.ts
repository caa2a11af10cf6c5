/** What an instance is, and what it still needs. */
import { Context, Effect, Layer } from "effect"
import { Outbox } from "../mail/Outbox.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import type { AuthMode, GeneralSettings } from "../settings/GeneralSetting.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { SmsOutbox } from "../sms/SmsOutbox.ts"
import type { Info, InstanceCapability, OnboardingStatus } from "./Info.ts"

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

/** What the operator has set up to send, by the way to sign in that needs it. */
type Sending = Readonly<Record<Exclude<AuthMode, "handle">, boolean>>

/** Settings with a way to sign in that works: nobody can sign in with codes where those are not sent. */
const withPossibleMode =
  (sends: Sending) =>
  (general: GeneralSettings): GeneralSettings => {
    const { authentication_mode: mode } = general
    return mode === "handle" || sends[mode] ? general : { ...general, authentication_mode: "handle" }
  }

const capabilitiesOf = (
  sends: Sending,
  { oauthEnabled, pluginsEnabled }: Deployment["Service"]
): ReadonlyArray<InstanceCapability> => [
  ...(pluginsEnabled ? (["plugins"] as const) : []),
  ...(sends.email ? (["email_client"] as const) : []),
  ...(sends.phone ? (["sms_client"] as const) : []),
  ...(oauthEnabled ? (["oauth"] as const) : [])
]

const make = Effect.gen(function* () {
  const store = yield* InstanceStore
  const deployment = yield* Deployment
  const settings = yield* InstanceSettings

  const sends = { email: (yield* Outbox).enabled, phone: (yield* SmsOutbox).enabled }

  const general = Effect.map(settings.general, withPossibleMode(sends))

  const capabilities = capabilitiesOf(sends, deployment)

  /** What everyone may know of an instance with these settings. */
  const shownWith = (current: GeneralSettings, progress: Progress): Info => {
    const { reserved_handles: _, ...shown } = withPossibleMode(sends)(current)
    return {
      ...shown,
      onboarding_status: decideOnboarding(progress),
      capabilities,
      web_address: addressOf(deployment.webUrl),
      api_address: addressOf(deployment.publicUrl)
    }
  }

  const info = Effect.map(
    Effect.all([store.progress, settings.general], { concurrency: "unbounded" }),
    ([progress, general]) => shownWith(general, progress)
  )

  /** What accounts sign in with. */
  const authenticationMode = Effect.map(general, ({ authentication_mode }) => authentication_mode)

  return {
    info,
    shownWith,
    progress: store.progress,
    authenticationMode,
    version: deployment.version
  } as const
})

export class Instance extends Context.Service<Instance, Effect.Success<typeof make>>()(
  "forum/domain/Instance"
) {
  static readonly layer = Layer.effect(Instance, make).pipe(Layer.provide(InstanceSettings.layer))
}
