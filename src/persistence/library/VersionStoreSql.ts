import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { JsonObject } from "../../domain/field/Json.ts"
import type { NodeVersionStatus } from "../../domain/library/NodeVersion.ts"
import type { PropertyMutation, PropertySchema } from "../../domain/library/Property.ts"
import { type DraftContent, VersionStore } from "../../domain/library/VersionStore.ts"
import type { AccountId, NodeVersionId } from "../../domain/shared/Id.ts"
import { linkAddresses } from "../../domain/text/LinkAddress.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { locking } from "../shared/Locks.ts"
import { first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makeDraftWrites } from "./DraftWritesSql.ts"
import { propertiesNow } from "./PropertyGroupSql.ts"
import { makeVersionReads } from "./VersionReads.ts"
import { lockedRow } from "./VersionRows.ts"

interface StateRow {
  readonly id: NodeVersionId
  readonly author_id: AccountId
  readonly status: NodeVersionStatus
}

interface ContentRow {
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly content: RichText | null
  readonly excerpt: string | null
  readonly links: ReadonlyArray<string> | null
  readonly meta: JsonObject
  readonly properties: ReadonlyArray<PropertyMutation>
  readonly known_fields: ReadonlyArray<PropertySchema> | null
}

const contentOf = (row: ContentRow): DraftContent => ({
  name: row.name,
  slug: row.slug,
  description: row.description ?? undefined,
  content: row.content ?? undefined,
  excerpt: row.excerpt ?? undefined,
  links: row.links === null ? undefined : linkAddresses(row.links),
  meta: row.meta,
  proposed:
    row.known_fields === null ? undefined : { properties: row.properties, knownFields: row.known_fields }
})

export const layer = Layer.effect(
  VersionStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return VersionStore.of({
      ...(yield* makeVersionReads),
      ...(yield* makeDraftWrites),

      findState: (nodeId, mark) =>
        Effect.map(
          first(sql<StateRow>`select id, author_id, status from node_versions
            where node_id = ${nodeId} and ${mark === "draft" ? sql`status = 'draft'` : sql`id = ${mark}`}`),
          (row) =>
            Option.map(Option.fromUndefinedOr(row), ({ author_id, id, status }) => ({
              id,
              authorId: author_id,
              status
            }))
        ),

      readDraft: (id) =>
        first(sql<ContentRow>`select name, slug, description, content, excerpt, links, meta, properties,
            known_fields
          from node_versions where id = ${id}`).pipe(Effect.flatMap(lockedRow), Effect.map(contentOf)),

      markApplied: (node, id, at) =>
        run(
          locking("draft count")(sql`update node_versions set status = 'applied',
              updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
              ordinal = 1 + coalesce((select max(ordinal) from node_versions where node_id = ${node.id}), 0),
              properties = (${propertiesNow(sql, node)})
            where id = ${id}`)
        ),

      delete: (id) => run(locking("draft count")(sql`delete from node_versions where id = ${id}`))
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
