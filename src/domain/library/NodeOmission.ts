/** What a list without pages leaves out of nodes that do not fit into it. Pure. */
import type { Types } from "effect"
import type { ListedNode } from "./NodeQueries.ts"

/** The parts of a node that a list may leave out, from what it keeps longest to what goes first. */
export const nodeParts = {
  description: ["description"],
  meta: ["meta"],
  tags: ["tags"],
  properties: ["properties", "child_property_schema"],
  content: ["content", "link", "assets"]
} as const

export type NodePart = keyof typeof nodeParts
/** A field that a node in a list may lack. */
export type OmittedField = (typeof nodeParts)[NodePart][number]

export const nodePartNames = ["description", "meta", "tags", "properties", "content"] as const

/**
 * The node without these fields, which it names instead: nobody takes them for empty. Field by field, as a list has
 * ten thousand nodes, and `Struct.omit` takes four times as long.
 */
export const leavingOut = (node: ListedNode, omitted: ReadonlyArray<OmittedField>): ListedNode => {
  if (omitted.length === 0) return node
  const { assets, child_property_schema, content, description, link, meta, properties, tags, ...kept } = node
  const left: Types.Mutable<ListedNode> = { ...kept, misc: { omitted } }
  const keeps = (field: OmittedField) => !omitted.includes(field)
  if (assets !== undefined && keeps("assets")) left.assets = assets
  if (child_property_schema !== undefined && keeps("child_property_schema")) {
    left.child_property_schema = child_property_schema
  }
  if (content !== undefined && keeps("content")) left.content = content
  if (description !== undefined && keeps("description")) left.description = description
  if (link !== undefined && keeps("link")) left.link = link
  if (meta !== undefined && keeps("meta")) left.meta = meta
  if (properties !== undefined && keeps("properties")) left.properties = properties
  if (tags !== undefined && keeps("tags")) left.tags = tags
  return left
}

/** Whether there is anything in a field. */
const has = (node: ListedNode, field: OmittedField): boolean => {
  const value = node[field]
  if (value === undefined) return false
  return typeof value === "object" ? Object.keys(value).length > 0 : value !== ""
}

const isOmitted = ({ misc: { omitted } }: ListedNode, field: OmittedField) =>
  Array.isArray(omitted) && omitted.includes(field)

const fields = nodePartNames.flatMap((part): ReadonlyArray<OmittedField> => nodeParts[part])

/** The node with nothing that may be long, but for its description if it is to have one. */
export const inBrief = (node: ListedNode, isDescribed: boolean): ListedNode =>
  leavingOut(
    node,
    fields.filter((field) => {
      const isShort = isDescribed && field === "description"
      return isOmitted(node, field) || (!isShort && has(node, field))
    })
  )
