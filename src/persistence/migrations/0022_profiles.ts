import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { formMax, formsOf } from "../../domain/account/AccountText.ts"
import { migration } from "../shared/migration.ts"

const perStatement = 10_000

interface AccountRow {
  readonly id: string
  readonly handle: string
  readonly name: string
}

/** The forms of the accounts that there are, a batch at a time: one pass over them in the order of their ids. */
const fillForms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let done = ""
  for (;;) {
    const rows = yield* sql<AccountRow>`select id, handle, name from accounts
      where id > ${done} order by id limit ${perStatement}`
    const last = rows.at(-1)
    if (last === undefined) return
    const forms = rows.map(formsOf)
    yield* sql`update accounts a set name_form = f.name, handle_form = f.handle
      from unnest(${rows.map(({ id }) => id)}::text[], ${forms.map(({ nameForm }) => nameForm ?? "")}::text[],
        ${forms.map(({ handleForm }) => handleForm ?? "")}::text[]) f (id, name, handle)
      where a.id = f.id`
    done = last.id
  }
})

const form = `text not null default '' check (char_length(%) <= ${formMax})`
const formColumn = (name: string) => `${name} ${form.replace("%", name)}`

// What people see of names and handles, in the form in which texts are compared.
export const accountForms = Effect.andThen(
  migration([
    `alter table accounts
      add column ${formColumn("name_form")},
      add column ${formColumn("handle_form")},
      -- What is searched for has no line break.
      add column search_text text not null generated always as (name_form || e'\\n' || handle_form) stored,
      -- About how many bytes of an answer the long parts of a profile take.
      add column profile_weight integer not null
        generated always as (octet_length(bio) + octet_length(links::text) + octet_length(meta::text)) stored`
  ]),
  Effect.andThen(
    fillForms,
    migration([
      `create index accounts_search on accounts using gin (search_text gin_trgm_ops)`,
      // Equal names are shown newest first, in both directions of the names; so are accounts of one instant.
      `create index accounts_by_name on accounts (name_form collate "C", created_at desc, id desc)`,
      `create index accounts_by_name_down on accounts (name_form collate "C", created_at, id)`,
      `create index accounts_by_handle on accounts (handle collate "C", id)`,
      `create index accounts_by_age on accounts (created_at, id desc)`,
      `create index accounts_admins on accounts (id) where admin`,
      // Who holds a role is read from the index alone.
      `create index account_roles_holders on account_roles (role_id, account_id)`,
      `drop index account_roles_role_id`
    ])
  )
)

const onEach = (name: string, table: string, event: "insert" | "delete", body: string) => [
  `create function ${name}_${event}() returns trigger language plpgsql as $$
    begin
      ${body}
      return null;
    end $$`,
  `create trigger ${table}_${name}_${event} after ${event} on ${table}
    referencing ${event === "insert" ? "new" : "old"} table as changed
    for each statement execute function ${name}_${event}()`
]

// Several rows, and each connection has its own, so that people who sign up rarely wait for each other.
const totals = [
  `create table account_totals (shard smallint primary key, accounts integer not null)`,
  `insert into account_totals (shard, accounts)
    select shard, case shard when 0 then (select count(*)::int from accounts) else 0 end
    from generate_series(0, 15) shard`,
  ...(["insert", "delete"] as const).flatMap((event) =>
    onEach(
      "total",
      "accounts",
      event,
      `update account_totals set accounts = accounts ${event === "insert" ? "+" : "-"} c.n
        from (select count(*)::int as n from changed) c
        where c.n > 0 and shard = pg_backend_pid() % 16;`
    )
  )
]

/** Adds to counts of accounts, or takes from them. All writers lock the rows in one order. */
const counting = (
  name: string,
  table: string,
  counts: ReadonlyArray<string>,
  changed: string
): ReadonlyArray<string> => {
  const columns = counts.join(", ")
  const sums = counts.map((count) => `sum(${count})::int as ${count}`).join(", ")
  const changes = `select account_id, ${sums} from (${changed}) n group by account_id`
  const each = (sign: string, source: string) =>
    counts.map((count) => `${count} = c.${count} ${sign} ${source}.${count}`).join(", ")
  return [
    ...onEach(
      name,
      table,
      "insert",
      `insert into account_counts as c (account_id, ${columns}) ${changes} order by account_id
        on conflict (account_id) do update set ${each("+", "excluded")};`
    ),
    ...onEach(
      name,
      table,
      "delete",
      `perform from account_counts where account_id in (select account_id from (${changed}) n)
        order by account_id for no key update;
      update account_counts c set ${each("-", "n")} from (${changes}) n where n.account_id = c.account_id;`
    )
  ]
}

const counts = [
  // Apart from accounts, whose rows change seldom. An account without a row has nothing of all this.
  `create table account_counts (
    account_id text primary key references accounts (id) on delete cascade,
    followers integer not null default 0 check (followers >= 0),
    following integer not null default 0 check (following >= 0),
    like_score integer not null default 0 check (like_score >= 0)
  ) with (fillfactor = 50)`,
  `insert into account_counts (account_id, like_score)
    select p.author_id, count(*) from likes l join posts p on p.id = l.post_id group by p.author_id`,
  ...counting(
    "followed",
    "follows",
    ["followers", "following"],
    `select followed_id as account_id, 1 as followers, 0 as following from changed
      union all select follower_id, 0, 1 from changed`
  ),
  // After the count of likes on posts, by its name: posts are locked before the counts of their authors.
  ...counting(
    "score",
    "likes",
    ["like_score"],
    `select p.author_id as account_id, 1 as like_score from changed l join posts p on p.id = l.post_id`
  )
]

const follows = [
  `create table follows (
    id text primary key,
    follower_id text not null references accounts (id) on delete cascade,
    followed_id text not null references accounts (id) on delete cascade check (followed_id <> follower_id),
    created_at timestamptz not null,
    unique (follower_id, followed_id)
  )`,
  `create index follows_followers on follows (followed_id, created_at desc, id desc) include (follower_id)`,
  `create index follows_following on follows (follower_id, created_at desc, id desc) include (followed_id)`,
  // Who follows, unfollows and follows again is not told of again while the first time can be read.
  `create unique index notifications_follows on notifications (account_id, source_id) where event = 'follow'`
]

const avatars = [
  `alter table accounts add column avatar_id text references assets (id) on delete set null`,
  `create index accounts_avatar_id on accounts (avatar_id) where avatar_id is not null`
]

export default Effect.andThen(accountForms, migration([...totals, ...follows, ...counts, ...avatars]))
