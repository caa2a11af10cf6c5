/**
 * Makes a small handbook in the library of a forum: pages that contain each other, a table whose columns have
 * types, a change that is proposed as a draft and then applied, and a search that finds the result. The tests run it.
 */
import { Effect } from "effect"
// Outside of this repository: import type { Client } from "forum-client"
import type { Client } from "../../src/client/Client.ts"

/** Pages that everyone may read. Only managers of the library create such; members create drafts. */
const published = { visibility: "published" } as const

/** A tree: pages are addressed by their slugs, which are made from their names. */
const makeTree = Effect.fn("makeTree")(function* (manager: Client) {
  const handbook = yield* manager.nodes.create({
    payload: {
      name: "Handbook",
      content: "<h1>Handbook</h1><p>How we work.</p>",
      tags: ["team"],
      ...published
    }
  })
  const tools = yield* manager.nodes.create({
    payload: {
      name: "Tools",
      parent: handbook.slug,
      content: "<p>What is in the workshop.</p>",
      ...published
    }
  })
  return { handbook, tools }
})

const workshop = [
  { name: "Bench drill", weight: "42", bought: "2019-11-12" },
  { name: "Lathe", weight: "180.5", bought: "2024-03-01" },
  { name: "Hand saw", weight: "0.7", bought: "2026-01-20" }
] as const

/** A table: pages that one page contains share the fields of their properties, which the first one creates. */
const fillTable = (manager: Client, parent: string) =>
  Effect.forEach(workshop, ({ bought, name, weight }) =>
    manager.nodes.create({
      payload: {
        name,
        parent,
        properties: [
          { name: "Weight", type: "number", value: weight, sort: "1" },
          { name: "Bought", type: "timestamp", value: bought, sort: "2" }
        ],
        ...published
      }
    })
  )

/** The names of the pages that a page contains, in the order of a field: of its type, so that 42 comes before 180.5. */
const namesInOrder = (reader: Client, node_slug: string, children_sort: string) =>
  Effect.map(reader.nodes.listChildren({ params: { node_slug }, query: { children_sort } }), ({ nodes }) =>
    nodes.map(({ name }) => name)
  )

/** A draft has all that the page says, but for what is changed. The page stays as it is until the draft is applied. */
const changeByDraft = Effect.fn("changeByDraft")(function* (manager: Client, node_slug: string) {
  const draft = yield* manager.nodes.createVersion({
    params: { node_slug },
    payload: { content: "<h1>Handbook</h1><p>How we work, since March.</p>" }
  })
  // While there is a draft, nobody changes the page past it.
  const refused = yield* manager.nodes.update({ params: { node_slug }, payload: { name: "Manual" } }).pipe(
    Effect.as(false),
    Effect.catchTag("NodeDraftExists", () => Effect.succeed(true))
  )
  const applied = yield* manager.nodes.applyVersion({
    params: { node_slug, version_id: draft.id },
    payload: { status: "applied" }
  })
  return { refused, applied }
})

/** Searches find pages by their names, what they say and the values of their properties. */
const namesFound = (reader: Client, q: string) =>
  Effect.map(reader.datagraph.search({ query: { q, kind: ["node"] } }), ({ items }) =>
    items.flatMap((item) => (item.kind === "node" ? [item.ref.name] : []))
  )

/** Makes the handbook as a manager of the library, and reads it as anybody else. */
export const makeHandbook = Effect.fn("makeHandbook")(function* (manager: Client, reader: Client) {
  const { handbook, tools } = yield* makeTree(manager)
  yield* fillTable(manager, tools.slug)
  const { applied, refused } = yield* changeByDraft(manager, handbook.slug)
  const page = yield* reader.nodes.get({ params: { node_slug: handbook.slug } })
  return {
    contains: page.children.map(({ name }) => name),
    lightestFirst: yield* namesInOrder(reader, tools.slug, "Weight"),
    newestFirst: yield* namesInOrder(reader, tools.slug, "-Bought"),
    wasRefused: refused,
    says: page.description,
    isAppliedVersion: page.current_version_id === applied.id,
    foundByContent: yield* namesFound(reader, "since march"),
    foundByValue: yield* namesFound(reader, "180.5"),
    suggested: (yield* reader.datagraph.matches({ query: { q: "hand" } })).items.map(({ name }) => name)
  }
})
