/**
 * Readers of every kind follow what random people do, on two instances: they come and go with their cursors, lose and
 * gain roles, and their streams are cut off. Meanwhile transactions are committed later than others that began after
 * them. Each is told, once and in the order of the log, exactly what single reads allowed then and allow when they are
 * told. Another seed and more steps are taken from the environment: CHANGES_SEED, CHANGES_STEPS.
 */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { type ChangePosition, comparePositions, positionOf } from "../../src/domain/change/ChangePosition.ts"
import { EventLog } from "../../src/domain/event/EventLog.ts"
import { CategoryId } from "../../src/domain/shared/Id.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { readable } from "../event/instances.ts"
import { type Answer, ok } from "../support/answers.ts"
import { announce } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, signUp } from "../support/people.ts"
import { makeRandom } from "../support/random.ts"
import * as TestApp from "../support/TestApp.ts"
import { begun, changesIn, type Streaming, streaming, until } from "./streaming.ts"

type Kind = "thread" | "reply" | "node" | "event"

interface Thing {
  readonly id: string
  readonly kind: Kind
  readonly owner: Person
}

/** Which things each reader can read, one by one. */
type Seen = ReadonlyMap<Person, ReadonlySet<string>>

interface Step {
  readonly before: Seen
  readonly after: Seen
  /** The ids of the events of the step. */
  readonly events: ReadonlySet<bigint>
}

/** What somebody was told of a part of the log. */
interface Reading {
  readonly who: string
  /** Who has the same roles at that time, and keeps them. */
  readonly viewer: Person
  readonly after: ChangePosition
  readonly until: ChangePosition
  readonly now: Seen
  readonly gone: ReadonlySet<string>
  readonly told: ReadonlyArray<string>
}

interface Logged extends ChangePosition {
  readonly event: Answer["json"]
}

const seed = Number(process.env.CHANGES_SEED ?? 20261126)
const steps = Number(process.env.CHANGES_STEPS ?? 60)
const histories = 2

const visibilities = ["draft", "unlisted", "review", "published"] as const

const lateSlug = "late"

/** The id of what a change is about, and of those that are committed late the number. */
const aboutOf = (event: Answer["json"]): string =>
  event.slug?.startsWith(lateSlug)
    ? event.slug
    : (event.reply_id ?? event.post_id ?? event.source?.id ?? event.id)

const nameOf = (event: Answer["json"]) => `${event.event} ${aboutOf(event)}`

/** The name that others know an event of the log by. */
const publicNameOf = ({ _tag }: Answer["json"]) => `Event${_tag.replace(/^CalendarEvent/, "Activity")}`

/** Whether it says how visible something was before it happened. */
const isTransition = (name: string, { standing }: Answer["json"]) =>
  /(Published|Unpublished|SubmittedForReview)$/.test(name) ||
  (name === "EventActivityUpdated" && standing.was !== undefined)

const pathOf = { thread: "/threads", node: "/nodes", event: "/events", reply: "/posts" } as const

const readsOf = Effect.fnUntraced(function* (reader: Person, things: ReadonlyArray<Thing>) {
  const seen = new Set<string>()
  for (const { id, kind } of things) {
    if (kind === "reply") continue
    const answer = yield* reader.get(`${pathOf[kind]}/${id}`)
    if (answer.status !== 200) continue
    seen.add(id)
    if (kind === "thread") for (const reply of answer.json.replies.replies) seen.add(reply.id)
  }
  return seen
})

const cursorPosition = (cursor: string): ChangePosition => Option.getOrThrow(positionOf(cursor))

/** Whether somebody is to be told of an event, of which a step of the history says who could read what it is about. */
const isToldOf = (
  { gone, now, viewer }: Reading,
  { before, after }: Step,
  name: string,
  event: Answer["json"]
) => {
  const about = aboutOf(event)
  const could = (seen: Seen) => seen.get(viewer)?.has(about) === true
  if (name.endsWith("Deleted")) return could(before)
  return could(after) ? gone.has(about) || could(now) : isTransition(name, event) && could(before)
}

const expectedOf = (reading: Reading, log: ReadonlyArray<Logged>, history: ReadonlyArray<Step>) =>
  log
    .filter((one) => comparePositions(reading.after, one) < 0 && comparePositions(one, reading.until) <= 0)
    .flatMap(({ event, id }) => {
      const name = publicNameOf(event)
      const told = `${name} ${aboutOf(event)}`
      if (aboutOf(event)?.startsWith(lateSlug)) return [told]
      const step = history.find(({ events }) => events.has(id))
      return step !== undefined && isToldOf(reading, step, name, event) ? [told] : []
    })

const follow = Effect.fnUntraced(function* (random: (below: number) => number) {
  const { freya, loki, odin, tyr } = yield* Cast
  const [mover, plain] = [yield* signUp("mover"), yield* signUp("plain")]
  yield* People.grant(freya, "MANAGE_EVENTS")
  const sql = yield* SqlClient.SqlClient
  const { append } = yield* EventLog
  const transaction = yield* Transaction
  const elsewhere = yield* TestApp.UncachedClient
  const [moderators] = yield* sql<{ readonly id: string }>`select role_id as id from account_roles
    where account_id = ${tyr.id}`
  const place = yield* category(odin, "Place")
  const things: Array<Thing> = []
  // Names make slugs, which belong to one event alone.
  let feasts = 0
  const fixed = [guest, freya, loki, tyr, plain, odin]
  const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[random(list.length)]
  const somewhere = <A, E, R>(done: Effect.Effect<A, E, R>) =>
    random(2) === 0 ? done : Effect.provideService(done, HttpClient.HttpClient, elsewhere)

  const snapshot = Effect.gen(function* () {
    const seen = new Map<Person, ReadonlySet<string>>()
    for (const reader of fixed) seen.set(reader, yield* readsOf(reader, things))
    return seen
  })

  const goneNow = Effect.gen(function* () {
    const ids = things.map(({ id }) => id)
    const rows = yield* sql<{ readonly id: string }>`
      select id from nodes where id = any(${ids}::text[])
      union all select p.id from posts p join threads t on t.id = p.thread_id
        where p.id = any(${ids}::text[]) and p.deleted_at is null and t.deleted_at is null
      union all select id from calendar_events where id = any(${ids}::text[]) and deleted_at is null`
    const there = new Set(rows.map(({ id }) => id))
    return new Set(ids.filter((id) => !there.has(id)))
  })

  const made = (kind: Kind, owner: Person, answer: Answer) => {
    if (answer.status === 200) things.push({ id: answer.json.id, kind, owner })
  }

  const act = Effect.gen(function* () {
    const owner = pick([freya, loki]) ?? freya
    const visibility = pick(visibilities) ?? "published"
    const thread = pick(things.filter(({ kind }) => kind === "thread"))
    const thing = pick(things)
    const make = random(3)
    if (thing === undefined || make === 0) {
      switch (random(4)) {
        case 0:
          return made("thread", owner, yield* owner.post("/threads", { title: "A thread", visibility }))
        case 1:
          feasts += 1
          return made("event", freya, yield* announce(freya, place.id, `Feast ${feasts}`, { visibility }))
        case 2:
          return made("node", odin, yield* odin.post("/nodes", { name: `Page ${things.length}`, visibility }))
        default:
          if (thread === undefined) return
          return made(
            "reply",
            owner,
            yield* owner.post(`/threads/${thread.id}/replies`, { body: "<p>a</p>" })
          )
      }
    }
    const { id, kind } = thing
    const doer = pick([thing.owner, odin, tyr]) ?? odin
    const path = `${kind === "thread" ? "/posts" : pathOf[kind]}/${id}`
    switch (random(5)) {
      case 0:
      case 1:
        return yield* doer.patch(kind === "node" ? `${path}/visibility` : path, { visibility })
      case 2:
        return yield* doer.patch(
          path,
          {
            node: { name: "Renamed" },
            event: { description: "Food" },
            thread: { body: "<p>b</p>" },
            reply: { body: "<p>c</p>" }
          }[kind]
        )
      case 3:
        return kind === "thread" || kind === "reply" ? yield* doer.put(`/likes/posts/${id}`) : undefined
      default:
        return random(3) === 0 ? yield* doer.delete(path) : undefined
    }
  })

  const latest = Effect.map(guest.get("/changes?after=latest"), (answer): string => ok(answer).next)
  const readings: Array<Reading> = []
  const isAbout = (event: Answer["json"]) =>
    aboutOf(event)?.startsWith(lateSlug) === true || things.some(({ id }) => id === aboutOf(event))
  const namesOf = (changes: ReadonlyArray<Answer["json"]>) =>
    changes.filter(({ event }) => isAbout(event)).map(({ event }) => nameOf(event))

  yield* readable
  const from = yield* latest
  const [head] = yield* sql<{ readonly id: bigint }>`select coalesce(max(id), 0) as id from event_log`
  const first = head?.id ?? 0n
  const logNow = sql<Logged>`select generation, txid::text, id, event from event_log l where id > ${first}
    order by l.generation, l.txid, l.id`

  // Those who come and go with a cursor.
  let isModerator = false
  const visitors = [guest, freya, tyr, mover].map((person) => ({ person, cursor: from }))
  const visit = Effect.fnUntraced(function* (
    visitor: { readonly person: Person; cursor: string },
    now: Seen,
    gone: ReadonlySet<string>
  ) {
    for (;;) {
      const { cursor, person } = visitor
      const asked = person.get(`/changes?after=${cursor}&limit=${random(7) + 1}`)
      const { changes, more, next } = ok(yield* somewhere(asked))
      const held = isModerator ? tyr : plain
      readings.push({
        who: person === mover ? "mover" : person.id,
        viewer: person === mover ? held : person,
        after: cursorPosition(cursor),
        until: cursorPosition(next),
        now,
        gone,
        told: namesOf(changes)
      })
      visitor.cursor = next
      if (!more) return
    }
  })

  // Those whose streams are cut off at times.
  interface Follower {
    readonly person: Person
    cursor: string
    open: { readonly scope: Scope.Closeable; readonly stream: Streaming; read: number } | undefined
  }
  const followers: ReadonlyArray<Follower> = [guest, tyr, freya].map((person) => ({
    person,
    cursor: from,
    open: undefined
  }))
  const history: Array<Step> = []
  const hear = Effect.fnUntraced(function* (follower: Follower, now: Seen, gone: ReadonlySet<string>) {
    const { person } = follower
    if (follower.open === undefined) {
      const scope = yield* Scope.make()
      const opened = streaming(person, "/changes/stream", { "last-event-id": follower.cursor })
      const stream = yield* Scope.provide(somewhere(opened), scope)
      yield* begun(stream)
      follower.open = { scope, stream, read: 0 }
    }
    const { open } = follower
    const reached = yield* latest
    const reading = {
      who: `stream of ${person.id}`,
      viewer: person,
      after: cursorPosition(follower.cursor),
      until: cursorPosition(reached),
      now,
      gone
    }
    const expected = expectedOf({ ...reading, told: [] }, yield* logNow, history)
    const heard = () => namesOf(changesIn(open.stream).slice(open.read))
    yield* until(
      `${reading.who} is not told ${expected.join(", ")}`,
      () => heard().length >= expected.length,
      20
    )
    readings.push({ ...reading, told: heard() })
    const all = changesIn(open.stream)
    open.read = all.length
    follower.cursor = reached
    if (random(4) > 0) return
    yield* Scope.close(open.scope, Exit.void)
    // Whoever connects again knows no more than the last change that came.
    follower.cursor = all.at(-1)?.cursor ?? follower.cursor
    follower.open = undefined
  })

  // A transaction that has written already and is committed later than others.
  let late: { readonly gate: Deferred.Deferred<void>; readonly done: Fiber.Fiber<void> } | undefined
  let number = 0
  const beginLate = Effect.gen(function* () {
    const [gate, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    number += 1
    const writes = append(undefined, {
      _tag: "CategoryUpdated",
      id: CategoryId.make(nobody),
      slug: `${lateSlug}-${number}`
    }).pipe(Effect.andThen(Deferred.succeed(begun, undefined)), Effect.andThen(Deferred.await(gate)))
    const done = yield* Effect.forkScoped(Effect.orDie(transaction(writes)))
    yield* Deferred.await(begun)
    late = { gate, done }
  })
  const endLate = Effect.suspend(() => {
    if (late === undefined) return Effect.void
    const { done, gate } = late
    late = undefined
    return Effect.andThen(Deferred.succeed(gate, undefined), Effect.asVoid(Fiber.join(done)))
  })

  let before = yield* snapshot
  let known = new Set<bigint>()
  for (let step = 0; step < steps; step++) {
    if (late === undefined && random(5) === 0) yield* beginLate
    else if (random(3) === 0) yield* endLate
    yield* somewhere(act)
    const after = yield* snapshot
    const ids = (yield* logNow).map(({ id }) => id)
    history.push({ before, after, events: new Set(ids.filter((id) => !known.has(id))) })
    known = new Set(ids)
    before = after
    if (random(6) === 0) {
      const path = `/accounts/${mover.id}/roles/${moderators?.id}`
      ok(yield* isModerator ? odin.delete(path) : odin.put(path))
      isModerator = !isModerator
    }
    const gone = yield* goneNow
    for (const visitor of visitors) if (random(4) === 0) yield* visit(visitor, after, gone)
    for (const follower of followers)
      if (random(2) === 0) yield* hear(follower, after, gone)
      else if (follower.open !== undefined) yield* hear(follower, after, gone)
  }
  yield* endLate
  yield* readable
  const gone = yield* goneNow
  for (const visitor of visitors) yield* visit(visitor, before, gone)
  for (const follower of followers) {
    yield* hear(follower, before, gone)
    if (follower.open !== undefined) yield* Scope.close(follower.open.scope, Exit.void)
  }

  const log = yield* logNow
  for (const reading of readings) {
    assert.deepStrictEqual(reading.told, expectedOf(reading, log, history), `${reading.who}, seed ${seed}`)
  }
  const end = cursorPosition(yield* latest)
  for (const { cursor } of visitors) assert.strictEqual(comparePositions(cursorPosition(cursor), end), 0)
  assert.isAbove(number, 1)
  assert.isAbove(log.length, steps / 2)
  assert.isTrue(readings.some(({ told }) => told.length > 1))
})

for (let n = 0; n < histories; n++) {
  layer(Layer.provideMerge(TestApp.uncached, People.layer))(`history ${n} of seed ${seed}`, (it) => {
    it.effect("is told to everybody as far as they could read then and can read when they are told", () =>
      Effect.scoped(follow(makeRandom(seed + n)))
    )
  })
}
