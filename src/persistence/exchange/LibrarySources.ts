/** Where the records of the library are. */
import { array, byBytes, json, object, type Source, time, value } from "./RecordSql.ts"
import { treeOf } from "./Trees.ts"

export const nodes: Source<"nodes"> = {
  from: `nodes n join ${treeOf("nodes")} tree on tree.id = n.id`,
  order: ["tree.level", byBytes("n.id")],
  accounts: ["n.owner_id"],
  fields: {
    id: value("n.id"),
    created_at: time("n.created_at"),
    updated_at: time("n.updated_at"),
    owner_id: value("n.owner_id"),
    parent_id: value("n.parent_id"),
    position: value("n.position"),
    name: value("n.name"),
    slug: value("n.slug"),
    description: value("n.description"),
    content: value("n.content"),
    hide_child_tree: value("n.hide_child_tree"),
    visibility: value("n.visibility"),
    meta: json("n.meta"),
    link_id: value("n.link_id"),
    primary_image_id: value("n.primary_image_id"),
    current_version_id: value("n.current_version_id"),
    tag_ids: array(value("g.tag_id"), "node_tags g where g.node_id = n.id", [byBytes("g.tag_id")]),
    assets: array(
      object({ id: value("f.asset_id"), added_at: time("f.added_at") }),
      "node_assets f where f.node_id = n.id",
      [byBytes("f.asset_id")]
    )
  }
}

export const property_fields: Source<"property_fields"> = {
  from: "property_fields f",
  order: [byBytes("f.fid")],
  fields: {
    id: value("f.fid"),
    parent_id: value("f.parent_id"),
    node_id: value("f.node_id"),
    name: value("f.name"),
    type: value("f.type"),
    sort: value("f.sort")
  }
}

export const property_values: Source<"property_values"> = {
  from: "property_values v join nodes n on n.id = v.node_id",
  order: [byBytes("v.node_id"), byBytes("v.fid")],
  accounts: ["n.owner_id"],
  fields: { node_id: value("v.node_id"), field_id: value("v.fid"), value: value("v.value") }
}

export const node_versions: Source<"node_versions"> = {
  from: "node_versions v",
  order: [byBytes("v.node_id"), "v.ordinal nulls last"],
  accounts: ["v.author_id"],
  fields: {
    id: value("v.id"),
    created_at: time("v.created_at"),
    updated_at: time("v.updated_at"),
    node_id: value("v.node_id"),
    author_id: value("v.author_id"),
    status: value("v.status"),
    name: value("v.name"),
    slug: value("v.slug"),
    description: value("v.description"),
    content: value("v.content"),
    has_own_content: value("(v.links is not null)"),
    properties: json("v.properties"),
    known_fields: json("v.known_fields"),
    meta: json("v.meta")
  }
}
