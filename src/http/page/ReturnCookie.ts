/** The cookie in which a browser keeps where its person wanted to go, until they have signed in. */
import { Duration, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Deployment } from "../../domain/settings/Deployment.ts"
import { attributes } from "../pipeline/SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const name = "forum-return"
const cookieForm = new RegExp(`^ *${name}="?([^"]*)`)

const lifetime = Duration.minutes(10)

/** The most characters of the value. Browsers drop cookies of more than 4,096 bytes, attributes included. */
export const longestValue = 3800

/** A path of this service with its query. Browsers read two slashes as the beginning of a host, and `\` as `/`. */
const pathForm = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/

const isKept = (address: string) =>
  pathForm.test(address) && encodeURIComponent(address).length <= longestValue

/**
 * Makes the browser keep an address of this service, a path with its query as in `request.url`, to which it goes back
 * once its person has signed in. Another address is not kept, and neither is one that is too long.
 */
export const returnCookie =
  (deployment: Deployment["Service"], address: string) =>
  (response: Response): Response =>
    isKept(address)
      ? HttpServerResponse.setCookieUnsafe(response, name, address, {
          ...attributes(deployment),
          maxAge: lifetime
        })
      : response

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value)
  } catch {
    return ""
  }
}

/** The address that the browser keeps. Another path, or another host of the domain, may have set cookies, too. */
export const findReturn = ({ headers }: Request): Option.Option<string> =>
  Option.fromUndefinedOr(
    (headers.cookie ?? "")
      .split(";")
      .map((cookie) => decoded(cookieForm.exec(cookie)?.[1]?.trim() ?? ""))
      .find(isKept)
  )

/** Makes the browser forget the address. */
export const withoutReturn =
  (deployment: Deployment["Service"]) =>
  (response: Response): Response =>
    HttpServerResponse.setCookieUnsafe(response, name, "", { ...attributes(deployment), maxAge: 0 })
