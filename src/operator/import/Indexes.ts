/** Puts aside what makes writing many rows slow, and makes it again: of all rows at once that takes less time. */
import { quoted, type Session } from "../shared/Session.ts"

// Those that an import writes most rows of.
const tables = [
  "posts",
  "search_texts",
  "search_words",
  "threads",
  "likes",
  "reacts",
  "thread_participants",
  "read_marks"
]

// What the triggers look rows up by.
const kept = ["posts_ordinal", "threads_link_id"]

const list = [...tables].map((table) => `'${table}'::regclass`).join(", ")

interface Statements {
  readonly remove: string
  readonly make: string
}

const keysOf = (session: Session) =>
  session.rows<Statements & Record<string, unknown>>(`select
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint where contype = 'f' and conrelid in (${list}) order by oid`)

const indexesOf = (session: Session) =>
  session.rows<Statements & Record<string, unknown>>(`select
      format('drop index %s', i.indexrelid::regclass) as remove, pg_get_indexdef(i.indexrelid) as make
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid in (${list}) and c.relname not in (${kept.map((name) => `'${name}'`).join(", ")})
      and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
    order by i.indexrelid`)

/** Answers what makes all of it again, which checks the rows. */
export const putAside = async (session: Session, tell: (step: string) => void) => {
  const [keys, indexes] = [await keysOf(session), await indexesOf(session)]
  await session.run(...[...keys, ...indexes].map(({ remove }) => remove))
  return async () => {
    // A table whose deferred triggers have not run yet cannot be altered.
    await session.run("set constraints all immediate")
    for (const { make } of indexes) {
      tell("indexes")
      await session.run(make)
    }
    for (const { make } of keys) {
      tell("foreign keys")
      await session.run(make)
    }
  }
}

// Those that may have many rows as well.
const others = ["accounts", "links", "post_links", "thread_tags", "tags", "assets"].concat(
  ["nodes", "node_versions", "property_fields", "property_values", "node_tags", "node_links"],
  ["reports", "notifications", "audit_events"]
)

export const analyze = async (session: Session) => {
  for (const table of [...tables, ...others]) await session.run(`analyze ${quoted(table)}`)
}
