import { Effect } from "effect"
import { readOrder } from "../../domain/profile/ProfileRules.ts"
import { Profiles } from "../../domain/profile/Profiles.ts"
import { PublicProfile } from "../../domain/profile/PublicProfile.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { readTimeRange } from "../../domain/shared/TimeRange.ts"
import { searched } from "../../domain/text/SearchText.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor, makeConditional } from "../bytes/ConditionalResponse.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "profiles",
  Effect.fnUntraced(function* (handlers) {
    const profiles = yield* Profiles
    const answerProfile = yield* makeConditional(PublicProfile)

    const get = Effect.fnUntraced(function* (handle: string, ifNoneMatch: string | undefined) {
      const profile = yield* profiles.get(handle)
      return yield* answerProfile(profile, ifNoneMatch, cachingFor(yield* CurrentActor))
    })

    return handlers.handleAll({
      list: ({ query }) =>
        profiles.list({
          page: pageNumber(query.page),
          order: readOrder(query.sort),
          text: searched(query.q),
          roles: query.roles ?? [],
          joined: readTimeRange(query.joined ?? "") ?? {},
          invitedBy: query.invited_by ?? []
        }),
      get: ({ headers, params }) => get(params.account_handle, headers["if-none-match"]),
      followers: ({ params, query }) =>
        Effect.map(
          profiles.follows(params.account_handle, "followers", pageNumber(query.page)),
          ({ envelope, people }) => ({ ...envelope, followers: people })
        ),
      follow: ({ params }) => profiles.follow(params.account_handle),
      unfollow: ({ params }) => profiles.unfollow(params.account_handle),
      following: ({ params, query }) =>
        Effect.map(
          profiles.follows(params.account_handle, "following", pageNumber(query.page)),
          ({ envelope, people }) => ({ ...envelope, following: people })
        )
    })
  })
)
