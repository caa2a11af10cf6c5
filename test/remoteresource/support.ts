/** Connecting to remote resources in the tests: each helper is one step. */
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
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

/** Lets a server answer when it is told to, and says when it was asked. */
export const gate = Effect.gen(function* () {
  const [isAsked, mayAnswer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const before = Effect.andThen(Deferred.succeed(isAsked, undefined), Deferred.await(mayAnswer))
  return {
    before,
    isAsked: Deferred.await(isAsked),
    answer: Deferred.succeed(mayAnswer, undefined)
  }
})

/** Lets time pass until work that waits for the database as well is done. */
export const passUntilDone = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("100 millis")
      for (let n = 0; n < 5; n++) yield* SqlClient.SqlClient.use((sql) => sql`select 1`)
    }
    return yield* Fiber.join(fiber)
  })
