/** The access of operations that read the thread in their address: storage reads it together with the caller. */
import { Context, type Option } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { GuestAccess } from "../../domain/shared/Access.ts"
import { AccountSuspended, CookieRequired, type CurrentActor, Forbidden } from "../../domain/shared/Actor.ts"
import type { ThreadHead } from "../../domain/thread/ThreadHead.ts"
import { DeclaredGuestAccess } from "../shared/Access.ts"

/** The thread that the address of the running request names, if there is one. */
export class AddressedThread extends Context.Service<AddressedThread, Option.Option<ThreadHead>>()(
  "forum/http/AddressedThread"
) {}

/** Identifies the caller, checks the access, and provides the thread that `:thread_mark` names. */
export class ThreadOperation extends HttpApiMiddleware.Service<
  ThreadOperation,
  { provides: CurrentActor | AddressedThread }
>()("forum/http/ThreadOperation", { error: [Forbidden, AccountSuspended, CookieRequired] }) {}

const access: GuestAccess = { _tag: "Reader", permission: "READ_PUBLISHED_THREADS" }

/** Accounts that may read threads, and guests if their role allows it. */
export const threadReaders = {
  access,
  annotations: Context.make(DeclaredGuestAccess, access),
  middleware: ThreadOperation
}
