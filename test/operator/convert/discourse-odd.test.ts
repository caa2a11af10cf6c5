/** Rows of Discourse that are rare: addresses of old programs, people who share an address, what is far too long. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { discourse } from "../../../src/operator/convert/discourse/Discourse.ts"
import { directory } from "../import/inputs.ts"
import { convertFrom, idOf, mapIn, recordsIn, rulesIn } from "./converting.ts"
import { at, dump, picture, sha256, tables } from "./discourse-fixture.ts"
import { archiveOf, dumpOf, type Rows } from "./dumps.ts"

const id = idOf("discourse")

/** A forum with other rows in some tables, converted. */
const converted = Effect.fnUntraced(function* (more: Readonly<Record<string, Rows>>) {
  const root = yield* directory
  const source = join(root, "dump.sql")
  yield* Effect.promise(() => writeFile(source, dumpOf({ ...tables, ...more })))
  const destination = join(root, "export")
  yield* convertFrom(discourse, source, destination)
  return destination
})

/** Rows of a table beside those that it has. */
const beside = (table: string, ...rows: Rows): Rows => [...(tables[table] ?? []), ...rows]

const row = (table: string, wanted: number) =>
  (tables[table] ?? []).find((found) => found.id === wanted) ?? assert.fail(`${table} ${wanted}`)

describe("old addresses of Discourse", () => {
  it.effect("lead to what an administrator chose, as far as a web server can be told so", () =>
    Effect.gen(function* () {
      const leading = (number: number, url: string, to: Rows[number]) => ({ id: number, url, ...to })
      const destination = yield* converted({
        permalinks: [
          leading(1, "old/boats", { category_id: 2 }),
          leading(2, "/old/freya", { user_id: 1 }),
          leading(3, 'old/"quoted" $uri\\end', { topic_id: 1 }),
          leading(4, "OLD/boats", { topic_id: 1 }),
          leading(5, "old/reply", { post_id: 2 }),
          leading(6, "old/line\nbreak;", { topic_id: 1 }),
          leading(7, `old/${"x".repeat(2044)}`, { topic_id: 1 }),
          leading(8, `old/${"y".repeat(2043)}`, { topic_id: 1 }),
          leading(9, "old/staff", { category_id: 3 }),
          leading(10, "old/nobody", { user_id: 77 })
        ]
      })
      const thread = `/t/${id("topics", 1)}-welcome`
      const map = yield* mapIn(destination)
      assert.deepStrictEqual(
        map.filter((line) => /^"\/old/i.test(line)),
        [
          `"/old/\\"quoted\\" \\$uri\\\\end" "${thread}";`,
          `"/old/boats" "/d/boats";`,
          `"/old/freya" "/m/freya";`,
          `"/old/reply" "${thread}";`,
          `"/old/${"y".repeat(2043)}" "${thread}";`
        ]
      )
      const redirects = yield* recordsIn(destination, "redirects")
      assert.includeDeepMembers(
        [...redirects],
        [
          { from: "/old/boats", kind: "categories", id: id("categories", 2) },
          { from: "/old/freya", kind: "accounts", id: id("users", 1) }
        ]
      )
      assert.deepStrictEqual(
        (yield* rulesIn(destination)).filter((line) => line.startsWith("permalinks")),
        ["permalinks 10 permalink_leads_nowhere", "permalinks 9 permalink_leads_nowhere"]
      )
    })
  )
})

describe("people of Discourse", () => {
  it.effect("have an address that several have where one confirmed it, and none that is no address", () =>
    Effect.gen(function* () {
      const email = (number: number, user: number, address: string) => ({
        id: number,
        user_id: user,
        email: address,
        created_at: at(1)
      })
      const destination = yield* converted({
        user_emails: [
          email(10, 3, "shared@example.com"),
          email(11, 4, "Shared@example.com"),
          email(12, 5, "x@"),
          email(13, 5, `${"x".repeat(243)}@example.com`),
          email(14, 5, `${"y".repeat(242)}@example.com`)
        ]
      })
      const accounts = yield* recordsIn(destination, "accounts")
      const addressesOf = (old: number) => {
        const { emails } = accounts.find((account) => account.id === id("users", old)) ?? {}
        return (Array.isArray(emails) ? emails : []).map(({ address, verified }) => [address, verified])
      }
      assert.deepStrictEqual([3, 4, 5].map(addressesOf), [
        [],
        [["Shared@example.com", true]],
        [[`${"y".repeat(242)}@example.com`, true]]
      ])
      assert.include(yield* rulesIn(destination), "user_emails 10 address_taken")
    })
  )

  it.effect("are not suspended any more whose suspension was over when the last post was written", () =>
    Effect.gen(function* () {
      const suspended = (number: number, till: string) => ({
        ...row("users", number),
        suspended_at: at(2),
        suspended_till: till
      })
      const destination = yield* converted({
        users: [row("users", 1), suspended(2, at(3)), suspended(3, at(30)), suspended(4, "infinity")]
      })
      const accounts = yield* recordsIn(destination, "accounts")
      assert.deepStrictEqual(
        [2, 3, 4].map((old) => accounts.find((account) => account.id === id("users", old))?.suspended_at),
        [undefined, "2020-01-02T10:00:00.123456Z", "2020-01-02T10:00:00.123456Z"]
      )
    })
  )

  it.effect("set a new password where the hash of the old one is not whole", () =>
    Effect.gen(function* () {
      const [known] = tables.user_passwords ?? []
      const hash = String(known?.password_hash)
      const destination = yield* converted({
        user_passwords: [
          { ...known, user_id: 1, password_hash: hash.slice(2) },
          { ...known, user_id: 2, password_salt: "" },
          { ...known, user_id: 3 },
          { ...known, user_id: 4, password_algorithm: "$pbkdf2-sha512$i=1000,l=32$" }
        ]
      })
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "passwords")).map(({ account_id }) => account_id),
        [id("users", 3)]
      )
      assert.deepStrictEqual(
        (yield* rulesIn(destination)).filter((line) => line.endsWith("password_form_unknown")),
        [1, 2, 4].map((old) => `users ${old} password_form_unknown`)
      )
    })
  )
})

describe("places of Discourse", () => {
  it.effect("have plain descriptions, known colours and what people uploaded, however deep they are", () =>
    Effect.gen(function* () {
      const deep = Array.from({ length: 40 }, (_, number) => ({
        ...row("categories", 1),
        // Parents come after what is in them.
        id: 1000 - number,
        name: `Deep ${number}`,
        slug: `deep-${number}`,
        color: number === 0 ? "12345" : "0088cc",
        description: number === 0 ? "<p>For <b>all</b>\n&amp; more</p>" : null,
        parent_category_id: number === 0 ? null : 1001 - number
      }))
      const destination = yield* converted({
        categories: beside("categories", ...deep),
        uploads: beside("uploads", { ...row("uploads", 1), id: -1 }, { ...row("uploads", 1), id: 0 })
      })
      const categories = yield* recordsIn(destination, "categories")
      const places = deep.map(({ id: old }) =>
        categories.findIndex((category) => category.id === id("categories", old))
      )
      assert.notInclude(places, -1)
      assert.deepStrictEqual(
        places,
        places.toSorted((one, other) => one - other)
      )
      const [top, below] = places.map((place) => categories[place])
      assert.deepInclude(top, { colour: "", description: "For all &amp; more" })
      assert.deepInclude(below, { colour: "#0088cc", parent_id: top?.id })
      assert.sameMembers(
        (yield* recordsIn(destination, "assets")).map((asset) => asset.id),
        [1, 2, 3].map((old) => id("uploads", old))
      )
    })
  )
})

describe("a backup of Discourse", () => {
  it.effect("that another program packed has its files as well", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const source = join(root, "backup.tar.gz")
      const name = "./uploads/default/original/1X/harbour.png"
      const bytes = yield* Effect.promise(() =>
        archiveOf([
          { name: "./dump.sql.gz", bytes: dump() },
          { name, bytes: picture },
          // Nothing names it any more.
          { name: "./uploads/default/original/3X/removed.png", bytes: "removed" },
          { name: "./uploads/default/original/2X/same.png", type: "link", target: name }
        ])
      )
      yield* Effect.promise(() => writeFile(source, bytes))
      const destination = join(root, "export")
      const { files } = yield* convertFrom(discourse, source, destination)
      assert.deepStrictEqual(files, { number: 1, bytes: picture.length })
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "assets")).map((asset) => asset.sha256).toSorted(),
        [sha256, sha256, undefined]
      )
    })
  )

  it.effect("with a row that is far too long has all the others", () =>
    Effect.gen(function* () {
      const long = { ...row("posts", 3), id: 300, post_number: 30, raw: "x".repeat(16 * 1024 * 1024) }
      const posts = tables.posts ?? []
      const destination = yield* converted({ posts: [posts[0] ?? {}, long, ...posts.slice(1)] })
      assert.include(yield* rulesIn(destination), "posts row 2 row_too_long")
      const replies = (yield* recordsIn(destination, "replies")).map((reply) => reply.id)
      assert.includeMembers(replies, [id("posts", 2), id("posts", 3)])
      assert.notInclude(replies, id("posts", 300))
    })
  )
})
