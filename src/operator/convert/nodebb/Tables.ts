/** The tables of NodeBB that are read, and those that a forum is made of them in. */
import type { Table } from "../shared/Scratch.ts"

/** What was read, with what its keys are of. */
export const tables = {
  legacy_hash: { columns: "_key text primary key, kind text, id text, data text", indexes: ["kind"] },
  legacy_zset: {
    columns: "item text primary key, kind text, id text, value text, score text",
    indexes: ["kind, id, value"]
  },
  legacy_set: { columns: "item text primary key, kind text, id text, value text", indexes: ["kind, id"] }
} as const satisfies Readonly<Record<string, Table>>

export const needed = ["legacy_hash", "legacy_zset", "legacy_set"] as const satisfies ReadonlyArray<
  keyof typeof tables
>

/** What is derived of it, in the form that records are made of. */
export const forumTables = {
  users: {
    columns: `id integer primary key, username text, userslug text, name text, created_at text, updated_at text, admin text, moderator text,
      active text, suspended_till text, suspended_at text, uploaded_avatar_id text, signature text, picture text,
      password text, wrapped text`
  },
  user_emails: {
    columns: "id integer primary key, user_id integer, email text, created_at text",
    indexes: ["user_id"]
  },
  user_profiles: { columns: "user_id integer primary key, bio_raw text, website text, location text" },
  groups: {
    columns:
      "id text primary key, name text, full_name text, automatic text, visibility_level integer, created_at text, updated_at text"
  },
  group_users: { columns: "id text primary key, group_id text, user_id integer", indexes: ["user_id"] },
  categories: {
    columns: `id integer primary key, name text, slug text, description text, color text, "position" integer,
      parent_category_id integer, disabled text, created_at text, updated_at text`
  },
  topics: {
    columns: `id integer primary key, title text, slug text, created_at text, updated_at text, user_id integer, category_id integer,
      deleted_at text, visible text, closed text, archived text, pinned_at text, pinned_globally text, main integer, tags text,
      merged_into integer`
  },
  posts: {
    columns: `id integer primary key, user_id integer, topic_id integer, post_number integer, created_at text, updated_at text,
      to_id integer, reply_to_post_number integer, deleted_at text, hidden text, raw text`,
    indexes: ["topic_id, post_number"]
  },
  post_actions: {
    columns:
      "id text primary key, post_id integer, user_id integer, post_action_type_id integer, deleted_at text, created_at text"
  },
  tags: { columns: "id text primary key, name text, created_at text" },
  topic_tags: {
    columns: "id text primary key, topic_id integer, tag_id text",
    indexes: ["topic_id"]
  },
  uploads: {
    columns: `id text primary key, user_id integer, original_filename text, filesize integer, width integer, height integer,
      url text, created_at text`
  }
} as const satisfies Readonly<Record<string, Table>>
