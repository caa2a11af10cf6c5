import { Effect } from "effect"
import { readOrder } from "../../domain/profile/ProfileRules.ts"
import { Profiles } from "../../domain/profile/Profiles.ts"
import { PublicProfile } from "../../domain/profile/PublicProfile.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { readTimeRange } from "../../domain/shared/TimeRange.ts"
import { searched } from "../../domain/text/SearchText.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor, makeConditional } from "../bytes/ConditionalResponse.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

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
      list: (request) => {
        const { invited_by = [], joined, q, roles = [], sort } = request.query
        return inPages(request, (place) =>
          profiles.list({
            place,
            order: readOrder(sort),
            text: searched(q),
            roles,
            joined: readTimeRange(joined ?? "") ?? {},
            invitedBy: invited_by
          })
        )
      },
      get: ({ headers, params }) => get(params.account_handle, headers["if-none-match"]),
      followers: (request) =>
        inPages(request, (place) =>
          Effect.map(
            profiles.follows(request.params.account_handle, "followers", place),
            ({ envelope, people }) => ({ ...envelope, followers: people })
          )
        ),
      follow: ({ params }) => profiles.follow(params.account_handle),
      unfollow: ({ params }) => profiles.unfollow(params.account_handle),
      following: (request) =>
        inPages(request, (place) =>
          Effect.map(
            profiles.follows(request.params.account_handle, "following", place),
            ({ envelope, people }) => ({ ...envelope, following: people })
          )
        )
    })
  })
)
