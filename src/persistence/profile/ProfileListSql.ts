/** Lists of profiles. */
import { Effect } from "effect"
import type { ListedAccounts } from "../../domain/account/AccountListing.ts"
import type { ProfileListPage } from "../../domain/profile/ProfileStore.ts"
import { makeAccountListing } from "../account/AccountListingSql.ts"
import { makeProfiles, type ProfileRow, profileColumns, profileJoins } from "./ProfileRows.ts"

export const makeProfileList = Effect.gen(function* () {
  const listing = yield* makeAccountListing<ProfileRow>({ columns: profileColumns, joins: profileJoins })
  const profiles = yield* makeProfiles

  return Effect.fnUntraced(function* (filter: ListedAccounts) {
    const { next, rows, total } = yield* listing(filter)
    return { total, next, profiles: yield* profiles(rows) } satisfies ProfileListPage
  })
})
