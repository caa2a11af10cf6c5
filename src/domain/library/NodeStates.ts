/** What the rules of the library know of pages, and how they lock them. */
import { Context, type Effect, type Option } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { NodeState } from "./NodeState.ts"

export class NodeStates extends Context.Service<
  NodeStates,
  {
    /** The page that an address names: by its id, its id with a hyphen and any text, or its slug. */
    readonly find: (mark: string) => Effect.Effect<Option.Option<NodeState>>
    /** The same; it stays as it is until the transaction ends, and so does whether it has a draft. */
    readonly findForUpdate: (mark: string) => Effect.Effect<Option.Option<NodeState>>
    /** Nobody else adds, moves or deletes pages, or changes fields of properties, until the transaction ends. */
    readonly lockTree: Effect.Effect<void>
    /**
     * Nobody else moves or deletes any page, adds one to this page, or changes the fields that its children
     * share, until the transaction ends. Undefined is the top level.
     */
    readonly lockGroup: (parent: NodeId | undefined) => Effect.Effect<void>
  }
>()("forum/domain/NodeStates") {}
