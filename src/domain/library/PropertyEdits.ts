/** Changes of properties within a transaction that changes a page. */
import { Context, type Effect } from "effect"
import type { AccountActor } from "../shared/Actor.ts"
import type { NodeState } from "./NodeState.ts"
import type {
  PropertyFieldIdMissing,
  PropertyFieldShared,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyMutation,
  PropertyNameTaken,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "./Property.ts"

export type PropertyProblem =
  | PropertyFieldIdMissing
  | PropertyFieldShared
  | PropertyFieldTwice
  | PropertyFieldUnknown
  | PropertyNameTaken
  | PropertyTypeMissing
  | TooManyPropertyFields

export class PropertyEdits extends Context.Service<
  PropertyEdits,
  {
    /**
     * Makes these the properties of a page and, as far as the caller may, the fields of its siblings. The group
     * of the page must be locked, and then the page. A page that is just being created takes over existing
     * fields by their names.
     */
    readonly replace: (
      actor: AccountActor,
      node: NodeState,
      properties: ReadonlyArray<PropertyMutation>,
      isNew: boolean
    ) => Effect.Effect<void, PropertyProblem>
    /**
     * Pages are in another group now: their values come with them, and fields that it lacks are added. Fields
     * of the group that they left are deleted if nothing is left in it. The tree must be locked.
     */
    readonly follow: (
      nodes: ReadonlyArray<NodeState>,
      from: NodeState["parentId"],
      to: NodeState["parentId"]
    ) => Effect.Effect<void, TooManyPropertyFields>
  }
>()("forum/domain/PropertyEdits") {}
