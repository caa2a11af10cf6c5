/** What people may do with tags. */
import { Context, Effect, Layer, Option } from "effect"
import { room } from "../answer/AnswerRoom.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { partsOfAll } from "../datagraph/SharedRoom.ts"
import { mayReadLibrary, mayReadNode } from "../library/NodeRules.ts"
import { type Actor, CurrentActor } from "../shared/Actor.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { slugify } from "../shared/Slug.ts"
import { mayReadThreads } from "../thread/ThreadRules.ts"
import { type Tag, type TagListResult, TagNotFound } from "./TagDetail.ts"
import { pageSize, TagStore } from "./TagStore.ts"

/** What to look for in names, which are slugs. A text without letters and digits is looked for as it is. */
export const nameSearch = (q: string | undefined): string | undefined => {
  const text = (q ?? "").trim()
  return text === "" ? undefined : slugify(text) || text
}

// About how many bytes an item takes however little of it is shown.
const briefSize = 3400

const make = Effect.gen(function* () {
  const store = yield* TagStore
  const datagraph = yield* DatagraphItems

  const list = Effect.fn("Tags.list")(function* (q: string | undefined, place: ListPlace) {
    const text = nameSearch(q)
    const { tags, ...extent } = yield* text === undefined ? store.list(place) : store.search(text, place)
    return {
      ...listEnvelope({ ...extent, place, size: pageSize, results: tags.length }),
      tags
    } satisfies TagListResult
  })

  /** The threads of a tag that the viewer may read, those that were active last first. */
  const threadsOf = Effect.fnUntraced(function* (id: Tag["id"], viewer: Actor) {
    return mayReadThreads(viewer) ? yield* datagraph.sizedThreads(yield* store.recentThreads(id), viewer) : []
  })

  /** The pages of a tag, newest first, and about how many bytes of an answer their parts take. */
  const nodesOf = Effect.fnUntraced(function* (id: Tag["id"], viewer: Actor) {
    if (!mayReadLibrary(viewer)) return []
    const nodes = yield* store.recentNodes(id)
    const sizes = yield* datagraph.nodeSizes(nodes)
    return nodes.map((node) => ({ id: node, sizes: sizes.get(node) ?? [] }))
  })

  /** What carries a tag, without the parts that do not fit into an answer. */
  const itemsOf = Effect.fnUntraced(function* (id: Tag["id"], viewer: Actor) {
    const [threads, nodes] = yield* Effect.all([threadsOf(id, viewer), nodesOf(id, viewer)], {
      concurrency: "unbounded"
    })
    const parts = partsOfAll(
      [
        ...threads.map(({ sizes }) => ({ kind: "post", sizes }) as const),
        ...nodes.map(({ sizes }) => ({ kind: "node", sizes }) as const)
      ],
      room - briefSize * (threads.length + nodes.length)
    )
    const partsOf = (place: number) => parts[place]?.parts ?? 0
    const [shownThreads, shownNodes] = yield* Effect.all(
      [
        datagraph.threadsInPart(
          threads.map(({ summary }, place) => ({ summary, parts: partsOf(place) })),
          viewer
        ),
        datagraph.nodesInPart(
          nodes.map(({ id }, place) => ({ id, parts: partsOf(threads.length + place) })),
          (_, standing) => mayReadNode(standing, viewer)
        )
      ],
      { concurrency: "unbounded" }
    )
    return [
      ...threads.flatMap(({ summary }): ReadonlyArray<Tag["items"][number]> => {
        const ref = shownThreads.get(summary.id)
        return ref === undefined ? [] : [{ kind: "thread", ref }]
      }),
      ...nodes.flatMap((node): ReadonlyArray<Tag["items"][number]> => {
        const ref = shownNodes.get(node.id)
        return ref === undefined ? [] : [{ kind: "node", ref }]
      })
    ]
  })

  const get = Effect.fn("Tags.get")(function* (name: string) {
    const found = yield* store.findByName(slugify(name))
    if (Option.isNone(found)) return yield* new TagNotFound({ metadata: { tag_name: name } })
    return { ...found.value, items: yield* itemsOf(found.value.id, yield* CurrentActor) } satisfies Tag
  })

  return { list, get } as const
})

export class Tags extends Context.Service<Tags, Effect.Success<typeof make>>()("forum/domain/Tags") {
  static readonly layer = Layer.effect(Tags, make).pipe(Layer.provide(DatagraphItems.layer))
}
