/** The people in the tests, and how they speak to the service: raw HTTP, so that what is asserted is what goes over the wire. */
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import { SqlClient } from "effect/sql"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import { checkConformance } from "./conformance.ts"

/** An answer as it came. `json` is undefined unless the answer says that it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  // Tests look into answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not computed with
  readonly json: any
}

export interface Call {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

// A redirection is an answer to look at, not one to follow.
const asItCame: RequestInit = { redirect: "manual" }

const answerOf = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const response = yield* HttpClient.execute(request).pipe(
    Effect.provideService(FetchHttpClient.RequestInit, asItCame)
  )
  const text = yield* response.text
  const isJson = /json/.test(response.headers["content-type"] ?? "") && text !== ""
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined
  } satisfies Answer
})

/** Sends one request. An object body goes as JSON, a string as it is. The answer has to be as the API's description says. */
export const call = (method: HttpMethod.HttpMethod, path: string, { body, headers = {} }: Call = {}) => {
  const request = HttpClientRequest.make(method)(path).pipe(HttpClientRequest.setHeaders(headers))
  const send = () => {
    if (body === undefined) return answerOf(request)
    return answerOf(
      typeof body === "string"
        ? HttpClientRequest.bodyText(request, body, headers["content-type"] ?? "application/json")
        : HttpClientRequest.bodyJsonUnsafe(request, body)
    )
  }
  return Effect.tap(send(), (answer) => Effect.sync(() => checkConformance(method, path, answer)))
}

/** Someone who calls the API, with or without a session. Paths are relative to `/api`. */
export const personWith = (cookie: string | undefined, id: string) => {
  const own = cookie === undefined ? {} : { cookie: `forum-session=${cookie}` }
  const send =
    (method: HttpMethod.HttpMethod) =>
    (path: string, options: Call = {}) =>
      call(method, `/api${path}`, { ...options, headers: { ...own, ...options.headers } })
  return {
    id,
    cookie,
    get: send("GET"),
    post: (path: string, body?: unknown, headers?: Call["headers"]) =>
      send("POST")(path, { body, ...(headers === undefined ? {} : { headers }) }),
    patch: (path: string, body?: unknown) => send("PATCH")(path, { body }),
    put: (path: string, body?: unknown) => send("PUT")(path, { body }),
    delete: (path: string, body?: unknown) => send("DELETE")(path, { body })
  } as const
}

export type Person = ReturnType<typeof personWith>

export const guest: Person = personWith(undefined, "")

/** The session token that an answer sets. */
export const sessionOf = (answer: Answer): string | undefined =>
  /forum-session=([^;]+);/.exec(answer.headers["set-cookie"] ?? "")?.[1]

export const password = "correct horse battery"

/** Signs up; the first ever in a database is its administrator. */
export const signUp = Effect.fnUntraced(function* (handle: string) {
  const answer = yield* guest.post("/auth/password/signup", { identifier: handle, token: password })
  if (answer.status !== 200) return yield* Effect.die(new Error(`${handle}: ${answer.text}`))
  return personWith(sessionOf(answer), answer.json.id)
})

/** An administrator and two members, in a database that is new. */
export const cast = Effect.gen(function* () {
  return { odin: yield* signUp("odin"), freya: yield* signUp("freya"), loki: yield* signUp("loki") }
})

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

/** Suspends an account. */
export const suspend = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`update accounts set suspended_at = 'epoch' where id = ${person.id}`)

/** Lets everything that follows from what has happened so far take place. */
export const drainEvents = Effect.gen(function* () {
  const { drain, lag } = yield* EventConsumers
  // Another database's transaction may hold an event back for a moment.
  yield* drain.pipe(Effect.andThen(lag), Effect.repeat({ while: (behind) => behind > 0 }))
})
