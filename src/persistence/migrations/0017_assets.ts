import { migration } from "../shared/migration.ts"

export default migration([
  `create table assets (
    id text primary key,
    created_at timestamptz not null,
    -- Null for what the service fetched itself.
    account_id text references accounts (id) on delete set null,
    -- Also what \`path\` ends in.
    filename text not null unique check (filename = id or starts_with(filename, id || '-')),
    original_name text not null check (length(original_name) between 1 and 255),
    mime_type text not null check (mime_type <> ''),
    size bigint not null check (size >= 0),
    width integer not null default 0 check (width >= 0),
    height integer not null default 0 check (height >= 0),
    parent_id text references assets (id) on delete set null check (parent_id <> id),
    -- The kind of store that has the bytes, under the id.
    store text not null check (store in ('disk', 's3'))
  )`,
  `create index assets_account_id on assets (account_id) where account_id is not null`,
  `create index assets_parent_id on assets (parent_id) where parent_id is not null`,

  // Noted before the bytes are stored, and gone once the asset is: what stays belongs to uploads that ended between.
  // Abandoned ones cannot become assets any more.
  `create table asset_uploads (
    id text primary key,
    store text not null check (store in ('disk', 's3')),
    started_at timestamptz not null,
    abandoned boolean not null default false
  )`,
  `create index asset_uploads_started_at on asset_uploads (started_at)`
])
