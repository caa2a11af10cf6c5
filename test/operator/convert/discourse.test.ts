/** A backup of Discourse becomes an export, and that a forum. */
import { pbkdf2Sync } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { passwordHashForm } from "../../../src/domain/authentication/PasswordHashForms.ts"
import { discourse } from "../../../src/operator/convert/discourse/Discourse.ts"
import { rules } from "../../../src/operator/convert/shared/Rules.ts"
import { freshDatabase } from "../../process/support.ts"
import { directory, findingsOf, importFrom, rows } from "../import/inputs.ts"
import {
  contentsOf,
  convertFrom,
  convertInRuns,
  idOf,
  isRefused,
  mapIn,
  recordsIn,
  rulesIn,
  textIn
} from "./converting.ts"
import { backup, dump, password, sha256, tables } from "./discourse-fixture.ts"
import { archiveOf, dumpOf } from "./dumps.ts"

const id = idOf("discourse")

const converted = Effect.gen(function* () {
  const root = yield* directory
  const source = join(root, "backup.tar.gz")
  yield* Effect.promise(async () => writeFile(source, await backup()))
  const destination = join(root, "export")
  const summary = yield* convertFrom(discourse, source, destination)
  return { root, source, destination, summary }
})

const expectedRules = [
  "categories 3 category_restricted",
  "categories 4 category_restricted",
  "categories 5 parent_missing",
  "groups 42 group_hidden",
  "permalinks 2 permalink_leads_nowhere",
  "post_actions 5 flag",
  "post_actions 7 bookmark",
  "posts 2 poll_left_out",
  "posts 4 whisper",
  "posts 5 small_action",
  "posts 6 hidden",
  "posts 8 reply_target_missing",
  "posts 81 topic_missing",
  "posts 82 topic_missing",
  "posts 9 reply_target_missing",
  "posts 91 post_type_unknown",
  "topics 1 closed",
  "topics 2 category_restricted",
  "topics 3 private_message",
  "topics 4 topic_without_posts",
  "topics 5 first_post_missing",
  "topics 7 category_restricted",
  "topics 8 category_missing",
  "topics 9 archetype_unknown",
  "uploads 2 file_missing",
  "uploads uploads/default/original/1X/passwd.txt file_is_link",
  "uploads uploads/default/original/2X/passwd.txt file_missing",
  "user_emails 3 address_taken",
  "users -1 handle_changed",
  "users 1 handle_lower_case",
  "users 2 password_form_unknown",
  "users 3 handle_changed",
  "users 3 silenced",
  "users 4 handle_changed",
  "users 5 handle_changed"
]

describe("a backup of Discourse", () => {
  it.effect("becomes records, and every rule that left something out has a name", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      assert.deepStrictEqual(yield* rulesIn(destination), expectedRules)
      for (const line of expectedRules) assert.property(rules, line.split(" ").at(-1) ?? "")

      const accounts = yield* recordsIn(destination, "accounts")
      const person = (old: number) => accounts.find((account) => account.id === id("users", old))
      assert.deepStrictEqual(
        [-1, 1, 2, 3, 4, 5].map((old) => {
          const found = person(old)
          return [found?.handle, found?.kind, found?.admin, found?.founder]
        }),
        [
          ["system-1", "bot", false, false],
          ["freya", "human", true, true],
          ["odin", "human", false, false],
          ["odin-2", "human", false, false],
          ["freya-2", "human", false, false],
          ["me-1", "human", false, false]
        ]
      )
      assert.deepInclude(person(1), {
        name: "Freya Jónsdóttir",
        avatar_id: id("uploads", 1),
        bio: "<p>I <strong>like</strong> boats</p>\n",
        links: [{ text: "Website", url: "https://boats.example/" }],
        meta: { location: "Reykjavík" },
        roles: [{ id: id("groups", 41), badge: false }]
      })
      assert.deepInclude(person(2), {
        links: [],
        suspended_at: "2020-01-01T10:00:00.123456Z",
        roles: [{ id: id("roles", "moderators"), badge: true }]
      })
      assert.strictEqual(person(4)?.created_at, "1970-01-01T00:00:00Z")

      const threads = yield* recordsIn(destination, "threads")
      assert.deepStrictEqual(
        threads.map(({ id }) => id).toSorted(),
        [1, 5, 6, 8].map((old) => id("topics", old)).toSorted()
      )
      const thread = (old: number) => threads.find((found) => found.id === id("topics", old))
      assert.deepInclude(thread(1), { pinned: 2, visibility: "published", tag_ids: [id("tags", 1)] })
      assert.deepInclude(thread(5), { visibility: "unlisted", body: "<p>The second post</p>\n" })
      assert.strictEqual(thread(6)?.deleted_at, "2020-01-09T10:00:00.123456Z")
      assert.notProperty(thread(8), "category_id")

      const replies = yield* recordsIn(destination, "replies")
      const inFirst = replies.filter(({ thread_id }) => thread_id === id("topics", 1))
      assert.deepStrictEqual(
        inFirst.map((reply) => [reply.id, reply.reply_to_id, reply.visibility, reply.deleted_at]),
        [
          [id("posts", 2), id("topics", 1), "published", undefined],
          [id("posts", 3), id("posts", 2), "published", undefined],
          [id("posts", 6), undefined, "review", undefined],
          [id("posts", 7), undefined, "published", "2020-01-09T10:00:00.123456Z"],
          [id("posts", 8), undefined, "published", undefined],
          [id("posts", 9), undefined, "published", undefined]
        ]
      )
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "likes")).map(({ account_id, post_id }) => [post_id, account_id]),
        [[id("topics", 1), id("users", 2)]]
      )
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "assets")).map(({ sha256 }) => sha256).toSorted(),
        [sha256, sha256, undefined]
      )
      const text = yield* textIn(destination)
      for (const secret of ["Salaries", "Private words", "Plans are secret", "For staff", "secret@"])
        assert.notInclude(text, secret)
    })
  )

  it.effect("has texts whose quotes, mentions, addresses and pictures lead to what is here", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const reply = (yield* recordsIn(destination, "replies")).find((found) => found.id === id("posts", 2))
      const profile = `sdr:profile/${id("users", 1)}`
      assert.strictEqual(
        reply?.body,
        `<blockquote><p><a href="${profile}">freya</a> (<a href="sdr:thread/${id("topics", 1)}">…</a>):</p>
<p>The <strong>first</strong> post</p>
</blockquote>
<p>Thanks <a href="${profile}">@Freya</a>, see <a href="sdr:reply/${id("posts", 3)}">https://old.example/t/welcome/1/3</a> 😄<br>
<img src="/api/assets/${id("uploads", 1)}-harbour-png" alt="A harbour"></p>
<p><code>[quote=&quot;x&quot;]</code> and a tab\tand a backslash \\ <script>alert(1)</script></p>
`
      )
    })
  )

  it.effect("has a table of its old addresses", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const map = yield* mapIn(destination)
      const thread = `/t/${id("topics", 1)}-welcome`
      for (const line of [
        `"/t/welcome/1" "${thread}";`,
        `"/t/1" "${thread}";`,
        `"/t/welcome/1/1" "${thread}";`,
        `"/t/welcome/1/2" "${thread}#${id("posts", 2)}";`,
        `"/p/2" "${thread}#${id("posts", 2)}";`,
        `"/u/Odin." "/m/odin-2";`,
        `"/c/general/boats/2" "/d/boats";`,
        `"/tag/boats" "/tags/boats";`,
        `"/old/welcome.html" "${thread}";`
      ])
        assert.include(map, line)
      // nginx makes no difference of case, and refuses what is there twice.
      const keys = map.map((line) => line.split(" ")[0]?.toLowerCase())
      assert.strictEqual(new Set(keys).size, keys.length)
      assert.notMatch(map.join("\n"), /salaries|secret|staff/)
      assert.deepInclude(yield* recordsIn(destination, "redirects"), {
        from: "/t/welcome/1",
        kind: "threads",
        id: id("topics", 1)
      })
    })
  )

  it.effect("is imported with nothing repaired but what nobody could have known", () =>
    Effect.gen(function* () {
      const { destination, root } = yield* converted
      const url = yield* Effect.promise(freshDatabase)
      yield* importFrom({ DATABASE_URL: url, DATA_DIR: join(root, "data") }, destination)
      const all = (yield* findingsOf(destination)).filter((line) => !line.includes("left out not_exported"))
      const cycles = all.filter((line) => /^categories \S+ repaired cycle parent_id$/.test(line))
      const findings = all.filter((line) => !cycles.includes(line))
      assert.deepStrictEqual(
        findings.toSorted(),
        [
          `assets ${id("uploads", 2)} repaired file_missing sha256`,
          ...[3, 7].map((old) => `replies ${id("posts", old)} repaired account_unknown author_id`)
        ].toSorted()
      )
      assert.strictEqual(cycles.length, 1)
      assert.deepStrictEqual(
        yield* rows(
          url,
          `select (select count(*)::int from threads) as threads, (select count(*)::int from likes) as likes,
            (select hash like '$pbkdf2-sha256$i=1000,l=32$%' from passwords) as password,
            (select count(*)::int from account_emails) as emails,
            (select mime_type from assets where id = '${id("uploads", 1)}') as mime_type,
            (select body not like '%<script%' from posts where id = '${id("posts", 2)}') as is_clean`
        ),
        [{ threads: 4, likes: 1, password: true, emails: 2, mime_type: "image/png", is_clean: true }]
      )
    })
  )

  it.effect("takes categories over that not everybody could read, if that is asked for", () =>
    Effect.gen(function* () {
      const { root, source } = yield* converted
      const destination = join(root, "with-restricted")
      yield* convertFrom(discourse, source, destination, { withRestricted: true })
      const titles = (yield* recordsIn(destination, "threads")).map(({ title }) => title)
      assert.includeMembers(titles, ["Salaries", "Bad plans"])
      assert.notInclude(titles, "A secret")
    })
  )

  it.effect("becomes the same bytes wherever it was interrupted", () =>
    Effect.gen(function* () {
      const { destination, root, source } = yield* converted
      const whole = yield* contentsOf(destination)
      for (const step of ["read ", "deciding", "writing", "naming"]) {
        const again = join(root, `again-${step.trim()}`)
        const atStep = (name: string) => {
          if (name.startsWith(step)) throw new Error(`ended before ${step}`)
        }
        yield* isRefused(convertFrom(discourse, source, again, { atStep }), /the same command goes on/)
        assert.isFalse(existsSync(again))
        assert.isTrue(existsSync(`${again}.converting`))
        yield* convertFrom(discourse, source, again)
        assert.strictEqual(yield* contentsOf(again), whole)
        assert.isFalse(existsSync(`${again}.converting`))
      }
    })
  )

  it.effect("leaves nothing for ever where it ended after the export had its name", () =>
    Effect.gen(function* () {
      const { destination, source } = yield* converted
      const left = `${destination}.converting`
      yield* Effect.promise(() => mkdir(left))
      yield* Effect.promise(() => writeFile(join(left, "rows"), "odin@forum.test"))
      const refusal = /exists\. What its conversion had left is removed: .*\.converting$/
      yield* isRefused(convertFrom(discourse, source, destination), refusal)
      assert.isFalse(existsSync(left))
      yield* isRefused(convertFrom(discourse, source, destination), /exists\. Name another file/)
    })
  )

  it.effect("goes on in the middle of a table", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const source = join(root, "dump.sql")
      const { posts: [first] = [] } = tables
      const posts = Array.from({ length: 8000 }, (_, index) => ({
        ...first,
        id: index + 1,
        post_number: index + 1,
        raw: `Post ${index} ${"and more ".repeat(20)}`
      }))
      yield* Effect.promise(() => writeFile(source, dumpOf({ ...tables, posts })))
      const whole = join(root, "whole")
      yield* convertFrom(discourse, source, whole)
      const again = join(root, "again")
      yield* convertInRuns(discourse, source, again)
      assert.strictEqual(yield* contentsOf(again), yield* contentsOf(whole))
      assert.lengthOf(yield* recordsIn(again, "replies"), posts.length - 1)
    })
  )

  it.effect("begins anew where the source is another one", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const source = join(root, "dump.sql.gz")
      const destination = join(root, "export")
      yield* Effect.promise(() => writeFile(source, dump()))
      const atStep = (name: string) => {
        if (name === "writing") throw new Error("ended")
      }
      yield* isRefused(convertFrom(discourse, source, destination, { atStep }), /ended/)
      yield* Effect.promise(() => writeFile(source, dump({ site_settings: [], topic_tags: [] })))
      yield* convertFrom(discourse, source, destination)
      const [thread] = (yield* recordsIn(destination, "threads")).filter(({ title }) => title === "Welcome")
      assert.deepInclude(thread, { tag_ids: [] })
    })
  )

  it.effect("has its report and its table of addresses before it has its name", () =>
    Effect.gen(function* () {
      const { destination, root, source } = yield* converted
      const again = join(root, "again")
      const atStep = (name: string) => {
        if (name === "naming") throw new Error("ended before naming")
      }
      yield* isRefused(convertFrom(discourse, source, again, { atStep }), /the same command goes on/)
      assert.isFalse(existsSync(again))
      assert.deepStrictEqual(yield* rulesIn(again), yield* rulesIn(destination))
      assert.deepStrictEqual(yield* mapIn(again), yield* mapIn(destination))
    })
  )

  it.effect("with bytes that are no UTF-8 has what can be read of them", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const source = join(root, "dump.sql")
      const [before = "", after = ""] = dumpOf(tables).split("Who was I?")
      const broken = Buffer.concat([
        Buffer.from(`${before}Who `),
        Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]),
        Buffer.from(` was I?${after}`)
      ])
      yield* Effect.promise(() => writeFile(source, broken))
      const destination = join(root, "export")
      yield* convertFrom(discourse, source, destination)
      const reply = (yield* recordsIn(destination, "replies")).find((found) => found.id === id("posts", 3))
      assert.strictEqual(reply?.body, "<p>Who �(���� was I?</p>\n")
    })
  )

  it.effect("brings passwords that can be checked", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const [known] = yield* recordsIn(destination, "passwords")
      assert.strictEqual(known?.account_id, id("users", 1))
      const form = passwordHashForm(String(known?.hash))
      assert(form?._tag === "Pbkdf2")
      const key = pbkdf2Sync(password, Buffer.from(form.salt, "base64"), form.iterations, 32, "sha256")
      assert.strictEqual(key.toString("base64").replace(/=+$/, ""), form.key)
    })
  )

  it.effect("is refused where it is something else, or not whole, or a bomb", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const text = dumpOf(tables)
      const cases: ReadonlyArray<readonly [string, Uint8Array | string, RegExp]> = [
        ["no-tables", gzipSync(dumpOf({ other: [{ id: 1 }] })), /has no tables users, topics, posts/],
        ["cut", gzipSync(text.slice(0, text.indexOf("The **first** post"))), /ends within the table posts/],
        ["broken", dump().subarray(0, 600), /cannot be unpacked/],
        ["latin", text.replace("'UTF8'", "'LATIN1'"), /is in LATIN1/],
        ["custom", `PGDMP${"\0".repeat(600)}`, /only `pg_restore` reads/],
        ["empty", "", /has no tables/],
        [
          "no-dump",
          yield* Effect.promise(() => archiveOf([{ name: "uploads/x", bytes: "x" }])),
          /no dump.sql.gz/
        ],
        ["bomb", gzipSync(Buffer.alloc(80 * 1024 * 1024)), /more than 200 times as long/]
      ]
      for (const [name, bytes, message] of cases) {
        const source = join(root, name)
        yield* Effect.promise(() => writeFile(source, bytes))
        yield* isRefused(convertFrom(discourse, source, join(root, `${name}.out`)), message)
      }
      yield* isRefused(convertFrom(discourse, join(root, "nowhere"), join(root, "x")), /does not exist/)
      yield* isRefused(convertFrom(discourse, join(root, "cut"), join(root, "cut")), /exists/)
    })
  )

  it.effect("of an older release has what that knew of people", () =>
    Effect.gen(function* () {
      const root = yield* directory
      const source = join(root, "dump.sql")
      const { posts = [], topics = [] } = tables
      yield* Effect.promise(() =>
        writeFile(
          source,
          dumpOf({
            users: [
              {
                id: 1,
                username: "freya",
                created_at: "2014-01-01 00:00:00",
                email: "freya@example.com",
                password_hash: "ab".repeat(32),
                salt: "0123456789abcdef0123456789abcdef"
              },
              { id: 1, username: "double" }
            ],
            topics,
            posts
          })
        )
      )
      const destination = join(root, "export")
      yield* convertFrom(discourse, source, destination)
      const [account] = yield* recordsIn(destination, "accounts")
      assert.deepNestedInclude(account, { handle: "freya", "emails[0].address": "freya@example.com" })
      const [known] = yield* recordsIn(destination, "passwords")
      assert.match(String(known?.hash), /^\$pbkdf2-sha256\$i=64000,l=32\$MDEyMzQ1/)
      assert.include(yield* rulesIn(destination), "users 1 duplicate_id")
    })
  )
})
