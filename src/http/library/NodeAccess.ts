/** The access of operations that read one page, which storage reads together with the caller. */
import { Context, type Option } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { NodeSummary } from "../../domain/library/NodeSummary.ts"
import type { CurrentActor } from "../../domain/shared/Actor.ts"
import { guestProblems, readersWith } from "../contract/Access.ts"

/** The page that the address of the running request names, if there is one. */
export class RequestedNode extends Context.Service<RequestedNode, Option.Option<NodeSummary>>()(
  "forum/http/RequestedNode"
) {}

/** Identifies the caller, checks the access, and provides the page that `:node_slug` names. */
export class NodeOperation extends HttpApiMiddleware.Service<
  NodeOperation,
  { provides: CurrentActor | RequestedNode }
>()("forum/http/NodeOperation", { error: guestProblems }) {}

/** Accounts that may read the library, and guests if their role allows it. */
export const nodeReaders = { ...readersWith("READ_PUBLISHED_LIBRARY"), middleware: NodeOperation }
