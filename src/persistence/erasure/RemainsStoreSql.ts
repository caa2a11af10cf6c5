import { PgClient } from "@effect/sql-pg"
import { type DateTime, Effect, Layer, Option } from "effect"
import { formsOf } from "../../domain/account/AccountText.ts"
import { handleKey } from "../../domain/account/Handle.ts"
import { nobody } from "../../domain/erasure/Erasure.ts"
import { RemainsStore } from "../../domain/erasure/RemainsStore.ts"
import { neutralName } from "../../domain/mail/MailText.ts"
import type { NodeId, PostId } from "../../domain/shared/Id.ts"
import { all, first, idsOf, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makeUnusedAssets } from "./AssetRemains.ts"
import { makeContentSweeps } from "./ContentSweeps.ts"
import { makeNobodySweeps, makeNoneSweeps, makeReplacedSweeps, makeRowSweeps } from "./GenericSweeps.ts"
import { makeLogSweeps, makeQueueSweeps } from "./LogSweeps.ts"
import { makeMentionSweeps } from "./MentionSweeps.ts"

/** How nobody is called. Staff may give it another name. */
const nameOfNobody = "Deleted account"
const handleOfNobody = "deleted-account"

/** How many things that others cannot read are removed together. */
const unreadableAtOnce = 100

const unreadable = "('draft', 'review')"

type Store = RemainsStore["Service"]

/** Takes the first handle that nobody has. It is suspended, so that nobody ever signs in to it. */
const makeNobody = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (at: DateTime.Utc) {
    const isThere = some(sql`select from accounts where id = ${nobody}`)
    for (let number = 1; !(yield* isThere); number++) {
      const handle = number === 1 ? handleOfNobody : `${handleOfNobody}-${number}`
      const { handleForm, nameForm } = formsOf({ name: nameOfNobody, handle })
      yield* run(sql`insert into accounts (id, created_at, updated_at, suspended_at, handle, handle_key, name,
          name_form, handle_form)
        values (${nobody}, ${toDate(at)}, ${toDate(at)}, ${toDate(at)}, ${handle}, ${handleKey(handle)},
          ${nameOfNobody}, ${nameForm}, ${handleForm})
        on conflict do nothing`)
    }
  })

/** Addresses that it had before are known by the mails that went there. */
const findKnown = (sql: PgClient.PgClient): Store["findKnown"] =>
  Effect.fnUntraced(function* (account) {
    const found = yield* first(sql<{ readonly handle: string; readonly name: string }>`select handle, name
      from accounts where id = ${account}`)
    if (found === undefined) return Option.none()
    const { handle, name } = found
    const addresses = yield* all(sql<{ readonly address: string }>`
      select address from account_emails where account_id = ${account}
      union select recipient_address from email_queue q
        where lower(recipient_name) in (lower(${neutralName(name)}), lower(${neutralName(handle)})) and not exists (
          select from account_emails e where e.address = q.recipient_address and e.account_id <> ${account})`)
    return Option.some({ handle, addresses: addresses.map(({ address }) => address) })
  })

/** The last change of its name tells lists that what they showed of it is no longer true. */
const deleteAccount = (sql: PgClient.PgClient): Store["deleteAccount"] =>
  Effect.fnUntraced(function* (account, retiredUntil) {
    yield* run(sql`insert into retired_handles (key_hash, until)
      select hash_of_handle(handle_key), ${toDate(retiredUntil)} from accounts where id = ${account}
      on conflict (key_hash) do update set until = excluded.until`)
    yield* run(sql`update accounts set name = ${nameOfNobody} where id = ${account}`)
    yield* run(sql`delete from accounts where id = ${account}`)
  })

export const layer = Layer.effect(
  RemainsStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return RemainsStore.of({
      findKnown: findKnown(sql),
      makeNobody: makeNobody(sql),
      unreadablePosts: (account) =>
        idsOf(sql<{ readonly id: PostId }>`select p.id from posts p join threads t on t.id = p.thread_id
          where p.author_id = ${account} and p.deleted_at is null and t.deleted_at is null
            and case when p.ordinal = 0 then t.visibility else p.visibility end in ${sql.literal(unreadable)}
          limit ${unreadableAtOnce}`),
      unreadableNodes: (account) =>
        idsOf(sql<{ readonly id: NodeId }>`select id from nodes
          where owner_id = ${account} and visibility in ${sql.literal(unreadable)} limit ${unreadableAtOnce}`),
      // What is found by addresses and by keys of the account goes before these.
      sweeps: [
        ...makeQueueSweeps(sql),
        ...makeMentionSweeps(sql),
        ...makeContentSweeps(sql),
        ...makeNobodySweeps(sql),
        ...makeNoneSweeps(sql),
        ...makeRowSweeps(sql),
        ...makeReplacedSweeps(sql),
        ...makeLogSweeps(sql)
      ],
      unusedAssets: makeUnusedAssets(sql),
      deleteAssets: (ids) => run(sql`delete from assets where id = any(${ids}::text[])`),
      deleteAccount: deleteAccount(sql)
    })
  })
)
