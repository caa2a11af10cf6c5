import { migration } from "../shared/migration.ts"

// As in the rules of invitations. Numbers in the database change by a migration only.
const invitationsMax = 1000

// A two-part key of advisory locks, whose first part no other program on the same database is likely to use.
const rowsLock = 731_620_034

export default migration([
  `create table invitations (
    id text primary key,
    created_at timestamptz not null,
    creator_id text not null references accounts (id) on delete cascade,
    message text check (char_length(message) between 1 and 2000)
  )`,
  `create index invitations_newest on invitations (created_at desc, id desc)`,
  `create index invitations_of_creator on invitations (creator_id, created_at desc, id desc)`,
  // Holds how many rows of a table may have one value in a column: (column, maximum). Those who add some wait for
  // each other. The constraint that it names is the trigger's.
  `create function check_number_of_rows() returns trigger language plpgsql as $$
    declare
      value text := to_jsonb(new) ->> tg_argv[0];
      rows bigint;
    begin
      perform pg_advisory_xact_lock(${rowsLock}, hashtext(tg_table_name || ' ' || value));
      execute format('select count(*) from %I where %I = $1', tg_table_name, tg_argv[0]) into rows using value;
      if rows >= tg_argv[1]::bigint then
        raise exception 'There are too many rows in % for one %', tg_table_name, tg_argv[0]
          using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
      end if;
      return new;
    end $$`,
  `create trigger invitations_number before insert on invitations
    for each row execute function check_number_of_rows('creator_id', '${invitationsMax}')`,

  // Who was invited is known as long as the invitation is there.
  `alter table accounts add column invitation_id text references invitations (id) on delete set null`,
  `create index accounts_invitation_id on accounts (invitation_id) where invitation_id is not null`,
  `create function forget_inviter() returns trigger language plpgsql as $$
    begin
      new.invited_by := null;
      return new;
    end $$`,
  `create trigger accounts_forget_inviter before update of invitation_id on accounts
    for each row when (old.invitation_id is not null and new.invitation_id is null)
    execute function forget_inviter()`
])
