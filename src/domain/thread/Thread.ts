import { Schema } from "effect"
import { Category } from "../category/Category.ts"
import { onePage, withExample } from "../field/Example.ts"
import { Meta } from "../field/Json.ts"
import { omittedMisc, Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { LinkReference } from "../link/Link.ts"
import { CategoryId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { Visibility } from "../shared/Visibility.ts"
import { linkLengthMax } from "../text/LinkAddress.ts"
import { searchSeconds } from "../text/TextProblem.ts"
import { TagNames, TagReference } from "../vocabulary/Tag.ts"
import { Body, DatagraphItemPost, postFields } from "./Post.ts"
import { threadAudience } from "./PostVisibility.ts"
import { Reply } from "./Reply.ts"
import { newThread, thread, threadReference } from "./ThreadExamples.ts"

export const ReadStatus = Schema.Struct({
  last_read_at: Timestamp.annotateKey({ description: "When the caller last read the thread" }),
  replies_since: Schema.Int.annotate({
    description:
      "The number of replies of others that the caller may read and could not read then: made since, or published since"
  })
}).annotate({
  identifier: "ReadStatus",
  description: "How far the caller has read a thread"
})

export const ReplyStatus = Schema.Struct({
  replies: Schema.Int.annotate({ description: "The number of replies that the caller may read" }),
  replied: Schema.Int.annotate({ description: "How many of these the caller wrote" })
}).annotate({
  identifier: "ReplyStatus",
  description: "The replies to a thread"
})

const threadFields = {
  ...postFields,
  visibility: Visibility.annotateKey({ description: threadAudience }),
  pinned: Schema.Int.annotate({
    description: "Threads with higher numbers come first in lists; 0 is not pinned"
  }),
  read_status: Schema.optionalKey(ReadStatus).annotateKey({
    description: "Absent until the caller has read the thread"
  }),
  reply_status: ReplyStatus,
  category: Schema.optionalKey(Category),
  link: Schema.optionalKey(LinkReference),
  tags: Schema.Array(TagReference),
  last_reply_at: Schema.optionalKey(Timestamp).annotateKey({
    description: "When the newest of its published replies was published; absent without any"
  })
}

/** A thread in a list. */
export const ThreadReference = Schema.Struct(threadFields).annotate({
  identifier: "ThreadReference",
  description: "A thread in a list"
})
export interface ThreadReference extends Schema.Schema.Type<typeof ThreadReference> {}

export const PaginatedReplyList = Schema.Struct({ ...PageFields, replies: Schema.Array(Reply) }).annotate({
  identifier: "PaginatedReplyList",
  description:
    "A page of replies, oldest first. Where some replies of the thread are very long, all of its pages have fewer, so that an answer has about 2 MiB at most."
})

/** A thread with a page of its replies. */
export const Thread = Schema.Struct({
  ...threadFields,
  recomentations: Schema.Array(DatagraphItemPost).annotate({
    description: "Related posts (the spelling is kept for existing clients)"
  }),
  replies: PaginatedReplyList
})
  .annotate({
    identifier: "Thread",
    description: "A thread with a page of its replies"
  })
  .pipe(withExample(thread))
export interface Thread extends Schema.Schema.Type<typeof Thread> {}

/** A thread in a list without pages, which may lack fields that do not fit. */
export const ThreadInPart = Schema.Struct({
  ...Thread.fields,
  misc: omittedMisc,
  meta: Schema.optionalKey(Thread.fields.meta),
  reacts: Schema.optionalKey(Thread.fields.reacts),
  tags: Schema.optionalKey(Thread.fields.tags),
  body: Schema.optionalKey(Thread.fields.body),
  body_links: Schema.optionalKey(Thread.fields.body_links)
}).annotate({
  identifier: "ThreadInPart",
  description: "A thread. It may lack fields, which `misc.omitted` names."
})
export interface ThreadInPart extends Schema.Schema.Type<typeof ThreadInPart> {}

export const ThreadListResult = Schema.Struct({
  ...PageFields,
  threads: Schema.Array(ThreadReference)
})
  .annotate({
    identifier: "ThreadListResult",
    description:
      "A page of threads, all of them whole. A page has fewer where they are large, so that an answer has about 2 MiB: `next_page` goes on with the next one."
  })
  .pipe(withExample({ ...onePage, threads: [threadReference] }))
export interface ThreadListResult extends Schema.Schema.Type<typeof ThreadListResult> {}

const Title = Text.visibleLineOrNone({
  max: 255,
  description:
    "Only a draft may have an empty one. It is stored as one line, without white space around it, control characters and invisible ones.",
  examples: ["Which editor do you use?"]
})

const searchLength = 200

const Rank = Schema.Int.check(Schema.isBetween({ minimum: -2147483648, maximum: 2147483647 }))

const changeable = {
  body: Schema.optionalKey(Body),
  category: Schema.optionalKey(CategoryId).annotateKey({ description: "The id of the category" }),
  tags: Schema.optionalKey(TagNames),
  visibility: Schema.optionalKey(Visibility).annotateKey({ description: threadAudience }),
  pinned: Schema.optionalKey(Rank.annotate({ description: "Needs MANAGE_POSTS" })),
  url: Schema.optionalKey(
    Text.verbatim({
      max: linkLengthMax,
      description: "The http or https address of a web page that the thread is about; empty, none"
    })
  ),
  meta: Schema.optionalKey(Meta)
}

export const NewThread = Schema.Struct({ title: Title, ...changeable })
  .annotate({
    identifier: "ThreadInitialProps",
    description: "A thread to create"
  })
  .pipe(withExample(newThread))
export interface NewThread extends Schema.Schema.Type<typeof NewThread> {}

/** A change of a thread: absent keys stay as they are; `tags` and `meta` are replaced. */
export const ThreadChanges = Schema.Struct({ title: Schema.optionalKey(Title), ...changeable })
  .annotate({
    identifier: "ThreadMutableProps",
    description: "What to change of a thread; absent fields stay as they are"
  })
  .pipe(withExample({ title: newThread.title, tags: newThread.tags }))
export interface ThreadChanges extends Schema.Schema.Type<typeof ThreadChanges> {}

export class ThreadNotFound extends Problem<ThreadNotFound>()("ThreadNotFound", {
  status: 404,
  title: "There is no such thread",
  explanation:
    "A thread is addressed by its id or its slug, which begins with the id. Deleted threads are gone.",
  metadata: { thread_mark: Schema.String }
}) {}

export class ThreadHidden extends Problem<ThreadHidden>()("ThreadHidden", {
  status: 403,
  title: "This thread is not published",
  explanation: "Only its author and moderators see a thread before it is published."
}) {}

export class ThreadTitleMissing extends Problem<ThreadTitleMissing>()("ThreadTitleMissing", {
  status: 400,
  title: "A thread needs a title unless it is a draft",
  explanation:
    'A draft may have the title `""`; with any other visibility a thread has one. Send `title` with the request that changes the visibility, or before.',
  metadata: { field: Schema.Literal("title") }
}) {}

/** What can be searched for. */
export const SearchText = Text.term({
  max: searchLength,
  description: `Text that the title, the slug or the visible text of the body contains. Letter case, accents and compatibility characters do not matter. A search may take ${searchSeconds} seconds.`
})

export class AuthorUnknown extends Problem<AuthorUnknown>()("AuthorUnknown", {
  status: 404,
  title: "There is no such author",
  explanation: "No account has the handle or id in `author`.",
  metadata: { author: Schema.String }
}) {}
