/** Where the records of the instance, its files, links and categories are. */
import { array, byBytes, json, object, type Source, time, value } from "./RecordSql.ts"
import { treeOf } from "./Trees.ts"

export const settings: Source<"settings"> = {
  from: "settings s",
  where: "s.part in ('general', 'moderation')",
  order: [byBytes("s.part")],
  fields: { id: value("s.part"), updated_at: time("s.updated_at"), value: json("s.value") }
}

/** Where a file is: what writes the record puts its SHA-256 in the place of that. */
const place = (store: string, key: string, size: string) =>
  object({ store: value(store), key: value(key), size: value(size) })

export const assets: Source<"assets"> = {
  from: "assets f",
  order: [byBytes("f.id")],
  accounts: ["f.account_id"],
  fields: {
    id: value("f.id"),
    created_at: time("f.created_at"),
    account_id: value("f.account_id"),
    filename: value("f.filename"),
    name: value("f.original_name"),
    mime_type: value("f.mime_type"),
    size: value("f.size"),
    width: value("f.width"),
    height: value("f.height"),
    parent_id: value("f.parent_id"),
    sha256: place("f.store", "f.id", "f.size")
  }
}

export const instance_images: Source<"instance_images"> = {
  from: "instance_images i",
  where: "i.upload_id is not null",
  order: [byBytes("i.kind")],
  fields: {
    id: value("i.kind"),
    images: array(
      object({
        size: value("l.key"),
        sha256: place("i.store", "i.upload_id || '-' || l.key", "l.value::bigint")
      }),
      "jsonb_each_text(i.lengths) l",
      [byBytes("l.key")]
    )
  }
}

const filesOfTheme = (list: string) =>
  array(value("f.asset_id"), `theme_files f where f.list = '${list}'`, ["f.place"])

export const theme: Source<"theme"> = {
  from: "theme t",
  where: "t.set_at is not null",
  order: [byBytes("t.name")],
  fields: {
    id: value("t.name"),
    set_at: time("t.set_at"),
    set_by: value("t.set_by"),
    stylesheets: filesOfTheme("stylesheets"),
    scripts: filesOfTheme("scripts")
  }
}

export const links: Source<"links"> = {
  from: "links l",
  order: [byBytes("l.id")],
  fields: {
    id: value("l.id"),
    created_at: time("l.created_at"),
    updated_at: time("l.updated_at"),
    url: value("l.url"),
    slug: value("l.slug"),
    title: value("l.title"),
    description: value("l.description"),
    described_by: value("l.described_by"),
    favicon_id: value("l.favicon_id"),
    primary_image_id: value("l.primary_image_id"),
    is_added: value("l.is_added")
  }
}

export const categories: Source<"categories"> = {
  from: `categories c join ${treeOf("categories")} tree on tree.id = c.id`,
  order: ["tree.level", byBytes("c.id")],
  fields: {
    id: value("c.id"),
    created_at: time("c.created_at"),
    updated_at: time("c.updated_at"),
    name: value("c.name"),
    slug: value("c.slug"),
    description: value("c.description"),
    colour: value("c.colour"),
    sort: value("c.sort"),
    parent_id: value("c.parent_id"),
    meta: json("c.meta"),
    cover_image_id: value("c.cover_image_asset_id")
  }
}
