/** What follows once somebody has signed in: their session, and the way to where they wanted to go. */
import { Effect, Option } from "effect"
import type { IssuedSession } from "../../domain/session/Session.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { makeSessionCookie } from "../pipeline/SessionCookie.ts"
import { moved, type PageAnswer, type Visit } from "./PageAnswer.ts"
import { findReturn, withoutReturn } from "./ReturnCookie.ts"

export const makeArrival = Effect.gen(function* () {
  const deployment = yield* Deployment
  const { withSession } = yield* makeSessionCookie

  /** The way to where the person wanted to go. Relative, so that it leads to no other host, whatever the cookie says. */
  const findWay = ({ request, root }: Visit): Option.Option<string> =>
    Option.map(findReturn(request), (address) => `${root}${address.slice(1)}`)

  /** Goes on with somebody who is signed in already. */
  const goOn = (visit: Visit): Option.Option<PageAnswer> =>
    Option.map(findWay(visit), (way) => moved(way, withoutReturn(deployment)))

  /** Goes on with somebody who has just signed in. */
  const arrive = (visit: Visit, session: IssuedSession): PageAnswer =>
    Option.match(findWay(visit), {
      onNone: () => moved(`${visit.root}login`, withSession(session)),
      onSome: (way) => moved(way, withSession(session), withoutReturn(deployment))
    })

  return { goOn, arrive } as const
})
