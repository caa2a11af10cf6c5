import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Group } from "../../domain/library/NodeStore.ts"
import { between, evenly, isRoomy } from "../../domain/library/SiblingOrder.ts"
import type { Spot } from "../../domain/library/TreeRules.ts"
import type { NodeId } from "../../domain/shared/Id.ts"

interface NeighbourRow {
  readonly low: string | null
  readonly high: string | null
}

/** Finds places among siblings, whose group or tree must be locked. */
export const makeNodePlaces = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const inGroup = (parent: Group) =>
    parent === undefined ? sql`parent_id is null` : sql`parent_id = ${parent}`

  /** The places of the siblings between which a spot is; the node that moves does not count as a sibling. */
  const neighbours = (parent: Group, spot: Spot, moving: NodeId | undefined) => {
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

  const placeAt = (parent: Group, spot: Spot, moving: NodeId | undefined) =>
    Effect.map(neighbours(parent, spot, moving), ([row]) =>
      between(row?.low ?? undefined, row?.high ?? undefined)
    )

  /** Gives all siblings new places in their order, evenly far from each other. */
  const spread = Effect.fnUntraced(function* (parent: Group) {
    const rows = yield* sql<{
      readonly n: number
    }>`select count(*)::int as n from nodes where ${inGroup(parent)}`
    const places = evenly(rows[0]?.n ?? 0)
    yield* sql`update nodes n set position = (${places}::text[])[o.place]
      from (
        select id, row_number() over (order by position) as place from nodes where ${inGroup(parent)}
      ) o where n.id = o.id`
  })

  const afterLast = (parent: Group) => placeAt(parent, { _tag: "Last" }, undefined)

  /** A place for a spot in a group. Where it would be a long text, all siblings get new places first. */
  const one = Effect.fnUntraced(function* (parent: Group, spot: Spot, moving?: NodeId) {
    const place = yield* placeAt(parent, spot, moving)
    if (isRoomy(place)) return place
    yield* spread(parent)
    return yield* placeAt(parent, spot, moving)
  })

  /** As many places as `count` says, after all siblings of a group, in order. */
  const several = Effect.fnUntraced(function* (parent: Group, count: number) {
    const places = following(yield* afterLast(parent), count)
    if (places.every(isRoomy)) return places
    yield* spread(parent)
    return following(yield* afterLast(parent), count)
  })

  return { inGroup, one, several } as const
})

/** As many places as `count` says, in order, beginning with `first`. */
const following = (first: string, count: number): ReadonlyArray<string> => {
  const places = count === 0 ? [] : [first]
  for (let last = first; places.length < count; places.push(last)) last = between(last, undefined)
  return places
}
