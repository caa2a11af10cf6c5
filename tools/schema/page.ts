/** `docs/schema.md`: each table with its owner and what a write to it sets off, from the catalogue of a new database. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type Catalogue, type Column, catalogue, type Trigger } from "./catalogue.ts"
import { effectsOf, type Verb, type Write } from "./effects.ts"

const folder = join(import.meta.dirname, "../../src/persistence/schema")

interface Declared {
  readonly area: string
  readonly table: string
  /** What the file says of the table. */
  readonly about: string
}

/** The tables of an area in the order of its file. */
const declaredIn = (area: string): ReadonlyArray<Declared> =>
  [...readFileSync(join(folder, `${area}.sql`), "utf8").matchAll(/((?:^--.*\n)*)^create table (\w+)/gm)].map(
    ([, comment = "", table = ""]) => ({
      area,
      table,
      about: comment.replace(/^-- ?/gm, "").trim().replaceAll("\n", " ")
    })
  )

const areas = readdirSync(folder)
  .map((file) => file.replace(/\.sql$/, ""))
  .toSorted()

const linked = (table: string) => `[${table}](#${table})`

const shortTypes: Readonly<Record<string, string>> = {
  "timestamp with time zone": "timestamptz",
  "timestamp without time zone": "timestamp"
}

const columnOf = ({ deletion, expression, name, refers, type }: Column) => {
  const made = expression === null ? "" : ", generated"
  const goes = deletion === "cascade" ? ", goes with it" : ""
  const reference = refers === null ? "" : ` → ${linked(refers)}${goes}`
  return `\`${name}\` ${shortTypes[type] ?? type}${made}${reference}`
}

const writeOf = ({ columns, table, verb }: Write) =>
  `${verb}s ${linked(table)}${columns === undefined || columns.length === 0 ? "" : ` (${columns.join(", ")})`}`

const setOffBy = ({ columns, condition, events, time }: Trigger) => {
  const only = columns.length > 0 ? ` of ${columns.join(", ")}` : ""
  const which = events.map((event) => (event === "update" ? `update${only}` : event)).join(", ")
  return `${time === "at commit" ? "at commit, after" : time} ${which}${condition === null ? "" : ", under a condition"}`
}

/** What a function sets of the row itself, before it is written. */
const setsIn = (body: string) =>
  [...body.matchAll(/\bnew\.(\w+) :=/g)].map(([, column = ""]) => `sets \`${column}\``)

const triggerOf = (trigger: Trigger, body: string, writes: ReadonlyArray<Write>) => {
  const does = [...setsIn(body), ...writes.map(writeOf)]
  return `- \`${trigger.name}\`, ${setOffBy(trigger)}: \`${trigger.routine}\` ${does.length === 0 ? "checks" : does.join(", ")}`
}

const tableOf = (
  { about, table }: Declared,
  { columns, routines, triggers }: Catalogue,
  { followers, reached, writesOf }: ReturnType<typeof effectsOf>
) => {
  const own = triggers
    .filter((trigger) => trigger.table === table)
    .map((trigger) => {
      const body = routines.find(({ name }) => name === trigger.routine)?.body ?? ""
      return triggerOf(trigger, body, writesOf(trigger.routine))
    })
  const all = (["insert", "update", "delete"] satisfies ReadonlyArray<Verb>).flatMap((verb) => {
    const others = reached({ verb, table, columns: undefined })
    return others.length === 0 ? [] : [`- ${verb}: ${others.map(linked).join(", ")}`]
  })
  const cleared = followers(table)
  return [
    `### ${table}`,
    about,
    columns
      .filter((column) => column.table === table)
      .map(columnOf)
      .join(" · "),
    own.length === 0 ? "" : `Triggers, in the order in which they run:\n\n${own.join("\n")}`,
    cleared.length === 0 ? "" : `When a row goes: ${cleared.map(writeOf).join(", ")}.`,
    all.length === 0
      ? "A write to it changes no other table."
      : `All tables that a write to it may change, at any number of steps:\n\n${all.join("\n")}`
  ].filter((part) => part !== "")
}

const introduction = `# Schema

What the database has, by the area that owns it: the file of \`src/persistence/schema\`
that makes the table, and the only area that writes it. Made by \`npm run schema\` from
a new database; do not edit.

A line with \`·\` has the columns. \`→\` is a foreign key. What a function writes includes
what the functions that it calls write.`

/** The text of the page. */
export const schemaPage = Effect.map(catalogue, (found) => {
  const effects = effectsOf(found)
  const parts = areas.flatMap((area) => [
    `## ${area}`,
    ...declaredIn(area).flatMap((declared) => tableOf(declared, found, effects))
  ])
  return `${[introduction, ...parts].join("\n\n")}\n`
})
