/** The tables of Discourse that are read, with their columns. Older and newer releases lack some of them. */
import type { Table } from "../shared/Scratch.ts"

export const tables = {
  users: {
    columns: `id integer primary key, username text, name text, created_at text, updated_at text, admin text, moderator text,
      active text, suspended_till text, suspended_at text, silenced_till text, uploaded_avatar_id integer, email text, password_hash text,
      salt text, password_algorithm text`
  },
  user_emails: {
    columns: "id integer primary key, user_id integer, email text, created_at text",
    indexes: ["user_id"]
  },
  user_profiles: { columns: "user_id integer primary key, bio_raw text, website text, location text" },
  user_passwords: {
    columns:
      "user_id integer primary key, password_hash text, password_salt text, password_algorithm text, created_at text"
  },
  groups: {
    columns:
      "id integer primary key, name text, full_name text, automatic text, visibility_level integer, created_at text, updated_at text"
  },
  group_users: { columns: "id integer primary key, group_id integer, user_id integer", indexes: ["user_id"] },
  categories: {
    columns: `id integer primary key, name text, slug text, description text, color text, "position" integer,
      parent_category_id integer, read_restricted text, created_at text, updated_at text`
  },
  topics: {
    columns: `id integer primary key, title text, slug text, created_at text, updated_at text, user_id integer, category_id integer,
      archetype text, deleted_at text, visible text, closed text, archived text, pinned_at text, pinned_globally text`
  },
  posts: {
    columns: `id integer primary key, user_id integer, topic_id integer, post_number integer, raw text, created_at text,
      updated_at text, reply_to_post_number integer, deleted_at text, hidden text, post_type integer, user_deleted text`,
    indexes: ["topic_id, post_number"]
  },
  post_actions: {
    columns:
      "id integer primary key, post_id integer, user_id integer, post_action_type_id integer, deleted_at text, created_at text"
  },
  tags: { columns: "id integer primary key, name text, created_at text" },
  topic_tags: { columns: "id integer primary key, topic_id integer, tag_id integer", indexes: ["topic_id"] },
  uploads: {
    columns: `id integer primary key, user_id integer, original_filename text, filesize integer, width integer, height integer,
      url text, sha1 text, created_at text`,
    indexes: ["sha1"]
  },
  permalinks: {
    columns: `id integer primary key, url text, topic_id integer, post_id integer, category_id integer, tag_id integer,
      user_id integer, external_url text`
  },
  site_settings: { columns: "id integer primary key, name text, value text" },
  backup_metadata: { columns: "id integer primary key, name text, value text" }
} as const satisfies Readonly<Record<string, Table>>

export type TableName = keyof typeof tables

/** Without these, a dump is of another program. */
export const needed: ReadonlyArray<TableName> = ["users", "topics", "posts"]
