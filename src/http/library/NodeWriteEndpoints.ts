/** Operations that make and change pages of the library. */
import { HttpApiEndpoint } from "effect/http-api"
import { AssetUnknown } from "../../domain/asset/AssetUnknown.ts"
import { NewNode, NodeNotFound, NodeSlugTaken, NodeWithChildren } from "../../domain/library/Node.ts"
import { NodeSlugEmpty, NodeTooDeep, TooManyNodeAssets } from "../../domain/library/NodeProblems.ts"
import { LinkInvalid } from "../../domain/link/Link.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { membersWith } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"
import { nodeTextProblems, propertyProblems } from "./NodeEndpointParts.ts"

export const createNode = HttpApiEndpoint.post("create", "/", {
  payload: NewNode,
  success: NodeWithChildren,
  error: [
    Forbidden,
    NodeNotFound,
    NodeSlugEmpty,
    NodeSlugTaken,
    NodeTooDeep,
    LinkInvalid,
    AssetUnknown,
    TooManyNodeAssets,
    ...nodeTextProblems,
    ...propertyProblems
  ]
}).pipe(
  operation({
    id: "NodeCreate",
    cost: "write",
    summary: "Create a page",
    description:
      "The last one of its siblings, and a draft unless `visibility` has another value; to publish it at once needs MANAGE_LIBRARY. Any page may be its parent.",
    access: membersWith("SUBMIT_LIBRARY_NODE", "MANAGE_LIBRARY")
  })
)
