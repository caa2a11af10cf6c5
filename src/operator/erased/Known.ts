/** What is known of an account: what to look for once it is erased. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { orDefect } from "../../persistence/shared/SqlErrors.ts"

const known = `with a as (select id, handle, name, signature, links from accounts where id = $1 or handle = lower($1)
    order by id = $1 desc limit 1)
  select distinct value from (
    select unnest(array[a.id, a.handle, a.name]) from a
    union all select link ->> 'url' from a cross join jsonb_array_elements(links) link
    union all select e.address from account_emails e join a on e.account_id = a.id
    -- And those that it had before, by the mails that went there.
    union all select q.recipient_address from email_queue q join a on lower(q.recipient_name) in (lower(a.name), a.handle)
      where not exists (select from account_emails e where e.address = q.recipient_address and e.account_id <> a.id)
    union all select p.phone_number from phone_numbers p join a on p.account_id = a.id
    union all select unnest(array[i.subject, i.name]) from identities_elsewhere i join a on i.account_id = a.id
    union all select p.credential_id from passkeys p join a on p.account_id = a.id
    -- Where somebody has signed in from.
    union all select substr(s.source, 9) from password_attempts s join a on s.account_id = a.id where s.source ^@ 'network '
    union all select f.id from assets f join a on f.account_id = a.id
  ) found (value) where value <> '' order by value`

/** What is known of an account, by its handle or id: its names, addresses, networks, files. Nothing, if there is none. */
export const findKnown = Effect.fn("findKnown")(function* (mark: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* orDefect(sql.unsafe<{ readonly value: string }>(known, [mark]))
  return rows.map(({ value }) => value)
})

/** The lines of a text that say something, each once. */
export const linesOf = (text: string): ReadonlyArray<string> => [
  ...new Set(text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()])))
]
