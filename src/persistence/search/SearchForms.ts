/** What is searched of texts, in the forms in which it is stored. Pure. */
import { nodeTextForm } from "../../domain/library/NodeSearchText.ts"
import type { RichText } from "../../domain/text/RichText.ts"
import { searchForm, searchFormOf, searchKey } from "../../domain/text/SearchText.ts"
import { beginningsOf, piecesOf } from "../../domain/text/Terms.ts"

/** The texts of a node that people read, all but its properties. */
export interface NodeTexts {
  readonly content: RichText | undefined
  readonly description: string
}

/** Values without line breaks as one text with a line for each, which is a shorter parameter than an array. */
const joined = (values: ReadonlyArray<string>) => values.join("\n")

/** What is searched of a title. */
export const titleForms = (title: string | undefined) => {
  if (title === undefined) return { title: null, beginnings: null }
  const form = searchForm(title).trim()
  return { title: searchKey(form), beginnings: joined(beginningsOf(form)) }
}

/** What is searched of a slug. */
export const slugForm = (slug: string | undefined) =>
  slug === undefined ? null : searchKey(searchForm(slug))

/** The search form of a text as it is stored, and the pieces of it. */
const formsOf = (form: string) => ({ body: searchKey(form), pieces: joined(piecesOf(form)) })

const noForms = { body: null, pieces: null }

/** What is searched of a body. */
export const bodyForms = (document: RichText | undefined) =>
  document === undefined ? noForms : formsOf(searchFormOf(document))

/** What is searched of a node. */
export const nodeForms = (texts: NodeTexts | undefined) =>
  texts === undefined ? noForms : formsOf(nodeTextForm(texts))
