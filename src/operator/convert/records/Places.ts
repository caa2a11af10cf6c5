/** Records of tags, files and categories. */
import { storedNameOf } from "../../../domain/asset/AssetName.ts"
import { cutTo, existing, textOf, timesOf, whole } from "../shared/Fields.ts"
import type { Scratch } from "../shared/Scratch.ts"
import { tailOf } from "../shared/Tails.ts"

export const tags = function* (scratch: Scratch) {
  for (const { created_at, id, name } of scratch.each(
    "select new_id('tags', id) as id, name, created_at from tags where name <> '' order by 1"
  ))
    yield { id, created_at: timesOf({ created_at }).created_at, name: cutTo(textOf(name), 255) }
}

export const assets = function* (scratch: Scratch) {
  const rows = scratch.each(
    `select new_id('uploads', id) as new_id, new_id('users', case when user_id in (select id from users) then user_id end) as account_id,
      id as old, original_filename, filesize, width, height, url, created_at from uploads order by 1`
  )
  for (const row of rows) {
    const id = textOf(row.new_id)
    const name = cutTo(textOf(row.original_filename) || "file", 255)
    const found = scratch.find(
      "select sha256, size from files where tail = ? limit 1",
      tailOf(textOf(row.url))
    )
    if (found === undefined) scratch.tell("uploads", row.old, "file_missing")
    yield existing({
      id,
      created_at: timesOf(row).created_at,
      account_id: row.account_id ?? undefined,
      filename: storedNameOf(id, name),
      name,
      mime_type: "application/octet-stream",
      size: found === undefined ? whole(row.filesize) : found.size,
      width: whole(row.width),
      height: whole(row.height),
      sha256: found?.sha256
    })
  }
}

/** A text of a category without its tags: descriptions of categories are plain here. */
const plain = (html: string) =>
  html
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()

/** After their parents; those in a circle, which begins nowhere, come last. */
const inOrder = `with recursive placed (id, depth) as (
    select id, 0 from categories
      where parent_category_id is null or parent_category_id not in (select id from categories)
    union all
    select c.id, p.depth + 1 from categories c join placed p on c.parent_category_id = p.id
  )
  select c.*, new_id('categories', c.id) as new_id, new_id('categories', k.id) as parent, p.depth,
    c.parent_category_id is not null and k.id is null as is_orphan, l.slug as own_slug
  from categories c join category_slugs l on l.id = c.id left join placed p on p.id = c.id left join categories k on k.id = c.parent_category_id
  order by p.depth nulls last, new_id('categories', c.id)`

export const categories = function* (scratch: Scratch) {
  for (const row of scratch.each(inOrder)) {
    if (row.is_orphan === 1) scratch.tell("categories", row.id, "parent_missing")
    yield existing({
      id: row.new_id,
      ...timesOf(row),
      name: cutTo(textOf(row.name), 200) || "…",
      slug: row.own_slug,
      description: cutTo(plain(textOf(row.description)), 2000),
      colour: /^[0-9a-f]{6}$/i.test(textOf(row.color)) ? `#${row.color}` : "",
      sort: whole(row.position),
      parent_id: row.parent ?? undefined,
      meta: {}
    })
  }
}
