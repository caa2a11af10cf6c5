/** What records name, and what becomes of them where that is nowhere. */
import type { PreparedKind } from "../preparing/Kinds.ts"
import { schema } from "../Staging.ts"
import type { WrittenKind } from "./Checks.ts"

/** A column that names records of other kinds, and what becomes of one whose target is nowhere. */
export interface Reference {
  readonly kind: PreparedKind
  readonly column: string
  readonly to: ReadonlyArray<WrittenKind>
  readonly otherwise: "clear" | "keep" | "leave out" | "placeholder"
}

const reference = (
  kind: PreparedKind,
  otherwise: Reference["otherwise"],
  column: string,
  ...to: ReadonlyArray<WrittenKind>
): Reference => ({ kind, column, to, otherwise })

export const references: ReadonlyArray<Reference> = [
  reference("accounts", "clear", "invited_by", "accounts"),
  reference("accounts", "clear", "avatar_id", "assets"),
  reference("assets", "clear", "account_id", "accounts"),
  reference("assets", "clear", "parent_id", "assets"),
  reference("links", "clear", "described_by", "accounts"),
  reference("links", "clear", "favicon_id", "assets"),
  reference("links", "clear", "primary_image_id", "assets"),
  reference("categories", "clear", "parent_id", "categories"),
  reference("categories", "clear", "cover_image_id", "assets"),
  reference("theme", "clear", "set_by", "accounts"),
  reference("nodes", "placeholder", "owner_id", "accounts"),
  reference("nodes", "clear", "parent_id", "nodes"),
  reference("nodes", "clear", "link_id", "links"),
  reference("nodes", "clear", "primary_image_id", "assets"),
  reference("property_fields", "leave out", "parent_id", "nodes"),
  reference("property_fields", "leave out", "node_id", "nodes"),
  reference("property_values", "leave out", "node_id", "nodes"),
  reference("property_values", "leave out", "field_id", "property_fields"),
  reference("node_versions", "leave out", "node_id", "nodes"),
  reference("node_versions", "placeholder", "author_id", "accounts"),
  // Decided with the versions, which come later.
  reference("nodes", "keep", "current_version_id", "node_versions"),
  reference("threads", "placeholder", "author_id", "accounts"),
  reference("threads", "clear", "category_id", "categories"),
  reference("threads", "clear", "link_id", "links"),
  reference("replies", "leave out", "thread_id", "threads"),
  reference("replies", "placeholder", "author_id", "accounts"),
  reference("replies", "clear", "reply_to_id", "threads", "replies"),
  reference("likes", "leave out", "post_id", "threads", "replies"),
  reference("likes", "leave out", "account_id", "accounts"),
  reference("reactions", "leave out", "post_id", "threads", "replies"),
  reference("reactions", "leave out", "account_id", "accounts"),
  reference("collections", "leave out", "owner_id", "accounts"),
  reference("collection_items", "leave out", "collection_id", "collections"),
  reference("collection_items", "clear", "added_by", "accounts"),
  reference("collection_items", "leave out", "post_id", "threads", "replies"),
  reference("collection_items", "leave out", "node_id", "nodes"),
  reference("events", "leave out", "thread_id", "threads"),
  reference("events", "clear", "primary_image_id", "assets"),
  reference("participants", "leave out", "event_id", "events"),
  reference("participants", "leave out", "account_id", "accounts"),
  reference("read_marks", "leave out", "account_id", "accounts"),
  reference("read_marks", "leave out", "thread_id", "threads"),
  reference("read_marks", "keep", "last_reply_id", "replies"),
  reference("follows", "leave out", "follower_id", "accounts"),
  reference("follows", "leave out", "followed_id", "accounts"),
  reference(
    "reports",
    "keep",
    "target_id",
    "accounts",
    "nodes",
    "threads",
    "replies",
    "collections",
    "events"
  ),
  reference("reports", "clear", "reported_by", "accounts"),
  reference("reports", "clear", "handled_by", "accounts"),
  reference("notes", "leave out", "account_id", "accounts"),
  reference("notes", "clear", "author_id", "accounts"),
  reference("warnings", "leave out", "account_id", "accounts"),
  reference("warnings", "clear", "issuer_id", "accounts"),
  reference("notifications", "leave out", "account_id", "accounts"),
  reference("notifications", "clear", "source_id", "accounts"),
  reference("notifications", "keep", "item_id", "accounts", "nodes", "threads", "replies"),
  reference("notifications", "keep", "reply_id", "replies"),
  reference("audit", "clear", "enacted_by", "accounts"),
  reference("passwords", "leave out", "account_id", "accounts")
]

/** A column with a list of the ids of records, and what becomes of those that are nowhere: they are not in it. */
export interface ListOfReferences {
  readonly kind: PreparedKind
  readonly column: string
  readonly to: WrittenKind
  /** The id in an entry. */
  readonly key: string
}

const itself = "given.value #>> '{}'"
const inside = "given.value->>'id'"

export const lists: ReadonlyArray<ListOfReferences> = [
  { kind: "accounts", column: "roles", to: "roles", key: inside },
  { kind: "accounts", column: "interests", to: "tags", key: itself },
  { kind: "theme", column: "stylesheets", to: "assets", key: itself },
  { kind: "theme", column: "scripts", to: "assets", key: itself },
  { kind: "nodes", column: "tag_ids", to: "tags", key: itself },
  { kind: "nodes", column: "assets", to: "assets", key: inside },
  { kind: "threads", column: "tag_ids", to: "tags", key: itself }
]

/** The entries of a list of a row `s`: each is `given`, with its `place`, and `named` is the id that it stands for now. */
export const idsOf = (kind: PreparedKind, column: string) => {
  const list = lists.find((list) => list.kind === kind && list.column === column)
  if (list === undefined) throw new Error(`${kind}.${column} is no list of references`)
  return `(select given.value, given.place, coalesce(m.id, ${list.key}) as named
    from jsonb_array_elements(s.${column}) with ordinality given (value, place)
      left join ${schema}.moved m on m.kind = '${list.to}' and m.given = ${list.key}) given`
}
