/** Marks: the part of an address that names one resource (contract: content 0.4). */
import { PostId } from "./Id.ts"

export type Mark = { readonly id: string } | { readonly slug: string }

const leadingId = /^[0-9a-v]{20}/

/** What `<id>`, `<id>-<anything>` or `<slug>` names. What follows an id is for readers only. */
export const parseMark = (value: string): Mark => {
  const id = value.length === 20 || value[20] === "-" ? leadingId.exec(value)?.[0] : undefined
  return id === undefined ? { slug: value } : { id }
}

/** The thread that a mark begins with, whatever follows; threads have no address by slug alone. */
export const threadMark = (value: string): PostId | undefined => {
  const id = leadingId.exec(value)?.[0]
  return id === undefined ? undefined : PostId.make(id)
}
