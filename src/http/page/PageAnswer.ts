/** What a page of the service answers, and to whom. */
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Actor } from "../../domain/shared/Actor.ts"
import { pathOf } from "../pipeline/Unrouted.ts"
import type { PageContent } from "./Layout.ts"
import { type Spoken, textsFor } from "./texts/Texts.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** A request for a page, and how the one is spoken to who sent it. */
export interface Asking {
  readonly request: Request
  readonly texts: Spoken
  /** The way from the page to the address of the service, which ends in a slash. */
  readonly root: string
}

/** Who asks for a page. */
export interface Visit extends Asking {
  /** The caller, by the session of the browser alone. */
  readonly actor: Actor
}

type Change = (response: Response) => Response

/** A page. */
export interface Shown {
  readonly _tag: "Shown"
  readonly content: PageContent
  readonly status: number
  /** Where the forms of the page lead beside the service, as sources of a content security policy. */
  readonly leadsTo?: ReadonlyArray<string>
}

/** The way to another page. */
interface Moved {
  readonly _tag: "Moved"
  readonly location: string
  /** What the answer has beside it, such as cookies. */
  readonly changes: ReadonlyArray<Change>
}

/** What a page is answered with. */
export type PageAnswer = Shown | Moved

export const shown = (content: PageContent, status = 200): Shown => ({ _tag: "Shown", content, status })

export const moved = (location: string, ...changes: ReadonlyArray<Change>): Moved => ({
  _tag: "Moved",
  location,
  changes
})

/** The way from an address of the service to its root. Relative, because a proxy may serve all of it under a path. */
const rootFrom = (request: Request) => {
  const depth = pathOf(request).split("/").length - 2
  return depth === 0 ? "./" : "../".repeat(depth)
}

export const askingOf = (request: Request): Asking => ({
  request,
  texts: textsFor(request.headers["accept-language"]),
  root: rootFrom(request)
})

/** The parameters of the address of a page: an empty text for one that is not there, and the last of several. */
export const queryOf = ({ request }: Asking) => {
  const query = request.url.indexOf("?")
  const parameters = new URLSearchParams(query === -1 ? "" : request.url.slice(query))
  return (name: string): string => parameters.getAll(name).at(-1) ?? ""
}
