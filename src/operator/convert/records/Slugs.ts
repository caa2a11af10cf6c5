/** Gives every category a slug of its own, so that the addresses of their pages are known before the import. */
import { slugWithin } from "../../../domain/shared/Slug.ts"
import { textOf } from "../shared/Fields.ts"
import type { Scratch } from "../shared/Scratch.ts"

const charactersMax = 100

/** Once it is decided which categories are taken over; who comes first keeps the slug. */
export const settleSlugs = (scratch: Scratch) => {
  scratch.exec(
    "create table if not exists category_slugs (id integer primary key, slug text not null unique)"
  )
  for (const { id, name, new_id, slug } of scratch.each(
    `select id, slug, name, new_id('categories', id) as new_id from categories
      where id not in (select id from closed_categories) and id not in (select id from category_slugs) order by id`
  )) {
    const wanted = slugWithin(textOf(slug) || textOf(name), charactersMax) || textOf(new_id)
    let own = wanted
    for (let number = 2; isTaken(scratch, own); number += 1)
      own = `${slugWithin(wanted, charactersMax - 1 - String(number).length)}-${number}`
    scratch.run("insert into category_slugs values (?, ?)", Number(id), own)
    if (own !== wanted) scratch.tell("categories", id, "slug_taken", own)
  }
}

const isTaken = (scratch: Scratch, slug: string) =>
  scratch.find("select 1 as found from category_slugs where slug = ?", slug) !== undefined
