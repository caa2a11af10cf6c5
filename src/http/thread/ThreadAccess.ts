/** The access of operations for which storage reads what their address names together with the caller. */
import { Context, type Option } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import type { PostState } from "../../domain/thread/PostVisibility.ts"
import type { ThreadSummary } from "../../domain/thread/ThreadSummary.ts"
import { accountProblems, guestProblems, membersWithBoth, readersWith } from "../contract/AccessPolicies.ts"

/** The thread that the address of the running request names, if there is one. */
export class RequestedThread extends Context.Service<RequestedThread, Option.Option<ThreadSummary>>()(
  "forum/http/RequestedThread"
) {}

/** Identifies the caller, checks the access, and provides the thread that `:thread_mark` names. */
export class ThreadOperation extends HttpApiMiddleware.Service<
  ThreadOperation,
  { provides: CurrentActor | RequestedThread }
>()("forum/http/ThreadOperation", { error: guestProblems }) {}

/** Accounts that may read threads, and guests if their role allows it. */
export const threadReaders = { ...readersWith("READ_PUBLISHED_THREADS"), middleware: ThreadOperation }

/** The post that the address of the running request names, if there is one, as it was when the caller was identified. */
export class AddressedPost extends Context.Service<AddressedPost, Option.Option<PostState>>()(
  "forum/http/AddressedPost"
) {}

/** Identifies the caller, checks the access, and provides the post that `:thread_mark` names. */
export class ReplyOperation extends HttpApiMiddleware.Service<
  ReplyOperation,
  { provides: CurrentActor | CurrentAccount | AddressedPost }
>()("forum/http/ReplyOperation", { error: accountProblems }) {}

/** Accounts that may write posts and read threads: the answer shows the thread's title, and the post that is answered. */
export const repliers = {
  ...membersWithBoth("CREATE_POST", "READ_PUBLISHED_THREADS"),
  middleware: ReplyOperation
}
