/** Signing up and in with accounts at other services, and adding them to accounts. */
import { Context, Effect, Layer, Option } from "effect"
import { AttemptLimit } from "../authentication/AttemptLimit.ts"
import { type ProviderElsewhere, ProvidersElsewhere } from "../authentication/ProvidersElsewhere.ts"
import * as Text from "../field/Text.ts"
import { Sessions } from "../session/Sessions.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentActor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { type Departure, Departures } from "./Departures.ts"
import { ElsewhereRefused, type OAuthCallback, ProviderUnavailable, ProviderUnknown } from "./Elsewhere.ts"
import { mayFinish } from "./ElsewhereRules.ts"
import { makeEntering } from "./Entering.ts"
import { AnswerRefused, type Identity, IdentityProviders } from "./IdentityProviders.ts"

const refused = (reason: "state" | "answer") => new ElsewhereRefused({ metadata: { reason } })

/** Who sends the running request, if it is not a guest. */
const sender = Effect.map(CurrentActor, (actor) => (actor._tag === "Guest" ? undefined : actor))

const isWithin = (text: string, max: number) => text !== "" && text.length <= max && Text.isStorable(text)

/** Whether somebody can be known again by what the provider says. The limit of a subject is that of OpenID Connect. */
const isKnowable = ({ issuer, subject }: Identity) => isWithin(subject, 255) && isWithin(issuer, 2000)

const make = Effect.gen(function* () {
  const providers = yield* ProvidersElsewhere
  const identities = yield* IdentityProviders
  const departures = yield* Departures
  const enter = yield* makeEntering
  const { webUrl } = yield* Deployment

  const getProvider = (mark: string): Effect.Effect<ProviderElsewhere, ProviderUnknown> => {
    const provider = providers.find(({ service }) => service === mark)
    return provider === undefined
      ? Effect.fail(new ProviderUnknown({ metadata: { provider: mark } }))
      : Effect.succeed(provider)
  }

  /** Each provider has a page of its own to come back to, so that the answer of none is taken for that of another. */
  const pageOf = ({ service }: ProviderElsewhere) => `${addressOf(webUrl)}/auth/${service}/callback`

  /** Says in the log what is wrong with a provider, which its operator wants to know, and fails with the problem. */
  const unavailable = ({ service }: ProviderElsewhere, why: unknown) =>
    Effect.andThen(
      Effect.logWarning(`Nobody can sign in with ${service}`, why),
      Effect.fail(new ProviderUnavailable({ metadata: { provider: service } }))
    )

  /** Sends a browser to the provider, with what it has to keep until it comes back. */
  const begin = Effect.fn("SignInsElsewhere.begin")(function* (mark: string, invitation: string | undefined) {
    const provider = yield* getProvider(mark)
    const account = (yield* sender)?.accountId
    const { departure, expiresAt, kept } = yield* departures.begin({
      service: provider.service,
      ...(account === undefined ? {} : { account }),
      ...(invitation === undefined ? {} : { invitation })
    })
    const location = yield* identities
      .addressOf(provider, pageOf(provider), departure)
      .pipe(Effect.catchTag("ProviderFailed", ({ why }) => unavailable(provider, why)))
    return { location, kept, expiresAt }
  })

  const identify = (provider: ProviderElsewhere, departure: Departure, code: string) =>
    identities.identify(provider, pageOf(provider), departure, code).pipe(
      Effect.filterOrFail(isKnowable, (why) => new AnswerRefused({ why })),
      Effect.catchTags({
        AnswerRefused: ({ why }) =>
          Effect.andThen(
            Effect.logDebug("The answer of a provider was refused", why),
            Effect.fail(refused("answer"))
          ),
        ProviderFailed: ({ why }) => unavailable(provider, why)
      })
    )

  /** Signs in or up who comes back from a provider, or adds the account there to the caller's; a session begins either way. */
  const finish = Effect.fn("SignInsElsewhere.finish")(function* (
    mark: string,
    { code, state }: OAuthCallback,
    kept: ReadonlyArray<string>,
    from: ClientNetwork
  ) {
    const provider = yield* getProvider(mark)
    const departure = Option.getOrUndefined(yield* departures.find(kept, state))
    if (departure?.service !== provider.service) return yield* refused("state")
    const caller = yield* sender
    if (!mayFinish(departure.account, caller)) return yield* refused("state")
    const identity = yield* identify(provider, departure, code)
    return yield* enter(departure, identity, caller, from)
  })

  return { begin, finish } as const
})

export class SignInsElsewhere extends Context.Service<SignInsElsewhere, Effect.Success<typeof make>>()(
  "forum/domain/SignInsElsewhere"
) {
  static readonly layer = Layer.effect(SignInsElsewhere, make).pipe(
    Layer.provide(
      Layer.mergeAll(Departures.layer, Sessions.layer, InstanceSettings.layer, AttemptLimit.layer)
    )
  )
}
