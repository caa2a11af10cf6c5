create table audit_events (
  id text primary key,
  occurred_at timestamptz not null,
  type text not null,
  enacted_by text references accounts (id) on delete set null,
  subject jsonb not null,
  -- The event in the log, which may be deleted since. What failed inside the service follows from no event.
  cause_id bigint unique,
  constraint audit_events_cause check ((cause_id is null) = (type = 'internal_error'))
);

create index audit_events_newest on audit_events (occurred_at desc, id desc);
create index audit_events_enacted_by on audit_events (enacted_by) where enacted_by is not null;
-- The list of those of some types, in its order.
create index audit_events_by_type on audit_events (type, occurred_at desc, id desc);

-- How many there are of each type, in several rows, so that writers rarely wait for each other.
create table audit_totals (
  type text not null,
  shard smallint not null,
  events integer not null,
  primary key (type, shard)
);

create function count_audit_events() returns trigger language plpgsql as $$
begin
  insert into audit_totals as known (type, shard, events)
    select type, pg_backend_pid() % 16, count(*)::int from changed group by type order by type
    on conflict (type, shard) do update set events = known.events + excluded.events;
  return null;
end $$;
create trigger audit_events_count after insert on audit_events referencing new table as changed
  for each statement execute function count_audit_events();

-- What was recorded stays as it was. An account that is gone or being erased is not named any more.
create function keep_audit_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.enacted_by is null or new.enacted_by = old.enacted_by) and
    (new.id, new.occurred_at, new.type, new.cause_id)
      is not distinct from (old.id, old.occurred_at, old.type, old.cause_id) and
    (new.subject = old.subject and new.enacted_by is null or exists (
      select from erasures where begun_at is not null and new.subject = without_account(old.subject, account_id))) then
    return new;
  end if;
  raise exception 'The audit log is append-only' using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_events_keep before update or delete on audit_events
  for each row execute function keep_audit_events();

create function keep_all_audit_events() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only' using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_events_keep_all before truncate on audit_events
  for each statement execute function keep_all_audit_events();

-- Which events have an entry: its type, and the field of the event for each field of the entry. A later
-- migration adds a row, and nothing else, to have another event audited.
create table audited_events (
  tag text primary key,
  type text not null,
  fields jsonb not null
);

insert into audited_events (tag, type, fields) values
  ('ThreadDeleted', 'thread_deleted', '{"thread_id": "id"}'),
  ('ThreadReplyDeleted', 'thread_reply_deleted', '{"reply_id": "reply_id"}'),
  ('AccountSuspended', 'account_suspended', '{"account_id": "id"}'),
  ('AccountUnsuspended', 'account_unsuspended', '{"account_id": "id"}'),
  ('AccountErasureRequested', 'account_erasure_requested',
    '{"account_id": "id", "erased_at": "erased_at", "keep_posts": "keep_posts"}'),
  ('AccountErasureCancelled', 'account_erasure_cancelled', '{"account_id": "id"}'),
  ('AccountErased', 'account_erased', '{"keep_posts": "keep_posts"}'),
  ('AccountExportRequested', 'account_export_requested', '{"account_id": "id"}'),
  ('AccountContentPurged', 'account_content_purged', '{"account_id": "id", "included": "included"}'),
  ('ModerationNoteCreated', 'moderation_note_created', '{"account_id": "account_id", "note_id": "note_id"}'),
  ('ModerationNoteDeleted', 'moderation_note_deleted', '{"account_id": "account_id", "note_id": "note_id"}'),
  ('AccountWarned', 'account_warned', '{"account_id": "account_id", "warning_id": "warning_id"}'),
  ('AccountWarningUpdated', 'account_warning_updated',
    '{"account_id": "account_id", "warning_id": "warning_id", "previous_reason": "previous_reason", "reason": "reason"}'),
  ('AccountWarningDeleted', 'account_warning_deleted',
    '{"account_id": "account_id", "warning_id": "warning_id"}'),
  ('PasswordResetTokenIssued', 'account_password_reset_token_issued', '{"account_id": "id"}'),
  ('PasswordResetEmailSent', 'account_password_reset_email_sent',
    '{"account_id": "id", "email_address_id": "email_address_id"}'),
  ('RemoteConnectionCreated', 'oauth_remote_connection_created',
    '{"oauth_remote_connection_id": "id", "resource_url": "resource_url", "mode": "mode"}'),
  ('RemoteConnectionConnected', 'oauth_remote_connection_connected',
    '{"oauth_remote_connection_id": "id", "resource_url": "resource_url"}'),
  ('RemoteConnectionDeleted', 'oauth_remote_connection_deleted',
    '{"oauth_remote_connection_id": "id", "resource_url": "resource_url"}'),
  ('OAuthClientCreated', 'oauth_client_created',
    '{"oauth_client_id": "id", "client_id": "client_id", "name": "name", "account_id": "account_id"}'),
  ('OAuthClientUpdated', 'oauth_client_updated',
    '{"oauth_client_id": "id", "client_id": "client_id", "name": "name", "changed": "changed"}'),
  ('OAuthClientDeleted', 'oauth_client_deleted',
    '{"oauth_client_id": "id", "client_id": "client_id", "name": "name"}'),
  ('OAuthTokenReused', 'oauth_token_reused',
    '{"oauth_client_id": "id", "client_id": "client_id", "account_id": "account_id"}'),
  ('OAuthTokenRevoked', 'oauth_token_revoked',
    '{"oauth_client_id": "id", "client_id": "client_id", "account_id": "account_id"}'),
  ('InitialAccessTokenCreated', 'oauth_initial_access_token_created',
    '{"initial_access_token_id": "id", "expires_at": "expires_at", "max_registrations": "max_registrations"}'),
  ('InitialAccessTokenRevoked', 'oauth_initial_access_token_revoked', '{"initial_access_token_id": "id"}'),
  ('PluginAdded', 'plugin_added', '{"plugin_instance_id": "id", "name": "name", "mode": "mode"}'),
  ('PluginRemoved', 'plugin_removed', '{"plugin_instance_id": "id", "name": "name"}'),
  ('PluginUpdated', 'plugin_updated', '{"plugin_instance_id": "id", "name": "name", "changed": "changed"}'),
  ('PluginActivated', 'plugin_activated', '{"plugin_instance_id": "id", "name": "name"}'),
  ('PluginDeactivated', 'plugin_deactivated', '{"plugin_instance_id": "id", "name": "name"}'),
  ('PluginTokenCycled', 'plugin_token_cycled', '{"plugin_instance_id": "id", "name": "name"}'),
  ('PluginConfigured', 'plugin_configured', '{"plugin_instance_id": "id", "name": "name"}'),
  ('WebhookCreated', 'webhook_created', '{"webhook_id": "id", "host": "host"}'),
  ('WebhookUpdated', 'webhook_updated', '{"webhook_id": "id", "host": "host", "changed": "changed"}'),
  ('WebhookDeleted', 'webhook_deleted', '{"webhook_id": "id", "host": "host"}'),
  ('WebhookSecretReplaced', 'webhook_secret_replaced', '{"webhook_id": "id", "host": "host"}'),
  ('WebhookDisabled', 'webhook_disabled',
    '{"webhook_id": "id", "host": "host", "account_id": "account_id", "reason": "reason"}'),
  ('NodeFieldsDeleted', 'node_property_fields_deleted',
    '{"node_id": "id", "names": "names", "values": "values"}');

-- An id as the service makes them: the second, then what no other entry has.
create function audit_event_id(at timestamptz, cause bigint) returns text language sql immutable as $$
  select string_agg(substr('0123456789abcdefghijklmnopqrstuv',
      substring(bits from n * 5 + 1 for 5)::bit(5)::int + 1, 1), '' order by n)
  from (select ('x' || lpad(to_hex(floor(extract(epoch from at))::bigint), 8, '0') ||
      lpad(to_hex(cause), 16, '0'))::bit(96) || b'0000') id (bits), generate_series(0, 19) n
$$;

-- The answer to a request may have told the id and the time of the entry already: the event has them then.
create function audit(logged event_log) returns void language sql as $$
  insert into audit_events (id, occurred_at, type, enacted_by, subject, cause_id)
  select coalesce(logged.event->>'audit_event_id', audit_event_id(logged.occurred_at, logged.id)),
    coalesce((logged.event->>'requested_at')::timestamptz, logged.occurred_at), type,
    (select id from accounts where id = logged.actor_id),
    (select jsonb_object_agg(key, logged.event->value) from jsonb_each_text(fields)), logged.id
  from audited_events where tag = logged.tag
  on conflict (cause_id) do nothing
$$;

-- The entry that a cause has in an hour, and how often it happened then: the entry itself never changes. Both
-- are written by one statement, and entries are never deleted.
create table internal_errors (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  cause text not null check (octet_length(cause) <= 2400),
  audit_event_id text not null unique,
  occurrences bigint not null check (occurrences > 0),
  last_at timestamptz not null,
  primary key (hour, cause)
);

-- Like the audit log, what was recorded stays; it is only counted further.
create function keep_internal_errors() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.hour, new.cause, new.audit_event_id) = (old.hour, old.cause, old.audit_event_id)
    and new.occurrences > old.occurrences and new.last_at >= old.last_at then
    return new;
  end if;
  raise exception 'Internal errors are only ever added and counted' using errcode = 'integrity_constraint_violation';
end $$;
create trigger internal_errors_keep before update or delete on internal_errors
  for each row execute function keep_internal_errors();

create trigger internal_errors_keep_all before truncate on internal_errors
  for each statement execute function keep_all_audit_events();

create table moderation_notes (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  author_id text references accounts (id) on delete set null,
  created_at timestamptz not null,
  content text not null check (char_length(content) between 1 and 2000)
);

create index moderation_notes_newest on moderation_notes (account_id, created_at desc, id desc);
create index moderation_notes_author_id on moderation_notes (author_id) where author_id is not null;

create trigger moderation_notes_number before insert on moderation_notes
  for each row execute function check_number_of_rows('account_id', '1000');

create table account_warnings (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  issuer_id text references accounts (id) on delete set null,
  issued_at timestamptz not null,
  reason text not null check (char_length(reason) between 1 and 2000)
);

create index account_warnings_newest on account_warnings (account_id, issued_at desc, id desc);
create index account_warnings_issuer_id on account_warnings (issuer_id) where issuer_id is not null;

create trigger account_warnings_number before insert on account_warnings
  for each row execute function check_number_of_rows('account_id', '1000');

-- What is still to be removed of accounts. What is removed leaves no entry.
create table purges (
  account_id text not null references accounts (id) on delete cascade,
  content text not null check (content in ('threads', 'replies', 'reacts', 'likes', 'nodes', 'collections')),
  enacted_by text references accounts (id) on delete set null,
  -- What the account made later stays.
  requested_at timestamptz not null,
  -- When somebody is to go on with it, unless whoever does so now is done before.
  due_at timestamptz not null,
  -- Raised by each request and by each who goes on with it: only the last of them says that it is done.
  turn integer not null,
  tries integer not null default 0 check (tries >= 0),
  primary key (account_id, content)
);

create index purges_due on purges (due_at, account_id, content);
create index purges_enacted_by on purges (enacted_by) where enacted_by is not null;
