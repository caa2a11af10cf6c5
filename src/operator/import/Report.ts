/** Writes what became of each record that was not imported as it is in the input. */
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import type { Session } from "../shared/Session.ts"
import { replaceByWhole } from "../shared/Unfinished.ts"
import { schema } from "./Staging.ts"

export interface Summary {
  /** How many records of each kind were imported. */
  readonly imported: Readonly<Record<string, number>>
  /** How many findings there are of each outcome. */
  readonly findings: Readonly<Record<string, number>>
}

const together = 5000

interface Line {
  readonly number: string
  readonly text: string
}

/** The findings, in parts. Equal inputs have equal reports. */
const lines = async function* (session: Session) {
  for (let last = "0"; ; ) {
    const found: ReadonlyArray<Line> = await session.rows<Line & Record<string, unknown>>(
      `select place::text as number, json_strip_nulls(json_build_object('kind', kind, 'line', nullif(line, 0), 'id', id,
          'outcome', outcome, 'reason', reason, 'field', field, 'detail', detail))::text as text
        from ${schema}.reported where place > $1 order by place limit ${together}`,
      [last]
    )
    yield found.map(({ text }) => `${text}\n`).join("")
    const end = found.at(-1)
    if (end === undefined) return
    last = end.number
  }
}

/** Writes the report under its name when it is whole. Part of the transaction that writes, before it ends. */
export const writeReport = async (
  session: Session,
  file: string,
  imported: Summary["imported"]
): Promise<Summary> => {
  await session.run(
    `create unlogged table ${schema}.reported as
      select row_number() over (order by kind, line, outcome, reason, field, detail) as place, kind, line, id, outcome, reason,
        field, detail
      from ${schema}.findings`,
    `create index on ${schema}.reported (place)`
  )
  const counts = await session.rows<{ outcome: string; count: string }>(
    `select outcome, count(*)::text as count from ${schema}.findings group by outcome order by outcome`
  )
  const findings = Object.fromEntries(counts.map(({ count, outcome }) => [outcome, Number(count)]))
  await replaceByWhole(resolve(file), async (unfinished) => {
    const target = await open(unfinished, "wx", 0o600)
    try {
      for await (const text of lines(session)) await target.writeFile(text)
      await target.sync()
    } finally {
      await target.close()
    }
  })
  return { imported, findings }
}
