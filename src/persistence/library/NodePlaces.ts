import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { between, evenly, isRoomy } from "../../domain/library/SiblingOrder.ts"
import type { NodeId } from "../../domain/shared/Id.ts"

/** Where among its siblings a page goes. */
export type Spot =
  | { readonly _tag: "Last" }
  | { readonly _tag: "Before"; readonly sibling: NodeId }
  | { readonly _tag: "After"; readonly sibling: NodeId }

interface NeighbourRow {
  readonly low: string | null
  readonly high: string | null
}

/** Finds places among siblings, whose group or tree must be locked. */
export const makeNodePlaces = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const inGroup = (parent: NodeId | undefined) =>
    parent === undefined ? sql`parent_id is null` : sql`parent_id = ${parent}`

  /** The places between which the spot is; a page that is in the group already does not count. */
  const neighbours = (parent: NodeId | undefined, spot: Spot, moving: NodeId | undefined) => {
    const others = sql`${inGroup(parent)} and id <> ${moving ?? ""}`
    if (spot._tag === "Last") {
      return sql<NeighbourRow>`select (
        select position from nodes where ${others} order by position desc limit 1) as low, null as high`
    }
    return spot._tag === "Before"
      ? sql<NeighbourRow>`select s.position as high, (
          select position from nodes where ${others} and position < s.position
          order by position desc limit 1) as low
        from nodes s where s.id = ${spot.sibling}`
      : sql<NeighbourRow>`select s.position as low, (
          select position from nodes where ${others} and position > s.position
          order by position limit 1) as high
        from nodes s where s.id = ${spot.sibling}`
  }

  const placeAt = (parent: NodeId | undefined, spot: Spot, moving: NodeId | undefined) =>
    Effect.map(neighbours(parent, spot, moving), ([row]) =>
      between(row?.low ?? undefined, row?.high ?? undefined)
    )

  /** Gives all siblings new places in their order, evenly far from each other. */
  const spread = Effect.fnUntraced(function* (parent: NodeId | undefined) {
    const rows = yield* sql<{ readonly n: number }>`select count(*)::int as n from nodes where ${inGroup(parent)}`
    const places = evenly(rows[0]?.n ?? 0)
    yield* sql`update nodes n set position = (${places}::text[])[o.place]
      from (
        select id, row_number() over (order by position) as place from nodes where ${inGroup(parent)}
      ) o where n.id = o.id`
  })

  /** A place in a group. Where it would be long, the siblings get new ones first. */
  return Effect.fnUntraced(function* (
    parent: NodeId | undefined,
    spot: Spot,
    moving?: NodeId
  ): Effect.fn.Return<string, SqlError.SqlError> {
    const place = yield* placeAt(parent, spot, moving)
    if (isRoomy(place)) return place
    yield* spread(parent)
    return yield* placeAt(parent, spot, moving)
  })
})
