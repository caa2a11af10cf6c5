/** The kinds of records that are imported, in their order. */
import {
  collection_items,
  collections,
  events,
  likes,
  participants,
  reactions,
  read_marks,
  replies,
  threads
} from "./Discussion.ts"
import type { Kind } from "./Kind.ts"
import { accounts, follows, passwords, roles, tags } from "./People.ts"
import { assets, categories, links, settings } from "./Places.ts"

export const preparedKinds = {
  settings,
  roles,
  tags,
  accounts,
  assets,
  links,
  categories,
  threads,
  replies,
  likes,
  reactions,
  collections,
  collection_items,
  events,
  participants,
  read_marks,
  follows,
  passwords
} as const satisfies Readonly<Record<string, Kind>>

export type PreparedKind = keyof typeof preparedKinds

export const isPreparedKind = (kind: string): kind is PreparedKind => Object.hasOwn(preparedKinds, kind)

export const kindNames: ReadonlyArray<PreparedKind> = Object.keys(preparedKinds).filter(isPreparedKind)
