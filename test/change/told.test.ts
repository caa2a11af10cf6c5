/** Random people do random things: what somebody is told of them is what single reads allowed then and allow now. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readable } from "../event/instances.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, signUp } from "../support/people.ts"
import { makeRandom } from "../support/random.ts"

type Kind = "thread" | "reply" | "node"

interface Thing {
  readonly id: string
  readonly kind: Kind
  readonly owner: Person
  /** The thread of a reply. */
  readonly within: string
}

/** Which things each reader can read, one by one. */
type Seen = ReadonlyMap<Person, ReadonlySet<string>>

interface Step {
  readonly before: Seen
  readonly after: Seen
  /** The id of the last event of the step. */
  readonly until: bigint
}

const seed = Number(process.env.CHANGES_SEED ?? 20261126)
const steps = Number(process.env.CHANGES_STEPS ?? 40)

const visibilities = ["draft", "unlisted", "review", "published"] as const

/** What says how visible something was before it happened. */
const isTransition = (name: string) => /(Published|Unpublished|SubmittedForReview|Deleted)$/.test(name)

/** The id of what a change is about. */
const aboutOf = ({ event }: Answer["json"]): string =>
  event.reply_id ?? event.post_id ?? event.source?.id ?? event.id

const readsOf = Effect.fnUntraced(function* (reader: Person, things: ReadonlyArray<Thing>) {
  const seen = new Set<string>()
  for (const { id, kind } of things) {
    if (kind === "reply") continue
    const answer = yield* reader.get(kind === "thread" ? `/threads/${id}` : `/nodes/${id}`)
    if (answer.status !== 200) continue
    seen.add(id)
    if (kind === "thread") for (const reply of answer.json.replies.replies) seen.add(reply.id)
  }
  return seen
})

layer(People.layer)("what somebody is told of what others do", (it) => {
  it.effect(
    "is what they could read then and can read now, or that it is theirs no more, and all of it",
    () =>
      Effect.gen(function* () {
        const random = makeRandom(seed)
        const { freya, loki, odin, tyr } = yield* Cast
        const mimir = yield* signUp("mimir")
        yield* People.grant(mimir, "MANAGE_LIBRARY")
        const sql = yield* SqlClient.SqlClient
        const readers = [guest, freya, loki, tyr, mimir, odin]
        const things: Array<Thing> = []
        const snapshot = Effect.gen(function* () {
          const seen = new Map<Person, ReadonlySet<string>>()
          for (const reader of readers) seen.set(reader, yield* readsOf(reader, things))
          return seen
        })
        const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[random(list.length)]
        const some = (kind: Kind) => pick(things.filter((one) => one.kind === kind))
        const made = (kind: Kind, owner: Person, answer: Answer, within = "") => {
          if (answer.status === 200) things.push({ id: answer.json.id, kind, owner, within })
        }
        const act = Effect.gen(function* () {
          const owner = pick([freya, loki]) ?? freya
          const visibility = pick(visibilities)
          const thread = some("thread")
          const thing = pick(things)
          const path = thing === undefined ? "" : `/${thing.kind === "node" ? "nodes" : "posts"}/${thing.id}`
          const doer = thing === undefined ? odin : (pick([thing.owner, odin, tyr, mimir]) ?? odin)
          switch (random(9)) {
            case 0:
              return made("thread", owner, yield* owner.post("/threads", { title: "A thread", visibility }))
            case 1:
            case 2:
              if (thread === undefined) return
              return made(
                "reply",
                owner,
                yield* owner.post(`/threads/${thread.id}/replies`, { body: "<p>a</p>" }),
                thread.id
              )
            case 3:
              return made(
                "node",
                owner,
                yield* odin.post("/nodes", { name: `Page ${things.length}`, visibility })
              )
            case 4:
            case 5:
              if (thing === undefined) return
              if (thing.kind === "node") return void (yield* doer.patch(`${path}/visibility`, { visibility }))
              return void (yield* doer.patch(path, { visibility }))
            case 6:
              if (thing === undefined) return
              return void (yield* doer.patch(
                path,
                thing.kind === "node" ? { name: "Renamed" } : { body: "<p>b</p>" }
              ))
            case 7:
              if (thing === undefined || thing.kind === "node") return
              return void (yield* doer.put(`/likes/posts/${thing.id}`))
            default:
              if (thing === undefined || random(3) > 0) return
              return void (yield* doer.delete(path))
          }
        })

        yield* readable
        const from: string = ok(yield* guest.get("/changes?after=latest")).next
        const [head] = yield* sql<{ readonly id: bigint }>`select coalesce(max(id), 0) as id from event_log`
        const first = head?.id ?? 0n
        const history: Array<Step> = []
        let before = yield* snapshot
        for (let step = 0; step < steps; step++) {
          yield* act
          const after = yield* snapshot
          const [row] = yield* sql<{ readonly id: bigint }>`select max(id) as id from event_log`
          history.push({ before, after, until: row?.id ?? 0n })
          before = after
        }
        const now = before
        const gone = new Set<string>()
        for (const { id, kind, within } of things) {
          const [row] = yield* kind === "node"
            ? sql`select from nodes where id = ${id}`
            : sql`select from posts p join threads t on t.id = p.thread_id
              where p.id = ${id} and p.deleted_at is null and t.deleted_at is null`
          if (row === undefined) gone.add(id)
          assert.strictEqual(within === "", kind !== "reply")
        }

        yield* readable
        const ids = new Set(things.map(({ id }) => id))
        const logged = yield* sql<{ readonly id: bigint; readonly event: Answer["json"] }>`
        select id, event from event_log where id > ${first} order by id`
        for (const reader of readers) {
          const told: ReadonlyArray<Answer["json"]> = ok(
            yield* reader.get(`/changes?after=${from}&limit=500`)
          ).changes
          const names = told
            .filter((one) => ids.has(aboutOf(one)))
            .map(({ event }) => `${event.event} ${aboutOf({ event })}`)
          const expected = logged.flatMap(({ event, id }) => {
            const name = `Event${event._tag}`
            const about = aboutOf({ event })
            if (!ids.has(about) || event.standing === undefined || event.standing === null) return []
            const step = history.find(({ until }) => id <= until)
            const could = (seen: Seen | undefined) => seen?.get(reader)?.has(about) === true
            const isDeletion = name.endsWith("Deleted")
            const then = isDeletion ? could(step?.before) : could(step?.after)
            const isTold = then
              ? gone.has(about) || could(now)
              : isTransition(name) && !isDeletion && could(step?.before)
            return isTold ? [`${name} ${about}`] : []
          })
          assert.deepStrictEqual(names, expected, `seed ${seed}`)
        }
        assert.isAbove(logged.length, steps / 2)
      })
  )
})
