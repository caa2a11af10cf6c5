/** What people may do with tags. */
import { Context, Effect, Layer, Option } from "effect"
import { withinAnswer } from "../datagraph/AnswerBudget.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { mayReadLibrary } from "../library/NodeRules.ts"
import { type Actor, CurrentActor } from "../shared/Actor.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { slugify } from "../shared/Slug.ts"
import { mayReadThreads } from "../thread/ThreadRules.ts"
import { type Tag, type TagListResult, TagNotFound } from "./TagDetail.ts"
import { pageSize, TagStore } from "./TagStore.ts"

/** What to look for in names, which are slugs. A text without letters and digits is looked for as it is. */
export const nameSearch = (q: string | undefined): string | undefined => {
  const text = (q ?? "").trim()
  return text === "" ? undefined : slugify(text) || text
}

const make = Effect.gen(function* () {
  const store = yield* TagStore
  const datagraph = yield* DatagraphItems

  const list = Effect.fn("Tags.list")(function* (q: string | undefined, page: number) {
    const text = nameSearch(q)
    const { tags, total } = yield* text === undefined ? store.list(page) : store.search(text, page)
    return {
      ...pageEnvelope({ current: page, size: pageSize, total, results: tags.length }),
      tags
    } satisfies TagListResult
  })

  /** The threads of a tag that the viewer may read, those that were active last first. */
  const threadsOf = Effect.fnUntraced(function* (id: Tag["id"], viewer: Actor) {
    if (!mayReadThreads(viewer)) return []
    const threads = yield* store.recentThreads(id)
    const items = yield* datagraph.findThreads(threads, viewer)
    return threads.flatMap((thread) => items.get(thread) ?? [])
  })

  /** The pages of a tag that the viewer may read, newest first. */
  const nodesOf = Effect.fnUntraced(function* (id: Tag["id"], viewer: Actor) {
    if (!mayReadLibrary(viewer)) return []
    const nodes = yield* store.recentNodes(id)
    const items = yield* datagraph.findNodes(nodes, viewer)
    return nodes.flatMap((node) => items.get(node) ?? [])
  })

  const itemsOf = (id: Tag["id"], viewer: Actor) =>
    Effect.map(
      Effect.all([threadsOf(id, viewer), nodesOf(id, viewer)], { concurrency: "unbounded" }),
      ([threads, nodes]) => withinAnswer([...threads, ...nodes])
    )

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
