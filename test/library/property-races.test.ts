/** Parallel changes of the fields of one group, and of the pages in it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fieldsMax } from "../../src/domain/library/LibraryLimits.ts"
import { PropertyNameTaken } from "../../src/domain/library/Property.ts"
import type { Answer } from "../support/answers.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, type Person, signUp } from "../support/people.ts"
import { assertProblem, problemOf } from "../support/problems.ts"
import {
  atOnce,
  page,
  propertiesOf,
  setChildFields,
  setFields,
  setProperties,
  valuesOfChildren
} from "./propertySupport.ts"

const statusesOf = (answers: ReadonlyArray<Answer>) =>
  [...new Set(answers.map((answer) => (answer.status === 200 ? "ok" : problemOf(answer))))].sort()

const fieldsOf = (slug: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly name: string }>`select name from property_fields
        where parent_id = (select id from nodes where slug = ${slug}) order by name`,
      (rows) => rows.map(({ name }) => name)
    )
  )

layer(People.layer)("fifty parallel requests", (it) => {
  /** Fifty administrators would each take turns of their own; here they are a few people. */
  const people = Effect.gen(function* () {
    const { freya, loki, odin, tyr } = yield* Cast
    for (const person of [freya, loki, tyr]) yield* People.grant(person, "MANAGE_LIBRARY")
    return [freya, loki, odin, tyr] as const
  })

  const someone = (all: ReadonlyArray<Person>, n: number) => all[n % all.length] ?? assert.fail("nobody")

  it.effect("replace the fields one after the other, each wholly", () =>
    Effect.gen(function* () {
      const all = yield* people
      yield* page(someone(all, 2), "Replaced")
      for (const name of ["R1", "R2"]) yield* page(someone(all, 2), name, { parent: "replaced" })
      const fields = (n: number) =>
        ["a", "b", "c"].map((name) => ({ name: `${name}${n}`, type: "text", sort: name }))
      const answers = yield* atOnce(50, (n) =>
        n % 2 === 0
          ? setChildFields(someone(all, n), "replaced", fields(n))
          : setFields(someone(all, n), n % 4 === 1 ? "r1" : "r2", fields(n))
      )
      assert.deepStrictEqual(statusesOf(answers), ["ok"])
      // Each was told what it had asked for, and one of them was the last.
      for (const [n, answer] of answers.entries()) {
        assert.deepStrictEqual(
          propertiesOf(answer).map(({ name }) => name),
          fields(n).map(({ name }) => name)
        )
      }
      const names = (yield* fieldsOf("replaced")).join(" ")
      assert.isTrue(
        answers.some(
          (_, n) =>
            fields(n)
              .map(({ name }) => name)
              .join(" ") === names
        )
      )
    })
  )

  it.effect("add no field twice and none beyond the limit", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Added")
      const answers = yield* atOnce(50, (n) =>
        odin.post("/nodes", {
          name: `Added ${n}`,
          parent: "added",
          properties: [
            { name: "Same", type: "number", value: String(n) },
            ...[1, 2, 3].map((m) => ({ name: `Own ${n} ${m}`, type: "text", value: "x" }))
          ]
        })
      )
      assert.deepStrictEqual(statusesOf(answers), ["ok", "too-many-property-fields"])
      const made = answers.filter(({ status }) => status === 200)
      // As many as have room: one field is of all.
      assert.lengthOf(made, (fieldsMax - 1) / 3)
      assert.lengthOf(yield* fieldsOf("added"), fieldsMax)
      const values = yield* valuesOfChildren(odin, "added")
      for (const answer of made) {
        const n = answer.json.slug.replace("added-", "")
        assert.include(values[answer.json.slug], `Same=${n}`)
        assert.include(values[answer.json.slug], `Own ${n} 3=x`)
      }
    })
  )

  it.effect("give one name to one field", () =>
    Effect.gen(function* () {
      const all = yield* people
      yield* page(someone(all, 2), "Named")
      for (const name of ["N1", "N2"]) yield* page(someone(all, 2), name, { parent: "named" })
      const fields = Array.from({ length: 50 }, (_, n) => ({ name: `f${n}`, type: "text", sort: "" }))
      const made = propertiesOf(yield* setChildFields(someone(all, 2), "named", fields))
      const kept = made.map(({ fid }) => ({ fid, name: "", value: "" }))
      const answers = yield* atOnce(50, (n) =>
        setProperties(
          someone(all, n),
          n % 2 === 0 ? "n1" : "n2",
          kept.map((entry, m) => (m === n ? { ...entry, name: "Taken", value: `${n}` } : entry))
        )
      )
      assert.deepStrictEqual(statusesOf(answers), ["ok", "property-name-taken"])
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      const refused = answers.find(({ status }) => status !== 200)
      assert.isDefined(refused)
      assertProblem(refused, PropertyNameTaken, { name: "Taken" })
      assert.lengthOf(
        (yield* fieldsOf("named")).filter((name) => name === "Taken"),
        1
      )
    })
  )

  it.effect("that add pages and change fields leave every page with values of fields that there are", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const stranger = yield* signUp("stranger")
      const sql = yield* SqlClient.SqlClient
      yield* page(odin, "Mixed", { visibility: "published" })
      yield* page(odin, "Mixed target")
      yield* page(odin, "M", { parent: "mixed" })
      const answers = yield* atOnce(50, (n): ReturnType<typeof setFields> => {
        switch (n % 5) {
          case 0:
            return setChildFields(odin, "mixed", [{ name: `f${n}`, type: "text", sort: "" }])
          case 1:
            return setProperties(odin, "m", [{ name: `m${n}`, type: "number", value: "1" }])
          case 2:
            return stranger.post("/nodes", {
              name: `Mixed ${n}`,
              parent: "mixed",
              properties: [{ name: `s${n}`, type: "text", value: "x" }]
            })
          case 3:
            return odin.patch("/nodes/m", { name: `M ${n}` })
          default:
            return odin.patch("/nodes/m/position", { parent: n % 2 === 0 ? "mixed" : "mixed-target" })
        }
      })
      assert.deepStrictEqual(statusesOf(answers), ["ok"])
      const [wrong] = yield* sql<{
        readonly wrong: number
      }>`select count(*)::int as wrong from property_values v
        join nodes n on n.id = v.node_id join property_fields f on f.fid = v.fid
        where f.parent_id is distinct from n.parent_id`
      assert.strictEqual(wrong?.wrong, 0)
      const [orphans] = yield* sql<{
        readonly orphans: number
      }>`select count(*)::int as orphans from property_fields f
        where not exists (select from nodes n where n.parent_id is not distinct from f.parent_id)`
      assert.strictEqual(orphans?.orphans, 0)
      ok(yield* odin.get("/nodes/mixed/children"))
    })
  )
})

layer(People.layer)("the database", (it) => {
  it.effect("refuses what no request may do", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* page(odin, "Held")
      const child = yield* page(odin, "Held child", {
        parent: "held",
        properties: [{ name: "a", type: "text", value: "x" }]
      })
      const { fid } = child.properties[0]
      const refused = (statement: Effect.Effect<unknown, unknown>) =>
        Effect.map(Effect.flip(statement), (error) => String(JSON.stringify(error)))
      for (const parent of [id, null]) {
        const many = (count: number) => sql`insert into property_fields (fid, parent_id, name, type, sort)
          select ${parent ?? "top"} || n, ${parent}, 'n' || n, 'text', '' from generate_series(1, ${count}) n`
        yield* refused(sql.withTransaction(many(fieldsMax + 1)))
      }
      yield* refused(
        sql`insert into property_fields (fid, parent_id, name, type, sort) values ('x', ${id}, 'a', 'text', '')`
      )
      yield* refused(
        sql`insert into property_fields (fid, parent_id, name, type, sort) values ('x', ${id}, '', 'text', '')`
      )
      yield* refused(
        sql`insert into property_fields (fid, parent_id, name, type, sort) values ('x', ${id}, 'b', 'date', '')`
      )
      yield* refused(sql`update property_values set value = '' where fid = ${fid}`)
      yield* refused(sql`update property_values set value = repeat('x', 10001) where fid = ${fid}`)
      yield* refused(sql`update property_fields set name = repeat('x', 256) where fid = ${fid}`)
      yield* refused(sql`update property_fields set sort = repeat('x', 256) where fid = ${fid}`)
    })
  )
})
