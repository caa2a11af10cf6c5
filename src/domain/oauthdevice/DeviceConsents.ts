/** What people decide about devices whose codes they have typed. */
import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { decideConsent } from "../oauthclient/Scopes.ts"
import { ClientAuthentication } from "../oauthgrant/ClientAuthentication.ts"
import { consentOf, type Decision } from "../oauthgrant/Consent.ts"
import { disabled, mayGrant, notAllowed } from "../oauthgrant/Grantable.ts"
import { Deployment } from "../settings/Deployment.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { secondsUntil } from "../shared/Seconds.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type OAuthDeviceConsent,
  type OAuthDeviceConsentResult,
  TooManyUserCodes
} from "./DeviceAuthorisation.ts"
import { decideClaim, decideGuessing, guessWindow, isGuess, mayDecide } from "./DeviceRules.ts"
import { type DeviceOfClient, DeviceStore } from "./DeviceStore.ts"
import { readUserCode, showUserCode, type UserCode } from "./UserCode.ts"

const refused = "The code is unknown, expired or already used"

/** One answer for all codes about which the caller cannot decide, so that nobody learns which of them there are. */
const unknownCode = new OAuthError({ error: "invalid_request", error_description: refused })

const anothersCode = new OAuthError({ error: "access_denied", error_description: refused })

type Outcome<A> = Result.Result<A, OAuthError>

const make = Effect.gen(function* () {
  const { oauthEnabled } = yield* Deployment
  const store = yield* DeviceStore
  const clients = yield* ClientAuthentication
  const transaction = yield* Transaction

  const checkEnabled = oauthEnabled ? Effect.void : disabled

  /** Fails unless the caller may let clients act for the account, before any code is looked for. */
  const checkMayGrant = (actor: AccountActor) => (mayGrant(actor) ? Effect.void : notAllowed)

  /**
   * Runs what is done with the device that has a code, in a transaction. What is refused as unknown counts as a wrong
   * code, before the next one of the same account or network is taken.
   */
  const withDevice = Effect.fnUntraced(function* <A>(
    { accountId }: AccountActor,
    network: ClientNetwork,
    code: UserCode,
    use: (device: DeviceOfClient | undefined, now: DateTime.Utc) => Effect.Effect<Outcome<A>>
  ) {
    const now = yield* DateTime.now
    const typing = { account: accountId, network }
    const attempt = Effect.gen(function* (): Effect.fn.Return<
      Result.Result<A, OAuthError | TooManyUserCodes>
    > {
      const windowStart = DateTime.subtractDuration(now, guessWindow)
      const again = decideGuessing(yield* store.findGuessesForUpdate(typing, windowStart, now), now)
      if (again !== undefined) {
        return Result.fail(new TooManyUserCodes({ metadata: { retry_after: secondsUntil(again, now) } }))
      }
      const device = Option.getOrUndefined(yield* store.findByUserCodeForUpdate(code))
      const outcome = yield* use(device, now)
      const isUnknown = Result.isFailure(outcome) && outcome.failure === unknownCode
      if (isUnknown && isGuess(device, accountId)) yield* store.countGuess(typing)
      return outcome
    })
    // A failure would take the count back.
    return yield* Effect.fromResult(yield* transaction(attempt))
  })

  /** What there is to decide about the device with this code, which is the caller's from now on. */
  const show = Effect.fn("DeviceConsents.show")(function* (
    typed: string | undefined,
    network: ClientNetwork
  ) {
    yield* checkEnabled
    const account = yield* CurrentAccount
    yield* checkMayGrant(account)
    const code = readUserCode(typed ?? "")
    if (code === undefined) return yield* unknownCode
    const shown = yield* withDevice(account, network, code, (device, now) =>
      Effect.gen(function* (): Effect.fn.Return<Outcome<DeviceOfClient>> {
        const claim = decideClaim(device, account.accountId, now)
        if (device === undefined || claim === "unknown") return Result.fail(unknownCode)
        if (claim === "another's") return Result.fail(anothersCode)
        if (claim === "claimed") yield* store.claim(device.id, account.accountId)
        return Result.succeed(device)
      })
    )
    const { client } = shown
    const name = yield* clients.nameOf({ isBuiltIn: client.isCommandLine, shown: { name: client.name } })
    const consent: OAuthDeviceConsent = {
      user_code: showUserCode(code),
      ...consentOf({ ...shown, name, clientId: client.clientId }, account.permissions)
    }
    return consent
  })

  const approve = (
    { client, id, scopes }: DeviceOfClient,
    { permissions }: AccountActor,
    now: DateTime.Utc
  ) => store.approve(id, decideConsent(scopes, client, permissions), now)

  /** Approves or denies the device with this code, which the caller has been shown before. Only the first decision counts. */
  const decide = Effect.fn("DeviceConsents.decide")(function* (
    typed: string,
    decision: Decision,
    network: ClientNetwork
  ) {
    yield* checkEnabled
    const account = yield* CurrentAccount
    if (decision === "approve") yield* checkMayGrant(account)
    const code = readUserCode(typed)
    if (code === undefined) return yield* unknownCode
    return yield* withDevice(account, network, code, (device, now) =>
      Effect.gen(function* (): Effect.fn.Return<Outcome<OAuthDeviceConsentResult>> {
        if (device === undefined || !mayDecide(device, account.accountId, now))
          return Result.fail(unknownCode)
        if (decision === "deny") {
          yield* store.deny(device.id, now)
          return Result.succeed({ status: "denied" })
        }
        yield* approve(device, account, now)
        return Result.succeed({ status: "approved" })
      })
    )
  })

  return { show, decide } as const
})

export class DeviceConsents extends Context.Service<DeviceConsents, Effect.Success<typeof make>>()(
  "forum/domain/DeviceConsents"
) {
  static readonly layer = Layer.effect(DeviceConsents, make).pipe(Layer.provide(ClientAuthentication.layer))
}
