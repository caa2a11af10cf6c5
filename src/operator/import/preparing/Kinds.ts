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
import { node_versions, nodes, property_fields, property_values } from "./Library.ts"
import { accounts, follows, passwords, roles, tags } from "./People.ts"
import { assets, categories, instance_images, links, settings, theme } from "./Places.ts"
import { audit, notes, notifications, reports, warnings } from "./Records.ts"

export const preparedKinds = {
  settings,
  roles,
  tags,
  accounts,
  assets,
  instance_images,
  theme,
  links,
  categories,
  nodes,
  property_fields,
  property_values,
  node_versions,
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
  reports,
  notes,
  warnings,
  notifications,
  audit,
  passwords
} as const satisfies Readonly<Record<string, Kind>>

export type PreparedKind = keyof typeof preparedKinds

export const isPreparedKind = (kind: string): kind is PreparedKind => Object.hasOwn(preparedKinds, kind)

export const kindNames: ReadonlyArray<PreparedKind> = Object.keys(preparedKinds).filter(isPreparedKind)
