/** The pages on which people sign in. */
import { Effect, Option, Result } from "effect"
import { Accounts } from "../../domain/account/Accounts.ts"
import { AuthProviders } from "../../domain/authentication/AuthProviders.ts"
import { AccountSuspended, CurrentActor } from "../../domain/shared/Actor.ts"
import { makeArrival } from "./Arrival.ts"
import { codeServices, codeWays } from "./CodeWays.ts"
import { formRefused, readForm } from "./Form.ts"
import { shown, type Visit } from "./PageAnswer.ts"
import { type Page, routedAt } from "./Pages.ts"
import { makePasswordEntry } from "./PasswordEntry.ts"
import { type Refusal, type SignInField, signedInPage, signInPage } from "./SignInView.ts"

const path = "/login"

export const paths = { [path]: ["GET", "POST"] } as const

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const providers = yield* AuthProviders
  const { enter, takesAddresses } = yield* makePasswordEntry
  const { arrive, goOn } = yield* makeArrival

  const form = Effect.fnUntraced(function* (
    { root, texts }: Visit,
    identifier = "",
    refusal?: Refusal<SignInField>
  ) {
    const offered = (yield* providers.list).providers
    return signInPage({
      texts,
      root,
      identifier,
      takesAddresses,
      codesBy: codeWays.filter((way) => offered.some(({ provider }) => provider === codeServices[way])),
      elsewhere: offered.flatMap(({ link, name }) => (link === undefined ? [] : [{ name, link }])),
      ...(refusal === undefined ? {} : { refusal })
    })
  })

  const look = Effect.fnUntraced(function* (visit: Visit) {
    const { actor, root, texts } = visit
    const account = yield* Effect.provideService(accounts.findOwn(), CurrentActor, actor)
    if (actor._tag === "Guest" || Option.isNone(account)) return shown(yield* form(visit))
    if (actor.suspended) return yield* new AccountSuspended()
    return Option.getOrElse(goOn(visit), () =>
      shown(signedInPage({ root, texts, handle: account.value.handle }))
    )
  })

  const enterBy = Effect.fnUntraced(function* (visit: Visit) {
    const fields = yield* readForm(visit.request)
    const identifier = fields("identifier").trim()
    const entered = yield* enter(visit.texts, identifier, fields("password"))
    if (Result.isSuccess(entered)) return arrive(visit, entered.success)
    return shown(yield* form(visit, identifier, entered.failure), formRefused)
  })

  const looking: Page = {
    name: "sign-in page",
    operation: "AuthProviderList",
    answer: look
  }
  const entering: Page = {
    name: "sign-in by page",
    operation: "AuthPasswordSignin",
    answer: enterBy
  }
  return { GET: looking, POST: entering } as const
})

export const layer = routedAt(path, make)
