/** What a list without pages leaves out of nodes that do not fit into it. Pure. */
import { Struct } from "effect"
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

/** The node without these fields, which it names instead: nobody takes them for empty. */
export const leavingOut = (node: ListedNode, omitted: ReadonlyArray<OmittedField>): ListedNode =>
  omitted.length === 0 ? node : { ...Struct.omit(node, omitted), misc: { omitted } }

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
