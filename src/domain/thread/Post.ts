import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { Asset } from "../asset/Asset.ts"
import { withExample } from "../field/Example.ts"
import { JsonObject, Meta } from "../field/Json.ts"
import { omittedMisc, resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { LinkReference } from "../link/Link.ts"
import { Id, PostId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { Visibility } from "../shared/Visibility.ts"
import { MarkupTooComplex, SanitiserUnavailable } from "../text/TextProblem.ts"
import { postAudience } from "./PostVisibility.ts"
import { newThread, openingPost, reaction } from "./ThreadExamples.ts"

export const React = Schema.Struct({
  id: Id,
  emoji: Schema.String.annotate({ description: "One emoji" }),
  author: ProfileReference.annotateKey({ description: "The account that added it" })
})
  .annotate({
    identifier: "React",
    description: "An account's reaction to a post"
  })
  .pipe(withExample(reaction))

export const LikeData = Schema.Struct({
  likes: Schema.Int.annotate({ description: "The number of accounts that like it" }),
  liked: Schema.Boolean.annotate({ description: "Whether the caller likes it" })
}).annotate({
  identifier: "LikeData",
  description: "Who likes a post"
})

export const CollectionStatus = Schema.Struct({
  in_collections: Schema.Int.annotate({ description: "The number of collections that contain it" }),
  has_collected: Schema.Boolean.annotate({ description: "Whether a collection of the caller contains it" })
}).annotate({
  identifier: "CollectionStatus",
  description: "Which collections contain a post"
})

const referenceFields = {
  id: PostId,
  ...resourceFields,
  title: Schema.String.annotate({
    description: "The title of the thread, also for replies; empty only of drafts"
  }),
  description: Schema.String.annotate({ description: "The beginning of the body as plain text" }),
  slug: Schema.String.annotate({
    description:
      "The name in addresses; for a thread `<id>-<words of the title>`, for a reply `<slug of the thread>#<id>`. It never changes, but that a draft without a title has only its id until it has one."
  }),
  author: ProfileReference,
  visibility: Visibility.annotateKey({ description: postAudience }),
  assets: Schema.Array(Asset).annotate({ description: "Always empty: no operation attaches files to posts" }),
  reacts: Schema.Array(React).annotate({ description: "Oldest first" }),
  collections: CollectionStatus,
  likes: LikeData,
  meta: JsonObject
}

/** A post without its text. */
export const PostReference = Schema.Struct(referenceFields).annotate({
  identifier: "PostReference",
  description: "A post without its text"
})
export interface PostReference extends Schema.Schema.Type<typeof PostReference> {}

/** What a thread and a reply have in common. */
export const postFields = {
  ...referenceFields,
  body: Schema.String.annotate({ description: "Sanitised HTML in a body element" }),
  body_links: Schema.Array(LinkReference).annotate({ description: "The web pages that the body links to" })
}

export const Post = Schema.Struct(postFields)
  .annotate({
    identifier: "Post",
    description: "A reply, or the post that opens a thread"
  })
  .pipe(withExample(openingPost))
export interface Post extends Schema.Schema.Type<typeof Post> {}

/** A post in a list without pages, which may lack fields that do not fit. */
export const PostInPart = Schema.Struct({
  ...postFields,
  misc: omittedMisc,
  meta: Schema.optionalKey(postFields.meta),
  reacts: Schema.optionalKey(postFields.reacts),
  body: Schema.optionalKey(postFields.body),
  body_links: Schema.optionalKey(postFields.body_links)
}).annotate({
  identifier: "PostInPart",
  description: "A reply, or the post that opens a thread. It may lack fields, which `misc.omitted` names."
})
export interface PostInPart extends Schema.Schema.Type<typeof PostInPart> {}

/** A post that something else refers to. */
export const DatagraphItemPost = Schema.Struct({ kind: Schema.Literal("post"), ref: Post }).annotate({
  identifier: "DatagraphItemPost",
  description: "A thread or reply that something else refers to"
})
export interface DatagraphItemPost extends Schema.Schema.Type<typeof DatagraphItemPost> {}

/** Accounts that a post may mention. */
export const mentionsMax = 50

/** The text of a post as a client sends it. */
export const Body = Text.markup({
  description: `HTML or plain text. It may mention ${mentionsMax} different accounts, by links to \`sdr:profile/<id>\`.`
})

/** What may be changed of a post, which is a reply or opens a thread. */
export const PostChanges = Schema.Struct({
  body: Schema.optionalKey(Body),
  meta: Schema.optionalKey(Meta),
  visibility: Schema.optionalKey(Visibility).annotateKey({
    description: `Needs MANAGE_POSTS. ${postAudience}`
  }),
  url: Schema.optionalKey(Text.verbatim({ max: 2000, description: "Accepted and ignored" }))
})
  .annotate({
    identifier: "PostMutableProps",
    description: "What to change of a post; absent fields stay as they are"
  })
  .pipe(withExample({ body: newThread.body }))
export interface PostChanges extends Schema.Schema.Type<typeof PostChanges> {}

export class PostNotFound extends Problem<PostNotFound>()("PostNotFound", {
  status: 404,
  title: "There is no such post",
  explanation: "No thread or reply has this id, or it has been deleted.",
  metadata: { post_id: Schema.String }
}) {}

export class NotYours extends Problem<NotYours>()("NotYours", {
  status: 403,
  title: "Only its author and moderators may change this",
  explanation: "The post was written by another account, and the caller's roles do not hold MANAGE_POSTS."
}) {}

export class MarkupTooLong extends Problem<MarkupTooLong>()("MarkupTooLong", {
  status: 400,
  title: "The text has too much markup",
  explanation:
    "The sanitised HTML of a thread may have 512 Ki characters, that of a reply 128 Ki, however little of it is text.",
  metadata: { maximum: Schema.Int, length: Schema.Int }
}) {}

export class TooManyLinks extends Problem<TooManyLinks>()("TooManyLinks", {
  status: 400,
  title: "The text has too many links",
  explanation: "A thread may link to 1,000 pages, a reply to 200.",
  metadata: { maximum: Schema.Int, count: Schema.Int }
}) {}

export class TooManyMentions extends Problem<TooManyMentions>()("TooManyMentions", {
  status: 400,
  title: "The text mentions too many accounts",
  explanation: `A post may mention ${mentionsMax} different accounts; each is told of it.`,
  metadata: { field: Schema.Literal("body"), maximum: Schema.Int, count: Schema.Int }
}) {}

export class ContentBlocked extends Problem<ContentBlocked>()("ContentBlocked", {
  status: 400,
  title: "Content violates community guidelines",
  explanation:
    "The title or the text contains a word that administrators do not allow. Letter case, invisible characters and the kind of spaces make no difference.",
  metadata: { field: Schema.Literals(["title", "body"]) }
}) {}

export class BodyTooLong extends Problem<BodyTooLong>()("BodyTooLong", {
  status: 400,
  title: "The text is too long",
  explanation:
    "The plain text of published threads and replies is limited in bytes, by settings of the administrators; markup does not count. It is checked when the text is published, by whichever request.",
  metadata: { maximum: Schema.Int, length: Schema.Int }
}) {}

/** Why a text can be refused, whoever writes it. */
export const markupProblems = [
  BodyTooLong,
  MarkupTooComplex,
  MarkupTooLong,
  SanitiserUnavailable,
  TooManyLinks,
  TooManyMentions
] as const

/** Why the text of a post can be refused. */
export const textProblems = [...markupProblems, ContentBlocked] as const
