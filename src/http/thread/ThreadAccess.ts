/** The access of operations for which storage reads what their address names together with the caller. */
import { Context, type Option } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { AccountAccess, GuestAccess } from "../../domain/shared/Access.ts"
import {
  AccountSuspended,
  CookieRequired,
  type CurrentAccount,
  type CurrentActor,
  Forbidden,
  Unauthenticated
} from "../../domain/shared/Actor.ts"
import type { PostState } from "../../domain/thread/PostState.ts"
import type { ThreadHead } from "../../domain/thread/ThreadHead.ts"
import { DeclaredAccountAccess, DeclaredGuestAccess } from "../shared/Access.ts"

/** The thread that the address of the running request names, if there is one. */
export class AddressedThread extends Context.Service<AddressedThread, Option.Option<ThreadHead>>()(
  "forum/http/AddressedThread"
) {}

/** Identifies the caller, checks the access, and provides the thread that `:thread_mark` names. */
export class ThreadOperation extends HttpApiMiddleware.Service<
  ThreadOperation,
  { provides: CurrentActor | AddressedThread }
>()("forum/http/ThreadOperation", { error: [Forbidden, AccountSuspended, CookieRequired] }) {}

const reading: GuestAccess = { _tag: "Reader", permission: "READ_PUBLISHED_THREADS" }

/** Accounts that may read threads, and guests if their role allows it. */
export const threadReaders = {
  access: reading,
  annotations: Context.make(DeclaredGuestAccess, reading),
  middleware: ThreadOperation
}

/** The post that the address of the running request names, if there is one, as it was when the caller was identified. */
export class AddressedPost extends Context.Service<AddressedPost, Option.Option<PostState>>()(
  "forum/http/AddressedPost"
) {}

/** Identifies the caller, checks the access, and provides the post that `:thread_mark` names. */
export class ReplyOperation extends HttpApiMiddleware.Service<
  ReplyOperation,
  { provides: CurrentActor | CurrentAccount | AddressedPost }
>()("forum/http/ReplyOperation", { error: [Unauthenticated, Forbidden, AccountSuspended, CookieRequired] }) {}

const replying: AccountAccess = { _tag: "Member", permission: "CREATE_POST" }

/** Accounts that may write posts. */
export const repliers = {
  access: replying,
  annotations: Context.make(DeclaredAccountAccess, replying),
  middleware: ReplyOperation
}
