import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { ProfileStore } from "../../domain/profile/ProfileStore.ts"
import { byHandleOrId } from "../account/HandleSql.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, isOneOf, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makeFollowList } from "./FollowListSql.ts"
import { makeProfileList } from "./ProfileListSql.ts"
import { makeProfiles, type ProfileRow, profileColumns, profileJoins } from "./ProfileRows.ts"

export const layer = Layer.effect(
  ProfileStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const profiles = yield* makeProfiles

    const find = (handleOrId: string) =>
      first(
        reads<ProfileRow>`select ${reads.literal(profileColumns)}
          from (select * from accounts where ${byHandleOrId(reads, handleOrId)}) a ${reads.literal(profileJoins)}`
      )

    return ProfileStore.of({
      list: yield* makeProfileList,

      find: Effect.fnUntraced(function* (handleOrId) {
        const row = yield* find(handleOrId)
        if (row === undefined) return Option.none()
        const [profile] = yield* profiles([row])
        return Option.fromUndefinedOr(profile)
      }),

      findByIds: Effect.fnUntraced(function* (ids) {
        if (ids.length === 0) return []
        const rows = yield* all(
          reads<ProfileRow>`select ${reads.literal(profileColumns)}
            from (select * from accounts where ${isOneOf(reads, "id", ids)}) a ${reads.literal(profileJoins)}`
        )
        return yield* profiles(rows)
      }),

      listFollows: yield* makeFollowList,

      follow: ({ at, followed, follower, id }) =>
        some(
          locking("account")(sql`insert into follows (id, follower_id, followed_id, created_at)
            values (${id}, ${follower}, ${followed}, ${toDate(at)})
            on conflict (follower_id, followed_id) do nothing returning id`)
        ),

      unfollow: (follower, followed) =>
        some(
          locking("account")(sql`delete from follows
            where follower_id = ${follower} and followed_id = ${followed} returning id`)
        )
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
