/** What people may do with profiles, and whom they follow. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountNotFound } from "../account/Account.ts"
import { type ListedAccounts, pageSize as listPageSize } from "../account/AccountListing.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type FollowDirection, ProfileStore, pageSize } from "./ProfileStore.ts"
import { type ProfileListResult, SelfFollow } from "./PublicProfile.ts"

const notFound = (handle: string) => new AccountNotFound({ metadata: { account: handle } })

const make = Effect.gen(function* () {
  const store = yield* ProfileStore
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const ids = yield* Ids
  const transaction = yield* Transaction

  const list = Effect.fn("Profiles.list")(function* (filter: ListedAccounts) {
    const { profiles, ...extent } = yield* store.list(filter)
    return {
      ...listEnvelope({ ...extent, place: filter.place, size: listPageSize, results: profiles.length }),
      profiles
    } satisfies ProfileListResult
  })

  const get = Effect.fn("Profiles.get")(function* (handle: string) {
    const found = yield* store.find(handle)
    return Option.isNone(found) ? yield* notFound(handle) : found.value
  })

  /** A page of those who follow an account, or whom it follows. */
  const follows = Effect.fn("Profiles.follows")(function* (
    handle: string,
    direction: FollowDirection,
    place: ListPlace
  ) {
    const found = yield* store.listFollows(handle, direction, place)
    if (Option.isNone(found)) return yield* notFound(handle)
    const { people, ...extent } = found.value
    return {
      people,
      envelope: listEnvelope({ ...extent, place, size: pageSize, results: people.length })
    }
  })

  /** The caller and the account that a handle or an id names. */
  const pairWith = Effect.fnUntraced(function* (handle: string) {
    const { accountId } = yield* CurrentAccount
    const found = yield* accounts.findIdByHandleOrId(handle)
    if (Option.isNone(found)) return yield* notFound(handle)
    return { follower: accountId, followed: found.value }
  })

  /** Lets the caller follow an account; who is followed already stays followed since then. */
  const follow = Effect.fn("Profiles.follow")(function* (handle: string) {
    const pair = yield* pairWith(handle)
    if (pair.followed === pair.follower) return yield* new SelfFollow()
    const id = yield* ids.next
    const at = yield* DateTime.now
    yield* transaction(
      Effect.flatMap(store.follow({ ...pair, id, at }), (isNew) =>
        isNew ? events.append(pair.follower, { _tag: "AccountFollowed", ...pair }) : Effect.void
      )
    )
  })

  const unfollow = Effect.fn("Profiles.unfollow")(function* (handle: string) {
    const pair = yield* pairWith(handle)
    yield* transaction(
      Effect.flatMap(store.unfollow(pair.follower, pair.followed), (was) =>
        was ? events.append(pair.follower, { _tag: "AccountUnfollowed", ...pair }) : Effect.void
      )
    )
  })

  return { list, get, follows, follow, unfollow } as const
})

export class Profiles extends Context.Service<Profiles, Effect.Success<typeof make>>()(
  "forum/domain/Profiles"
) {
  static readonly layer = Layer.effect(Profiles, make)
}
