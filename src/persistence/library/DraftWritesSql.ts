/** Inserts and changes drafts of nodes. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { draftsMax } from "../../domain/library/LibraryLimits.ts"
import { NodeDraftExists } from "../../domain/library/Node.ts"
import { TooManyNodeDrafts } from "../../domain/library/NodeVersion.ts"
import type { DraftOverlay, VersionStore } from "../../domain/library/VersionStore.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { locking } from "../shared/Locks.ts"
import { run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { propertiesNow } from "./PropertyGroupSql.ts"
import { lockedRow, type VersionRow, versionColumns, versionOf } from "./VersionRows.ts"

/**
 * The parameters for what a draft changes; null for what it leaves as it is. Description and text may be changed to
 * null as well, so `describes` and `writes` tell whether they are changed.
 */
const given = (sql: PgClient.PgClient, { description, meta, name, proposed, slug, text }: DraftOverlay) => ({
  name: name ?? null,
  slug: slug ?? null,
  describes: description !== undefined,
  description: description ?? null,
  writes: text !== undefined,
  content: text?.content ?? null,
  excerpt: text?.description ?? null,
  links: text?.links.map(({ url }) => url) ?? null,
  properties: proposed === undefined ? null : sql.json(proposed.properties),
  knownFields: proposed === undefined ? null : sql.json(proposed.knownFields),
  meta: meta === undefined ? null : sql.json(meta)
})

export const makeDraftWrites = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const people = yield* ProfileCache
  const columns = sql.literal(versionColumns.full)

  return {
    insert: Effect.fnUntraced(
      function* (node, { at, authorId, id, overlay }) {
        const draft = given(sql, overlay)
        // In one statement, so that all of it is of the same moment. It is newer than all that was applied.
        const [row] = yield* locking("draft count")(sql<VersionRow>`insert into node_versions as v
              (id, node_id, author_id, created_at, updated_at, status, name, slug, description, content, excerpt,
                links, properties, known_fields, meta)
            select ${id}, n.id, ${authorId}, moment.at, moment.at, 'draft',
              coalesce(${draft.name}, n.name), coalesce(${draft.slug}, n.slug),
              nullif(case when ${draft.describes}::boolean then ${draft.description}::text
                else n.description end, ''),
              case when ${draft.writes}::boolean then ${draft.content}::text else n.content end,
              ${draft.excerpt}::text, ${draft.links}::text[], coalesce(${draft.properties}::jsonb, shared.properties),
              ${draft.knownFields}::jsonb,
              coalesce(${draft.meta}::jsonb, n.meta)
            from nodes n, (
              select greatest(${toDate(at)}::timestamptz, (
                select updated_at + interval '1 millisecond' from node_versions
                where node_id = ${node.id} and ordinal is not null order by ordinal desc limit 1)) as at
            ) moment, (${propertiesNow(sql, node)}) shared
            where n.id = ${node.id} returning ${columns}`).pipe(
          onUniqueViolation(() => new NodeDraftExists({ metadata: { node_id: node.id } })),
          onViolationOf(
            "node_drafts_number",
            () => new TooManyNodeDrafts({ metadata: { maximum: draftsMax } })
          )
        )
        const inserted = yield* lockedRow(row)
        return versionOf(inserted, yield* people.resolve([authorId], inserted.people_version))
      },
      (insertion) => orDefect(insertion)
    ),

    update: (id, overlay, at) => {
      const draft = given(sql, overlay)
      return run(sql`update node_versions set
            updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
            name = coalesce(${draft.name}, name),
            slug = coalesce(${draft.slug}, slug),
            description = case when ${draft.describes}::boolean then nullif(${draft.description}::text, '')
              else description end,
            content = case when ${draft.writes}::boolean then ${draft.content}::text else content end,
            excerpt = case when ${draft.writes}::boolean then ${draft.excerpt}::text else excerpt end,
            links = case when ${draft.writes}::boolean then ${draft.links}::text[] else links end,
            properties = coalesce(${draft.properties}::jsonb, properties),
            known_fields = coalesce(${draft.knownFields}::jsonb, known_fields),
            meta = coalesce(${draft.meta}::jsonb, meta)
          where id = ${id}`)
    }
  } satisfies Pick<VersionStore["Service"], "insert" | "update">
})
