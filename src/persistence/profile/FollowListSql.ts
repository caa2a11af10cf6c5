/** Lists of those who follow an account, and of those whom it follows. */
import { Effect, Option } from "effect"
import { type FollowDirection, type FollowPage, pageSize } from "../../domain/profile/ProfileStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { byHandleOrId } from "../account/HandleSql.ts"
import { People, peopleVersion } from "../account/People.ts"
import { QuickReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, first } from "../shared/Query.ts"

interface Owner {
  readonly owner_id: AccountId
  readonly total: number
  readonly people_version: string
}

/** The account whose list it is, with one of the list or nothing. */
type Row = Owner & { readonly person_id: AccountId | null }

const sides = {
  followers: { owner: "followed_id", person: "follower_id" },
  following: { owner: "follower_id", person: "followed_id" }
} as const

export const makeFollowList = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* People

  const ownerOf = (handleOrId: string, direction: FollowDirection) => {
    const { condition, order } = byHandleOrId(sql, handleOrId)
    return sql<Owner>`select who.id as owner_id, coalesce(c.${sql.literal(direction)}, 0) as total,
        ${sql.literal(peopleVersion)} as people_version
      from (
        select id from accounts where ${condition} order by ${order} limit 1
      ) who left join account_counts c on c.account_id = who.id`
  }

  /** A row for each of the page, and one without where there is none. */
  const rows = (
    direction: FollowDirection,
    { backwards, offset }: PageSpan,
    owner: ReturnType<typeof ownerOf>
  ) => {
    const side = sides[direction]
    const order = (far: boolean) => sql.literal(far ? "created_at, id" : "created_at desc, id desc")
    return all(sql<Row>`select owner.*, page.person_id from (${owner}) owner left join lateral (
        select ${sql.literal(side.person)} as person_id, created_at, id from follows
        where ${sql.literal(side.owner)} = owner.owner_id order by ${order(backwards)}
        ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} limit ${sql.literal(String(pageSize))}
      ) page on true order by ${order(false)}`)
  }

  const pageRows = Effect.fnUntraced(function* (
    handleOrId: string,
    direction: FollowDirection,
    page: number
  ) {
    const owner = ownerOf(handleOrId, direction)
    if (page <= fewPages) return yield* rows(direction, wholePage(page, pageSize), owner)
    const found = yield* first(owner)
    if (found === undefined) return []
    const span = spanOf(page, pageSize, found.total)
    if (span.size === 0) return [{ ...found, person_id: null }]
    const known = sql<Owner>`select ${found.owner_id}::text as owner_id, ${found.total}::int as total,
      ${found.people_version}::text as people_version`
    const listed = yield* rows(direction, span, known)
    // The page nearest to the end may be a short one, and whole ones are read.
    return span.backwards ? listed.slice(-span.size) : listed.slice(0, span.size)
  })

  return Effect.fnUntraced(function* (handleOrId: string, direction: FollowDirection, page: number) {
    const found = yield* pageRows(handleOrId, direction, page)
    const [any] = found
    if (any === undefined) return Option.none<FollowPage>()
    const ids = found.flatMap(({ person_id }) => person_id ?? [])
    const { get } = yield* people.resolve(ids, any.people_version)
    return Option.some<FollowPage>({ total: any.total, people: ids.map(get) })
  })
})
