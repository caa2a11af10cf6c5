/** What people say, and what they think of it. */
import { Schema } from "effect"
import {
  AnyObject,
  changed,
  created,
  Id,
  idOf,
  Many,
  Markup,
  maybe,
  Prose,
  Slug,
  Text,
  Time,
  Visibility
} from "./Fields.ts"

const deletedAt = maybe(Time).annotateKey({ description: "Deleted, and not gone: staff may restore it" })

export const Thread = Schema.Struct({
  ...changed,
  deleted_at: deletedAt,
  author_id: idOf("accounts"),
  category_id: maybe(idOf("categories")),
  link_id: maybe(idOf("links")).annotateKey({ description: "What it is about" }),
  visibility: Visibility,
  pinned: Schema.Int.annotate({ description: "Lists begin with the highest; 0 for what is not pinned" }),
  title: Text(255).annotate({ description: "Only drafts have none" }),
  slug: Text(255),
  body: Markup,
  meta: AnyObject,
  tag_ids: Many(idOf("tags"))
})

export const Reply = Schema.Struct({
  ...changed,
  deleted_at: deletedAt,
  thread_id: idOf("threads"),
  reply_to_id: maybe(Id).annotateKey({
    description: "The id of one of `replies` in the same thread that comes before, or of the thread"
  }),
  author_id: idOf("accounts"),
  visibility: Visibility,
  published_at: maybe(Time).annotateKey({
    description: "When it was last published; absent where that was when it was made, or never"
  }),
  told: maybe(Schema.Literal(false)).annotateKey({
    description: "Whom it concerns is still to be told of it, once it is published"
  }),
  body: Markup,
  meta: AnyObject
})

const postId = Id.annotate({ description: "The id of one of `threads` or `replies`" })

export const Like = Schema.Struct({ ...created, post_id: postId, account_id: idOf("accounts") })

export const Reaction = Schema.Struct({
  ...created,
  post_id: postId,
  account_id: idOf("accounts"),
  emoji: Text(64, 1)
})

export const ReadMark = Schema.Struct({
  account_id: idOf("accounts"),
  thread_id: idOf("threads"),
  read_at: Time,
  last_reply_id: maybe(idOf("replies")).annotateKey({
    description: "The last reply that there was then; absent where there was none"
  })
})

export const Collection = Schema.Struct({
  ...changed,
  owner_id: idOf("accounts"),
  name: Text(255, 1),
  slug: Text(100),
  description: maybe(Text(2000, 1))
})

export const CollectionItem = Schema.Struct({
  id: Id,
  collection_id: idOf("collections"),
  added_by: maybe(idOf("accounts")),
  added_at: Time,
  membership_type: Schema.Literals(["normal", "submission_review", "submission_accepted"]),
  post_id: maybe(postId),
  node_id: maybe(idOf("nodes"))
}).annotate({ description: "Has either a post or a page" })

export const Event = Schema.Struct({
  ...changed,
  deleted_at: deletedAt,
  thread_id: idOf("threads").annotate({ description: "Its discussion, whose first post is its content" }),
  name: Text(255, 1),
  slug: Slug,
  description: Prose,
  starts_at: Time,
  ends_at: Time,
  primary_image_id: maybe(idOf("assets")),
  policy: Schema.Literals(["open", "closed", "invite_only"]),
  visibility: Visibility,
  location: maybe(AnyObject).annotateKey({ description: "As `GET /events/{event_mark}` has it" }),
  capacity: maybe(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  meta: AnyObject
})

export const Participant = Schema.Struct({
  event_id: idOf("events"),
  account_id: idOf("accounts"),
  created_at: Time,
  updated_at: Time,
  role: Schema.Literals(["attendee", "host"]),
  status: Schema.Literals(["requested", "invited", "attending", "declined"])
})
