/** What becomes of pages of the library, of their properties and of their versions. */
import { Schema } from "effect"
import { Node, NodeVersion, PropertyField, PropertyValue } from "../../../domain/exchange/Library.ts"
import {
  assetsMax,
  descriptionLength,
  fieldsMax,
  nameLength,
  valueLength
} from "../../../domain/library/LibraryLimits.ts"
import { valueForms } from "../../../domain/library/NodeSearchText.ts"
import { slugFor } from "../../../domain/library/NodeSlugs.ts"
import { PropertyType } from "../../../domain/library/Property.ts"
import { slugWithin } from "../../../domain/shared/Slug.ts"
import { searchForm } from "../../../domain/text/SearchText.ts"
import { markupLengthMax } from "../../../domain/thread/PostText.ts"
import { tagsMax } from "../../../domain/vocabulary/Tag.ts"
import { nodeForms, slugForm, titleForms } from "../../../persistence/search/SearchForms.ts"
import { kindOf } from "./Kind.ts"
import { noneIfEmpty, readMarkup } from "./Markup.ts"
import { cut, type Json, type Notes } from "./Repair.ts"

const textIn = (value: unknown) => (typeof value === "string" ? value : "")

/** Lets a record have a slug that an address can contain: one that it has, or one made of its name. */
const repairSlug = (record: Json, notes: Notes): Json => {
  const given = textIn(record.slug)
  const slug =
    slugFor({ name: textIn(record.name), slug: slugWithin(given, nameLength) }) || textIn(record.id)
  if (slug === given) return record
  if (given !== "") notes.repaired("slug_changed", "slug", cut(given, 100))
  return { ...record, slug }
}

const readContent = (html: string | undefined, notes: Notes) =>
  html === undefined ? undefined : readMarkup(html, markupLengthMax.thread, "content", notes)

const searchedOf = (
  node: Pick<typeof Node.Type, "name" | "slug">,
  texts: Parameters<typeof nodeForms>[0]
) => {
  const { body, pieces } = nodeForms(texts)
  const { beginnings, title } = titleForms(node.name)
  return {
    name_form: searchForm(node.name),
    search_title: title ?? "",
    beginnings: beginnings ?? "",
    search_slug: slugForm(node.slug) ?? "",
    search_body: body ?? "",
    pieces: pieces || undefined
  }
}

const nodeOf = (node: typeof Node.Type, notes: Notes, given: Json) => {
  const read = readContent(node.content, notes)
  // Content describes its page where nothing else does.
  const description = given.description === undefined ? (read?.analysis.description ?? "") : node.description
  return {
    description,
    content: read?.document,
    text_links: noneIfEmpty(read?.analysis.links),
    ...searchedOf(node, { content: read?.document, description })
  }
}

const lengths = { name: nameLength, slug: nameLength, description: descriptionLength }

export const nodes = kindOf({
  record: Node,
  columns: `id created_at:timestamptz updated_at:timestamptz owner_id parent_id position name slug description content
    hide_child_tree:boolean visibility meta:jsonb link_id primary_image_id current_version_id tag_ids:jsonb assets:jsonb
    name_form search_title beginnings search_slug search_body pieces text_links:jsonb`,
  repairs: {
    lengths,
    counts: { tag_ids: tagsMax, assets: assetsMax },
    oneLine: ["name"],
    defaults: {
      // Behind its siblings.
      position: "z",
      name: "…",
      description: "",
      hide_child_tree: false,
      // Nobody sees what nobody said that others may see.
      visibility: "draft",
      meta: {},
      tag_ids: [],
      assets: []
    }
  },
  before: repairSlug,
  derive: nodeOf
})

export const property_fields = kindOf({
  record: PropertyField,
  columns: "id parent_id node_id name type sort",
  repairs: {
    lengths: { name: nameLength, sort: nameLength },
    oneLine: ["name"],
    defaults: { name: "…", type: "text", sort: "" }
  }
})

export const property_values = kindOf({
  record: PropertyValue,
  columns: "node_id field_id value search pieces",
  repairs: { lengths: { value: valueLength } },
  derive: ({ value }) => {
    const { pieces, search } = valueForms(value)
    return { search, pieces: pieces || undefined }
  }
})

const isType = Schema.is(PropertyType)

const isEntry = (entry: unknown): entry is Json =>
  typeof entry === "object" && entry !== null && "name" in entry && typeof entry.name === "string"

/** An entry names a field that there is, or one that it makes. */
const namesField = ({ fid, name }: Json) => name !== "" || typeof fid === "string"

const entryMax: Readonly<Record<string, number>> = { name: nameLength, sort: nameLength, value: valueLength }

const repairEntry = (entry: Json): Json => {
  const fields = Object.entries(entry).map(([key, value]): [string, unknown] => {
    const most = entryMax[key]
    return [key, typeof value === "string" && most !== undefined ? cut(value, most) : value]
  })
  const typed = entry.type === undefined || isType(entry.type) ? [] : [["type", "text"]]
  return Object.fromEntries([...fields, ...typed])
}

/** Repairs what a version says of properties, entry by entry: without its whole list a draft would take all of them away. */
const repairEntries = (record: Json, field: string, notes: Notes): Json => {
  const given = record[field]
  if (!Array.isArray(given)) return record
  const known = given.filter(isEntry).filter(namesField)
  if (known.length < given.length) notes.repaired("invalid", field)
  if (known.length > fieldsMax) notes.repaired("limit", field, String(fieldsMax))
  const entries = known.slice(0, fieldsMax)
  const repaired = entries.map(repairEntry)
  if (JSON.stringify(repaired) !== JSON.stringify(entries)) notes.repaired("invalid", field)
  return { ...record, [field]: repaired }
}

const repairVersion = (given: Json, notes: Notes): Json => {
  const record = repairEntries(
    repairEntries(repairSlug(given, notes), "properties", notes),
    "known_fields",
    notes
  )
  if (Array.isArray(record.properties) && Array.isArray(record.known_fields)) return record
  // What says nothing of properties leaves those of the page as they are.
  const { known_fields: _, ...rest } = record
  return rest
}

const versionOf = (version: typeof NodeVersion.Type, notes: Notes) => {
  const read = readContent(version.content, notes)
  const own = version.has_own_content ? read : undefined
  return {
    content: read?.document,
    excerpt: own?.analysis.description,
    links: own?.analysis.links.map(({ url }) => url)
  }
}

export const node_versions = kindOf({
  record: NodeVersion,
  columns: `id created_at:timestamptz updated_at:timestamptz node_id author_id status name slug description content excerpt
    links:jsonb properties:jsonb known_fields:jsonb meta:jsonb`,
  repairs: {
    lengths,
    oneLine: ["name"],
    defaults: { name: "…", has_own_content: true, properties: [], meta: {} }
  },
  before: repairVersion,
  derive: versionOf
})
