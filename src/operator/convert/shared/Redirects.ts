/** Old addresses and what they lead to: as records, and as a table for the web server that answered at the old address. */
import { textOf } from "./Fields.ts"
import type { Scratch } from "./Scratch.ts"

const pathMax = 2048

/** Notes where an old path leads; the first one counts. A `map` of nginx makes no difference of case, so neither is made here. */
export const noteRedirect = (scratch: Scratch) => {
  scratch.exec(
    `create table if not exists redirects (old text collate nocase primary key, new text not null, kind text not null, id text not null) without rowid`
  )
  return (from: string, to: string, kind: string, id: unknown) => {
    if (from.length > pathMax || /\p{Cc}/u.test(from)) return
    scratch.run("insert or ignore into redirects values (?, ?, ?, ?)", from, to, kind, textOf(id))
  }
}

export const redirects = function* (scratch: Scratch) {
  for (const { id, kind, old } of scratch.each("select old, kind, id from redirects order by old"))
    yield { from: old, kind, id }
}

const quoted = (path: unknown) => `"${textOf(path).replace(/[\\"$]/g, "\\$&")}"`

/** Lines of a `map` of nginx, whose keys are paths as nginx has them in `$uri`. */
export const redirectMap = function* (scratch: Scratch) {
  for (const row of scratch.each("select old, new from redirects order by old"))
    yield `${quoted(row.old)} ${quoted(row.new)};\n`
}
