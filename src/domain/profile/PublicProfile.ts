import { Schema } from "effect"
import { publicFields } from "../account/Account.ts"
import { freya, odin } from "../account/AccountExamples.ts"
import { ProfileReference } from "../account/Profile.ts"
import { onePage, withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { TagReference } from "../vocabulary/Tag.ts"
import { publicProfile } from "./ProfileExamples.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** An account as everyone sees it. */
export const PublicProfile = Schema.Struct({
  ...publicFields,
  followers: Count.annotate({ description: "How many accounts follow this one" }),
  following: Count.annotate({ description: "How many accounts this one follows" }),
  like_score: Count.annotate({
    description: "How many likes others gave to its threads and replies that are published and not deleted"
  }),
  interests: Schema.Array(TagReference).annotate({ description: "Tags, by name" })
})
  .annotate({
    identifier: "PublicProfile",
    description: "An account as everyone sees it"
  })
  .pipe(withExample(publicProfile))
export interface PublicProfile extends Schema.Schema.Type<typeof PublicProfile> {}

export const ProfileListResult = Schema.Struct({
  ...PageFields,
  profiles: Schema.Array(PublicProfile)
})
  .annotate({
    identifier: "PublicProfileListResult",
    description:
      "A page of profiles, all of them whole. A page has fewer where they are large, so that an answer has about 2 MiB: `next_page` goes on with the next one."
  })
  .pipe(withExample({ ...onePage, profiles: [publicProfile] }))
export interface ProfileListResult extends Schema.Schema.Type<typeof ProfileListResult> {}

export const ProfileFollowersResult = Schema.Struct({
  ...PageFields,
  followers: Schema.Array(ProfileReference)
})
  .annotate({
    identifier: "PublicProfileFollowersResult",
    description: "A page of those who follow an account, who followed last first"
  })
  .pipe(withExample({ ...onePage, followers: [odin] }))
export interface ProfileFollowersResult extends Schema.Schema.Type<typeof ProfileFollowersResult> {}

export const ProfileFollowingResult = Schema.Struct({
  ...PageFields,
  following: Schema.Array(ProfileReference)
})
  .annotate({
    identifier: "PublicProfileFollowingResult",
    description: "A page of those whom an account follows, whom it followed last first"
  })
  .pipe(withExample({ ...onePage, following: [freya] }))
export interface ProfileFollowingResult extends Schema.Schema.Type<typeof ProfileFollowingResult> {}

/** What names and handles are searched for. */
export const ProfileSearchText = Text.term({
  max: 200,
  description:
    "Text that the name or the handle contains. Letter case, accents and compatibility characters do not matter."
})

export class SelfFollow extends Problem<SelfFollow>()("SelfFollow", {
  status: 400,
  title: "An account cannot follow itself",
  explanation: "The handle or id in the path is the caller's own."
}) {}
