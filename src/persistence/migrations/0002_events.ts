import { migration } from "../shared/migration.ts"

export default migration([
  // `txid` orders events by what a reader may already rely on: see EventLogSql.
  `create table event_log (
    id bigint generated always as identity primary key,
    txid xid8 not null default pg_current_xact_id(),
    occurred_at timestamptz not null,
    actor_id text,
    event jsonb not null
  )`,
  `create index event_log_position on event_log (txid, id)`,
  `create table event_consumers (
    name text primary key,
    txid xid8 not null default '0',
    event_id bigint not null default 0
  )`
])
