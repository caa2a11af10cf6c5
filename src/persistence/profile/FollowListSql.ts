/** Lists of those who follow an account, and of those whom it follows. */
import { Effect, Option } from "effect"
import { type FollowDirection, type FollowPage, pageSize } from "../../domain/profile/ProfileStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { ListPlace } from "../../domain/shared/ListPlace.ts"
import { byHandleOrId } from "../account/HandleSql.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { pagedList } from "../shared/PagedList.ts"

interface Owner {
  readonly owner_id: AccountId
  readonly total: number
  readonly people_version: string
}

interface FollowRow {
  readonly id: string
  readonly follower_id: AccountId
  readonly followed_id: AccountId
}

const list = pagedList<FollowRow, Owner>({
  table: "follows",
  row: "f",
  // All that the indexes of both sides have.
  columns: "f.id, f.created_at, f.follower_id, f.followed_id",
  order: [
    ["f.created_at", "desc", "timestamptz"],
    ["f.id", "desc", "text"]
  ],
  pageSize,
  isNarrow: true
})

const sides = {
  followers: { owner: "followed_id", person: "follower_id" },
  following: { owner: "follower_id", person: "followed_id" }
} as const

export const makeFollowList = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* ProfileCache

  const ownerOf = (handleOrId: string, direction: FollowDirection) =>
    sql`select who.id as owner_id, coalesce(c.${sql.literal(direction)}, 0) as total,
        ${sql.literal(peopleVersion)} as people_version
      from (select id from accounts where ${byHandleOrId(sql, handleOrId)}) who
      left join account_counts c on c.account_id = who.id`

  return Effect.fnUntraced(function* (handleOrId: string, direction: FollowDirection, place: ListPlace) {
    const { owner, person } = sides[direction]
    const { facts, next, rows, total } = yield* list.page(sql, {
      place,
      given: sql`owner as materialized (${ownerOf(handleOrId, direction)}),`,
      conditions: [sql`${sql.literal(`f.${owner}`)} = (select owner_id from owner)`],
      facts: sql`select * from owner`
    })
    if (facts === undefined) return Option.none<FollowPage>()
    const ids = rows.map((row) => row[person])
    const { get } = yield* people.resolve(ids, facts.people_version)
    return Option.some<FollowPage>({ total, next, people: ids.map(get) })
  })
})
