/** Lists in pages: where a request asks to begin, and how its answer says where the list goes on. */
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CursorMismatch, type ListPlace } from "../../domain/shared/ListPlace.ts"
import { type PageEnvelope, pageNumber } from "../../domain/shared/Page.ts"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { InvalidRequest } from "../contract/RequestProblems.ts"
import { listDigest, readCursor, writeCursor } from "./Cursors.ts"
import { addLinks } from "./LinkHeader.ts"

/** A request for a list in pages. */
export interface ListRequest {
  readonly endpoint: HttpApiEndpoint.Top
  readonly params?: object
  readonly query: { readonly page?: string; readonly cursor?: string }
}

const refuse = (parameter: string, message: string) =>
  dieWithProblem(new InvalidRequest({ metadata: { issues: [{ in: "query", path: parameter, message }] } }))

const noCursor = refuse("cursor", "Expected a cursor that this list has answered")
const pageBesideCursor = refuse("page", "Expected no page beside a cursor")

/** Where in the list the request asks to begin. */
export const requestedPlace = ({
  endpoint,
  params,
  query
}: ListRequest): Effect.Effect<ListPlace, CursorMismatch> => {
  const list = listDigest(endpoint.path, [params, query])
  const cursors = {
    write: (after: ReadonlyArray<string>, page: number) => writeCursor({ list, page, after }),
    refuse: noCursor
  }
  if (query.cursor === undefined) return Effect.succeed({ page: pageNumber(query.page), cursors })
  if (query.page !== undefined) return pageBesideCursor
  const cursor = readCursor(query.cursor)
  if (Option.isNone(cursor)) return noCursor
  if (cursor.value.list !== list) return Effect.fail(new CursorMismatch())
  const { after, page } = cursor.value
  return Effect.succeed({ page, after, cursors })
}

/** The address of the next page, at the origin where the client has asked for this one. */
const nextAddress = (url: string, cursor: string): string => {
  const [path = "", query = ""] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?", 2)
  const others = query
    .split("&")
    .filter((parameter) => parameter !== "" && !/^(page|cursor)(=|$)/.test(parameter))
  return `${path}?${[...others, `cursor=${cursor}`].join("&")}`
}

/** Says in the header `Link` of the response where the list goes on, beside what else it says there. */
export const linkNext = (
  cursor: string | undefined
): Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =>
  cursor === undefined ? Effect.void : addLinks((url) => `<${nextAddress(url, cursor)}>; rel="next"`)

/** Answers the part of a list that a request asks for. */
export const inPages = <A extends PageEnvelope, E, R>(
  request: ListRequest,
  list: (place: ListPlace) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | CursorMismatch, R | HttpServerRequest.HttpServerRequest> =>
  Effect.tap(Effect.flatMap(requestedPlace(request), list), ({ next_cursor }) => linkNext(next_cursor))
