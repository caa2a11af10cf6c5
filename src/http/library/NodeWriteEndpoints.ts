/** Operations that make and change nodes. */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { AssetBytesUnavailable, AssetNotFound, AssetUnknown } from "../../domain/asset/Asset.ts"
import { StorageFull } from "../../domain/asset/DiskSpace.ts"
import { UploadQuotaExceeded } from "../../domain/asset/UploadQuota.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  NewNode,
  NodeChanges,
  NodeDraftExists,
  NodeNotFound,
  NodeSlugTaken,
  NodeVisibilityChange,
  NodeWithChildren
} from "../../domain/library/Node.ts"
import {
  AssetSourceFailed,
  NodeInItself,
  NodeNotYours,
  NodeSlugEmpty,
  NodeTooDeep,
  TooManyNodeAssets
} from "../../domain/library/NodeProblems.ts"
import { PropertyFieldsNotYours, TooManyPropertyFields } from "../../domain/library/Property.ts"
import { LinkInvalid } from "../../domain/link/Link.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { accounts, membersWith } from "../contract/AccessPolicies.ts"
import { CacheControl, ETag } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"
import { nodeParams, nodeTextProblems, propertyProblems } from "./NodeEndpointParts.ts"

/** The `Cache-Control` of the answer to a change, which nobody keeps. */
export const notKept = "private, no-cache, no-store, must-revalidate"

/** A node that was changed, with the validator that it has now. */
export const ChangedNode = HttpApiSchema.WithHeaders(NodeWithChildren, {
  "cache-control": CacheControl,
  etag: ETag
})

/** The problems for which a part of a node can be refused. */
const partProblems = [
  LinkInvalid,
  AssetUnknown,
  AssetSourceFailed,
  AssetBytesUnavailable,
  StorageFull,
  UploadQuotaExceeded,
  TooManyNodeAssets,
  ...nodeTextProblems,
  ...propertyProblems,
  TooManyPropertyFields
] as const

export const createNode = HttpApiEndpoint.post("create", "/", {
  payload: NewNode,
  success: NodeWithChildren,
  error: [Forbidden, NodeNotFound, NodeSlugEmpty, NodeSlugTaken, NodeTooDeep, ...partProblems]
}).pipe(
  operation({
    id: "NodeCreate",
    cost: "write",
    summary: "Create a page",
    description:
      "The last one of its siblings, and a draft unless `visibility` has another value; to publish it at once needs MANAGE_LIBRARY. Any page that the caller may read or change may be its parent; another one is not found. `asset_sources` needs UPLOAD_ASSET.",
    access: membersWith("SUBMIT_LIBRARY_NODE", "MANAGE_LIBRARY"),
    tools: [{ name: "library_page_create", isOpenWorld: true }]
  })
)

export const updateNode = HttpApiEndpoint.patch("update", "/:node_slug", {
  params: nodeParams,
  payload: NodeChanges,
  success: ChangedNode,
  error: [
    Forbidden,
    NodeNotFound,
    NodeNotYours,
    NodeDraftExists,
    NodeSlugTaken,
    NodeInItself,
    NodeTooDeep,
    PropertyFieldsNotYours,
    ...partProblems
  ]
}).pipe(
  operation({
    id: "NodeUpdate",
    cost: "write",
    summary: "Change a page",
    description:
      "Its owner and the managers of the library may. `tags`, `properties` and `meta` are replaced, files are added. While the page has a draft, its name, slug, description, content, properties and meta are changed by applying the draft only.",
    access: accounts,
    tools: [{ name: "library_page_update", isDestructive: true, isIdempotent: true, isOpenWorld: true }]
  })
)

export const setNodeVisibility = HttpApiEndpoint.patch("setVisibility", "/:node_slug/visibility", {
  params: nodeParams,
  payload: NodeVisibilityChange,
  success: ChangedNode,
  error: [NodeNotFound, NodeNotYours]
}).pipe(
  operation({
    id: "NodeUpdateVisibility",
    cost: "write",
    summary: "Publish a page, submit it for review, or hide it",
    description: "Its owner and the managers of the library may, also while it has a draft.",
    access: accounts
  })
)

const assetParams = { ...nodeParams, asset_id: Text.mark({ description: "The id of an uploaded file" }) }

export const addNodeAsset = HttpApiEndpoint.put("addAsset", "/:node_slug/assets/:asset_id", {
  params: assetParams,
  success: ChangedNode,
  error: [NodeNotFound, NodeNotYours, AssetNotFound, TooManyNodeAssets]
}).pipe(
  operation({
    id: "NodeAddAsset",
    cost: "write",
    summary: "Add a file to a page",
    description: "Its owner and the managers of the library may. Nothing changes if it has the file.",
    access: accounts
  })
)

export const removeNodeAsset = HttpApiEndpoint.delete("removeAsset", "/:node_slug/assets/:asset_id", {
  params: assetParams,
  success: ChangedNode,
  error: [NodeNotFound, NodeNotYours, AssetNotFound]
}).pipe(
  operation({
    id: "NodeRemoveAsset",
    cost: "write",
    summary: "Take a file from a page",
    description:
      "Its owner and the managers of the library may. The file itself stays; nothing changes if the page does not have it.",
    access: accounts
  })
)
