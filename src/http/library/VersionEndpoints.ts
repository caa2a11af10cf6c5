/** Operations on versions of nodes. */
import { HttpApiEndpoint } from "effect/http-api"
import { NodeDraftExists, NodeNotFound, NodeSlugTaken } from "../../domain/library/Node.ts"
import {
  NewNodeVersion,
  NodeDraftListResult,
  NodeVersion,
  NodeVersionApplied,
  NodeVersionChanges,
  NodeVersionListResult,
  NodeVersionNotDraft,
  NodeVersionNotFound,
  NodeVersionStatusChange,
  TooManyNodeDrafts
} from "../../domain/library/NodeVersion.ts"
import { TooManyPropertyFields } from "../../domain/library/Property.ts"
import { NodeVersionId } from "../../domain/shared/Id.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { accounts, contributorsWith, membersWith, readersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"
import { nodeParams, nodeTextProblems, propertyProblems } from "./NodeEndpointParts.ts"

const versionParams = {
  ...nodeParams,
  version_id: NodeVersionId.annotate({ description: "The id of the version" })
}

export const listDrafts = HttpApiEndpoint.get("listDrafts", "/drafts", {
  query: pagedQuery,
  success: NodeDraftListResult,
  error: CursorMismatch
}).pipe(
  operation({
    id: "NodeDraftList",
    cost: "long",
    summary: "List drafts of pages",
    description:
      "The caller's own; managers of the library see all. Last changed first, 50 on a page; one that is changed during a walk by cursors goes to the front, so that the walk may lack it. A page that the caller may not read, as it was taken back since, has what the draft says, and its id for a slug; `misc.omitted` names the fields that are not shown.",
    access: accounts
  })
)

export const listVersions = HttpApiEndpoint.get("listVersions", "/:node_slug/versions", {
  params: nodeParams,
  query: pagedQuery,
  success: NodeVersionListResult,
  error: [NodeNotFound, CursorMismatch]
}).pipe(
  operation({
    id: "NodeVersionList",
    cost: "long",
    summary: "List the versions of a page",
    description:
      "Those that were applied and, for its author, managers of the library and the owner of a page that is not published, the draft. Last changed first, 50 on a page.",
    access: readersWith("READ_PUBLISHED_LIBRARY")
  })
)

export const createVersion = HttpApiEndpoint.post("createVersion", "/:node_slug/versions", {
  params: nodeParams,
  payload: NewNodeVersion,
  success: NodeVersion,
  error: [NodeNotFound, NodeDraftExists, TooManyNodeDrafts, ...nodeTextProblems]
}).pipe(
  operation({
    id: "NodeVersionCreate",
    cost: "write",
    summary: "Create a draft of a page",
    description:
      "It has what the page has now, but for what the request changes. The page stays as it is until the draft is applied, and nobody changes the same fields of the page in the meantime.",
    access: contributorsWith("SUBMIT_LIBRARY_NODE_CHANGES", "MANAGE_LIBRARY")
  })
)

export const getDraft = HttpApiEndpoint.get("getDraft", "/:node_slug/versions/draft", {
  params: nodeParams,
  success: NodeVersion,
  error: [NodeNotFound, NodeVersionNotFound]
}).pipe(
  operation({
    id: "NodeVersionDraftGet",
    cost: "quick",
    summary: "Read the draft of a page",
    description:
      "For its author, also when the page is not published any more, for managers of the library who may read the page, and for the owner of a page that is not published.",
    access: readersWith("READ_PUBLISHED_LIBRARY")
  })
)

export const updateDraft = HttpApiEndpoint.patch("updateDraft", "/:node_slug/versions/draft", {
  params: nodeParams,
  payload: NodeVersionChanges,
  success: NodeVersion,
  error: [NodeNotFound, NodeVersionNotFound, ...nodeTextProblems]
}).pipe(
  operation({
    id: "NodeVersionDraftUpdate",
    cost: "write",
    summary: "Change the draft of a page",
    description:
      "Its author may, as long as they may read the page, and managers of the library. Fields that are left out stay as the draft has them.",
    access: accounts
  })
)

export const getVersion = HttpApiEndpoint.get("getVersion", "/:node_slug/versions/:version_id", {
  params: versionParams,
  success: NodeVersion,
  error: [NodeNotFound, NodeVersionNotFound]
}).pipe(
  operation({
    id: "NodeVersionGet",
    cost: "quick",
    summary: "Read a version of a page",
    description:
      "One that was applied is shown with a reference to the one that was applied before it. Drafts are read by those who may read the draft of the page.",
    access: readersWith("READ_PUBLISHED_LIBRARY")
  })
)

export const updateVersion = HttpApiEndpoint.patch("updateVersion", "/:node_slug/versions/:version_id", {
  params: versionParams,
  payload: NodeVersionChanges,
  success: NodeVersion,
  error: [NodeNotFound, NodeVersionNotFound, NodeVersionApplied, ...nodeTextProblems]
}).pipe(
  operation({
    id: "NodeVersionUpdate",
    cost: "write",
    summary: "Change a draft",
    description:
      "Its author may, as long as they may read the page, and managers of the library. Fields that are left out stay as the draft has them. What has been applied does not change.",
    access: accounts
  })
)

export const deleteVersion = HttpApiEndpoint.delete("deleteVersion", "/:node_slug/versions/:version_id", {
  params: versionParams,
  success: Done,
  error: [NodeNotFound, NodeVersionNotFound, NodeVersionApplied]
}).pipe(
  operation({
    id: "NodeVersionDelete",
    cost: "write",
    summary: "Delete a draft",
    description:
      "Its author may, also when the page is not published any more, managers of the library, and the owner of a page that is not published. What has been applied stays in the history of the page.",
    access: accounts
  })
)

export const applyVersion = HttpApiEndpoint.patch("applyVersion", "/:node_slug/versions/:version_id/status", {
  params: versionParams,
  payload: NodeVersionStatusChange,
  success: NodeVersion,
  error: [
    NodeNotFound,
    NodeVersionNotFound,
    NodeVersionNotDraft,
    NodeSlugTaken,
    ...propertyProblems,
    TooManyPropertyFields
  ]
}).pipe(
  operation({
    id: "NodeVersionUpdateStatus",
    cost: "write",
    summary: "Apply a draft to its page",
    description:
      "The page becomes what the draft says; what is empty there is cleared. Content gives the page its description. Properties replace those of the page if the draft changes them, and fields that siblings have been given since stay.",
    access: membersWith("MANAGE_LIBRARY")
  })
)
