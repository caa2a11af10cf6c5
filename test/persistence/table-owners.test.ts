/** Every table has one owning area: only its folder in src/persistence writes the table. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const persistence = "src/persistence"

const sourcesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(persistence, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => readFileSync(join(persistence, folder, name), "utf8"))

/** The owner of each table: the area whose file of the schema it is in. */
const owners: ReadonlyMap<string, string> = new Map(
  readdirSync(join(persistence, "schema")).flatMap((file) =>
    [...readFileSync(join(persistence, "schema", file), "utf8").matchAll(/^create table (\w+)/gm)].map(
      ([, table = ""]) => [table, file.replace(/\.sql$/, "")] as const
    )
  )
)

const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line)

const writes = /(?:\binsert into|\bupdate|\bdelete from|\binsertRows\(\s*\w+\s*,)\s*"?(\w+)/g

/** The tables that a source writes, in SQL or with the helper that makes it. */
const tablesWritten = (source: string): ReadonlyArray<string> => {
  const code = source
    .split("\n")
    .filter((line) => !isComment(line))
    .join("\n")
  return [...code.matchAll(writes)].flatMap(([, table = ""]) => (owners.has(table) ? [table] : []))
}

// Erasing an account changes what any area keeps of it, by a declaration of all columns (`PersonalColumns.ts`).
const noAreas = ["migrations", "schema", "shared", "erasure"]

const areas = readdirSync(persistence, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && !noAreas.includes(entry.name) ? [entry.name] : []
)

const writersOf = (table: string) =>
  areas.filter((area) => sourcesIn(area).some((source) => tablesWritten(source).includes(table)))

describe("a table", () => {
  it("is written by no area but the one whose file of the schema has it", () => {
    assert.isAbove(owners.size, 80)
    const foreign = [...owners].flatMap(([table, owner]) =>
      writersOf(table).flatMap((writer) => (writer === owner ? [] : [`${writer} writes ${table}`]))
    )
    assert.deepStrictEqual(foreign, [])
  })

  it("is not written by what the areas share", () => {
    assert.deepStrictEqual(sourcesIn("shared").flatMap(tablesWritten), [])
  })

  it.each([
    ["sql`insert into threads (id) values (1)`", ["threads"]],
    ["sql`update posts set a = 1 where id = 2`", ["posts"]],
    ["sql`delete from sessions`", ["sessions"]],
    ['insertRows(sql, "event_log", rows)', ["event_log"]],
    ["sql`select 1 from threads for update`", []],
    ["sql`insert into tags values (1) on conflict do update set a = 1`", ["tags"]],
    ["// update threads", []],
    ["sql`insert into nothing`", []]
  ])("is found in %s", (source, expected) => {
    assert.deepStrictEqual(tablesWritten(source), expected)
  })
})
