/** The pages on which people sign in with a code that is sent to them, where the instance offers it. */
import { Effect, Result } from "effect"
import { HttpRouter } from "effect/http"
import { AuthProviders } from "../../domain/authentication/AuthProviders.ts"
import type { IssuedSession } from "../../domain/session/Session.ts"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { makeArrival } from "./Arrival.ts"
import { askPage, codePage } from "./CodeView.ts"
import { type CodeWayName, codePaths, codeServices } from "./CodeWays.ts"
import { type Form, formRefused, readForm } from "./Form.ts"
import type { Field } from "./Layout.ts"
import { moved, type PageAnswer, shown, type Visit } from "./PageAnswer.ts"
import { type Page, Pages } from "./Pages.ts"
import type { Refusal } from "./SignInView.ts"
import type { Spoken } from "./texts/Texts.ts"

/** What a way in which codes come needs to know, and does. `To` is where a code goes. */
export interface CodeWay<To> {
  readonly way: CodeWayName
  /** The operations that its pages stand in for. */
  readonly operations: { readonly request: string; readonly confirm: string }
  /** What people enter. */
  readonly fields: (
    texts: Spoken
  ) => ReadonlyArray<Pick<Field, "name" | "label" | "type" | "autocomplete" | "maxlength">>
  /** Reads what they entered. */
  readonly read: (form: Form, texts: Spoken) => Result.Result<To, Refusal<string>>
  /** The same as it is kept in the page on which they enter the code, and as it is shown there. */
  readonly kept: (to: To) => ReadonlyArray<readonly [name: string, value: string]>
  readonly receiver: (to: To) => string
  /** Sends a code, or answers why none is sent. */
  readonly request: (to: To, texts: Spoken) => Effect.Effect<Result.Result<void, Refusal<string>>, AnyProblem>
  /** Takes a code, or answers why it is not taken. */
  readonly confirm: (
    to: To,
    code: string,
    texts: Spoken
  ) => Effect.Effect<Result.Result<IssuedSession, string>, AnyProblem>
}

const make = Effect.fnUntraced(function* <To>(of: CodeWay<To>) {
  const { confirm, fields, kept, operations, read, receiver, request, way } = of
  const providers = yield* AuthProviders
  const { arrive } = yield* makeArrival

  const isOffered = Effect.map(providers.services, (services) => services.includes(codeServices[way]))

  /** The page to sign in otherwise, where there are no codes. */
  const whereOffered =
    <E, R>(answer: (visit: Visit) => Effect.Effect<PageAnswer, E, R>) =>
    (visit: Visit) =>
      Effect.flatMap(isOffered, (offered) =>
        offered ? answer(visit) : Effect.succeed<PageAnswer>(moved(`${visit.root}login`))
      )

  const ask = ({ root, texts }: Visit) =>
    Effect.succeed<PageAnswer>(shown(askPage({ root, texts, way, fields: fields(texts) })))

  const send = Effect.fnUntraced(function* ({ request: asked, root, texts }: Visit) {
    const form = yield* readForm(asked)
    const refused = (refusal: Refusal<string>) => {
      const entered = fields(texts).map((field) => ({ ...field, value: form(field.name).trim() }))
      return shown(askPage({ root, texts, way, fields: entered, refusal }), formRefused)
    }
    const to = read(form, texts)
    if (Result.isFailure(to)) return refused(to.failure)
    const sent = yield* request(to.success, texts)
    if (Result.isFailure(sent)) return refused(sent.failure)
    return shown(codePage({ root, texts, way, receiver: receiver(to.success), to: kept(to.success) }))
  })

  const check = Effect.fnUntraced(function* (visit: Visit) {
    const { root, texts } = visit
    const form = yield* readForm(visit.request)
    const to = read(form, texts)
    if (Result.isFailure(to)) return moved(`${root}${codePaths[way]}`)
    const code = form("code").replace(/\s+/g, "")
    const taken =
      code === "" ? Result.fail(texts.code.ways[way].codeMissing) : yield* confirm(to.success, code, texts)
    if (Result.isSuccess(taken)) return arrive(visit, taken.success)
    const refusal = { text: taken.failure, field: "code" } as const
    const page = { root, texts, way, receiver: receiver(to.success), to: kept(to.success), refusal }
    return shown(codePage(page), formRefused)
  })

  const asking: Page = {
    name: `code page by ${way}`,
    operation: "AuthProviderList",
    answer: whereOffered(ask)
  }
  const sending: Page = {
    name: `code by ${way} by page`,
    operation: operations.request,
    answer: whereOffered(send)
  }
  const checking: Page = {
    name: `sign-in with code by ${way} by page`,
    operation: operations.confirm,
    answer: whereOffered(check)
  }
  /** Where somebody goes who comes without a form. */
  const beginning: Page = {
    ...asking,
    answer: ({ root }) => Effect.succeed(moved(`${root}${codePaths[way]}`))
  }
  return { asking, sending, checking, beginning } as const
})

/** The paths of the pages of a way, with the methods that they take. */
export const pathsOf = (way: CodeWayName) =>
  ({ [`/${codePaths[way]}`]: ["GET", "POST"], [`/${codePaths[way]}/check`]: ["GET", "POST"] }) as const

/** The routes of the pages of a way. */
export const routesOf = <To, E, R>(makeWay: Effect.Effect<CodeWay<To>, E, R>) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { answering } = yield* Pages
      const of = yield* makeWay
      const { asking, beginning, checking, sending } = yield* make(of)
      const path = `/${codePaths[of.way]}` as const
      yield* router.add("GET", path, answering(asking))
      yield* router.add("POST", path, answering(sending))
      yield* router.add("GET", `${path}/check`, answering(beginning))
      yield* router.add("POST", `${path}/check`, answering(checking))
    })
  )
