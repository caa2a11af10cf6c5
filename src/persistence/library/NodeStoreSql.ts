import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { NodeSlugTaken } from "../../domain/library/Node.ts"
import { NodeStore } from "../../domain/library/NodeStore.ts"
import { between } from "../../domain/library/SiblingOrder.ts"
import { locking } from "../shared/Locks.ts"
import { first } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, orDefect } from "../shared/SqlErrors.ts"

export const layer = Layer.effect(
  NodeStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    /** The place of the last page of a group. */
    const lastPlace = (parent: string | undefined) =>
      Effect.map(
        first(
          parent === undefined
            ? sql<{ readonly position: string }>`select position from nodes where parent_id is null
                order by position desc limit 1`
            : sql<{ readonly position: string }>`select position from nodes where parent_id = ${parent}
                order by position desc limit 1`
        ),
        (row) => row?.position
      )

    return NodeStore.of({
      insert: Effect.fnUntraced(
        function* (node) {
          const position = between(yield* lastPlace(node.parentId), undefined)
          const at = toDate(node.at)
          yield* locking("node")(sql`insert into nodes
              (id, created_at, updated_at, owner_id, parent_id, position, name, slug, description, content,
                hide_child_tree, visibility, meta, link_id, primary_image_id)
            values (${node.id}, ${at}, ${at}, ${node.ownerId}, ${node.parentId ?? null}, ${position},
              ${node.name}, ${node.slug}, ${node.description}, ${node.content ?? null},
              ${node.hideChildTree}, ${node.visibility}, ${sql.json(node.meta)}, ${node.linkId ?? null},
              ${node.primaryImageId ?? null})`).pipe(
            onUniqueViolation(() => new NodeSlugTaken({ metadata: { slug: node.slug } }))
          )
        },
        (insertion) => orDefect(insertion)
      ),

      update: Effect.fnUntraced(
        function* (id, changes, at) {
          const isKept = (value: unknown) => value === undefined
          yield* sql`update nodes set
              updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
              name = coalesce(${changes.name ?? null}, name),
              slug = coalesce(${changes.slug ?? null}, slug),
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
            where id = ${id}`.pipe(
            onUniqueViolation(() => new NodeSlugTaken({ metadata: { slug: changes.slug ?? "" } }))
          )
        },
        (update) => orDefect(update)
      )
    })
  })
)
