/** Writes the library. What follows of it in other tables is made by their triggers, but for what is counted here. */
import { tableOf } from "../Staging.ts"
import { idsOf } from "./References.ts"
import { from } from "./Writing.ts"

/** Triggers whose work is done here for all pages at once. */
export const counting = [["nodes", "nodes_tree_insert"]] as const

/** How many levels pages have with those below them: each page tells those that contain it how far below it is. */
const heights = `insert into node_heights as h (node_id, height)
  with recursive above as (
    select s.parent_id as id, 2 as height ${from("nodes")} and s.parent_id is not null
    union
    select n.parent_id, a.height + 1 from above a join nodes n on n.id = a.id where n.parent_id is not null
  )
  select id, max(height) from above group by id
  on conflict (node_id) do update set height = excluded.height where h.height < excluded.height`

const lines = (column: string) => `string_to_array(s.${column}, e'\\n')`

const pieces = `array_to_tsvector(${lines("pieces")})`

export const pages = [
  `insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, slug, description, content, hide_child_tree,
      visibility, meta, link_id, primary_image_id, current_version_id, name_form)
    select s.id, s.created_at, s.updated_at, s.owner_id, s.parent_id, s.position, s.name, s.slug, s.description, s.content,
      s.hide_child_tree, s.visibility, s.meta, s.link_id, s.primary_image_id, s.current_version_id, s.name_form
    ${from("nodes")}`,
  heights,
  `insert into property_fields (fid, parent_id, node_id, name, type, sort)
    select s.id, s.parent_id, s.node_id, s.name, s.type, s.sort ${from("property_fields")} order by s.line`,
  `insert into property_values (node_id, fid, value, search, pieces)
    select s.node_id, s.field_id, s.value, s.search, ${pieces} ${from("property_values")}`,
  `insert into search_texts (kind, id, author_id, created_at, visibility, title, slug, beginnings, body, pieces)
    select 'node', s.id, s.owner_id, s.created_at, s.visibility, s.search_title, s.search_slug, ${lines("beginnings")},
      s.search_body || searched_values(s.id), ${pieces}
    ${from("nodes")}`,
  // Versions come in the order in which the page was them, after those that are there.
  `insert into node_versions (id, node_id, author_id, created_at, updated_at, status, name, slug, description, content, properties,
      meta, ordinal, excerpt, links, known_fields)
    select s.id, s.node_id, s.author_id, s.created_at, s.updated_at, s.status, s.name, s.slug, s.description, s.content,
      s.properties, s.meta,
      case when s.status = 'applied' then row_number() over (partition by s.node_id, s.status order by s.line)
        + coalesce((select max(v.ordinal) from node_versions v where v.node_id = s.node_id), 0) end,
      s.excerpt, case when s.links is not null then array(
        select link.value from jsonb_array_elements_text(s.links) with ordinality link (value, place) order by link.place) end,
      s.known_fields
    ${from("node_versions")}`,
  `insert into node_tags (node_id, tag_id)
    select distinct s.id, t.id from ${tableOf("nodes")} s cross join lateral ${idsOf("nodes", "tag_ids")}
      join tags t on t.id = given.named
    where s.fate is null`,
  `update tags t set item_count = t.item_count + c.n from (
      select g.tag_id, count(*)::int as n from node_tags g join ${tableOf("nodes")} s on s.id = g.node_id
        where s.fate is null and s.visibility = 'published' group by g.tag_id
    ) c where c.tag_id = t.id`,
  `insert into node_assets (node_id, asset_id, added_at)
    select distinct on (s.id, a.id) s.id, a.id, (given.value->>'added_at')::timestamptz
    from ${tableOf("nodes")} s cross join lateral ${idsOf("nodes", "assets")}
      join assets a on a.id = given.named
    where s.fate is null order by s.id, a.id, given.place`,
  `insert into node_links (node_id, link_id, position)
    select s.id, k.id, min(l.place)::int - 1
    from ${tableOf("nodes")} s cross join lateral jsonb_array_elements(s.text_links) with ordinality l (value, place)
      join links k on k.url = l.value->>'url'
    where s.fate is null and s.text_links is not null group by 1, 2`
]
