/** What accounts are found by and sorted by: their names and handles, in the form in which texts are compared. Pure. */
import { searchForm } from "../text/SearchText.ts"

/** Characters of a form that are kept. A character of a name may become eighteen, and indexes take no text of any length. */
export const formMax = 255

const formOf = (text: string): string => Array.from(searchForm(text)).slice(0, formMax).join("")

interface Named {
  readonly name: string
  readonly handle: string
}

/** The forms of a name and a handle; undefined where one is not given. */
export const formsOf = ({ handle, name }: { readonly [K in keyof Named]: string | undefined }) => ({
  nameForm: name === undefined ? undefined : formOf(name),
  handleForm: handle === undefined ? undefined : formOf(handle)
})
