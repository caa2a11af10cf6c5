/** The page to which providers send people back where there is no frontend. They go on where people go who have signed in. */
import { Effect, Option, Schema } from "effect"
import { OAuthCallback } from "../../domain/elsewhere/Elsewhere.ts"
import { SignInsElsewhere } from "../../domain/elsewhere/SignInsElsewhere.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { makeArrival } from "../page/Arrival.ts"
import { html } from "../page/Html.ts"
import { announced } from "../page/Layout.ts"
import { type PageAnswer, queryOf, shown, type Visit } from "../page/PageAnswer.ts"
import { type Page, returningTo } from "../page/Pages.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { pathOf } from "../pipeline/Unrouted.ts"
import { keptOf } from "./DepartureCookie.ts"

const path = "/auth/:oauth_provider/callback"

export const paths = { [path]: ["GET"] } as const

const toCallback = Schema.decodeOption(OAuthCallback)

const refusedPage = (
  { root, texts: { elsewhere } }: Visit,
  text: string,
  { status }: { readonly status: number }
): PageAnswer =>
  shown(
    {
      title: elsewhere.refusedTitle,
      isError: true,
      body: html`${announced(text)}
<p><a href="${root}login">${elsewhere.again}</a></p>`
    },
    status
  )

const make = Effect.gen(function* () {
  const signIns = yield* SignInsElsewhere
  const deployment = yield* Deployment
  const { arrive } = yield* makeArrival

  const answer = (visit: Visit) => {
    const { actor, request, texts } = visit
    const { elsewhere } = texts
    const query = queryOf(visit)
    const refuse = (text: string) => (problem: { readonly status: number }) =>
      Effect.succeed(refusedPage(visit, text, problem))
    if (query("code") === "") return refuse(elsewhere.denied)({ status: 401 })
    const brought = toCallback({ state: query("state"), code: query("code") })
    if (Option.isNone(brought)) return refuse(elsewhere.notBegun)({ status: 401 })
    const [, , provider = ""] = pathOf(request).split("/")
    return fromNetwork((from) =>
      signIns.finish(provider, brought.value, keptOf(deployment, request), from)
    ).pipe(
      Effect.provideService(CurrentActor, actor),
      Effect.map((session) => arrive(visit, session)),
      Effect.catchTags({
        ElsewhereRefused: (problem) =>
          refuse(problem.metadata.reason === "state" ? elsewhere.notBegun : elsewhere.denied)(problem),
        ProviderUnknown: refuse(elsewhere.unknown),
        ProviderUnavailable: refuse(elsewhere.unavailable),
        RegistrationClosed: refuse(elsewhere.closed),
        SignInSuspended: refuse(texts.signIn.suspended),
        IdentityTaken: refuse(elsewhere.taken),
        TooManyIdentities: refuse(elsewhere.tooMany)
      })
    )
  }

  return {
    name: "sign-in callback",
    operation: "OAuthProviderCallback",
    answer
  } satisfies Page
})

export const layer = returningTo(path, make)
