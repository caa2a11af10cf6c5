/** `like` patterns that find a text, in the form of `searchForm`, as it is written. */
import { searchKey } from "../../domain/text/SearchText.ts"

const literally = (text: string) => searchKey(text).replace(/[\\%_]/g, "\\$&")

export const containing = (text: string) => `%${literally(text)}%`

export const beginningWith = (text: string) => `${literally(text)}%`
