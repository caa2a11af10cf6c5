import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Queue } from "effect"
import type { Statement } from "effect/sql"
import { period } from "../../domain/link/LinkFetchRules.ts"
import { fetchedOfText, LinkFetchSignal, LinkFetchStore } from "../../domain/link/LinkFetchStore.ts"
import type { LinkId } from "../../domain/shared/Id.ts"
import { locking } from "../shared/Locks.ts"
import { run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

interface TakenRow {
  readonly link_id: LinkId
  readonly url: string
  readonly host: string
  readonly tries: number
}

export const layer = Layer.effect(
  LinkFetchStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const signal = yield* LinkFetchSignal
    const wake = sql.afterCommit(Effect.asVoid(Queue.offer(signal, undefined)))

    /** Enqueues rows of `link_id, host, due_at, tries, ended_at, reason`, in the order of the ids. */
    const add = (rows: Statement.Fragment, at: DateTime.Utc) =>
      run(
        locking(
          "link fetch"
        )(sql`insert into link_fetches as f (link_id, host, due_at, tries, ended_at, reason)
          ${rows} order by 1
          on conflict (link_id) do update set due_at = excluded.due_at, tries = excluded.tries,
            ended_at = excluded.ended_at, reason = excluded.reason
          where f.ended_at <= ${toDate(DateTime.subtractDuration(at, period))}`)
      ).pipe(Effect.andThen(wake))

    return LinkFetchStore.of({
      enqueue: (link, { dueAt, reason, tries }, at) =>
        add(
          sql`select id, domain, ${dueAt === undefined ? null : toDate(dueAt)}::timestamptz, ${tries}::int,
              ${dueAt === undefined ? toDate(at) : null}::timestamptz, ${reason ?? null}::text
            from links where id = ${link}`,
          at
        ),

      enqueueOfPosts: (posts, at) =>
        add(
          sql`select l.id, l.domain, ${toDate(at)}::timestamptz, 0, null::timestamptz, null::text
            from links l where l.id in (
              select pl.link_id from post_links pl join posts p on p.id = pl.post_id
              where pl.post_id = any(${posts}::text[]) and pl.position < ${fetchedOfText}
                and p.deleted_at is null
              union all
              select t.link_id from threads t where t.id = any(${posts}::text[]) and t.deleted_at is null
            )`,
          at
        ),

      enqueueOfNodes: (nodes, at) =>
        add(
          sql`select l.id, l.domain, ${toDate(at)}::timestamptz, 0, null::timestamptz, null::text
            from links l where l.id in (
              select nl.link_id from node_links nl
              where nl.node_id = any(${nodes}::text[]) and nl.position < ${fetchedOfText}
              union all
              select n.link_id from nodes n where n.id = any(${nodes}::text[])
            )`,
          at
        ),

      take: Effect.fnUntraced(function* (at, until, butHosts) {
        // Other instances take others: nobody waits for a row.
        const [row] = yield* sql<TakenRow>`with next as materialized (
            select link_id from link_fetches
            where due_at <= ${toDate(at)} and host <> all(${butHosts}::text[])
            order by due_at, link_id limit 1 for update skip locked
          )
          update link_fetches f set tries = f.tries + 1, due_at = ${toDate(until)}
          from next join links l on l.id = next.link_id where f.link_id = next.link_id
          returning f.link_id, l.url, f.host, f.tries`
        return row && { linkId: row.link_id, url: row.url, host: row.host, tries: row.tries }
      }, orDefect),

      finish: ({ linkId, tries }, { dueAt, reason }, at) =>
        run(
          locking("link fetch")(sql`update link_fetches set
              due_at = ${dueAt === undefined ? null : toDate(dueAt)},
              ended_at = ${dueAt === undefined ? toDate(at) : null}, reason = ${reason ?? null}
            where link_id = ${linkId} and tries = ${tries}`)
        )
    })
  })
)
