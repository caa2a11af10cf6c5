/** Telling accounts that they are mentioned: once by each post, when others can first read it. */
import { Effect } from "effect"
import type { NewEvent } from "../event/EventLog.ts"
import type { PostStanding } from "../event/Standing.ts"
import type { AccountId } from "../shared/Id.ts"
import { type MentioningPost, MentionStore } from "./MentionStore.ts"
import { standingOfReply, standingOfThread } from "./PostStanding.ts"
import type { PostText } from "./PostText.ts"
import type { PostState } from "./PostVisibility.ts"
import { isReadableByAll } from "./ThreadRules.ts"

type MentionEvent = Extract<NewEvent, { readonly _tag: "MemberMentioned" }>

/** Nobody is mentioned in what others do not read, so the post and its thread are published. */
const standingIn = ({ authorId, id, threadId }: MentioningPost, threadAuthor: AccountId): PostStanding => {
  const thread = { authorId: threadAuthor, visibility: "published" } as const
  return id === threadId
    ? standingOfThread(thread)
    : standingOfReply({ authorId, visibility: "published" }, thread)
}

const eventOf = (post: MentioningPost, threadAuthor: AccountId, mentioned: AccountId): MentionEvent => ({
  _tag: "MemberMentioned",
  by: post.authorId,
  mentioned,
  thread_id: post.threadId,
  ...(post.id === post.threadId ? {} : { reply_id: post.id }),
  standing: standingIn(post, threadAuthor)
})

const mentioning = ({ authorId, id, thread }: PostState): MentioningPost => ({
  id,
  threadId: thread.id,
  authorId
})

/** Stores mentions, as part of a transaction that writes their post, and answers the events that belong to it. */
export const makeMentions = Effect.map(MentionStore, (store) => {
  const write = (post: PostState, { mentions }: PostText) =>
    Effect.map(store.write(mentioning(post), mentions, isReadableByAll(post)), (told) =>
      told.map((account) => eventOf(mentioning(post), post.thread.authorId, account))
    )

  /** Answers the events that tell of mentions in a post; of a thread, in its replies as well, which are shown with it. */
  const tell = ({ id, thread }: PostState) =>
    Effect.map(store.tell(id === thread.id ? { threadId: id } : { postId: id }), (told) =>
      told.map(({ mentioned, post }) => eventOf(post, thread.authorId, mentioned))
    )

  /** Stores the mentions of a new post, and answers the events that tell of them. */
  const created = (post: PostState, text: PostText): Effect.Effect<ReadonlyArray<MentionEvent>> =>
    text.mentions.length === 0 ? Effect.succeed([]) : write(post, text)

  /** Stores the mentions of a changed post if it has a new text, and answers the events that tell of them. */
  const changed = Effect.fnUntraced(function* (
    before: PostState,
    after: PostState,
    text: PostText | undefined
  ) {
    const inText = text === undefined ? [] : yield* write(after, text)
    const isNewlyReadable = isReadableByAll(after) && !isReadableByAll(before)
    return isNewlyReadable ? [...inText, ...(yield* tell(after))] : inText
  })

  return { created, changed } as const
})
