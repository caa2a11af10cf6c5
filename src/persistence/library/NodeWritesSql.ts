/** Inserting and updating nodes, with what is searched of them. */
import { PgClient } from "@effect/sql-pg"
import { type DateTime, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import { levelsMax } from "../../domain/library/LibraryLimits.ts"
import { NodeNotFound, NodeSlugTaken } from "../../domain/library/Node.ts"
import { NodeTooDeep } from "../../domain/library/NodeProblems.ts"
import type { NodeStore, NodeUpdate } from "../../domain/library/NodeStore.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { searchForm } from "../../domain/text/SearchText.ts"
import type { NodeTexts } from "../search/SearchForms.ts"
import { makeSearchWriter } from "../search/SearchWriter.ts"
import { first } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolationOf, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { makeNodePlaces } from "./NodePlaces.ts"

const onSlugTaken = (slug: string) =>
  onUniqueViolationOf("nodes_slug_key", () => new NodeSlugTaken({ metadata: { slug } }))

export const onTooDeep = onViolationOf(
  "nodes_levels",
  () => new NodeTooDeep({ metadata: { maximum: levelsMax } })
)

/** Answers that there is no such node, where the parent of a node was deleted after it was found. */
export const onParentGone = (parent: string) =>
  onViolationOf("nodes_parent_id_fkey", () => new NodeNotFound({ metadata: { node_slug: parent } }))

interface TextRow {
  readonly content: RichText | null
  readonly description: string
}

export const makeNodeWrites = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const places = yield* makeNodePlaces
  const searched = yield* makeSearchWriter

  /** Fails at once if another transaction that has not ended gives a node this slug, or takes it from one. */
  const takeSlug = Effect.fnUntraced(function* (id: NodeId, slug: string) {
    const [row] = yield* sql<{ readonly taken: boolean }>`select take_node_slug(${id}, ${slug}) as taken`
    if (row?.taken !== true) return yield* new NodeSlugTaken({ metadata: { slug } })
  })

  /** The texts of a node as an update leaves them; undefined if it changes none of them. */
  const textsAfter = Effect.fnUntraced(function* (
    id: NodeId,
    { content, description }: Pick<NodeUpdate, "content" | "description">
  ): Effect.fn.Return<NodeTexts | undefined, SqlError.SqlError> {
    if (content === undefined && description === undefined) return undefined
    if (content !== undefined && description !== undefined) {
      return { content: content ?? undefined, description }
    }
    const [row] = yield* sql<TextRow>`select content, description from nodes where id = ${id}`
    return {
      content: (content === undefined ? row?.content : content) ?? undefined,
      description: description ?? row?.description ?? ""
    }
  })

  const write = Effect.fnUntraced(function* (id: NodeId, changes: NodeUpdate, at: DateTime.Utc) {
    const isKept = (value: unknown) => value === undefined
    const texts = yield* textsAfter(id, changes)
    yield* sql`with page as (update nodes set
          updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
          name = coalesce(${changes.name ?? null}, name),
          name_form = coalesce(${changes.name === undefined ? null : searchForm(changes.name)}, name_form),
          description = coalesce(${changes.description ?? null}, description),
          content = case when ${isKept(changes.content)}::boolean then content
            else ${changes.content ?? null}::text end,
          hide_child_tree = coalesce(${changes.hideChildTree ?? null}, hide_child_tree),
          visibility = coalesce(${changes.visibility ?? null}, visibility),
          meta = coalesce(${changes.meta === undefined ? null : sql.json(changes.meta)}, meta),
          link_id = case when ${isKept(changes.linkId)}::boolean then link_id
            else ${changes.linkId ?? null}::text end,
          primary_image_id = case when ${isKept(changes.primaryImageId)}::boolean then primary_image_id
            else ${changes.primaryImageId ?? null}::text end,
          current_version_id = case when ${isKept(changes.currentVersionId)}::boolean then current_version_id
            else ${changes.currentVersionId ?? null}::text end
        where id = ${id})
        ${searched.updateNode(id, { name: changes.name, slug: changes.slug, texts })}`
  })

  return {
    insert: Effect.fnUntraced(
      function* (node) {
        const position = yield* places.one(node.parentId, { _tag: "Last" })
        const at = toDate(node.at)
        yield* takeSlug(node.id, node.slug)
        yield* sql`with page as (
              insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, name_form,
                slug, description, content, hide_child_tree, visibility, meta, primary_image_id)
              values (${node.id}, ${at}, ${at}, ${node.ownerId}, ${node.parentId ?? null}, ${position},
                ${node.name}, ${searchForm(node.name)}, ${node.slug}, ${node.description}, ${node.content ?? null},
                ${node.hideChildTree}, ${node.visibility}, ${sql.json(node.meta)}, ${node.primaryImageId ?? null})
              returning id, null::text as thread_id, owner_id as author_id, created_at, visibility
            )
            ${searched.insertNodeFrom("page", node)}`.pipe(
          onSlugTaken(node.slug),
          onTooDeep,
          onParentGone(node.parentId ?? "")
        )
      },
      (insertion) => orDefect(insertion)
    ),

    findContent: (id) =>
      Effect.map(
        first(sql<{ readonly content: RichText | null }>`select content from nodes where id = ${id}`),
        (row) => Option.fromNullishOr(row?.content)
      ),

    update: Effect.fnUntraced(
      function* (id, changes, at) {
        if (changes.slug !== undefined) {
          yield* takeSlug(id, changes.slug)
          yield* sql`update nodes set slug = ${changes.slug} where id = ${id}`.pipe(onSlugTaken(changes.slug))
        }
        yield* write(id, changes, at)
      },
      (update) => orDefect(update)
    ),

    amend: (id, changes, at) => orDefect(write(id, changes, at))
  } satisfies Pick<NodeStore["Service"], "amend" | "findContent" | "insert" | "update">
})
