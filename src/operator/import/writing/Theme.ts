/** Lets the theme have those of its files that a theme may have, each with the hash by which browsers know it. */
import { type ThemeList, themeLimits } from "../../../domain/theme/Theme.ts"
import { findRefusal, themeLists } from "../../../domain/theme/ThemeRules.ts"
import type { Session } from "../../shared/Session.ts"
import { noteFindings, schema, tableOf } from "../Staging.ts"
import { idsOf } from "./References.ts"

interface Row {
  readonly id: string
  readonly line: string
  readonly mime_type: string
  readonly size: string
  readonly integrity: string | null
}

/** The files of a list that are there, each once, in their order. */
const filesOf = (session: Session, list: ThemeList) =>
  session.rows<Row & Record<string, unknown>>(
    `select a.id, s.line::text as line, a.mime_type, a.size::text as size, f.integrity
      from ${tableOf("theme")} s cross join lateral ${idsOf("theme", list)}
        join ${tableOf("assets")} a on a.id = given.named and a.fate is null
        left join ${schema}.files f on f.id = a.id
      where s.fate is null group by 1, 2, 3, 4, 5 order by min(given.place)`
  )

const refusalOf = (list: ThemeList, { integrity, mime_type, size }: Row) =>
  integrity === null
    ? "its bytes are not there"
    : findRefusal(list, { mimeType: mime_type, size: Number(size) })

export const settleTheme = async (session: Session) => {
  for (const list of themeLists) {
    const found: ReadonlyArray<Row> = await filesOf(session, list)
    const suitable = found.filter((row) => refusalOf(list, row) === undefined)
    const kept = suitable.slice(0, themeLimits.files)
    await noteFindings(
      session,
      found
        .filter((row) => !kept.includes(row))
        .map((row) => {
          const refusal = refusalOf(list, row)
          return {
            kind: "theme",
            line: Number(row.line),
            id: "active",
            outcome: "repaired",
            reason: refusal === undefined ? "limit" : "invalid",
            field: list,
            detail: `${row.id}: ${refusal ?? themeLimits.files}`
          }
        })
    )
    await session.rows(`update ${tableOf("theme")} set ${list} = $1 where fate is null`, [
      JSON.stringify(kept.map(({ id, integrity }) => ({ id, integrity })))
    ])
  }
}
