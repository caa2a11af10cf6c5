/** Operations that move and delete nodes. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { NodeNotFound, NodePosition, NodeRemoval, NodeWithChildren } from "../../domain/library/Node.ts"
import {
  NodeInItself,
  NodeNotYours,
  NodePlacementInvalid,
  NodeTooDeep,
  NodeVisibilitiesDiffer,
  TooManyChildren
} from "../../domain/library/NodeProblems.ts"
import { TooManyPropertyFields } from "../../domain/library/Property.ts"
import { accounts } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"
import { nodeParams } from "./NodeEndpointParts.ts"
import { ChangedNode } from "./NodeWriteEndpoints.ts"

const childParams = {
  ...nodeParams,
  node_slug_child: Text.mark({ description: "The slug or the id of the other page" })
}

const relationProblems = [NodeNotFound, NodeNotYours, NodeInItself] as const

const movingProblems = [
  ...relationProblems,
  NodeVisibilitiesDiffer,
  NodeTooDeep,
  TooManyPropertyFields
] as const

export const deleteNode = HttpApiEndpoint.delete("delete", "/:node_slug", {
  params: nodeParams,
  query: {
    target_node: Schema.optionalKey(
      Text.mark({ description: "The slug or the id of the page to move what it contains to" })
    )
  },
  success: NodeRemoval,
  error: [NodeNotFound, NodeNotYours, NodeInItself, NodeTooDeep, TooManyChildren, TooManyPropertyFields]
}).pipe(
  operation({
    id: "NodeDelete",
    cost: "write",
    summary: "Delete a page",
    description:
      "With its versions and the values of its properties. What it contains moves to `target_node`, after the pages there, or to the top level. Its owner and the managers of the library may.",
    access: accounts
  })
)

export const addChildNode = HttpApiEndpoint.put("addChild", "/:node_slug/nodes/:node_slug_child", {
  params: childParams,
  success: NodeWithChildren,
  error: movingProblems
}).pipe(
  operation({
    id: "NodeAddNode",
    cost: "write",
    summary: "Put a page into another one",
    description:
      "As the last one there; nothing changes if it is there already. The owner of either page may, and the managers of the library. If the other one is directly in the page that moves, it is moved to the top level first. Answers the page that contains it now.",
    access: accounts
  })
)

export const removeChildNode = HttpApiEndpoint.delete("removeChild", "/:node_slug/nodes/:node_slug_child", {
  params: childParams,
  success: NodeWithChildren,
  error: relationProblems
}).pipe(
  operation({
    id: "NodeRemoveNode",
    cost: "write",
    summary: "Take a page out of another one",
    description:
      "It is the last one at the top level then; nothing changes if it is not in the other one. The owner of either page may, and the managers of the library. Answers the page that was taken out.",
    access: accounts
  })
)

export const placeNode = HttpApiEndpoint.patch("place", "/:node_slug/position", {
  params: nodeParams,
  payload: NodePosition,
  success: ChangedNode,
  error: [...movingProblems, NodePlacementInvalid]
}).pipe(
  operation({
    id: "NodeUpdatePosition",
    cost: "write",
    summary: "Move a page",
    description:
      "Into another page or to the top level, and next to one of its siblings there; after all of them if none is named. Its owner and the managers of the library may.",
    access: accounts
  })
)
