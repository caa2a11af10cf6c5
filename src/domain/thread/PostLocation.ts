import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import type { PostState } from "./PostVisibility.ts"
import { reply } from "./ThreadExamples.ts"

const Ordinal = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Where a post is shown. */
export const PostLocation = Schema.Struct({
  slug: Schema.String.annotate({
    description: "The slug of the post: of a reply, that of its thread with the id of the reply after a `#`"
  }),
  kind: Schema.Literals(["thread", "reply"]),
  index: Schema.optionalKey(Ordinal).annotateKey({
    description: "Of a reply: its number among those that the caller is shown of the thread, from 0"
  }),
  page: Schema.optionalKey(Ordinal).annotateKey({
    description: "Of a reply: the page of the thread that shows it to the caller, from 1"
  }),
  position: Schema.optionalKey(Ordinal).annotateKey({
    description: "Of a reply: its number on that page, from 0"
  })
})
  .annotate({ identifier: "PostLocation", description: "Where a post is shown" })
  .pipe(withExample({ slug: reply.slug, kind: "reply", index: 0, page: 1, position: 0 }))
export interface PostLocation extends Schema.Schema.Type<typeof PostLocation> {}

/** A post by its number in its thread. */
export interface PostPlace {
  readonly post: PostState
  /** The slug of the thread. */
  readonly slug: string
  /** The number of a reply in its thread, from 1, deleted ones counted; 0 for the post that opens the thread. */
  readonly ordinal: number
}

/** Where a reply is shown to a viewer who is shown so many replies before it, and so many on a page. */
export const replyLocation = ({ post, slug }: PostPlace, before: number, size: number): PostLocation => ({
  slug: `${slug}#${post.id}`,
  kind: "reply",
  index: before,
  page: Math.floor(before / size) + 1,
  position: before % size
})
