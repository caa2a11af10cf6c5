/** What one person is shown of everything there is, thing by thing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { type Answer, ok } from "../answers.ts"
import { guest, type Person, query } from "../people.ts"
import type { World } from "./World.ts"

export type Json = Answer["json"]

/** What single reads show of a kind, by id; what they do not show is not in it. */
export type Shown = ReadonlyMap<string, Json>

export interface View {
  readonly person: Person
  /** For messages. */
  readonly name: string
  readonly threads: Shown
  /** By the threads that show them. */
  readonly replies: Shown
  readonly nodes: Shown
  readonly versions: Shown
  readonly collections: Shown
  readonly events: Shown
  readonly categories: Shown
  /** By name. */
  readonly tags: Shown
  /** Of everybody, by id. */
  readonly profiles: Shown
  /** Everything that this person was answered. */
  readonly answers: Array<Json>
  /** And at which paths. */
  readonly paths: Set<string>
}

type Asking = Pick<View, "answers" | "paths" | "person">

/** An answer that has to be a success, kept to be compared with others about the same things. */
export const read = Effect.fnUntraced(function* ({ answers, paths, person }: Asking, path: string) {
  const json = ok(yield* person.get(path))
  paths.add(path)
  answers.push(json)
  return json
})

type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

/** All items of a list, over all of its pages, whose numbers have to say the same. */
export const listed = Effect.fnUntraced(function* (
  view: Asking,
  path: string,
  key: string,
  parameters: Parameters = {}
) {
  const items: Array<Json> = []
  for (let page = 1; ; page++) {
    const answer = yield* read(view, `${path}${query({ ...parameters, page: String(page) })}`)
    const { current_page, next_page, page_size, results, total_pages } = answer
    const about = `page ${page} of ${path}`
    items.push(...answer[key])
    assert.strictEqual(results, answer[key].length, about)
    assert.isAtMost(results, page_size, about)
    assert.strictEqual(current_page, page, about)
    assert.strictEqual(next_page, page < total_pages ? page + 1 : undefined, about)
    if (next_page !== undefined) continue
    // A list that is always one page has the size of what it has.
    const pages = page_size === 0 ? 1 : Math.ceil(items.length / page_size)
    assert.strictEqual(total_pages, pages, about)
    return items
  }
})

const shownOf = Effect.fnUntraced(function* (
  { answers, paths, person }: Asking,
  ids: ReadonlyArray<string>,
  pathOf: (id: string) => string
) {
  const shown = new Map<string, Json>()
  for (const id of ids) {
    const answer = yield* person.get(pathOf(id))
    if (answer.status !== 200) {
      assert.include([401, 403, 404], answer.status, answer.text)
      continue
    }
    paths.add(pathOf(id))
    answers.push(answer.json)
    shown.set(id, answer.json)
  }
  return shown
})

/** All that somebody can read one by one. */
export const viewOf = Effect.fnUntraced(function* (world: World, person: Person) {
  const reader: Asking = { person, answers: [], paths: new Set() }
  const threads = yield* shownOf(reader, world.threads, (id) => `/threads/${id}`)
  const replies = new Map<string, Json>()
  for (const { replies: page } of threads.values()) {
    assert.isBelow(page.total_pages, 2)
    for (const reply of page.replies) replies.set(reply.id, reply)
  }
  const slugs: ReadonlyArray<string> = world.categories.map(({ slug }) => slug)
  const nodeOf = new Map(world.versions.map(({ id, node }) => [id, node]))
  const accounts = [world.odin, ...world.people].map(({ id }) => id)
  return {
    ...reader,
    name: world.handles.get(person) ?? (person === guest ? "a guest" : person.id),
    threads,
    replies,
    nodes: yield* shownOf(reader, world.nodes, (id) => `/nodes/${id}`),
    versions: yield* shownOf(reader, [...nodeOf.keys()], (id) => `/nodes/${nodeOf.get(id)}/versions/${id}`),
    collections: yield* shownOf(reader, world.collections, (id) => `/collections/${id}`),
    events: yield* shownOf(reader, world.events, (id) => `/events/${id}`),
    categories: yield* shownOf(reader, slugs, (slug) => `/categories/${slug}`),
    tags: yield* shownOf(reader, ["one", "two", "three"], (name) => `/tags/${name}`),
    profiles: yield* shownOf(reader, accounts, (id) => `/profiles/${id}`)
  } satisfies View
})

/** What is compared: what one person is shown, and what guests and the administrator are. */
export interface Compared {
  readonly world: World
  readonly view: View
  readonly everyone: View
  readonly staff: View
}

export type Comparison = (compared: Compared) => Effect.Effect<unknown, unknown, HttpClient.HttpClient>

export const idsIn = (shown: Shown, is: (one: Json) => boolean = () => true): ReadonlyArray<string> =>
  [...shown].flatMap(([id, one]) => (is(one) ? [id] : []))

/** That two lists have the same, in whatever order. */
export const same = (actual: ReadonlyArray<string>, expected: ReadonlyArray<string>, about: string): void =>
  assert.deepStrictEqual(actual.toSorted(), expected.toSorted(), about)

/** Threads and replies. */
export const postsOf = ({ replies, threads }: View): Shown => new Map([...threads, ...replies])

export const isPublished = ({ visibility }: Json): boolean => visibility === "published"
