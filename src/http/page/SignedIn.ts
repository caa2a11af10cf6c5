/** Pages for people who are signed in. Others sign in first, and come back. */
import { Effect, Option, Result } from "effect"
import { Accounts } from "../../domain/account/Accounts.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { OAuthAddresses } from "../../domain/settings/OAuthAddresses.ts"
import { type AccountAccess, decideAccountAccess } from "../../domain/shared/Access.ts"
import { type AccountActor, CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import type { Consenting } from "./ConsentView.ts"
import { moved, type PageAnswer, type Visit } from "./PageAnswer.ts"
import { returnCookie } from "./ReturnCookie.ts"

const anyAccount: AccountAccess = { _tag: "SignedIn", takes: "cookie" }

/** For pages that every account may see, or only those that an operation is for. */
export const makeSignedIn = Effect.fnUntraced(function* (access: AccountAccess = anyAccount) {
  const accounts = yield* Accounts
  const deployment = yield* Deployment
  const { signIn } = yield* OAuthAddresses

  const findPerson = Effect.fnUntraced(function* ({ actor }: Visit) {
    const decided = decideAccountAccess(access, actor)
    if (Result.isFailure(decided)) {
      return decided.failure._tag === "Unauthenticated" ? Option.none() : yield* decided.failure
    }
    const found = yield* Effect.provideService(accounts.findOwn(), CurrentActor, actor)
    return Option.map(found, ({ handle }) => ({ account: decided.success, handle }))
  })

  /** Answers somebody who is signed in, as the caller of the programs that are used. Others come back to an address of the service. */
  return <E, R>(
    visit: Visit,
    address: string,
    answer: (view: Consenting, account: AccountActor) => Effect.Effect<PageAnswer, E, R>
  ) =>
    Effect.gen(function* () {
      const person = yield* findPerson(visit)
      if (Option.isNone(person)) return moved(signIn.href, returnCookie(deployment, address))
      const { account, handle } = person.value
      const { root, texts } = visit
      return yield* Effect.provideService(answer({ root, texts, handle }, account), CurrentAccount, account)
    })
})
