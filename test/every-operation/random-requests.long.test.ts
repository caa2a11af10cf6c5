/**
 * Random requests to all operations by all kinds of callers. The seed is the same in every run; another one and
 * more requests are taken from the environment: REQUESTS_SEED, REQUESTS_RUNS.
 */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import fc from "fast-check"
import { type Answer, ok } from "../support/answers.ts"
import { announce, takePart } from "../support/calendar.ts"
import { faultsOf } from "../support/conformance.ts"
import { category, open, reply } from "../support/discussion.ts"
import { createKey } from "../support/keys.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, personWith, signUp, suspend } from "../support/people.ts"
import { port, sendTo } from "../support/raw.ts"
import { type Change, takeChanges, watchChanges } from "../support/requests/changes.ts"
import { looserThanRules } from "../support/requests/described.ts"
import { readKnown, resolve } from "../support/requests/known.ts"
import { type RandomRequest, requestsBy } from "../support/requests/requests.ts"

const setting = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise)

const seed = setting("REQUESTS_SEED", 20_260_101)
const runs = setting("REQUESTS_RUNS", 1_200)

/** How much of a text is shown in a message. */
const shown = 2_000

/** No JSON that is answered has more bytes. */
const maxAnswer = 2 * 1024 * 1024

type Caller = "guest" | "stranger" | "suspended" | "member" | "owner" | "moderator" | "administrator"

const caller = fc.oneof<[fc.WeightedArbitrary<Caller>, fc.WeightedArbitrary<Caller>]>(
  { arbitrary: fc.constantFrom("guest", "stranger", "suspended"), weight: 2 },
  { arbitrary: fc.constantFrom("member", "owner", "moderator", "administrator"), weight: 5 }
)
type Request = RandomRequest<Caller>

const isModerator = (caller: Caller) => caller === "moderator" || caller === "administrator"

/** Operations that may create accounts and sessions, and count failed attempts, for anyone. */
const ofSessions = new Set(operations.filter(({ setsSession }) => setsSession).map(({ id }) => id))

/** Operations by which staff change what other accounts may do, and how they are shown. */
const ofStanding = new Set(
  operations.map(({ id }) => id).filter((id) => /^(Role|Account(Add|Remove)?Role|AdminAccountBan)/.test(id))
)

/** The callers, and something of each kind that they can refer to. */
const prepare = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const idle = yield* signUp("idle")
  const place = yield* category(odin, "Place")
  yield* category(odin, "Part", { parent: place.id })
  for (const visibility of ["published", "published", "draft", "unlisted", "review"]) {
    for (const author of [freya, loki, idle]) {
      const body = `text <a href="sdr:profile/${loki.id}">x</a> <a href="https://a.test/${visibility}">a</a>`
      yield* open(author, `About ${visibility}`, {
        body,
        visibility,
        category: place.id,
        tags: ["a", visibility]
      })
    }
  }
  const thread = yield* open(freya, "Long")
  for (let n = 0; n < 60; n++) yield* reply([loki, freya, idle][n % 3] ?? loki, thread.id, `reply ${n}`)
  const large = yield* open(loki, "Large")
  for (let n = 0; n < 20; n++) yield* reply(loki, large.id, "<i></i>".repeat(17_000))
  for (const visibility of ["published", "unlisted", "draft"]) {
    const event = yield* announce(odin, place.id, `Event ${visibility}`, { visibility, capacity: 2 })
    yield* takePart(odin, event.id, freya, { role: "host" })
    yield* takePart(odin, event.id, loki, { status: "invited" })
  }
  yield* grant(idle, "ADMINISTRATOR")
  yield* suspend(idle)
  yield* grant(loki, "USE_PERSONAL_ACCESS_KEYS")
  for (let n = 0; n < 3; n++) yield* createKey(loki)
  // The first start of a service makes the key that signs tokens; here it is the first who asks.
  ok(yield* guest.get("/oauth/jwks"))
  yield* drainEvents
  const stranger = personWith("x".repeat(43), "")
  return { guest, stranger, suspended: idle, member: loki, owner: freya, moderator: tyr, administrator: odin }
})

/** Makes everybody's session and password what they were, whatever a request has done to them. */
const keepSignedIn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table kept_sessions as select * from sessions`
  yield* sql`create table kept_passwords as select * from passwords`
  return Effect.andThen(
    sql`insert into sessions select * from kept_sessions on conflict do nothing`,
    sql`update passwords set hash = kept.hash from kept_passwords kept
      where kept.account_id = passwords.account_id and kept.hash <> passwords.hash`
  )
})

/** Makes all roles, who holds them and who is suspended what it was: callers may do the same in every request. */
const keepStanding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table kept_roles as select * from roles`
  yield* sql`create table kept_account_roles as select * from account_roles`
  yield* sql`create table kept_accounts as select id, admin, suspended_at from accounts`
  const restore = [
    sql`delete from roles where id not in (select id from kept_roles)`,
    sql`insert into roles select * from kept_roles on conflict (id) do update
      set name = excluded.name, colour = excluded.colour, permissions = excluded.permissions, meta = excluded.meta,
        rank = excluded.rank, created_at = excluded.created_at, updated_at = excluded.updated_at`,
    sql`delete from account_roles`,
    sql`insert into account_roles select * from kept_account_roles`,
    sql`update accounts a set admin = kept.admin, suspended_at = kept.suspended_at from kept_accounts kept
      where kept.id = a.id and (kept.admin, kept.suspended_at) is distinct from (a.admin, a.suspended_at)`
  ]
  return sql.withTransaction(Effect.all(restore, { discard: true }))
})

/** Operations that count passwords that are wrong. */
const ofPasswords = new Set(["AccountErasureRequest", "AccountExportRequest"])

const changesEvents = new Set(["EventUpdate", "EventDelete"])

/** What a request changed that it may not change. */
const trespasses = (request: Request, callerId: string, status: number, changes: ReadonlyArray<Change>) => {
  if (ofSessions.has(request.operation)) return []
  const mayChange =
    status < 400 && request.method !== "GET" && !["guest", "stranger", "suspended"].includes(request.caller)
  const isCounted = ({ table }: Change) => table === "password_attempts" && ofPasswords.has(request.operation)
  if (!mayChange) {
    return changes.filter((change) => !isCounted(change)).map(({ table }) => `changed ${table}`)
  }
  const mayChangeOf = ({ owner, table }: Change) =>
    owner === null ||
    owner === callerId ||
    (request.caller === "administrator" && ofStanding.has(request.operation)) ||
    (request.caller === "administrator" && table === "access_keys") ||
    // Administrators create accounts, which own themselves, and change and erase those of others.
    (request.caller === "administrator" && /^(AccountManage|AdminAccountErasure)/.test(request.operation)) ||
    // The hosts of an event change its thread, whoever opened it.
    (changesEvents.has(request.operation) && (table === "threads" || table === "posts")) ||
    (isModerator(request.caller) && (table === "threads" || table === "posts"))
  return changes
    .filter((change) => !mayChangeOf(change))
    .map(({ table }) => `changed another's row of ${table}`)
}

const fails = "fails"
/** Of what the service lacks, and of what it has no room for. */
const deliberate: ReadonlySet<number> = new Set([501, 503])
const tooLarge = "has too many bytes"

const faultsIn = (method: string, path: string, answer: Answer): ReadonlyArray<string> => {
  return [
    ...(answer.status >= 500 && !deliberate.has(answer.status) ? [fails] : []),
    ...(answer.json !== undefined && Buffer.byteLength(answer.text) > maxAnswer ? [tooLarge] : []),
    ...faultsOf(method, path, answer)
  ]
}

const checks = Effect.gen(function* () {
  const people = yield* prepare
  const restore = yield* keepSignedIn
  const restoreStanding = yield* keepStanding
  yield* watchChanges
  const at = yield* port
  let known = yield* readKnown
  let sent = 0

  return Effect.fnUntraced(function* (request: Request) {
    if (sent++ % 100 === 0) known = yield* readKnown
    const { body, caller, chunked, headers, method } = request
    const { headers: own, id } = people[caller]
    const path = resolve(known, request.path, encodeURIComponent)
    const text =
      body === undefined ? undefined : resolve(known, body, (value) => JSON.stringify(value).slice(1, -1))
    const answer = yield* Effect.promise(() =>
      sendTo(at, {
        method,
        path,
        headers: { ...headers, ...own },
        chunked,
        ...(text === undefined ? {} : { body: text })
      })
    )
    const changes = yield* takeChanges
    const faults = [
      ...faultsIn(method, path, answer),
      ...looserThanRules(request.operation, { path, text }, answer),
      ...trespasses(request, id, answer.status, changes)
    ]
    if (ofSessions.has(request.operation)) yield* Effect.andThen(restore, takeChanges)
    if (ofStanding.has(request.operation) && answer.status < 400) {
      yield* Effect.andThen(restoreStanding, takeChanges)
    }
    assert.isEmpty(
      faults,
      `${method} ${path} by ${caller} with ${JSON.stringify(headers)}\n${text?.slice(0, shown)}\n${answer.status} ${answer.text.slice(0, shown)}`
    )
  })
})

layer(People.layer)("random requests", (it) => {
  it.effect(
    `are answered as described, and change only what the caller may change (${runs} with seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const check = yield* checks
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof check>>>()
        const property = fc.asyncProperty(requestsBy(caller), (request) =>
          Effect.runPromiseWith(context)(check(request))
        )
        yield* Effect.promise(() => fc.assert(property, { seed, numRuns: runs }))
        // Every event that they led to can be handled.
        yield* drainEvents
        assert.isEmpty(yield* SqlClient.SqlClient.use((sql) => sql`select from parked_events`))
      }),
    { timeout: 180_000 + runs * 100 }
  )
})
