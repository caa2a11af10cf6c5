/** What random people did: everything that was ever made, whatever has become of it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Answer } from "../answers.ts"
import { category } from "../discussion.ts"
import { Cast, grant, type Person, signUp } from "../people.ts"

/** Something on a page, by their ids. */
export interface VersionOf {
  readonly id: string
  readonly node: string
}

export interface Told {
  readonly id: string
  readonly by: Person
  readonly target: string
}

export interface World {
  readonly odin: Person
  /** Who does something, and is purged and suspended at times; `odin` runs the place and stays. */
  readonly people: ReadonlyArray<Person>
  /** Who reads all posts, and who changes all pages. */
  readonly moderators: Set<Person>
  readonly librarians: Set<Person>
  /** Who can read and do nothing at the moment. */
  readonly suspended: Set<Person>
  /** The ids of the roles that make somebody one of these. */
  readonly roles: { readonly moderators: string; readonly librarians: string }
  readonly handles: ReadonlyMap<Person, string>
  readonly categories: ReadonlyArray<Answer["json"]>
  readonly threads: Array<string>
  readonly replies: Array<string>
  readonly nodes: Array<string>
  readonly versions: Array<VersionOf>
  readonly collections: Array<string>
  readonly events: Array<string>
  readonly reports: Array<Told>
  readonly invitations: Array<Told>
  readonly keys: Array<Told>
  readonly warnings: Array<Told>
  readonly notes: Array<Told>
  /** Who reacted to each post, by the ids of the reactions. */
  readonly reacts: Map<string, Map<string, Person>>
  /** How visible each reply is, and when it became published if that was later than it was made. */
  readonly standing: Map<string, { readonly visibility: string; readonly publishedAt: number }>
}

/** Odin runs everything, Tyr the discussions, Mimir the library, what is reported and the calendar; others are members. */
export const make = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  const [role] = yield* sql<{ readonly role_id: string }>`select role_id from account_roles
    where account_id = ${tyr.id}`
  const moderators = role?.role_id ?? ""
  const mimir = yield* signUp("mimir")
  const librarians = yield* grant(
    mimir,
    "MANAGE_LIBRARY",
    "MANAGE_REPORTS",
    "MANAGE_EVENTS",
    "MANAGE_COLLECTIONS"
  )
  for (const person of [freya, loki, tyr, mimir]) {
    yield* grant(person, "SUBMIT_LIBRARY_NODE_CHANGES", "CREATE_INVITATION", "USE_PERSONAL_ACCESS_KEYS")
  }
  yield* grant(freya, "MANAGE_EVENTS")
  const place = yield* category(odin, "Place")
  const inner = yield* category(odin, "Inner", { parent: place.id })
  const world: World = {
    odin,
    people: [freya, loki, tyr, mimir],
    moderators: new Set([odin, tyr]),
    librarians: new Set([odin, mimir]),
    suspended: new Set(),
    roles: { moderators, librarians },
    handles: new Map([
      [odin, "odin"],
      [freya, "freya"],
      [loki, "loki"],
      [tyr, "tyr"],
      [mimir, "mimir"]
    ]),
    categories: [place, inner],
    threads: [],
    replies: [],
    nodes: [],
    versions: [],
    collections: [],
    events: [],
    reports: [],
    invitations: [],
    keys: [],
    warnings: [],
    notes: [],
    reacts: new Map(),
    standing: new Map()
  }
  return world
})

/** What is said with 400: a draft is applied once, no page is within itself, nor in one that is more hidden. */
const refusals = ["node-version-not-draft", "node-in-itself", "node-visibilities-differ"].map(
  (name) => `/api/problems/${name}`
)

/** What an answer says was made; nothing if the caller may not or what it is about is gone. Anything else is a failure. */
export const made = (answer: Answer): Answer["json"] | undefined => {
  if (answer.status >= 200 && answer.status < 300) return answer.json ?? {}
  const isRefused = [401, 403, 404, 409].includes(answer.status)
  assert.isTrue(isRefused || refusals.includes(answer.json?.type), `${answer.request}: ${answer.text}`)
  return undefined
}

/** One of a list, by any number; undefined of an empty one. */
export const anyOf = <A>(list: ReadonlyArray<A>, number: number): A | undefined => list[number % list.length]

/** Lets some time pass, so that all that happens has a time of its own. */
export const later = TestClock.adjust("1 second")
