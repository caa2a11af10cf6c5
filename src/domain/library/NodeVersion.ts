/** Versions of pages: drafts of changes, and what has been applied (specification 2.10, 3.1). */
import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { onePage, withExample } from "../shared/Example.ts"
import { NodeId, NodeVersionId } from "../shared/Id.ts"
import { JsonObject, Meta } from "../shared/Json.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { Timestamp } from "../shared/Resource.ts"
import { Node, NodeContent, NodeDescription, NodeName, NodeSlug } from "./Node.ts"
import { page, version } from "./NodeExamples.ts"
import { PropertyMutation, PropertyMutations } from "./Property.ts"

export const NodeVersionStatus = Schema.Literals(["draft", "applied"]).annotate({
  identifier: "NodeVersionStatus",
  description: "`draft` until it is applied; what is applied does not change any more"
})
export type NodeVersionStatus = typeof NodeVersionStatus.Type

const referenceFields = {
  id: NodeVersionId,
  created_at: Timestamp.annotateKey({ description: "When it was created" }),
  updated_at: Timestamp.annotateKey({ description: "When it was last changed or applied" }),
  author: ProfileReference,
  status: NodeVersionStatus
}

const NodeVersionReference = Schema.Struct(referenceFields).annotate({
  identifier: "NodeVersionReference",
  description: "A version without what it says"
})

const versionFields = {
  ...referenceFields,
  node_id: NodeId,
  previous: Schema.optionalKey(NodeVersionReference).annotateKey({
    description: "The version that was applied before; only where one applied version is read"
  }),
  name: Schema.String,
  slug: Schema.String,
  description: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String),
  properties: Schema.Array(PropertyMutation),
  meta: JsonObject
}

export const NodeVersion = Schema.Struct(versionFields)
  .annotate({ identifier: "NodeVersion", description: "A draft of a page, or what it once became" })
  .pipe(withExample(version))
export interface NodeVersion extends Schema.Schema.Type<typeof NodeVersion> {}

export const NodeVersionListResult = Schema.Struct({ ...PageFields, versions: Schema.Array(NodeVersion) })
  .annotate({
    identifier: "NodeVersionListResult",
    description: "A page of the versions of a page that the caller may see, last changed first"
  })
  .pipe(withExample({ ...onePage, versions: [version] }))
export interface NodeVersionListResult extends Schema.Schema.Type<typeof NodeVersionListResult> {}

export const NodeDraft = Schema.Struct({ ...versionFields, node: Node }).annotate({
  identifier: "NodeDraft",
  description: "A draft and the page that it is of"
})
export interface NodeDraft extends Schema.Schema.Type<typeof NodeDraft> {}

export const NodeDraftListResult = Schema.Struct({ ...PageFields, drafts: Schema.Array(NodeDraft) })
  .annotate({ identifier: "NodeDraftListResult", description: "A page of drafts, last changed first" })
  .pipe(withExample({ ...onePage, drafts: [{ ...version, node: page }] }))
export interface NodeDraftListResult extends Schema.Schema.Type<typeof NodeDraftListResult> {}

const overlay = {
  name: Schema.optionalKey(NodeName),
  slug: Schema.optionalKey(NodeSlug),
  description: Schema.optionalKey(Schema.NullOr(NodeDescription)),
  content: Schema.optionalKey(Schema.NullOr(NodeContent)),
  properties: Schema.optionalKey(PropertyMutations),
  meta: Schema.optionalKey(Meta)
}

/** What a draft changes; what is absent is as the page has it, null clears. */
export const NewNodeVersion = Schema.Struct(overlay)
  .annotate({
    identifier: "NodeVersionInitialProps",
    description: "What the draft changes; absent fields are as the page has them, null clears"
  })
  .pipe(withExample({ content: "<p>How we work, since March.</p>" }))
export interface NewNodeVersion extends Schema.Schema.Type<typeof NewNodeVersion> {}

export const NodeVersionChanges = Schema.Struct(overlay)
  .annotate({
    identifier: "NodeVersionMutableProps",
    description: "What to change of a draft; absent fields stay as they are, null clears"
  })
  .pipe(withExample({ content: "<p>How we work, since March.</p>" }))
export interface NodeVersionChanges extends Schema.Schema.Type<typeof NodeVersionChanges> {}

export const NodeVersionStatusChange = Schema.Struct({ status: NodeVersionStatus })
  .annotate({
    identifier: "NodeVersionStatusMutationProps",
    description: "`applied` makes the page what the draft says"
  })
  .pipe(withExample({ status: "applied" }))
export interface NodeVersionStatusChange extends Schema.Schema.Type<typeof NodeVersionStatusChange> {}

export class NodeVersionNotFound extends Problem<NodeVersionNotFound>()("NodeVersionNotFound", {
  status: 404,
  title: "There is no such version",
  explanation:
    "The page has no version with this id, or no draft, or the caller may not see it: a draft is shown to its author and the managers of the library only.",
  metadata: { node_slug: Schema.String, version_id: Schema.String }
}) {}
