/** Records which rows change, so that a test can say who may change them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What only its owner and moderators change of a row. Others may well change the rest, as a reply does a thread. */
const ownColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  access_keys: ["account_id", "token_hash", "name", "expires_at", "revoked_at"],
  account_roles: ["account_id", "role_id", "badge"],
  accounts: ["handle", "name", "bio", "signature", "links", "meta", "suspended_at", "admin"],
  assets: ["account_id", "filename", "original_name", "mime_type", "size", "parent_id"],
  passwords: ["hash"],
  notifications: ["status"],
  threads: ["deleted_at", "visibility", "pinned", "category_id", "link_id", "author_id"],
  posts: ["body", "title", "slug", "meta", "visibility", "author_id"],
  roles: ["name", "colour", "permissions", "meta", "rank"]
}

export interface Change {
  readonly table: string
  /** The account whose own part of a row changed. */
  readonly owner: string | null
}

/** Watches every table of the database. */
export const watchChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`
  yield* sql`create unlogged table changes ("table" text not null, owner text)`
  yield* sql`create function note_change() returns trigger language plpgsql as $$
    declare
      before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
      after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
      existing jsonb := case when tg_op = 'DELETE' then before else after end;
      is_own boolean := false;
    begin
      if before = after then return null; end if;
      for n in 0 .. tg_nargs - 1 loop
        is_own := is_own or before -> tg_argv[n] is distinct from after -> tg_argv[n];
      end loop;
      insert into changes values (tg_table_name, case when is_own then
        coalesce(existing ->> 'author_id', existing ->> 'account_id', existing ->> 'id') end);
      return null;
    end $$`
  for (const { name } of tables) {
    const columns = (ownColumns[name] ?? []).map((column) => `'${column}'`).join(", ")
    yield* sql`create trigger note_change after insert or update or delete on ${sql(name)}
      for each row execute function note_change(${sql.literal(columns)})`
  }
})

/** What changed since the last look. */
export const takeChanges = SqlClient.SqlClient.use(
  (sql) =>
    sql<Change>`with taken as (delete from changes returning *) select distinct "table", owner from taken`
)
