/** The library: pages, which are called nodes, their properties and their versions. */
import { Schema } from "effect"
import {
  AnyObject,
  changed,
  created,
  Id,
  idOf,
  laterIdOf,
  Many,
  Markup,
  maybe,
  Name,
  Prose,
  Slug,
  Text,
  Time,
  Visibility
} from "./Fields.ts"

export const Node = Schema.Struct({
  ...changed,
  owner_id: idOf("accounts"),
  parent_id: maybe(idOf("nodes")).annotateKey({ description: "Absent at the top level" }),
  position: Text(255, 1).annotate({
    description: "Pages of one parent are in the order of these texts, by their bytes; each has another"
  }),
  name: Name,
  slug: Slug.annotate({ description: "Unique" }),
  description: Prose,
  content: maybe(Markup),
  hide_child_tree: Schema.Boolean,
  visibility: Visibility,
  meta: AnyObject,
  link_id: maybe(idOf("links")),
  primary_image_id: maybe(idOf("assets")),
  current_version_id: maybe(laterIdOf("node_versions")).annotateKey({
    description: "The applied version that the page is; absent where it was changed otherwise since"
  }),
  tag_ids: Many(idOf("tags")),
  assets: Many(Schema.Struct({ id: idOf("assets"), added_at: Time }))
})

const PropertyType = Schema.Literals(["text", "number", "timestamp", "boolean"])

/** A field belongs to all pages of a parent, or to one page at the top level. */
export const PropertyField = Schema.Struct({
  id: Id,
  parent_id: maybe(idOf("nodes")).annotateKey({ description: "The page whose children have it" }),
  node_id: maybe(idOf("nodes")).annotateKey({ description: "The page at the top level that has it" }),
  name: Name,
  type: PropertyType,
  sort: Text(255).annotate({ description: "Fields are shown in the order of these texts" })
})

export const PropertyValue = Schema.Struct({
  node_id: idOf("nodes"),
  field_id: idOf("property_fields"),
  value: Text(10_000, 1)
})

const field = {
  fid: maybe(Id),
  name: Text(255),
  type: maybe(PropertyType),
  sort: maybe(Text(255))
}

export const NodeVersion = Schema.Struct({
  ...created,
  updated_at: Time,
  node_id: idOf("nodes"),
  author_id: idOf("accounts"),
  status: Schema.Literals(["draft", "applied"]).annotate({ description: "A page has one draft at most" }),
  name: Name,
  slug: Slug,
  description: maybe(Prose),
  content: maybe(Markup),
  has_own_content: Schema.Boolean.annotate({
    description: "Whether somebody wrote the content for this version. Otherwise it is that of the page."
  }),
  properties: Many(Schema.Struct({ ...field, value: Text(10_000) })),
  known_fields: maybe(Many(Schema.Struct(field))).annotateKey({
    description:
      "The fields of the page when somebody wrote the properties for this version. Absent: they are those of the page."
  }),
  meta: AnyObject
})
