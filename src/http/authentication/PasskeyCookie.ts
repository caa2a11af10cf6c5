/** The cookie in which a browser keeps the state between asking for a passkey and sending it. */
import { DateTime, Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { attributes } from "../pipeline/SessionCookie.ts"

const name = "forum-webauthn"

const form = new RegExp(`^ *${name}="?([^"]*)`)

/** What the browser is asked for, and the state that it keeps in the cookie. */
interface Begun<Options> {
  readonly options: Options
  readonly state: string
  readonly expiresAt: DateTime.Utc
}

/** The values of all such cookies: another path, or another host of the domain, may have set some, too. */
export const statesOf = ({ headers }: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> =>
  (headers.cookie ?? "").split(";").flatMap((cookie) => form.exec(cookie)?.[1]?.trim() ?? [])

/** Makes a function that answers the options, and sets the cookie in the response to the current request. */
export const makeBegun = Effect.map(
  Deployment,
  (deployment) =>
    <Options>({ expiresAt, options, state }: Begun<Options>) =>
      Effect.as(
        HttpEffect.appendPreResponseHandler((_request, response) =>
          Effect.orDie(
            HttpServerResponse.setCookie(response, name, state, {
              ...attributes(deployment),
              expires: DateTime.toDateUtc(expiresAt)
            })
          )
        ),
        options
      )
)
