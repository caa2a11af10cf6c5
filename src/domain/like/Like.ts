import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { onePage, withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import { Id } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { DatagraphItemPost } from "../thread/Post.ts"
import { itemLike, profileLike } from "./LikeExamples.ts"

const likeFields = {
  id: Id,
  created_at: Timestamp.annotateKey({ description: "When it was added" })
}

/** Who likes a post. */
export const ItemLike = Schema.Struct({
  ...likeFields,
  owner: ProfileReference.annotateKey({ description: "The account that likes the post" })
}).annotate({
  identifier: "ItemLike",
  description: "An account's like of a post"
})
export interface ItemLike extends Schema.Schema.Type<typeof ItemLike> {}

/** How many likes a list shows. */
export const likesMax = 1000

export const ItemLikeResult = Schema.Struct({ likes: Schema.Array(ItemLike) })
  .annotate({
    identifier: "LikePostGetResult",
    description: `The likes of a post, oldest first; the first ${likesMax.toLocaleString("en")}`
  })
  .pipe(withExample({ likes: [itemLike] }))
export interface ItemLikeResult extends Schema.Schema.Type<typeof ItemLikeResult> {}

/** A post that an account likes. */
export const ProfileLike = Schema.Struct({ ...likeFields, item: DatagraphItemPost }).annotate({
  identifier: "ProfileLike",
  description: "A post that an account likes"
})
export interface ProfileLike extends Schema.Schema.Type<typeof ProfileLike> {}

export const ProfileLikeListResult = Schema.Struct({ ...PageFields, likes: Schema.Array(ProfileLike) })
  .annotate({
    identifier: "ProfileLikeListResult",
    description:
      "A page of what an account likes, newest likes first. Posts are whole. A page has fewer likes where they are large, so that an answer has about 2 MiB; `next_page` goes on with the next one."
  })
  .pipe(withExample({ ...onePage, likes: [profileLike] }))
export interface ProfileLikeListResult extends Schema.Schema.Type<typeof ProfileLikeListResult> {}
