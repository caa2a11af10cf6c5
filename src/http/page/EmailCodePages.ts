/** The pages on which people sign in with a code that is sent by email, where the instance offers it. */
import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { EmailAddressText } from "../../domain/account/Email.ts"
import { AuthProviders } from "../../domain/authentication/AuthProviders.ts"
import { EmailAuth } from "../../domain/authentication/EmailAuth.ts"
import { EmailCode } from "../../domain/authentication/EmailSignIn.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { makeArrival } from "./Arrival.ts"
import { formRefused, readForm } from "./Form.ts"
import { moved, type PageAnswer, shown, type Visit } from "./PageAnswer.ts"
import { type Page, Pages } from "./Pages.ts"
import { addressPage, codePage } from "./SignInView.ts"

export const paths = { "/login/code": ["GET", "POST"], "/login/code/check": ["GET", "POST"] } as const

const isAddress = Schema.is(Schema.toType(EmailAddressText))
const toAddress = Schema.decodeOption(EmailAddressText)
const toCode = Schema.decodeOption(EmailCode)

const make = Effect.gen(function* () {
  const emails = yield* EmailAuth
  const providers = yield* AuthProviders
  const { arrive } = yield* makeArrival

  const isOffered = Effect.map(providers.services, (services) => services.includes("email_verify"))

  /** The page to sign in otherwise, where there are no codes. */
  const whereOffered =
    <E, R>(answer: (visit: Visit) => Effect.Effect<PageAnswer, E, R>) =>
    (visit: Visit) =>
      Effect.flatMap(isOffered, (offered) =>
        offered ? answer(visit) : Effect.succeed<PageAnswer>(moved(`${visit.root}login`))
      )

  const ask = ({ root, texts }: Visit) => Effect.succeed<PageAnswer>(shown(addressPage({ root, texts })))

  const send = Effect.fnUntraced(function* ({ request, root, texts }: Visit) {
    const address = (yield* readForm(request))("email").trim()
    const refused = (text: string) =>
      shown(addressPage({ root, texts, address, refusal: { text, field: "email" } }), formRefused)
    const email = toAddress(address)
    if (Option.isNone(email)) return refused(texts.code.addressInvalid)
    const page: PageAnswer = shown(codePage({ root, texts, address: email.value }))
    return yield* fromNetwork((from) => emails.requestCode({ email: email.value }, from)).pipe(
      Effect.as(page),
      Effect.catchTags({
        EmailAddressUnknown: () => Effect.succeed<PageAnswer>(refused(texts.code.addressUnknown)),
        SignInSuspended: () => Effect.succeed<PageAnswer>(refused(texts.signIn.suspended))
      })
    )
  })

  const check = Effect.fnUntraced(function* (visit: Visit) {
    const { request, root, texts } = visit
    const fields = yield* readForm(request)
    const address = fields("email")
    const code = fields("code").replace(/\s+/g, "")
    const refused = (text: string): PageAnswer =>
      shown(codePage({ root, texts, address, refusal: { text, field: "code" } }), formRefused)
    if (!isAddress(address)) return moved(`${root}login/code`)
    if (code === "") return refused(texts.code.codeMissing)
    const pair = toCode({ email: address, code })
    if (Option.isNone(pair)) return refused(texts.code.codeWrong)
    return yield* fromNetwork((from) => emails.verify(pair.value, from)).pipe(
      Effect.map((session) => arrive(visit, session)),
      Effect.catchTags({
        CodeWrong: () => Effect.succeed(refused(texts.code.codeWrong)),
        SignInSuspended: () => Effect.succeed(refused(texts.signIn.suspended))
      })
    )
  })

  const asking: Page = {
    name: "code page",
    operation: "AuthProviderList",
    cost: "quick",
    answer: whereOffered(ask)
  }
  const sending: Page = {
    name: "code by page",
    operation: "AuthEmailSignin",
    units: 10,
    cost: "write",
    answer: whereOffered(send)
  }
  const checking: Page = {
    name: "sign-in with code by page",
    operation: "AuthEmailVerify",
    units: 10,
    cost: "write",
    answer: whereOffered(check)
  }
  /** Where somebody goes who comes without a form. */
  const beginning: Page = {
    ...asking,
    answer: ({ root }) => Effect.succeed(moved(`${root}login/code`))
  }
  return { asking, sending, checking, beginning } as const
})

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { answering } = yield* Pages
    const { asking, beginning, checking, sending } = yield* make
    yield* router.add("GET", "/login/code", answering(asking))
    yield* router.add("POST", "/login/code", answering(sending))
    yield* router.add("GET", "/login/code/check", answering(beginning))
    yield* router.add("POST", "/login/code/check", answering(checking))
  })
)
