import { migration } from "../shared/migration.ts"

// As in the rules of moderation. Numbers in the database change by a migration only.
const warningsMax = 1000

const kinds = `'threads', 'replies', 'reacts', 'likes', 'nodes', 'collections'`

export default migration([
  `create table account_warnings (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    issuer_id text references accounts (id) on delete set null,
    issued_at timestamptz not null,
    reason text not null check (char_length(reason) between 1 and 2000)
  )`,
  `create index account_warnings_newest on account_warnings (account_id, issued_at desc, id desc)`,
  `create index account_warnings_issuer_id on account_warnings (issuer_id) where issuer_id is not null`,
  `create trigger account_warnings_number before insert on account_warnings
    for each row execute function check_number_of_rows('account_id', '${warningsMax}')`,

  // Notifications about an account show its profile.
  `alter table notifications drop constraint notifications_item_kind`,
  `alter table notifications
    add constraint notifications_item_kind check (item_kind in ('post', 'node', 'profile'))`,

  // What is still to be removed of accounts. What is removed leaves no entry.
  `create table purges (
    account_id text not null references accounts (id) on delete cascade,
    content text not null check (content in (${kinds})),
    enacted_by text references accounts (id) on delete set null,
    -- What the account made later stays.
    requested_at timestamptz not null,
    -- When somebody is to go on with it, unless whoever does so now is done before.
    due_at timestamptz not null,
    -- Raised by each request and by each who goes on with it: only the last of them says that it is done.
    turn integer not null,
    tries integer not null default 0 check (tries >= 0),
    primary key (account_id, content)
  )`,
  `create index purges_due on purges (due_at, account_id, content)`,
  `create index purges_enacted_by on purges (enacted_by) where enacted_by is not null`
])
