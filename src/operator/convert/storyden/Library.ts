/** Records of the library: pages, the fields that they share, and what they have in these. */
import { existing } from "../shared/Fields.ts"
import { unknownTime } from "../shared/Ids.ts"
import { referring, tagIds } from "./People.ts"
import { Node } from "./Shapes.ts"
import type { Kept } from "./Storyden.ts"
import { kept } from "./Things.ts"
import { madeAt, timesOf } from "./Values.ts"

/** Pages by their levels, then as the service lists them. */
const inOrder = `coalesce((with recursive above (id, depth) as (
    select json_extract(things.json, '$.parent.id'), 1
    union all select json_extract(t.json, '$.parent.id'), above.depth + 1 from things t join above on t.id = above.id
      where t.kind = 'nodes' and t.json <> '' and above.depth < 100
  ) select max(depth) from above where id is not null), 0), place, id`

const assetsOf = (found: Kept, { assets }: typeof Node.Type) =>
  (assets ?? []).flatMap(({ id }) =>
    referring(found, "files", id) === undefined
      ? []
      : [{ id, added_at: madeAt(id, unknownTime, found.readAt) }]
  )

export const nodes = function* (found: Kept) {
  for (const { id, place, value } of kept(found.scratch, "nodes", Node, inOrder))
    yield existing({
      id,
      ...timesOf(value),
      owner_id: value.owner.id,
      parent_id: referring(found, "nodes", value.parent?.id),
      position: `${String(place).padStart(12, "0")}-${id}`,
      name: value.name,
      slug: value.slug,
      description: value.description ?? "",
      content: value.content ?? undefined,
      hide_child_tree: value.hide_child_tree ?? false,
      visibility: value.visibility,
      meta: value.meta ?? {},
      link_id: referring(found, "links", value.link?.id),
      primary_image_id: referring(found, "files", value.primary_image?.id),
      tag_ids: tagIds(found, value.tags),
      assets: assetsOf(found, value)
    })
}

/** Fields belong to what pages have in common, their parent; a page at the top has its own. */
export const propertyFields = function* (found: Kept) {
  const { scratch } = found
  scratch.exec(
    `create table if not exists fields (id text primary key, parent_id text, node_id text, name text, type text, sort text) without rowid;
      delete from fields`
  )
  const note = (
    { fid, name, sort, type }: Omit<NonNullable<(typeof Node.Type)["child_property_schema"]>[number], never>,
    parent: string | null,
    node: string | null
  ) =>
    scratch.run(
      "insert or ignore into fields values (?, ?, ?, ?, ?, ?)",
      fid,
      parent,
      node,
      name,
      type,
      sort ?? ""
    )
  for (const { id, value } of kept(scratch, "nodes", Node)) {
    for (const field of value.child_property_schema ?? []) note(field, id, null)
    if (value.parent?.id === undefined) for (const field of value.properties ?? []) note(field, null, id)
  }
  for (const { id, name, node_id, parent_id, sort, type } of scratch.each("select * from fields order by id"))
    yield existing({ id, parent_id: parent_id ?? undefined, node_id: node_id ?? undefined, name, type, sort })
}

export const propertyValues = function* (found: Kept) {
  for (const { id, value } of kept(found.scratch, "nodes", Node))
    for (const { fid, value: text } of value.properties ?? [])
      if (text) yield { node_id: id, field_id: fid, value: text }
}
