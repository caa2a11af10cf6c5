/** The kinds of records of an export, in their order: what a record refers to comes before it, unless its field says otherwise. */
import type { Schema } from "effect"
import {
  Collection,
  CollectionItem,
  Event,
  Like,
  Participant,
  Reaction,
  ReadMark,
  Reply,
  Thread
} from "./Discussion.ts"
import { Node, NodeVersion, PropertyField, PropertyValue } from "./Library.ts"
import { Account, Follow, Note, Password, Role, Tag, Warning } from "./People.ts"
import { Asset, Category, InstanceImage, LeftOut, Link, Redirect, Setting, Theme } from "./Places.ts"
import { AuditEntry, Notification, Report } from "./Records.ts"

/** What this program writes. */
export const kinds = {
  settings: { record: Setting, about: "What the instance says of itself, and what may be published" },
  roles: { record: Role, about: "Roles, the built-in ones too" },
  tags: { record: Tag, about: "Tags" },
  accounts: { record: Account, about: "Accounts of people and of bots" },
  assets: { record: Asset, about: "Files that were uploaded" },
  instance_images: { record: InstanceImage, about: "The icon and the banner of the instance" },
  theme: { record: Theme, about: "What pages load beside their own" },
  links: { record: Link, about: "Pages of the web that something links to" },
  categories: { record: Category, about: "Categories of threads, each after its parent" },
  nodes: { record: Node, about: "Pages of the library, each after its parent" },
  property_fields: { record: PropertyField, about: "Columns that pages of one parent share" },
  property_values: { record: PropertyValue, about: "What pages have in these columns" },
  node_versions: {
    record: NodeVersion,
    about: "What pages were, page by page in the order in which they were it; the draft last"
  },
  threads: { record: Thread, about: "Threads with their first posts" },
  replies: { record: Reply, about: "Replies, thread by thread in the order in which they were made" },
  likes: { record: Like, about: "Likes of posts" },
  reactions: { record: Reaction, about: "Reactions to posts" },
  collections: { record: Collection, about: "Collections" },
  collection_items: { record: CollectionItem, about: "What is in collections" },
  events: { record: Event, about: "Calendar events" },
  participants: { record: Participant, about: "Who takes part in events" },
  read_marks: { record: ReadMark, about: "Up to when people have read threads" },
  follows: { record: Follow, about: "Who follows whom" },
  reports: { record: Report, about: "What was reported to staff" },
  notes: { record: Note, about: "What staff noted of accounts" },
  warnings: { record: Warning, about: "Warnings that accounts were given" },
  notifications: { record: Notification, about: "What accounts were told" },
  audit: { record: AuditEntry, about: "What staff did" }
} as const satisfies Readonly<Record<string, KindOfRecord>>

/** What is read as well: data of other programs have it. */
export const importedKinds = {
  passwords: { record: Password, about: "Hashes of passwords of other programs. No export has any." },
  redirects: { record: Redirect, about: "Which old addresses lead to what" },
  left_out: { record: LeftOut, about: "What the data of another program had that is not here" }
} as const satisfies Readonly<Record<string, KindOfRecord>>

interface KindOfRecord {
  readonly record: Schema.Constraint
  readonly about: string
}

export type Kind = keyof typeof kinds

/** How many characters the number of a part has. */
const numberLength = 6

/** Where a part of the records of a kind is. The first part has the number 1, and none is missing. */
export const partOf = (kind: string, number: number): string =>
  `${kind}/${String(number).padStart(numberLength, "0")}.ndjson`

/** A part ends with the record that makes it this long, in bytes, or longer. */
export const partLength = 4 * 1024 * 1024

export const fileOf = (sha256: string): string => `files/${sha256}`
