import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { linkLengthMax, readLinkAddress } from "../../domain/text/LinkAddress.ts"
import { migration } from "../shared/migration.ts"

interface LinkRow {
  readonly id: string
  readonly url: string
}

const batch = 1000

// As it stands in a body.
const written = "'href=\"' || replace(replace(replace(l.url, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"

/** The addresses of links as the URL standard writes them; a link whose address is none any more goes. */
const rewrite = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, links: ReadonlyArray<LinkRow>) {
  const read = links.map(({ id, url }) => ({ id, before: url, address: readLinkAddress(url) }))
  const kept = read.flatMap(({ address, before, id }) =>
    typeof address !== "string" && address.url !== before ? [{ id, url: address.url }] : []
  )
  const gone = read.filter(({ address }) => typeof address === "string").map(({ id }) => id)
  yield* sql`update links l set url = new.url
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as new (id text, url text) where l.id = new.id`
  yield* sql`update threads set link_id = null where link_id = any(${gone}::text[])`
  yield* sql`delete from links where id = any(${gone}::text[])`
})

const rewriteAll = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let after = ""; ; ) {
    const links =
      yield* sql<LinkRow>`select id, url from links where id > ${after} order by id limit ${batch}`
    const last = links.at(-1)
    if (last === undefined) return
    yield* rewrite(sql, links)
    after = last.id
  }
})

// Links were told apart by host and path alone, so that a post could show the address of another one. Such a post
// has the right link again with its next change. Hosts and paths are the same in both forms of an address, so no
// two links become one.
export default Effect.all(
  [
    migration([
      `delete from post_links pl using links l, posts p
        where l.id = pl.link_id and p.id = pl.post_id
          and strpos(p.body, ${written} || '"') = 0 and strpos(p.body, ${written} || '#') = 0`
    ]),
    rewriteAll(),
    migration([
      // A value as long as an index may hold, in ASCII.
      `alter table links add constraint links_url_length check (length(url) <= ${linkLengthMax})`,
      "alter table links add constraint links_url unique (url)"
    ])
  ],
  { discard: true }
)
