/** Lists of the library, of search and of what is gathered, against what one person reads of each thing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { idsOf } from "../answers.ts"
import { guest } from "../people.ts"
import { calendarFeeds, libraryFeed } from "./feeds.ts"
import {
  type Comparison,
  idsIn,
  isPublished,
  type Json,
  listed,
  postsOf,
  read,
  same,
  type View
} from "./Reader.ts"

const every = ["draft", "unlisted", "review", "published"]

const flat = (nodes: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  nodes.flatMap((node) => [node, ...flat(node.children)])

/** Children without a value of the field are listed, too, and those of a page without the field. */
const orders = [{ children_sort: "Weight" }, { children_sort: "-Place" }]

export const nodes = (sql: SqlClient.SqlClient): Comparison =>
  Effect.fnUntraced(function* (compared) {
    const { view } = compared
    const { name, nodes } = view
    yield* libraryFeed(compared)
    const all = yield* listed(view, "/nodes", "nodes", { format: "flat", visibility: every })
    same(idsOf(all), idsIn(nodes), name)
    same(idsOf(yield* listed(view, "/nodes", "nodes", { format: "flat" })), idsIn(nodes, isPublished), name)
    const rows = yield* sql<{ readonly id: string; readonly parent: string | null }>`
      select id, parent_id as parent from nodes`
    const parents = new Map(rows.map(({ id, parent }) => [id, parent]))
    // What is within a page that is not shown has no place in the tree.
    const isOpen = (id: string): boolean => {
      const node = nodes.get(id)
      const parent = parents.get(id) ?? null
      return node !== undefined && isPublished(node) && (parent === null || isOpen(parent))
    }
    const tree = flat((yield* read(view, "/nodes?visibility=published")).nodes)
    same(idsOf(tree), idsIn(nodes).filter(isOpen), name)
    for (const [id, { children }] of nodes) {
      const within = idsIn(nodes, ({ parent }) => parent?.id === id)
      same(idsOf(children), within, `${id} as ${name}`)
      for (const order of within.length === 0 ? [{}] : [{}, ...orders]) {
        const about = `${id} as ${name} in order ${JSON.stringify(order)}`
        same(idsOf(yield* listed(view, `/nodes/${id}/children`, "nodes", order)), within, about)
      }
    }
  })

export const versions: Comparison = Effect.fnUntraced(function* ({ view, world }) {
  const { name, nodes, person, versions } = view
  for (const id of nodes.keys()) {
    const found = yield* listed(view, `/nodes/${id}/versions`, "versions")
    same(
      idsOf(found),
      idsIn(versions, ({ node_id }) => node_id === id),
      `${id} as ${name}`
    )
  }
  if (person === guest) return
  // The owner of a page that is not published reads the drafts of others there, which are not in the list of their own.
  const isListed = ({ author, status }: Json) =>
    status === "draft" && (world.librarians.has(person) || author.id === person.id)
  const drafts = yield* listed(view, "/nodes/drafts", "drafts")
  const readable = drafts.filter(({ id }) => versions.has(id))
  same(idsOf(readable), idsIn(versions, isListed), name)
  // Managers are shown drafts of pages that they may change and not read.
  const others = drafts.filter(({ id }) => !versions.has(id))
  if (!world.librarians.has(person)) assert.deepStrictEqual(others, [], name)
  for (const { id } of others) {
    assert.isTrue(
      world.versions.some((version) => version.id === id && !nodes.has(version.node)),
      name
    )
  }
})

const isReply = ({ root_id }: Json) => root_id !== undefined

/** A search finds what everyone may read, of each kind. */
export const searches: Comparison = Effect.fnUntraced(function* ({ everyone, view }) {
  const open = postsOf(everyone)
  const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
    thread: idsIn(everyone.threads),
    reply: idsIn(open, isReply),
    post: idsIn(open),
    node: idsIn(everyone.nodes)
  }
  for (const [kind, ids] of Object.entries(expected)) {
    const q = kind === "thread" || kind === "post" ? {} : { q: "common" }
    const found = yield* listed(view, "/datagraph", "items", { ...q, kind })
    same(idsOf(found.map(({ ref }) => ref)), ids, `${kind} as ${view.name}`)
  }
  const valuable = ({ properties }: Json) => properties.some(({ value }: Json) => /precious/.test(value))
  const withValue = yield* listed(view, "/datagraph", "items", { q: "precious" })
  same(idsOf(withValue.map(({ ref }) => ref)), idsIn(everyone.nodes, valuable), `by value as ${view.name}`)
  for (const kind of ["thread", "node"]) {
    const { items } = yield* read(view, `/datagraph/matches?q=comm&kind=${kind}`)
    const named = kind === "thread" ? everyone.threads : everyone.nodes
    const ids = idsIn(named, ({ name, title }) => /^Common/.test(name ?? title))
    assert.lengthOf(items, Math.min(20, ids.length), `${kind} as ${view.name}`)
    for (const { id } of items) assert.include(ids, id, view.name)
  }
})

const isIn = ({ membership_type }: Json) => membership_type !== "submission_review"

const makerOf = ({ item: { ref } }: Json): string => (ref.author ?? ref.owner).id

/** Of what the administrator finds in a collection, others find what everyone may read, and their own. */
export const collections: Comparison = Effect.fnUntraced(function* ({ everyone, staff, view }) {
  const { name, person } = view
  const list = yield* listed(view, "/collections", "collections")
  same(idsOf(list), idsIn(view.collections), name)
  const isReadable = (by: View, id: string) => postsOf(by).has(id) || by.nodes.has(id)
  const isShown = (item: Json) =>
    makerOf(item) === person.id ? isReadable(view, item.id) : isIn(item) && isReadable(everyone, item.id)
  for (const { id, item_count, owner } of list) {
    const about = `${id} as ${name}`
    const { items } = view.collections.get(id)
    assert.strictEqual(item_count, items.length, about)
    if (owner.id === person.id || person === staff.person) continue
    const all: ReadonlyArray<Json> = staff.collections.get(id).items
    const known = idsOf(all)
    // Drafts that only their makers read are in collections that the administrator does not find them in.
    const others = items.filter((item: Json) => !known.includes(item.id))
    for (const item of others) assert.strictEqual(makerOf(item), person.id, about)
    const shared = idsOf(items).filter((item) => known.includes(item))
    same(shared, idsOf(all.filter(isShown)), about)
  }
})

/** In how many collections a thread is: what the administrator finds there, who reads all threads. */
export const collected: Comparison = Effect.fnUntraced(function* ({ staff, view }) {
  const holding = (id: string) =>
    [...staff.collections.values()].filter(({ items }) =>
      items.some((item: Json) => item.id === id && isIn(item))
    )
  for (const [id, { collections }] of view.threads) {
    const about = `${id} as ${view.name}`
    const all = holding(id)
    const has_collected = all.some(({ owner }) => owner.id === view.person.id)
    assert.deepStrictEqual(collections, { in_collections: all.length, has_collected }, about)
    const asked = yield* listed(view, "/collections", "collections", { has_item: id })
    const having = asked.filter(({ has_queried_item }) => has_queried_item)
    same(idsOf(having), idsOf(all), about)
  }
  for (const { collections } of view.replies.values()) {
    assert.deepStrictEqual(collections, { in_collections: 0, has_collected: false })
  }
})

export const events: Comparison = Effect.fnUntraced(function* (compared) {
  const { staff, view, world } = compared
  yield* calendarFeeds(compared)
  const list = yield* listed(view, "/events", "events")
  same(idsOf(list), idsIn(view.events), view.name)
  const found = yield* listed(view, "/events", "events", { q: "feast" })
  same(idsOf(found), idsIn(view.events), view.name)
  for (const [id, { participants }] of view.events) {
    const known = staff.events.get(id).participants
    const ids = (list: ReadonlyArray<Json>) => list.map(({ profile }) => profile.id)
    same(ids(participants), ids(known), `${id} as ${view.name}`)
    assert.isTrue(ids(known).every((one) => [world.odin, ...world.people].some(({ id }) => id === one)))
  }
})
