/** Writes how people sign in, what was noted of them, and what the instance looks like. */
import { notificationsMax } from "../../../domain/notification/NotificationStore.ts"
import { uploadOf } from "../Files.ts"
import { schema, tableOf } from "../Staging.ts"
import { personElsewhere } from "./DecidingRecords.ts"
import { from, partId } from "./Writing.ts"

/** Triggers whose work is done here for all rows at once: they would take a lock for each account. */
export const counting = [
  ["reports", "reports_open"],
  ["moderation_notes", "moderation_notes_number"],
  ["account_warnings", "account_warnings_number"],
  ["identities_elsewhere", "identities_elsewhere_number"]
] as const

export const waysToSignIn = [
  `insert into phone_numbers (id, created_at, phone_number, account_id)
    select ${partId("s.phone->>'id'", "phone_numbers", "s.line")}, (s.phone->>'created_at')::timestamptz, s.phone->>'number', s.id
    ${from("accounts")} and s.phone is not null`,
  `insert into identities_elsewhere (id, account_id, created_at, service, issuer, subject, name)
    select ${partId("e.value->>'id'", "identities_elsewhere", "s.line, e.place")}, s.id,
      (e.value->>'created_at')::timestamptz, ${personElsewhere}, e.value->>'name'
    from (
      select distinct on (${personElsewhere}) s.id, s.line, e.value, e.place
      from ${tableOf("accounts")} s cross join lateral jsonb_array_elements(s.identities) with ordinality e (value, place)
      where s.fate is null and s.identities is not null
        and not exists (select from identities_elsewhere t where (t.service, t.issuer, t.subject) = (${personElsewhere}))
      order by ${personElsewhere}, s.line, e.place
    ) s cross join lateral (select s.value, s.place) e`
]

/** What no event of the log has caused has a number below zero, which none of these has. */
const cause = (table: string) =>
  `(select least(coalesce(min(cause_id), 0), 0) from ${table}) - row_number() over (order by s.line)`

export const noted = [
  `insert into reports (id, created_at, updated_at, target_id, target_kind, reported_by, handled_by, comment, status, repeats)
    select s.id, s.created_at, s.updated_at, s.target_id, s.target_kind, s.reported_by, s.handled_by, s.comment, s.status,
      coalesce(s.repeats, false)
    ${from("reports")}`,
  `insert into moderation_notes (id, account_id, author_id, created_at, content)
    select s.id, s.account_id, s.author_id, s.created_at, s.content ${from("notes")}`,
  `insert into account_warnings (id, account_id, issuer_id, issued_at, reason)
    select s.id, s.account_id, s.issuer_id, s.issued_at, s.reason ${from("warnings")}`,
  `insert into notifications (id, created_at, account_id, event, status, source_id, item_kind, item_id, cause_id, reply_id)
    select s.id, s.created_at, s.account_id, s.event, s.status, s.source_id, s.item_kind, s.item_id, ${cause("notifications")},
      s.reply_id
    ${from("notifications")}`,
  `insert into notification_receivers as known (account_id, received)
    select n.account_id, greatest(count(*) - ${notificationsMax}, 0) from notifications n
      where n.account_id in (select s.account_id ${from("notifications")}) group by n.account_id
    on conflict (account_id) do update set received = greatest(known.received, excluded.received)`,
  `insert into audit_events (id, occurred_at, type, enacted_by, subject, cause_id)
    select s.id, s.occurred_at, s.type, s.enacted_by, s.subject, ${cause("audit_events")} ${from("audit")}`
]

export const appearance = (store: string) => [
  `update instance_images i set upload_id = ${uploadOf("s.id")}, store = '${store}', lengths = (
      select jsonb_object_agg(image.value->>'size', f.size)
      from jsonb_array_elements(s.images) image (value)
        join ${schema}.files f on f.id = ${uploadOf("s.id")} || '-' || (image.value->>'size'))
    from ${tableOf("instance_images")} s where s.fate is null and s.id = i.kind`,
  `update theme t set set_at = s.set_at, set_by = s.set_by from ${tableOf("theme")} s where s.fate is null and t.name = s.id`,
  `insert into theme_files (list, place, asset_id, integrity)
    select list.name, file.place - 1, file.value->>'id', file.value->>'integrity'
    from ${tableOf("theme")} s cross join lateral (values ('stylesheets', s.stylesheets), ('scripts', s.scripts)) list (name, files)
      cross join lateral jsonb_array_elements(list.files) with ordinality file (value, place)
    where s.fate is null`
]
