import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { JsonObject } from "../../domain/field/Json.ts"
import { draftsMax } from "../../domain/library/LibraryLimits.ts"
import { NodeDraftExists } from "../../domain/library/Node.ts"
import type { NodeState } from "../../domain/library/NodeRules.ts"
import { type NodeVersionStatus, TooManyNodeDrafts } from "../../domain/library/NodeVersion.ts"
import type { PropertyMutation, PropertySchema } from "../../domain/library/Property.ts"
import { fieldsOf } from "../../domain/library/PropertyStore.ts"
import { type DraftContent, type DraftOverlay, VersionStore } from "../../domain/library/VersionStore.ts"
import type { AccountId, NodeVersionId } from "../../domain/shared/Id.ts"
import { linkAddresses } from "../../domain/text/LinkAddress.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { locking } from "../shared/Locks.ts"
import { first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { inGroup } from "./PropertyGroupSql.ts"
import { makeVersionReads } from "./VersionReads.ts"
import { type VersionRow, versionColumns, versionOf } from "./VersionRows.ts"

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

/** The row of a statement about a version that is locked. */
const one = <Row>(row: Row | undefined) =>
  row === undefined ? Effect.die(new Error("A version that is locked is gone")) : Effect.succeed(row)

export const layer = Layer.effect(
  VersionStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const people = yield* ProfileCache
    const reads = yield* makeVersionReads
    const columns = sql.literal(versionColumns.full)

    /** All properties that a page has now, as an array. */
    const propertiesNow = (node: Pick<NodeState, "id" | "parentId">) =>
      sql`select coalesce(jsonb_agg(jsonb_build_object('fid', f.fid, 'name', f.name, 'type', f.type,
            'value', coalesce(own.value, ''), 'sort', f.sort) order by f.sort, f.fid), '[]') as properties
          from property_fields f left join property_values own on own.fid = f.fid and own.node_id = ${node.id}
          where ${inGroup(sql, fieldsOf(node))}`

    /** What a draft changes, each as a value and as whether it is one. */
    const given = ({ description, meta, name, proposed, slug, text }: DraftOverlay) => ({
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

    return VersionStore.of({
      ...reads,

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

      insert: Effect.fnUntraced(
        function* (node, { at, authorId, id, overlay }) {
          const draft = given(overlay)
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
            ) moment, (${propertiesNow(node)}) shared
            where n.id = ${node.id} returning ${columns}`).pipe(
            onUniqueViolation(() => new NodeDraftExists({ metadata: { node_id: node.id } })),
            onViolationOf(
              "node_drafts_number",
              () => new TooManyNodeDrafts({ metadata: { maximum: draftsMax } })
            )
          )
          const inserted = yield* one(row)
          return versionOf(inserted, yield* people.resolve([authorId], inserted.people_version))
        },
        (insertion) => orDefect(insertion)
      ),

      update: (id, overlay, at) => {
        const draft = given(overlay)
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
      },

      readDraft: (id) =>
        first(sql<ContentRow>`select name, slug, description, content, excerpt, links, meta, properties,
            known_fields
          from node_versions where id = ${id}`).pipe(Effect.flatMap(one), Effect.map(contentOf)),

      markApplied: (node, id, at) =>
        run(
          locking("draft count")(sql`update node_versions set status = 'applied',
              updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
              ordinal = 1 + coalesce((select max(ordinal) from node_versions where node_id = ${node.id}), 0),
              properties = (${propertiesNow(node)})
            where id = ${id}`)
        ),

      delete: (id) => run(locking("draft count")(sql`delete from node_versions where id = ${id}`))
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
