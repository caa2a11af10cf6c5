/** The people in the tests, and how they call the service: raw HTTP, so that what is asserted is what goes over the wire. */
import { Context, Effect, Layer, Stream } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  HttpClientRequest,
  type HttpClientResponse,
  type HttpMethod
} from "effect/http"
import { SqlClient } from "effect/sql"
import { DocumentSettings } from "../../src/domain/oauthdocument/DocumentSettings.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import { type Answer, isEndless, jsonOf, sessionOf } from "./answers.ts"
import { checkConformance } from "./conformance.ts"
import * as TestApp from "./TestApp.ts"

export interface Call {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An id that nothing has. */
export const nobody = "00000000000000000000"

/** The content type of a body that is sent as text. */
export const json = { "content-type": "application/json" }

/** A query string; a list repeats its key. */
export const query = (parameters: Readonly<Record<string, string | ReadonlyArray<string>>>): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) search.append(name, one)
  }
  return `?${search}`
}

// Redirects are asserted on, not followed.
const asItCame: RequestInit = { redirect: "manual" }

/** What an answer begins with; the rest is not waited for. */
const beginningOf = ({ stream }: HttpClientResponse.HttpClientResponse) =>
  stream.pipe(Stream.decodeText(), Stream.take(1), Stream.mkString)

const answerOf = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const response = yield* HttpClient.execute(request).pipe(
    Effect.provideService(FetchHttpClient.RequestInit, asItCame)
  )
  const text = yield* isEndless(request.url, response.status) ? beginningOf(response) : response.text
  const answer: Answer = {
    request: `${request.method} ${request.url}`,
    status: response.status,
    headers: response.headers,
    text,
    json: jsonOf(response.headers["content-type"], text)
  }
  return answer
})

/** Sends one request. An object body goes as JSON, a string and bytes as they are. The answer must be as the API's description says. */
export const call = (method: HttpMethod.HttpMethod, path: string, { body, headers = {} }: Call = {}) => {
  const request = HttpClientRequest.make(method)(path).pipe(HttpClientRequest.setHeaders(headers))
  const send = () => {
    if (body === undefined) return answerOf(request)
    if (body instanceof Uint8Array) {
      const type = headers["content-type"] ?? "application/octet-stream"
      return answerOf(HttpClientRequest.bodyUint8Array(request, body, type))
    }
    return answerOf(
      typeof body === "string"
        ? HttpClientRequest.bodyText(request, body, headers["content-type"] ?? "application/json")
        : HttpClientRequest.bodyJsonUnsafe(request, body)
    )
  }
  return Effect.tap(send(), (answer) => Effect.sync(() => checkConformance(method, path, answer)))
}

/** Someone whom these headers identify. Paths are relative to `/api`. */
const personBy = (own: Readonly<Record<string, string>>, cookie: string | undefined, id: string) => {
  const send =
    (method: HttpMethod.HttpMethod) =>
    (path: string, options: Call = {}) =>
      call(method, `/api${path}`, { ...options, headers: { ...own, ...options.headers } })
  return {
    id,
    cookie,
    /** The headers that identify this person. */
    headers: own,
    get: send("GET"),
    post: (path: string, body?: unknown, headers?: Call["headers"]) =>
      send("POST")(path, { body, ...(headers === undefined ? {} : { headers }) }),
    patch: (path: string, body?: unknown) => send("PATCH")(path, { body }),
    put: (path: string, body?: unknown) => send("PUT")(path, { body }),
    delete: (path: string, body?: unknown) => send("DELETE")(path, { body })
  } as const
}

export type Person = ReturnType<typeof personBy>

/** Someone who calls the API, with or without a session. */
export const personWith = (cookie: string | undefined, id: string): Person =>
  personBy(cookie === undefined ? {} : { cookie: `forum-session=${cookie}` }, cookie, id)

/** Someone who calls the API with an access key, or with an access token of OAuth. */
export const personByKey = (secret: string, id: string): Person =>
  personBy({ authorization: `Bearer ${secret}` }, undefined, id)

export const guest: Person = personWith(undefined, "")

export const password = "correct horse battery"

/** Signs up; the first in a database is its administrator. */
export const signUp = Effect.fnUntraced(function* (handle: string) {
  const answer = yield* guest.post("/auth/password/signup", { identifier: handle, token: password })
  if (answer.status !== 200) return yield* Effect.die(new Error(`${handle}: ${answer.text}`))
  return personIn(answer)
})

/** Tries to sign in, with anything. */
export const signIn = (identifier: unknown, token: unknown = password) =>
  guest.post("/auth/password/signin", { identifier, token })

/** The person whom an answer signs in. */
export const personIn = (answer: Answer): Person => personWith(sessionOf(answer), answer.json.id)

/** Gives an account a role that holds these permissions. */
export const grant = Effect.fnUntraced(function* (person: Person, ...permissions: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly rank: number }>`
    select coalesce(max(rank) filter (where not built_in), 0) + 1 as rank from roles`
  const rank = row?.rank ?? 1
  const id = `role${String(rank).padStart(15, "0")}0`
  yield* sql`insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
    values (${id}, 'epoch', 'epoch', ${`role ${rank}`}, 'blue', ${permissions}::text[], ${rank})`
  yield* sql`insert into account_roles (account_id, role_id) values (${person.id}, ${id})`
  return id
})

export const suspend = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`update accounts set suspended_at = 'epoch' where id = ${person.id}`)

export const reinstate = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`update accounts set suspended_at = null where id = ${person.id}`)

/** As if the account had signed up by other means. */
export const removePassword = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`delete from passwords where account_id = ${person.id}`)

/** Odin is the administrator, Freya and Loki are members, Tyr is a member with MANAGE_POSTS. */
export class Cast extends Context.Service<
  Cast,
  { readonly odin: Person; readonly freya: Person; readonly loki: Person; readonly tyr: Person }
>()("test/Cast") {}

const signUpCast = Effect.gen(function* () {
  const [odin, freya, loki] = [yield* signUp("odin"), yield* signUp("freya"), yield* signUp("loki")]
  const tyr = yield* signUp("tyr")
  yield* grant(tyr, "MANAGE_POSTS")
  return { odin, freya, loki, tyr }
})

/** A service in a fresh database, with the cast signed up. */
export const withCast = <A, E, R>(app: Layer.Layer<A, E, R>) =>
  Layer.effect(Cast, signUpCast).pipe(Layer.provideMerge(app))

/** The service as an operator has set it who lets documents name clients. */
const takingDocuments = Layer.provide(
  TestApp.layer,
  Layer.succeed(DocumentSettings, {
    enabled: true,
    allowedPermissions: [],
    allowsPrivileged: false,
    allowsInsecure: false
  })
)

export const layer = withCast(takingDocuments)

/** Runs all consumers until none is behind the event log. */
export const drainEvents = Effect.gen(function* () {
  const { drain, lag } = yield* EventConsumers
  // A transaction in another database delays events for a moment.
  yield* drain.pipe(Effect.andThen(lag), Effect.repeat({ while: (behind) => behind > 0 }))
})
