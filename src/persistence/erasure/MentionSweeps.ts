/** What others wrote about an account: links to its profile become what they say, and its handle that of nobody. */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import { formsOf } from "../../domain/account/AccountText.ts"
import type { Remains, Sweep } from "../../domain/erasure/RemainsStore.ts"
import { all, run } from "../shared/Query.ts"

/** How many texts are rewritten together. */
const textsAtOnce = 100

interface Written {
  readonly table: string
  /** The column that may have links, and others with what it says. */
  readonly html: string
  readonly texts: ReadonlyArray<string>
  /** Whether what it says is searched for. */
  readonly isSearched: boolean
}

// Posts are locked with their threads, as by all who write them.
const posts: Written = { table: "posts", html: "body", texts: ["description"], isSearched: true }

const others: ReadonlyArray<Written> = [
  { table: "nodes", html: "content", texts: ["description"], isSearched: true },
  { table: "node_versions", html: "content", texts: ["description", "excerpt"], isSearched: false },
  { table: "accounts", html: "bio", texts: ["signature"], isSearched: false },
  { table: "calendar_events", html: "description", texts: ["search"], isSearched: false }
]

const handleOfNobody = "(select handle from accounts where id = nobody())"

const textOf = ({ html, table, texts }: Written, locked: string) => {
  const said = (column: string) => `with_other_handle(${column}, $3, ${handleOfNobody})`
  const set = [`${html} = ${said(`without_links_to(${html}, $2)`)}`, ...texts.map((c) => `${c} = ${said(c)}`)]
  return `${locked} update ${table} set ${set.join(", ")} where id = any($1::text[])`
}

const withThreads = `with held as materialized (
  select t.id from threads t where t.id in (select thread_id from posts where id = any($1::text[]))
  order by t.id for no key update
)`

// Where words of a text that is searched end; no text has it otherwise.
const searchedText = `update search_texts set body = replace(
    with_other_handle(replace(body, 'ø', ' '), $2, ${handleOfNobody}), ' ', 'ø') where id = any($1::text[])`

/** What no handle is, for who is known by the id alone. */
const noHandle = "\\u0001"

const handleOf = ({ known }: Remains) =>
  Option.match(known, { onNone: () => noHandle, onSome: ({ handle }) => handle })

const rewriting =
  (sql: PgClient.PgClient) =>
  (written: Written): Sweep => {
    const { html, isSearched, table } = written
    const find = `select id from ${table} where position('sdr:profile/' || $1 in ${html}) > 0 limit ${textsAtOnce}`
    const rewrite = textOf(written, table === "posts" ? withThreads : "")
    return {
      name: `${table}.${html}`,
      step: Effect.fnUntraced(function* (remains) {
        const { accountId } = remains
        const rows = yield* all(sql.unsafe<{ readonly id: string }>(find, [accountId]))
        if (rows.length === 0) return false
        const ids = rows.map(({ id }) => id)
        const handle = handleOf(remains)
        const form =
          handle === noHandle ? noHandle : (formsOf({ name: undefined, handle }).handleForm ?? handle)
        if (isSearched) yield* run(sql.unsafe(searchedText, [ids, form]))
        yield* run(sql.unsafe(rewrite, [ids, accountId, handle]))
        return rows.length === textsAtOnce
      })
    }
  }

export const makeMentionSweeps = (sql: PgClient.PgClient): ReadonlyArray<Sweep> =>
  [posts, ...others].map(rewriting(sql))
