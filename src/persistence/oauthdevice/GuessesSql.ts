/** The counts of wrong codes of accounts and networks. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { DeviceStore, Typing } from "../../domain/oauthdevice/DeviceStore.ts"
import { locking } from "../shared/Locks.ts"
import { all, run } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"

interface Row {
  readonly name: string
  readonly count: number
  readonly since: Date
}

const namesOf = ({ account, network }: Typing) => ({
  account: `account ${account}`,
  network: `network ${network}`
})

type GuessStore = Pick<DeviceStore["Service"], "findGuessesForUpdate" | "countGuess" | "forgetGuesses">

export const makeGuesses = (sql: PgClient.PgClient): GuessStore => ({
  findGuessesForUpdate: Effect.fnUntraced(function* (typing, windowStart, at) {
    const { account, network } = namesOf(typing)
    const over = sql`g.since <= ${toDate(windowStart)}`
    // Rows that are there count as changed, so that they are locked and answered: the account's always first.
    const rows = yield* all(
      locking("oauth device guesses")(sql<Row>`insert into oauth_device_guesses as g (name, count, since)
        values (${account}, 0, ${toDate(at)}), (${network}, 0, ${toDate(at)})
        on conflict (name) do update set count = case when ${over} then 0 else g.count end,
          since = case when ${over} then excluded.since else g.since end
        returning name, count, since`)
    )
    const guessesOf = (name: string) => {
      const row = rows.find((row) => row.name === name)
      return row === undefined ? { count: 0, since: at } : { count: row.count, since: toDateTime(row.since) }
    }
    return { account: guessesOf(account), network: guessesOf(network) }
  }),

  countGuess: (typing) => {
    const { account, network } = namesOf(typing)
    return run(
      sql`update oauth_device_guesses set count = count + 1 where name = ${account} or name = ${network}`
    )
  },

  forgetGuesses: (windowStart) =>
    run(sql`delete from oauth_device_guesses where since <= ${toDate(windowStart)}`)
})
