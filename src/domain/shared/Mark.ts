/** Marks: the part of an address that identifies one resource, an id, an id with a title, or a slug. */
import { PostId } from "./Id.ts"

export type Mark = { readonly id: string } | { readonly slug: string }

const leadingId = /^[0-9a-v]{20}/

/** Parses `<id>`, `<id>-<anything>` or `<slug>`. What follows an id is ignored. */
export const parseMark = (value: string): Mark => {
  const id = value.length === 20 || value[20] === "-" ? leadingId.exec(value)?.[0] : undefined
  return id === undefined ? { slug: value } : { id }
}

/** The thread id at the start of a mark, whatever follows. Threads are not found by slug alone. */
export const threadMark = (value: string): PostId | undefined => {
  const id = leadingId.exec(value)?.[0]
  return id === undefined ? undefined : PostId.make(id)
}
