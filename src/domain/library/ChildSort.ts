/** What the children of a node are sorted by. Pure. */
import * as Text from "../field/Text.ts"
import { nameLength } from "./LibraryLimits.ts"

/** The fields of every node that children can be sorted by. They go before properties of the same name. */
const ownFields = ["name", "description", "link"] as const
export type OwnField = (typeof ownFields)[number]

const isOwn = (field: string): field is OwnField => ownFields.some((own) => own === field)

export type ChildSort = { readonly descending: boolean } & (
  | { readonly own: OwnField }
  | { readonly property: string }
)

/** How many characters of a text are compared with those of other texts. */
export const comparedLength = 255

/** Query parameter `children_sort`. */
export const ChildSortQuery = Text.term({
  max: nameLength + 1,
  description: `\`name\`, \`description\`, \`link\` (by its address) or the name of a property that the children share; with \`-\` before it in descending order. Texts are compared by the code points of their first ${comparedLength} characters, numbers by their value, timestamps as instants, \`false\` before \`true\`. Pages without a value, or with one that does not fit the type of the property, come last in both orders; pages with equal values are in the order of their ids. Children have their own order if there is no such property.`,
  examples: ["-Weight"]
})

export const parseChildSort = (text: string): ChildSort => {
  const descending = text.startsWith("-")
  const field = descending ? text.slice(1) : text
  return isOwn(field) ? { descending, own: field } : { descending, property: field }
}
