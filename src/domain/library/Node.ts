/** Nodes of the library, which contain each other (specification 2.9). Clients and people call them pages. */
import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { Asset } from "../asset/Asset.ts"
import { onePage, withExample } from "../field/Example.ts"
import { JsonObject, Meta } from "../field/Json.ts"
import { omittedMisc, resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { LinkReference } from "../link/Link.ts"
import { AssetId, NodeId, NodeVersionId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { isSlug, slugPattern } from "../shared/Slug.ts"
import { Visibility } from "../shared/Visibility.ts"
import { linkLengthMax } from "../text/LinkAddress.ts"
import { DatagraphItemPost } from "../thread/Post.ts"
import { TagNames, TagReference } from "../vocabulary/Tag.ts"
import { assetsMax, childrenShown, descriptionLength, listedMax, nameLength } from "./LibraryLimits.ts"
import { newNode, page } from "./NodeExamples.ts"
import { nodeAudience } from "./NodeRules.ts"
import { Property, PropertyMutations, PropertySchema } from "./Property.ts"

const fields = {
  id: NodeId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "What it is called" }),
  slug: Schema.String.annotate({ description: "The unique name in addresses" }),
  current_version_id: Schema.optionalKey(NodeVersionId).annotateKey({
    description: "The applied version that the page is; absent once it has been changed otherwise"
  }),
  assets: Schema.Array(Asset).annotate({ description: "The files that belong to it" }),
  link: Schema.optionalKey(LinkReference).annotateKey({ description: "The web page that it is about" }),
  description: Schema.String.annotate({
    description: "A few sentences as plain text: the beginning of the content, if it has any; may be empty"
  }),
  primary_image: Schema.optionalKey(Asset).annotateKey({ description: "The image that it is shown with" }),
  content: Schema.optionalKey(Schema.String).annotateKey({
    description: "Sanitised HTML in a body element; absent if it was never given any"
  }),
  owner: ProfileReference,
  hide_child_tree: Schema.Boolean.annotate({
    description: "Whether the list of all pages leaves out what it contains"
  }),
  tags: Schema.Array(TagReference),
  visibility: Visibility.annotateKey({ description: nodeAudience }),
  meta: JsonObject,
  recomentations: Schema.Array(DatagraphItemPost).annotate({
    description: "Related posts (the spelling is kept for existing clients); always empty"
  }),
  properties: Schema.Array(Property).annotate({
    description: "One for each field that it shares with its siblings"
  }),
  child_property_schema: Schema.Array(PropertySchema).annotate({
    description: "The fields that its children share"
  })
}

const noChildren = Schema.Array(Schema.Never).annotate({
  description: "Always empty here; the page itself shows what it contains"
})

/** The fields of a node in a list without pages, which may lack those that do not fit. */
const fieldsInPart = {
  ...fields,
  misc: omittedMisc,
  assets: Schema.optionalKey(fields.assets),
  description: Schema.optionalKey(fields.description),
  tags: Schema.optionalKey(fields.tags),
  meta: Schema.optionalKey(fields.meta),
  properties: Schema.optionalKey(fields.properties),
  child_property_schema: Schema.optionalKey(fields.child_property_schema)
}

/** A node that may lack what did not fit. */
export const NodeInPart = Schema.Struct({ ...fieldsInPart, children: noChildren }).annotate({
  identifier: "NodeReference",
  description:
    "A page without the one that contains it and without those that it contains. It may lack fields, which `misc.omitted` names."
})
export interface NodeInPart extends Schema.Schema.Type<typeof NodeInPart> {}

const parent = Schema.optionalKey(NodeInPart).annotateKey({
  description:
    "The page that contains it; absent at the top level, where it is nested in that page, and where something else refers to it"
})

const shownFields = { ...fields, parent }

/** A node. */
export const Node = Schema.Struct({ ...shownFields, children: noChildren })
  .annotate({ identifier: "Node", description: "A page of the library that something else refers to" })
  .pipe(withExample(page))
export interface Node extends Schema.Schema.Type<typeof Node> {}

/** A node with what it contains. */
export interface NodeWithChildren extends Schema.Struct.Type<typeof shownFields> {
  readonly children: ReadonlyArray<NodeWithChildren>
}
export interface NodeWithChildrenEncoded extends Schema.Struct.Encoded<typeof shownFields> {
  readonly children: ReadonlyArray<NodeWithChildrenEncoded>
}
export const NodeWithChildren: Schema.Codec<NodeWithChildren, NodeWithChildrenEncoded> = Schema.Struct({
  ...shownFields,
  children: Schema.Array(
    Schema.suspend((): Schema.Codec<NodeWithChildren, NodeWithChildrenEncoded> => NodeWithChildren)
  ).annotate({
    description: `Those of its children that the caller may see, in their order, of which a page itself shows the first ${childrenShown}, or fewer where they are large`
  })
})
  .annotate({ identifier: "NodeWithChildren", description: "A page with what it contains" })
  .pipe(withExample(page))

const treeFields = { ...fieldsInPart, parent }

/** A node in the list of all, with what it contains. */
export interface NodeTreeItem extends Schema.Struct.Type<typeof treeFields> {
  readonly children: ReadonlyArray<NodeTreeItem>
}
export interface NodeTreeItemEncoded extends Schema.Struct.Encoded<typeof treeFields> {
  readonly children: ReadonlyArray<NodeTreeItemEncoded>
}
export const NodeTreeItem: Schema.Codec<NodeTreeItem, NodeTreeItemEncoded> = Schema.Struct({
  ...treeFields,
  children: Schema.Array(
    Schema.suspend((): Schema.Codec<NodeTreeItem, NodeTreeItemEncoded> => NodeTreeItem)
  ).annotate({ description: "Those of its children that are listed, in their order; empty in a flat list" })
})
  .annotate({
    identifier: "NodeTreeItem",
    description: "A page in the list of all. It may lack fields, which `misc.omitted` names."
  })
  .pipe(withExample(page))

export const NodeTreeResult = Schema.Struct({ ...PageFields, nodes: Schema.Array(NodeTreeItem) })
  .annotate({
    identifier: "NodeTreeResult",
    description: `Pages of the library, ${listedMax.toLocaleString("en")} at most.`
  })
  .pipe(withExample({ ...onePage, nodes: [page] }))
export interface NodeTreeResult extends Schema.Schema.Type<typeof NodeTreeResult> {}

export const NodeListResult = Schema.Struct({ ...PageFields, nodes: Schema.Array(NodeWithChildren) })
  .annotate({
    identifier: "NodeListResult",
    description: `Children of a page, ${childrenShown} at most, or fewer where they are large.`
  })
  .pipe(withExample({ ...onePage, nodes: [page] }))
export interface NodeListResult extends Schema.Schema.Type<typeof NodeListResult> {}

/** The name of a node as a client sends it. */
export const NodeName = Text.visibleLine({ max: nameLength, description: "Not blank; one line" })

export const nodeSlugRule = "a slug: letters, digits, hyphens and underscores in lower case"

/** A slug as a client sends it; an empty one counts as none where a node is created. */
export const NodeSlug = Text.verbatim({
  max: nameLength,
  description:
    "Letters and digits of any script in lower case, with hyphens and underscores between them. `drafts`, which is an address of its own, gets a suffix."
}).check(
  Schema.makeFilter((slug: string) => isSlug(slug), {
    expected: nodeSlugRule,
    toJsonSchema: () => [{ pattern: slugPattern }, true]
  })
)

export const NodeContent = Text.markup({ description: "HTML or plain text" })

export const NodeDescription = Text.lines({
  max: descriptionLength,
  description: "Plain text, or empty. Content that is sent with it takes its place."
})

/** The node that shall contain it, as an address names it. */
const ParentMark = Text.mark({ description: "The slug or id of the page to put it in" })

const sourceLength = 2000

const optional = {
  content: Schema.optionalKey(NodeContent),
  description: Schema.optionalKey(NodeDescription),
  parent: Schema.optionalKey(ParentMark),
  tags: Schema.optionalKey(TagNames),
  asset_ids: Schema.optionalKey(
    Schema.Array(AssetId)
      .check(Schema.isMaxLength(assetsMax))
      .annotate({ description: "Uploaded files to add to it" })
  ),
  asset_sources: Schema.optionalKey(
    Schema.Array(
      Text.verbatim({ max: sourceLength, description: "The http or https address of a file", format: "uri" })
    )
      .check(Schema.isMaxLength(10))
      .annotate({ description: "Addresses of files, which are fetched and added to it" })
  ),
  hide_child_tree: Schema.optionalKey(Schema.Boolean),
  properties: Schema.optionalKey(PropertyMutations),
  meta: Schema.optionalKey(Meta)
}

const Url = Text.verbatim({
  max: linkLengthMax,
  description: "The http or https address of a web page that it is about; empty, none"
})

export const NewNode = Schema.Struct({
  name: NodeName,
  slug: Schema.optionalKey(
    Schema.Union([Schema.Literal(""), NodeSlug]).annotate({
      description:
        "Made from the name if absent or empty; `drafts`, which is an address of its own, gets a suffix"
    })
  ),
  url: Schema.optionalKey(Url),
  primary_image_asset_id: Schema.optionalKey(AssetId),
  visibility: Schema.optionalKey(Visibility).annotateKey({
    description: `\`draft\` if absent; \`published\` needs MANAGE_LIBRARY. ${nodeAudience}`
  }),
  ...optional
})
  .annotate({ identifier: "NodeInitialProps", description: "A page to create" })
  .pipe(withExample(newNode))
export interface NewNode extends Schema.Schema.Type<typeof NewNode> {}

/** A change of a node: absent keys stay; `tags`, `properties` and `meta` are replaced; files are added. */
export const NodeChanges = Schema.Struct({
  name: Schema.optionalKey(NodeName),
  slug: Schema.optionalKey(NodeSlug),
  url: Schema.optionalKey(Schema.NullOr(Url)),
  primary_image_asset_id: Schema.optionalKey(Schema.NullOr(AssetId)),
  ...optional
})
  .annotate({
    identifier: "NodeMutableProps",
    description: "What to change of a page; absent fields stay as they are"
  })
  .pipe(withExample({ name: newNode.name, content: newNode.content }))
export interface NodeChanges extends Schema.Schema.Type<typeof NodeChanges> {}

/** The fields that versions have. While a node has a draft, they change by applying it only. */
export const versionedKeys = ["name", "slug", "description", "content", "properties", "meta"] as const
export type VersionedKey = (typeof versionedKeys)[number]

export const NodeVisibilityChange = Schema.Struct({
  visibility: Visibility.annotateKey({ description: nodeAudience })
})
  .annotate({ identifier: "VisibilityMutationProps", description: "Who shall see it" })
  .pipe(withExample({ visibility: "published" }))
export interface NodeVisibilityChange extends Schema.Schema.Type<typeof NodeVisibilityChange> {}

export const NodePosition = Schema.Struct({
  parent: Schema.optionalKey(Schema.NullOr(ParentMark)).annotateKey({
    description: "The page to put it in; null for the top level, absent for the one that it is in"
  }),
  before: Schema.optionalKey(NodeId).annotateKey({ description: "The id of the sibling to put it before" }),
  after: Schema.optionalKey(NodeId).annotateKey({ description: "The id of the sibling to put it after" })
})
  .annotate({ identifier: "NodePositionMutableProps", description: "Where to put a page" })
  .pipe(withExample({ parent: null }))
export interface NodePosition extends Schema.Schema.Type<typeof NodePosition> {}

export const NodeRemoval = Schema.Struct({
  destination: Schema.optionalKey(NodeWithChildren).annotateKey({
    description: "The page that contains now what the deleted one contained, if one was named"
  })
})
  .annotate({ identifier: "NodeDeleteResult", description: "What became of what the page contained" })
  .pipe(withExample({}))
export interface NodeRemoval extends Schema.Schema.Type<typeof NodeRemoval> {}

export class NodeNotFound extends Problem<NodeNotFound>()("NodeNotFound", {
  status: 404,
  title: "There is no such page",
  explanation:
    "A page is addressed by its slug, its id, or its id with a hyphen and any text. Pages that the caller may not see are not found.",
  metadata: { node_slug: Schema.String }
}) {}

export class NodeSlugTaken extends Problem<NodeSlugTaken>()("NodeSlugTaken", {
  status: 409,
  title: "Another page has this slug",
  explanation: "The slugs of pages are unique. One that is not given is made from the name.",
  metadata: { slug: Schema.String }
}) {}

export class NodeDraftExists extends Problem<NodeDraftExists>()("NodeDraftExists", {
  status: 409,
  title: "This page has a draft version",
  explanation:
    "A page has one draft at most. While it has one, its name, slug, description, content, properties and meta change by applying the draft only. Apply or delete it first.",
  metadata: { node_id: Schema.String }
}) {}
