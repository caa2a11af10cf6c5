/** Connecting to remote resources in the tests: each helper is one step. */
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { grant, type Person, query } from "../support/people.ts"
import { cimd, type Manner, type Remote } from "../support/remote.ts"

export const connections = "/admin/oauth/remote/connections"

export const discover = (person: Person, resource_url: unknown) =>
  person.post("/admin/oauth/remote/discover", { resource_url })

export const connect = (person: Person, remote: Remote, more: object = {}) =>
  person.post(connections, { resource_url: remote.resource, ...more })

export const authorise = (person: Person, id: string) => person.post(`${connections}/${id}/authorize`)

export const comeBack = (person: Person, brought: Readonly<Record<string, string>>) =>
  person.get(`/oauth/remote/callback${query(brought)}`)

/** Lets somebody use remote resources. */
export const permit = (person: Person, ...more: ReadonlyArray<string>) =>
  grant(person, "MANAGE_ROBOTS", ...more)

/** A new connection that nobody has approved, to a server that reads the document about this service. */
export const pending = Effect.fnUntraced(function* (person: Person, remote: Remote, how: Manner = {}) {
  yield* remote.appear({ ...how, tells: { ...cimd, ...how.tells } })
  return ok(yield* connect(person, remote))
})

/** A new connection with a token. */
export const connected = Effect.fnUntraced(function* (person: Person, remote: Remote, how: Manner = {}) {
  const { id } = yield* pending(person, remote, how)
  const begun = yield* authorise(person, id)
  return ok(yield* comeBack(person, remote.approve(begun))).connection
})
