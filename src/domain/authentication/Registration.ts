/** Making accounts for those who sign up, whatever they sign in with then. */
import { DateTime, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { HandleTaken } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { generatedHandle, type Numbers } from "../account/GeneratedHandle.ts"
import { checkHandle } from "../account/Handle.ts"
import { EventLog } from "../event/EventLog.ts"
import { InvitationStore } from "../invitation/InvitationStore.ts"
import { Sessions } from "../session/Sessions.ts"
import type { RegistrationMode } from "../settings/GeneralSetting.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { AccountId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { closed, decideRegistration, type NamedInvitation } from "./RegistrationRules.ts"

/** The mode and the invitation with which somebody may sign up, as they were before anything was locked. */
export interface RegistrationTerms {
  readonly mode: RegistrationMode
  readonly invitation: NamedInvitation
}

/** An account that has just been made. */
export interface Entered {
  readonly id: AccountId
  readonly handle: string
  readonly at: DateTime.Utc
}

/** Who signs up. */
export interface Entrant {
  /** Where it is absent, a handle that nobody has is generated. */
  readonly handle?: string | undefined
}

// How many generated handles are tried; all but the first two have a number.
const generatedMax = 10

export const makeRegistration = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const settings = yield* InstanceSettings
  const invitations = yield* InvitationStore
  const ids = yield* Ids
  const events = yield* EventLog
  const transaction = yield* Transaction
  const random = yield* SecureRandom.SecureRandom

  const findInvitation = (id: string | undefined): Effect.Effect<NamedInvitation> =>
    id === undefined
      ? Effect.succeed({ _tag: "None" })
      : Effect.map(
          invitations.find(id),
          Option.match({
            onNone: (): NamedInvitation => ({ _tag: "Unknown", id }),
            onSome: ({ id }) => ({ _tag: "Found", id })
          })
        )

  const checkFree = Effect.fnUntraced(function* (handle: string) {
    if (Option.isSome(yield* accounts.findIdByHandle(handle))) {
      return yield* new HandleTaken({ metadata: { handle } })
    }
  })

  /** Checks the form of a handle, by the words that are reserved now. */
  const checkForm = Effect.fnUntraced(function* (handle: string) {
    yield* checkHandle(handle, (yield* settings.general).reserved_handles)
  })

  const checkRegistration = ({ invitation, mode }: RegistrationTerms) =>
    Effect.fromResult(decideRegistration(mode, invitation))

  /** Checks whether somebody may sign up. */
  const admit = Effect.fnUntraced(function* (invitationId: string | undefined) {
    const { registration_mode: mode } = (yield* settings.fresh).general
    const terms: RegistrationTerms = { mode, invitation: yield* findInvitation(invitationId) }
    if (yield* accounts.any) yield* checkRegistration(terms)
    return terms
  })

  const enterAs = <E, R>(
    terms: RegistrationTerms,
    handle: string,
    from: ClientNetwork,
    credentials: (entered: Entered) => Effect.Effect<unknown, E, R>
  ) => {
    const { invitation, mode } = terms
    const writes = Effect.gen(function* () {
      const id = AccountId.make(yield* ids.next)
      const at = yield* DateTime.now
      const invitationId = invitation._tag === "Found" ? invitation.id : undefined
      // The rules are not for the first account, which another may have become meanwhile.
      if (!(yield* accounts.insert({ id, handle, at, invitationId }))) yield* checkRegistration(terms)
      yield* events.append(id, { _tag: "AccountCreated", id })
      yield* credentials({ id, handle, at })
      yield* attempts.noteSignIn(id, from)
      return yield* sessions.issue(id)
    })
    return transaction(writes).pipe(
      Effect.catchTag("InvitationGone", () => Effect.fail(closed(mode, invitation)))
    )
  }

  const numbers: Effect.Effect<Numbers> = Effect.map(random.randomBytes(8), (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    return [view.getUint16(0), view.getUint16(2), view.getUint32(4)]
  })

  /**
   * Makes an account with what it signs in with, and signs it in. The first account of an instance becomes its
   * administrator.
   */
  const enter = <E, R>(
    terms: RegistrationTerms,
    { handle }: Entrant,
    from: ClientNetwork,
    credentials: (entered: Entered) => Effect.Effect<unknown, E, R>
  ) => {
    if (handle !== undefined) return enterAs(terms, handle, from, credentials)
    let tries = 0
    const attempt = Effect.gen(function* () {
      tries += 1
      const generated = generatedHandle(yield* numbers, tries > 2)
      // What the instance reserves is as good as taken.
      yield* Effect.mapError(checkForm(generated), () => new HandleTaken({ metadata: { handle: generated } }))
      return yield* enterAs(terms, generated, from, credentials)
    })
    return Effect.retry(attempt, {
      times: generatedMax - 1,
      while: (failure) => failure instanceof HandleTaken
    })
  }

  return { checkFree, checkHandle: checkForm, admit, enter } as const
})
