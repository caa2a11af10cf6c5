/** What becomes of settings, files, links and categories. */

import { Result } from "effect"
import { Asset, Category, InstanceImage, Link, Setting, Theme } from "../../../domain/exchange/Places.ts"
import { sizesOf } from "../../../domain/instance/InstanceImage.ts"
import { StoredGeneral } from "../../../domain/settings/GeneralSetting.ts"
import { ModerationChanges } from "../../../domain/settings/ModerationSetting.ts"
import { slugWithin } from "../../../domain/shared/Slug.ts"
import { readLinkAddress } from "../../../domain/text/LinkAddress.ts"
import { searchTextOf } from "../../../persistence/link/LinkSearchText.ts"
import { type Kind, kindOf } from "./Kind.ts"
import { readMarkup } from "./Markup.ts"
import { type Json, makeRepairing, type Notes } from "./Repair.ts"

const stored = {
  general: makeRepairing(StoredGeneral),
  moderation: makeRepairing(ModerationChanges)
}

/** The texts of the settings are cleaned as those of posts are. */
const sanitised = (value: Json, notes: Notes): Json => {
  const { content, motd } = value
  const read = (html: unknown) =>
    typeof html === "string" ? { content: readMarkup(html, markupMax, "value", notes).document } : {}
  return {
    ...value,
    ...read(content),
    ...(typeof motd === "object" && motd !== null
      ? { motd: { ...motd, ...("content" in motd ? read(motd.content) : {}) } }
      : {})
  }
}

// As much as administrators may write.
const markupMax = 128 * 1024

const checked = kindOf({
  record: Setting,
  columns: "id updated_at:timestamptz value:jsonb",
  repairs: { defaults: { updated_at: "1970-01-01T00:00:00Z" } }
})

export const settings: Kind = {
  ...checked,
  read: (record, notes) =>
    Result.flatMap(checked.read(record, notes), (row) => {
      const value = sanitised(Object.fromEntries(Object.entries(row.value ?? {})), notes)
      const read: Result.Result<object, string> =
        row.id === "general" ? stored.general(value, notes) : stored.moderation(value, notes)
      return Result.map(read, (kept) => ({ ...row, value: kept }))
    })
}

/** The part of a file's address that follows its id. */
const nameEnd = (name: string) => slugWithin(name.replace(/\.[^.]*$/, ""), 100)

export const assets = kindOf({
  record: Asset,
  columns: `id created_at:timestamptz account_id filename name mime_type size:bigint width:int height:int parent_id sha256`,
  repairs: {
    lengths: { name: 255 },
    defaults: {
      mime_type: "application/octet-stream",
      size: 0,
      width: 0,
      height: 0,
      name: "file",
      filename: "file"
    }
  },
  derive: ({ filename, id, name }, notes) => {
    if (filename === id || filename.startsWith(`${id}-`)) return {}
    notes.repaired("name_changed", "filename", filename)
    const end = nameEnd(name)
    return { filename: end === "" ? id : `${id}-${end}` }
  }
})

const readImages = makeRepairing(InstanceImage)

/** An image is shown in each of its sizes, so that it is taken with all of them or not at all. */
export const instance_images: Kind = {
  columns: { id: "text", images: "jsonb" },
  read: (record, notes) =>
    Result.flatMap(readImages(record, notes), ({ id, images }) => {
      const wanted = sizesOf[id].map((size) => images.find((image) => image.size === size))
      return wanted.every((image) => image?.sha256 !== undefined)
        ? Result.succeed({ id, images: wanted })
        : Result.fail("a size is missing")
    })
}

export const theme = kindOf({
  record: Theme,
  columns: "id set_at:timestamptz set_by stylesheets:jsonb scripts:jsonb",
  repairs: { defaults: { stylesheets: [], scripts: [] } }
})

const known = kindOf({
  record: Link,
  columns: `id created_at:timestamptz updated_at:timestamptz url slug title description described_by favicon_id primary_image_id
    is_added:boolean domain search_text`,
  repairs: {
    lengths: { title: 255, description: 1000, slug: 255 },
    defaults: { title: "", description: "", is_added: false, slug: "link" }
  }
})

export const links: Kind = {
  ...known,
  read: (record, notes) =>
    Result.flatMap(known.read(record, notes), (row) => {
      const address = readLinkAddress(String(row.url))
      if (typeof address === "string") return Result.fail(`the address of no link: ${address}`)
      const text = { title: String(row.title), description: String(row.description) }
      return Result.succeed({
        ...row,
        url: address.url,
        domain: address.domain,
        search_text: searchTextOf(address.url, text)
      })
    })
}

export const categories = kindOf({
  record: Category,
  columns: `id created_at:timestamptz updated_at:timestamptz name slug description colour sort:int parent_id meta:jsonb
    cover_image_id`,
  repairs: {
    lengths: { name: 200, slug: 200, description: 2000, colour: 100 },
    oneLine: ["name", "slug"],
    defaults: { description: "", colour: "", sort: 0, meta: {} }
  },
  before: (record) =>
    record.slug === undefined && typeof record.name === "string"
      ? { ...record, slug: slugWithin(record.name, 100) || record.id }
      : record
})
