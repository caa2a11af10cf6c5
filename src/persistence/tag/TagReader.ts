import { Effect } from "effect"
import type { PostId } from "../../domain/shared/Id.ts"
import { type TagReference, tagColour } from "../../domain/tag/Tag.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"

interface TagRow {
  readonly thread_id: PostId
  readonly name: string
  readonly item_count: number
}

/** Reads the tags of threads for pages that show them, by name. */
export const makeTagReader = Effect.map(QuickReads, (sql) =>
  Effect.fnUntraced(function* (threads: ReadonlyArray<PostId>) {
    const rows = yield* all(
      sql<TagRow>`select tt.thread_id, t.name, t.item_count
        from thread_tags tt join tags t on t.id = tt.tag_id where ${isOneOf(sql, "tt.thread_id", threads)}
        order by t.name`
    )
    // The same few tags come with many threads.
    const tags = new Map<string, TagReference>()
    const tagOf = ({ item_count, name }: TagRow): TagReference => {
      const tag = tags.get(name) ?? { name, colour: tagColour(name), item_count }
      tags.set(name, tag)
      return tag
    }
    return new Map(
      [...Map.groupBy(rows, ({ thread_id }) => thread_id)].map(([thread, rows]) => [thread, rows.map(tagOf)])
    )
  })
)
