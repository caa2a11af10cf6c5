/** What becomes of somebody whom a provider has identified: a session in any case, and what comes before it. */
import { DateTime, Effect, Option } from "effect"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { AttemptLimit } from "../authentication/AttemptLimit.ts"
import { SignInSuspended } from "../authentication/Password.ts"
import { Sessions } from "../session/Sessions.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Departure, Departures } from "./Departures.ts"
import { ElsewhereRefused, IdentityTaken } from "./Elsewhere.ts"
import { decideReturn, type Sender } from "./ElsewhereRules.ts"
import { makeIdentityKeeping } from "./IdentityKeeping.ts"
import type { Identity } from "./IdentityProviders.ts"
import { type IdentityOwner, IdentityStore } from "./IdentityStore.ts"

const begunElsewhere = new ElsewhereRefused({ metadata: { reason: "state" } })

export const makeEntering = Effect.gen(function* () {
  const departures = yield* Departures
  const store = yield* IdentityStore
  const addresses = yield* EmailAddressStore
  const keeping = yield* makeIdentityKeeping
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const transaction = yield* Transaction

  /** Lets nobody use the departure again, as part of the running transaction. */
  const useUp = Effect.fnUntraced(function* (departure: Departure) {
    if (!(yield* departures.use(departure))) return yield* begunElsewhere
  })

  const signIn = (departure: Departure, { accountId, id }: IdentityOwner, from: ClientNetwork) =>
    transaction(
      Effect.gen(function* () {
        yield* useUp(departure)
        if (!(yield* store.noteUse(id, yield* DateTime.now))) return yield* begunElsewhere
        yield* attempts.noteSignIn(accountId, from)
        return yield* sessions.issue(accountId)
      })
    )

  const findOwner = ({ service }: Departure, { issuer, subject }: Identity) =>
    store.findOwner({ service, issuer, subject })

  const signInAfterAll = Effect.fnUntraced(function* (
    departure: Departure,
    identity: Identity,
    from: ClientNetwork
  ) {
    const owner = yield* findOwner(departure, identity)
    return yield* Option.isSome(owner) ? signIn(departure, owner.value, from) : begunElsewhere
  })

  const add = (departure: Departure, accountId: AccountId, identity: Identity) =>
    transaction(
      Effect.gen(function* () {
        yield* useUp(departure)
        yield* addresses.findOwnerForUpdate(accountId)
        const at = yield* DateTime.now
        yield* keeping.keep(accountId, departure.service, identity, { at, isNew: false })
        return yield* sessions.issue(accountId)
      })
    )

  /** Signs in or up, or adds the identity to the account of the sender. */
  return Effect.fnUntraced(function* (
    departure: Departure,
    identity: Identity,
    sender: Sender,
    from: ClientNetwork
  ) {
    const decision = decideReturn(sender, Option.getOrUndefined(yield* findOwner(departure, identity)))
    switch (decision._tag) {
      case "Suspended":
        return yield* new SignInSuspended()
      case "Taken":
        return yield* new IdentityTaken()
      case "SignIn":
        return yield* signIn(departure, decision.owner, from)
      case "Add":
        return yield* add(departure, decision.accountId, identity)
      case "SignUp":
        return yield* keeping.signUp(departure, identity, from, useUp(departure)).pipe(
          // Another request of the same person has signed up in the meantime.
          Effect.catchTag("IdentityTaken", () => signInAfterAll(departure, identity, from))
        )
    }
  })
})
