/** Versions of nodes: drafts of changes, and what has been applied (specification 2.10, 3.1). */
import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { onePage, withExample } from "../field/Example.ts"
import { JsonObject, Meta } from "../field/Json.ts"
import { Timestamp } from "../field/Resource.ts"
import { NodeId, NodeVersionId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { draftsMax } from "./LibraryLimits.ts"
import { NodeContent, NodeDescription, NodeInPart, NodeName, NodeSlug } from "./Node.ts"
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
    description:
      "Those versions of a page that the caller may see, last changed first. Where they are large, fewer are on a page."
  })
  .pipe(withExample({ ...onePage, versions: [version] }))
export interface NodeVersionListResult extends Schema.Schema.Type<typeof NodeVersionListResult> {}

export const NodeDraft = Schema.Struct({ ...versionFields, node: NodeInPart }).annotate({
  identifier: "NodeDraft",
  description: "A draft and the page that it is of, as far as the caller may read the page"
})
export interface NodeDraft extends Schema.Schema.Type<typeof NodeDraft> {}

export const NodeDraftListResult = Schema.Struct({ ...PageFields, drafts: Schema.Array(NodeDraft) })
  .annotate({
    identifier: "NodeDraftListResult",
    description:
      "Drafts, last changed first. Where they are large, fewer are on a page. The pages that they are of lack what does not fit beside them, which their `misc.omitted` names."
  })
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

/** What a draft changes; what is absent is as the node has it, null clears. */
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

/** The status that a version can be given: drafts come to be by creating them. */
const GivenStatus = Schema.String.check(
  Schema.makeFilter((status) => status === "applied", {
    expected: "`applied`, the only status that a draft can be given",
    toJsonSchema: () => [{ enum: ["applied"] }, true]
  })
).annotate({ description: "The only status that a draft can be given" })

export const NodeVersionStatusChange = Schema.Struct({ status: GivenStatus })
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
    "The page has no version with this id, or no draft, or the caller may not see or change it: a draft is for its author and the managers of the library; the owner of a page that is not published may read and delete it.",
  metadata: { node_slug: Schema.String, version_id: Schema.String }
}) {}

export class NodeVersionApplied extends Problem<NodeVersionApplied>()("NodeVersionApplied", {
  status: 403,
  title: "This version has been applied and does not change any more",
  explanation:
    "Applied versions are the history of their page: nobody changes or deletes them. Create a draft instead.",
  metadata: { version_id: Schema.String }
}) {}

export class NodeVersionNotDraft extends Problem<NodeVersionNotDraft>()("NodeVersionNotDraft", {
  status: 400,
  title: "This version has been applied already",
  explanation: "Drafts are applied, each once. Create a draft of the page to change it again.",
  metadata: { version_id: Schema.String }
}) {}

export class TooManyNodeDrafts extends Problem<TooManyNodeDrafts>()("TooManyNodeDrafts", {
  status: 409,
  title: "Too many of your drafts wait to be applied",
  explanation: `An account has at most ${draftsMax.toLocaleString("en")} drafts that are neither applied nor deleted.`,
  metadata: { maximum: Schema.Int }
}) {}
