/** Decides of staged records about people which are written: how they sign in, and what staff and the service noted. */
import { deletedAfter, notificationsMax } from "../../../domain/notification/NotificationStore.ts"
import { openReportsMax, openReportsOfTargetMax } from "../../../domain/report/Report.ts"
import type { Session } from "../../shared/Session.ts"
import { schema, tableOf } from "../Staging.ts"
import { atMost, laterOnes, noting, onePair } from "./Checks.ts"

const accounts = tableOf("accounts")

/** Which of the addresses in a column of accounts others have already. */
const taken = (column: "emails" | "identities", key: string, there: string) =>
  `insert into ${schema}.findings (kind, line, id, outcome, reason, field, detail)
    select 'accounts', line, id, 'repaired', 'address_taken', '${column}', detail from (
      select s.line, s.id, e.place, e.value, ${column === "emails" ? "e.value->>'address'" : "e.value->>'service'"} as detail,
        row_number() over (partition by ${key} order by s.line, e.place) as number
      from ${accounts} s cross join lateral jsonb_array_elements(s.${column}) with ordinality e (value, place)
      where s.fate is null and s.${column} is not null
    ) e where number > 1 or exists (${there}) order by line, place`

/** Who somebody is elsewhere: an entry `e` of the identities of an account. */
export const personElsewhere = "e.value->>'service', e.value->>'issuer', e.value->>'subject'"

const waysToSignIn = [
  taken(
    "emails",
    "e.value->>'address'",
    "select from account_emails t where t.address = e.value->>'address'"
  ),
  taken(
    "identities",
    personElsewhere,
    `select from identities_elsewhere t where (t.service, t.issuer, t.subject) = (${personElsewhere})`
  ),
  noting(
    "accounts",
    { outcome: "repaired", reason: "address_taken", field: "phone" },
    "phone = null",
    `s.phone is not null and (
      exists (select from phone_numbers t where t.account_id is not null and t.phone_number = s.phone->>'number')
      or s.line in (${laterOnes("accounts", "(phone->>'number')", "s.phone is not null")}))`
  )
]

const isOpen = "s.status <> 'resolved'"

const reports = [
  atMost("reports", "s.reported_by, s.target_id", openReportsOfTargetMax, {
    only: isOpen,
    there: `(select count(*) from reports t where t.status <> 'resolved' and t.target_id = s.target_id
      and t.reported_by = s.reported_by)`
  }),
  atMost("reports", "s.reported_by", openReportsMax, {
    only: `${isOpen} and s.reported_by is not null`,
    there: "(select count(*) from reports t where t.status <> 'resolved' and t.reported_by = s.reported_by)"
  }),
  `update ${tableOf("reports")} s set repeats = n.number > 0 from (
      select line, count(*) filter (where status <> 'resolved') over (
        partition by reported_by, target_id order by created_at, line rows between unbounded preceding and 1 preceding) as number
      from ${tableOf("reports")} where fate is null
    ) n where n.line = s.line`
]

const newest = "s.created_at desc, s.id desc"

const notes = [
  atMost("notes", "s.account_id", 1000, {
    order: newest,
    there: "(select count(*) from moderation_notes t where t.account_id = s.account_id)"
  }),
  atMost("warnings", "s.account_id", 1000, {
    order: "s.issued_at desc, s.id desc",
    there: "(select count(*) from account_warnings t where t.account_id = s.account_id)"
  })
]

const notifications = [
  ...onePair("notifications", "item_id, account_id, source_id, event", "notifications", {
    only: "s.event = 'post_like'"
  }),
  ...onePair("notifications", "account_id, source_id, event", "notifications", {
    only: "s.event = 'follow'"
  }),
  atMost("notifications", "s.account_id", notificationsMax + deletedAfter - 1, {
    order: newest,
    there: "(select count(*) from notifications t where t.account_id = s.account_id)"
  })
]

/** Entries name what has another id now by that one. */
const audit = `update ${tableOf("audit")} s set subject = (
    select coalesce(jsonb_object_agg(said.key, coalesce(to_jsonb(m.id), said.value)), '{}')
    from jsonb_each(s.subject) said left join ${schema}.moved m on m.given = said.value #>> '{}')
  where s.fate is null and exists (select from ${schema}.moved)`

export const settleRecords = (session: Session) =>
  session.run(...waysToSignIn, ...reports, ...notes, ...notifications, audit)
