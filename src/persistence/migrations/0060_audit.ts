import { migration } from "../shared/migration.ts"

/** Which events have an entry: its type, and the field of the event for each field of the entry. */
const audited: ReadonlyArray<readonly [tag: string, type: string, fields: Readonly<Record<string, string>>]> =
  [
    ["ThreadDeleted", "thread_deleted", { thread_id: "id" }],
    ["ThreadReplyDeleted", "thread_reply_deleted", { reply_id: "reply_id" }],
    ["AccountSuspended", "account_suspended", { account_id: "id" }],
    ["AccountUnsuspended", "account_unsuspended", { account_id: "id" }],
    ["AccountContentPurged", "account_content_purged", { account_id: "id", included: "included" }],
    ["ModerationNoteCreated", "moderation_note_created", { account_id: "account_id", note_id: "note_id" }],
    ["ModerationNoteDeleted", "moderation_note_deleted", { account_id: "account_id", note_id: "note_id" }],
    ["AccountWarned", "account_warned", { account_id: "account_id", warning_id: "warning_id" }],
    [
      "AccountWarningUpdated",
      "account_warning_updated",
      {
        account_id: "account_id",
        warning_id: "warning_id",
        previous_reason: "previous_reason",
        reason: "reason"
      }
    ],
    [
      "AccountWarningDeleted",
      "account_warning_deleted",
      { account_id: "account_id", warning_id: "warning_id" }
    ],
    ["PasswordResetTokenIssued", "account_password_reset_token_issued", { account_id: "id" }],
    [
      "PasswordResetEmailSent",
      "account_password_reset_email_sent",
      { account_id: "id", email_address_id: "email_address_id" }
    ]
  ]

const rows = audited.map(([tag, type, fields]) => `('${tag}', '${type}', '${JSON.stringify(fields)}')`)

export default migration([
  // A later migration adds a row, and nothing else, to have another event audited.
  `create table audited_events (
    tag text primary key,
    type text not null,
    fields jsonb not null
  )`,
  `insert into audited_events (tag, type, fields) values ${rows.join(", ")}`,

  // An id as the service makes them: the second, then what no other entry has.
  `create function audit_event_id(at timestamptz, cause bigint) returns text language sql immutable as $$
    select string_agg(substr('0123456789abcdefghijklmnopqrstuv',
        substring(bits from n * 5 + 1 for 5)::bit(5)::int + 1, 1), '' order by n)
    from (select ('x' || lpad(to_hex(floor(extract(epoch from at))::bigint), 8, '0') ||
        lpad(to_hex(cause), 16, '0'))::bit(96) || b'0000') id (bits), generate_series(0, 19) n
  $$`,

  // The answer to a request may have told the id and the time of the entry already: the event has them then.
  `create function audit(logged event_log) returns void language sql as $$
    insert into audit_events (id, occurred_at, type, enacted_by, subject, cause_id)
    select coalesce(logged.event->>'audit_event_id', audit_event_id(logged.occurred_at, logged.id)),
      coalesce((logged.event->>'requested_at')::timestamptz, logged.occurred_at), type,
      (select id from accounts where id = logged.actor_id),
      (select jsonb_object_agg(key, logged.event->value) from jsonb_each_text(fields)), logged.id
    from audited_events where tag = logged.tag
    on conflict (cause_id) do nothing
  $$`,

  // Consumers of older releases wrote the entries. Whoever waits for their rows finds none then, so that nobody else
  // writes entries for what is in the log already.
  `delete from event_consumers where name in ('audit', 'audit of accounts', 'audit of staff')`,

  `create function audit_event() returns trigger language plpgsql as $$
    begin
      if exists (select from audited_events where tag = new.tag) then
        perform audit(new);
      end if;
      return null;
    end $$`,
  `create trigger event_log_audit after insert on event_log for each row execute function audit_event()`,

  // What they had not come to. What is not as its event is declared could not be shown.
  `select audit(e) from event_log e join audited_events a using (tag)
    where e.event ?& (select array_agg(value) from jsonb_each_text(a.fields))
      and not exists (select from audit_events where cause_id = e.id)
    order by e.generation, e.txid, e.id`
])
