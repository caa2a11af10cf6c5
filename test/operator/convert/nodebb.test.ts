/** A dump of NodeBB becomes an export, and that a forum. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import bcrypt from "bcryptjs"
import { Effect } from "effect"
import { passwordHashForm } from "../../../src/domain/authentication/PasswordHashForms.ts"
import { nodebb } from "../../../src/operator/convert/nodebb/NodeBB.ts"
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
import { picture } from "./discourse-fixture.ts"
import { dumpOf } from "./dumps.ts"
import { at, dump, objects, password, writeUploads } from "./nodebb-fixture.ts"

const id = idOf("nodebb")

const address = "https://old.example/forum"

const sha256 = createHash("sha256").update(picture).digest("hex")

const written = (text: Uint8Array | string, name = "dump.sql") =>
  Effect.gen(function* () {
    const root = yield* directory
    const source = join(root, name)
    yield* Effect.promise(() => writeFile(source, text))
    return { root, source, destination: join(root, "export") }
  })

const converted = Effect.gen(function* () {
  const { destination, root, source } = yield* written(gzipSync(dump()), "dump.sql.gz")
  const uploads = yield* Effect.promise(() => writeUploads(root))
  const summary = yield* convertFrom(nodebb, source, destination, { uploads, address })
  return { root, source, destination, summary, uploads }
})

const expectedRules = [
  "categories 10 slug_taken",
  "categories 11 category_restricted",
  "categories 2 category_moderator",
  "categories 3 category_restricted",
  "categories 4 parent_missing",
  "categories 5 parent_missing",
  "categories 8 category_disabled",
  "categories 9 category_restricted",
  "chats 1 private_message",
  "flags 1 flag",
  "groups secret group_hidden",
  "objects post:https://elsewhere.example/1 federated",
  "objects topic:0c2f7b2e-9df4-4f0b-8d7e-2a4c7d3b9a10 federated",
  "objects user:https://elsewhere.example/users/far federated",
  "posts 11 downvotes",
  "posts 11 poll_left_out",
  "posts 12 guest_author",
  "posts 14 reply_target_missing",
  "posts 15 reply_target_missing",
  "posts 16 reply_target_missing",
  "posts 81 topic_missing",
  "posts 82 topic_missing",
  "posts topic-1-1 post_queued",
  "topics 1 closed",
  "topics 10 category_restricted",
  "topics 11 category_restricted",
  "topics 12 topic_without_posts",
  "topics 13 category_restricted",
  "topics 2 category_restricted",
  "topics 3 topic_without_posts",
  "topics 4 first_post_missing",
  "topics 6 category_restricted",
  "topics 7 scheduled",
  "topics 8 title_missing",
  "topics 9 category_restricted",
  "uploads files/lost.txt file_is_link",
  "uploads files/lost.txt file_missing",
  "user_emails 3 address_taken",
  "users 2 name_hidden",
  "users 3 password_form_unknown",
  "users 4 handle_changed",
  "users 6 account_without_name"
]

describe("a dump of NodeBB", () => {
  it.effect("becomes records, and every rule that left something out has a name", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      assert.deepStrictEqual(yield* rulesIn(destination), expectedRules)
      for (const line of expectedRules) assert.property(rules, line.split(" ").at(-1) ?? "")
      const text = yield* textIn(destination)
      for (const secret of [
        "Salaries",
        "is secret",
        "are secret",
        "Private words",
        "Queued words",
        "Far words",
        "secret@",
        "A hidden name",
        "secret tag",
        "Nobody knows",
        "root:"
      ])
        assert.notInclude(text, secret)
      const manifest = JSON.parse(
        yield* Effect.promise(() => readFile(join(destination, "manifest.json"), "utf8"))
      )
      assert.deepInclude(manifest, { title: "Old harbour", address: "https://old.example/forum" })
    })
  )

  it.effect("has people with their roles, addresses and suspensions", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const accounts = yield* recordsIn(destination, "accounts")
      const person = (old: number) => accounts.find((account) => account.id === id("users", old))
      assert.deepStrictEqual(
        [1, 2, 3, 4, 5, 7].map((old) => {
          const found = person(old)
          return [found?.handle, found?.name, found?.kind, found?.admin, found?.founder, found?.suspended_at]
        }),
        [
          ["freya", "Freya Jónsdóttir", "human", true, true, undefined],
          ["odin-allfather", "Odin Allfather", "human", false, false, undefined],
          ["odin", "odin.", "human", false, false, "2020-01-08T10:00:00.000Z"],
          ["freya-2", "freya", "human", false, false, undefined],
          ["loki", "Loki", "human", false, false, "1970-01-01T00:00:00Z"],
          ["thor", "Thor", "human", false, false, undefined]
        ]
      )
      assert.lengthOf(accounts, 6)
      assert.deepInclude(person(1), {
        bio: "<p>I <strong>like</strong> boats</p>\n",
        signature: "<p>Sail <em>on</em></p>\n",
        links: [{ text: "Website", url: "https://boats.example/" }],
        meta: { location: "Reykjavík" },
        avatar_id: id("uploads", "profile/uid-1/1-avatar.png"),
        roles: [{ id: id("groups", "sailors"), badge: false }],
        verified_status: "verified_email"
      })
      assert.deepNestedInclude(person(1), {
        "emails[0].address": "freya@example.com",
        "emails[0].verified": true
      })
      assert.deepInclude(person(2), { links: [], roles: [{ id: id("roles", "moderators"), badge: true }] })
      assert.deepInclude(person(3), { emails: [], roles: [] })
      assert.notProperty(person(7), "avatar_id")
      assert.strictEqual(person(5)?.created_at, "1970-01-01T00:00:00Z")
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "roles")).map(({ id }) => id),
        [id("roles", "moderators"), ...["moderators", "sailors"].map((name) => id("groups", name)).toSorted()]
      )
    })
  )

  it.effect("has threads, replies, likes, tags and categories", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const threads = yield* recordsIn(destination, "threads")
      const thread = (old: number) => threads.find((found) => found.id === id("topics", old))
      assert.deepStrictEqual(
        threads.map((found) => found.id).toSorted(),
        [1, 4, 5, 7, 8].map((old) => id("topics", old)).toSorted()
      )
      assert.deepInclude(thread(1), {
        pinned: 1,
        visibility: "published",
        category_id: id("categories", 1),
        body: "<p>The <strong>first</strong> post</p>\n",
        tag_ids: [id("tags", "Sea and sky"), id("tags", "boats")].toSorted()
      })
      assert.deepInclude(thread(4), { pinned: 0, body: "<p>The second post</p>\n" })
      assert.deepInclude(thread(5), {
        deleted_at: "2020-01-09T10:00:00.000Z",
        tag_ids: [id("tags", "old tag")]
      })
      assert.deepInclude(thread(7), { visibility: "draft" })
      assert.deepInclude(thread(8), { title: "…", body: "<p>**Unclosed [link](/post/11</p>\n" })

      const inFirst = (yield* recordsIn(destination, "replies")).filter(
        ({ thread_id }) => thread_id === id("topics", 1)
      )
      assert.deepStrictEqual(
        inFirst.map((reply) => [reply.id, reply.reply_to_id, reply.created_at, reply.deleted_at]),
        [
          [id("posts", 17), undefined, "1970-01-01T00:00:00Z", undefined],
          [id("posts", 11), id("topics", 1), "2020-01-05T10:00:00.000Z", undefined],
          [id("posts", 12), id("posts", 11), "2020-01-06T10:00:00.000Z", undefined],
          [id("posts", 13), undefined, "2020-01-07T10:00:00.000Z", "2020-01-07T10:00:00.000Z"],
          [id("posts", 14), undefined, "2020-01-08T10:00:00.000Z", undefined],
          [id("posts", 15), undefined, "2020-01-08T10:00:00.001Z", undefined],
          [id("posts", 16), undefined, "2020-01-08T10:00:00.002Z", undefined]
        ]
      )
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "likes"))
          .map(({ account_id, created_at, post_id }) => [post_id, account_id, created_at])
          .toSorted(),
        [
          [id("topics", 1), id("users", 2), "2020-01-05T10:00:00.000Z"],
          [id("topics", 1), id("users", 3), "2020-01-04T10:00:00.000Z"]
        ].toSorted()
      )
      const categories = yield* recordsIn(destination, "categories")
      const category = (old: number) => categories.find((found) => found.id === id("categories", old))
      assert.deepStrictEqual(
        [1, 2, 4, 5, 6, 7, 10].map((old) => [
          category(old)?.slug,
          category(old)?.parent_id,
          category(old)?.colour
        ]),
        [
          ["general", undefined, "#AB4642"],
          ["boats", id("categories", 1), ""],
          ["under-staff", undefined, "#AB4642"],
          ["lost", undefined, "#AB4642"],
          ["circle", id("categories", 7), "#AB4642"],
          ["circle2", id("categories", 6), "#AB4642"],
          ["general-2", undefined, "#AB4642"]
        ]
      )
      assert.deepInclude(category(1), { name: "General", description: "For all", sort: 1 })
    })
  )

  it.effect("has texts whose mentions, addresses and pictures lead to what is here", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const reply = (yield* recordsIn(destination, "replies")).find((found) => found.id === id("posts", 11))
      const profile = `sdr:profile/${id("users", 1)}`
      const harbour = id("uploads", "files/1685368788211-the harbour.png")
      const lost = id("uploads", "files/lost.txt")
      assert.strictEqual(
        reply?.body,
        `<p><a href="${profile}">@freya</a> said in <a href="sdr:thread/${id("topics", 1)}">Welcome</a>:</p>
<blockquote>
<p>The <strong>first</strong> post</p>
</blockquote>
<p>Thanks <a href="${profile}">@Freya</a>, see <a href="sdr:reply/${id("posts", 12)}">https://old.example/forum/topic/1/welcome/4</a> and <a href="sdr:profile/${id("users", 2)}">them</a> 😄<br>
<img src="/api/assets/${harbour}-the-harbour-png" alt="A harbour"><br>
<img src="https://elsewhere.example/assets/uploads/files/1685368788211-theirs.png" alt="Not ours"><br>
<a href="/api/assets/${lost}-lost-txt">lost</a> <script>alert(1)</script></p>
`
      )
      assert.deepStrictEqual(
        (yield* recordsIn(destination, "assets"))
          .map((asset) => [asset.name, asset.sha256, asset.account_id])
          .toSorted(),
        [
          ["1-avatar.png", sha256, id("users", 1)],
          ["lost.txt", undefined, id("users", 2)],
          ["the harbour.png", sha256, id("users", 2)]
        ]
      )
    })
  )

  it.effect("leaves addresses alone whose ends alone are like its own", () =>
    Effect.gen(function* () {
      const place = "assets/uploads/files/1685368788211-the%20harbour.png"
      const others = [
        `//elsewhere.example/${place}`,
        `https://old.example/forum2/${place}`,
        `https://old.example.elsewhere.example/forum/${place}`,
        "//elsewhere.example/topic/1"
      ]
      const content = [...others, `//old.example/forum/${place}`]
        .map((other) => `[there](${other})`)
        .join(" ")
      const { destination, root, source } = yield* written(
        dump({ objects: { "post:14": { ...objects["post:14"], content } } })
      )
      const uploads = yield* Effect.promise(() => writeUploads(root))
      yield* convertFrom(nodebb, source, destination, { uploads, address })
      const reply = (yield* recordsIn(destination, "replies")).find((found) => found.id === id("posts", 14))
      const ours = `/api/assets/${id("uploads", "files/1685368788211-the harbour.png")}-the-harbour-png`
      assert.strictEqual(
        reply?.body,
        `<p>${[...others, ours].map((to) => `<a href="${to}">there</a>`).join(" ")}</p>\n`
      )
    })
  )

  it.effect("has a table of its old addresses", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const map = yield* mapIn(destination)
      const thread = `/t/${id("topics", 1)}-welcome`
      for (const line of [
        `"/forum/topic/1/welcome" "${thread}";`,
        `"/forum/topic/1" "${thread}";`,
        `"/forum/topic/1/welcome/1" "${thread}";`,
        `"/forum/topic/1/welcome/3" "${thread}#${id("posts", 11)}";`,
        `"/forum/post/11" "${thread}#${id("posts", 11)}";`,
        `"/forum/post/10" "${thread}";`,
        `"/forum/topic/12/merged" "${thread}";`,
        `"/forum/user/odin-allfather" "/m/odin-allfather";`,
        `"/forum/uid/3" "/m/odin";`,
        `"/forum/category/10/general" "/d/general-2";`,
        `"/forum/category/1" "/d/general";`,
        `"/forum/tags/Sea and sky" "/tags/sea-and-sky";`
      ])
        assert.include(map, line)
      const keys = map.map((line) => line.split(`" "`)[0]?.toLowerCase())
      assert.strictEqual(new Set(keys).size, keys.length)
      assert.notMatch(map.join("\n"), /salaries|secret|\/staff|\/\/|\/"/)
    })
  )

  it.effect("brings passwords that can be checked", () =>
    Effect.gen(function* () {
      const { destination } = yield* converted
      const known = yield* recordsIn(destination, "passwords")
      assert.lengthOf(known, 2)
      for (const [old, given] of [
        [1, password],
        [2, createHash("sha512").update(password).digest("hex")]
      ] as const) {
        const form = passwordHashForm(
          String(known.find(({ account_id }) => account_id === id("users", old))?.hash)
        )
        assert(form?._tag === "Bcrypt")
        assert.strictEqual(form.of, old === 1 ? "password" : "sha512")
        assert.isTrue(bcrypt.compareSync(given, form.hash))
      }
    })
  )

  it.effect("is imported with nothing repaired but what nobody could have known", () =>
    Effect.gen(function* () {
      const { destination, root } = yield* converted
      const url = yield* Effect.promise(freshDatabase)
      yield* importFrom({ DATABASE_URL: url, DATA_DIR: join(root, "data") }, destination)
      const all = (yield* findingsOf(destination)).filter((line) => !line.includes("left out not_exported"))
      const cycles = all.filter((line) => /^categories \S+ repaired cycle parent_id$/.test(line))
      assert.strictEqual(cycles.length, 1)
      assert.deepStrictEqual(
        all.filter((line) => !cycles.includes(line)).toSorted(),
        [
          `assets ${id("uploads", "files/lost.txt")} repaired file_missing sha256`,
          // Names of tags have hyphens, and those of categories are unique.
          `categories ${id("categories", 10)} repaired name_changed name`,
          ...["Sea and sky", "old tag"].map((name) => `tags ${id("tags", name)} repaired name_changed name`),
          // What is scheduled has a time to come.
          ...["created_at", "updated_at"].map(
            (field) => `threads ${id("topics", 7)} repaired time_changed ${field}`
          ),
          ...[12, 13].map((old) => `replies ${id("posts", old)} repaired account_unknown author_id`)
        ].toSorted()
      )
      assert.deepStrictEqual(
        yield* rows(
          url,
          `select (select count(*)::int from threads) as threads, (select count(*)::int from likes) as likes,
            (select count(*)::int from passwords) as passwords, (select count(*)::int from categories) as categories,
            (select count(*)::int from account_emails) as emails,
            (select mime_type from assets where id = '${id("uploads", "profile/uid-1/1-avatar.png")}') as mime_type,
            (select body not like '%<script%' from posts where id = '${id("posts", 11)}') as is_clean`
        ),
        [
          {
            threads: 5,
            likes: 2,
            passwords: 2,
            categories: 7,
            emails: 2,
            mime_type: "image/png",
            is_clean: true
          }
        ]
      )
    })
  )

  it.effect("takes categories over that not everybody could read, if that is asked for", () =>
    Effect.gen(function* () {
      const { root, source } = yield* converted
      const destination = join(root, "with-restricted")
      yield* convertFrom(nodebb, source, destination, { withRestricted: true })
      const threads = yield* recordsIn(destination, "threads")
      assert.includeMembers(
        threads.map(({ title }) => title),
        ["Salaries", "Members alone", "Switched off", "Only its title is listed", "Of nowhere"]
      )
      assert.notProperty(
        threads.find(({ title }) => title === "Of nowhere"),
        "category_id"
      )
      assert.includeMembers(
        [...(yield* rulesIn(destination))],
        ["topics 6 category_missing", "topics 11 category_missing"]
      )
      const child = (yield* recordsIn(destination, "categories")).find(
        (found) => found.id === id("categories", 4)
      )
      assert.strictEqual(child?.parent_id, id("categories", 3))
      assert.notInclude(yield* textIn(destination), "Private words")
    })
  )

  it.effect("without its files and its address has what the dump alone tells", () =>
    Effect.gen(function* () {
      const { root, source } = yield* converted
      const destination = join(root, "alone")
      yield* convertFrom(nodebb, source, destination)
      assert.includeMembers(
        [...(yield* rulesIn(destination))],
        [
          "uploads files/1685368788211-the harbour.png file_missing",
          "uploads profile/uid-1/1-avatar.png file_missing"
        ]
      )
      assert.include(yield* mapIn(destination), `"/topic/1" "/t/${id("topics", 1)}-welcome";`)
      const reply = (yield* recordsIn(destination, "replies")).find((found) => found.id === id("posts", 11))
      assert.include(String(reply?.body), `href="https://old.example/forum/topic/1/welcome/4"`)
    })
  )

  it.effect(
    "of an older release, which knew no privilege to read topics, is read by those that it knew",
    () =>
      Effect.gen(function* () {
        const { destination, source } = yield* written(
          dump().replaceAll(/^group:cid:\d+:privileges:groups:(?:find|topics:read):members\t.*\n/gm, "")
        )
        yield* convertFrom(nodebb, source, destination)
        const titles = (yield* recordsIn(destination, "threads")).map(({ title }) => title)
        assert.includeMembers(titles, ["Welcome", "Only its title is listed"])
        assert.notInclude(titles, "Salaries")
        assert.notInclude(titles, "Members alone")
      })
  )

  it.effect("with rows that NodeBB does not write has all the others", () =>
    Effect.gen(function* () {
      const text = dump({
        objects: {
          "post:18": {
            pid: 18,
            tid: "1",
            uid: 1e300,
            content: 12,
            timestamp: "1e400",
            toPid: -5,
            deleted: "1"
          },
          "user:8": { username: "   " },
          "user:9": { username: "Ægir", userslug: "", joindate: -1, "email:confirmed": 0, email: "" },
          "category:12": { name: "", slug: "", parentCid: 1e18, order: -1 },
          "post:19": { pid: 19, tid: 1, uid: 9, content: "x\u0000y", timestamp: at(9) },
          "user:010": { username: "Nobody" }
        },
        sorted: [
          { _key: "group:cid:12:privileges:groups:find:members", value: "guests", score: "what" },
          { _key: "group:cid:12:privileges:groups:read:members", value: "guests", score: null },
          { _key: "group:cid:12:privileges:groups:topics:read:members", value: "guests", score: "1e999" },
          { _key: "group:sailors:members", value: "nobody", score: 1 },
          { _key: "users:banned", value: null, score: 1 }
        ],
        sets: [
          { _key: "pid:10:upvote", member: "what" },
          { _key: "pid:10:upvote", member: null },
          { _key: null, member: "1" }
        ]
      })
      const { destination, source } = yield* written(
        text
          .replace('"content":"Gone"', '"content":"Go\\\\ud800ne"')
          .replace(/^user:7\t.*$/m, "user:7\t{broken\thash\nuser:11\t[1]\thash\nuser:12\t\\N\thash\nuser:13")
          .replace(/^user:5\t.*$/m, (line) => `${line}\n${line}`)
      )
      yield* convertFrom(nodebb, source, destination)
      const found = yield* rulesIn(destination)
      assert.includeMembers(
        [...found],
        [
          "legacy_hash user:7 row_unreadable",
          "legacy_hash user:11 row_unreadable",
          "legacy_hash user:12 row_unreadable",
          "legacy_hash user:13 row_unreadable",
          "legacy_hash user:5 duplicate_id",
          "users 8 account_without_name",
          "posts 18 reply_target_missing"
        ]
      )
      const replies = yield* recordsIn(destination, "replies")
      assert.deepInclude(
        replies.find((reply) => reply.id === id("posts", 18)),
        { body: "<p>12</p>\n", created_at: "1970-01-01T00:00:00Z", deleted_at: "1970-01-01T00:00:00Z" }
      )
      const accounts = yield* recordsIn(destination, "accounts")
      assert.deepInclude(
        accounts.find((account) => account.id === id("users", 9)),
        { name: "Ægir", created_at: "1970-01-01T00:00:00Z", emails: [] }
      )
      assert.deepInclude(
        (yield* recordsIn(destination, "categories")).find((found) => found.id === id("categories", 12)),
        { name: "…", sort: 0 }
      )
    })
  )

  it.effect("becomes the same bytes wherever it was interrupted", () =>
    Effect.gen(function* () {
      const { destination, root, source, uploads } = yield* converted
      const whole = yield* contentsOf(destination)
      for (const step of ["read ", "deciding", "writing", "naming"]) {
        const again = join(root, `again-${step.trim()}`)
        const atStep = (name: string) => {
          if (name.startsWith(step)) throw new Error(`ended before ${step}`)
        }
        const options = { uploads, address }
        yield* isRefused(
          convertFrom(nodebb, source, again, { ...options, atStep }),
          /the same command goes on/
        )
        assert.isFalse(existsSync(again))
        // What is left out is not kept while it goes on, either.
        assert.notInclude(yield* textIn(`${again}.converting`), "Queued words")
        yield* convertFrom(nodebb, source, again, options)
        assert.strictEqual(yield* contentsOf(again), whole)
        assert.isFalse(existsSync(`${again}.converting`))
      }
    })
  )

  it.effect("goes on in the middle of a table", () =>
    Effect.gen(function* () {
      const posts = Object.fromEntries(
        Array.from({ length: 8000 }, (_, index) => [
          `post:${1000 + index}`,
          { ...objects["post:14"], pid: 1000 + index, content: `Post ${index} ${"and more ".repeat(20)}` }
        ])
      )
      const { destination, root, source } = yield* written(dump({ objects: posts }))
      yield* convertFrom(nodebb, source, destination)
      const again = join(root, "again")
      yield* convertInRuns(nodebb, source, again)
      assert.strictEqual(yield* contentsOf(again), yield* contentsOf(destination))
      assert.isAbove((yield* recordsIn(again, "replies")).length, 8000)
    })
  )

  it.effect("is refused where it is something else, or not whole", () =>
    Effect.gen(function* () {
      const text = dump()
      const cases: ReadonlyArray<readonly [string, Uint8Array | string, RegExp]> = [
        [
          "no-tables",
          dumpOf({ other: [{ id: 1 }] }),
          /has no tables legacy_hash, legacy_zset, legacy_set\. It is none of NodeBB/
        ],
        ["cut", text.slice(0, text.indexOf("Who was I?")), /ends within the table legacy_hash/],
        ["custom", `PGDMP${"\0".repeat(600)}`, /only `pg_restore` reads/],
        ["broken", gzipSync(text).subarray(0, 600), /cannot be unpacked/],
        ["empty", "", /has no tables/]
      ]
      for (const [name, bytes, message] of cases) {
        const { destination, source } = yield* written(bytes, name)
        yield* isRefused(convertFrom(nodebb, source, destination), message)
      }
      const { destination, root, source } = yield* written(text)
      yield* isRefused(
        convertFrom(nodebb, source, destination, { uploads: join(root, "nowhere") }),
        /no directory of uploads/
      )
      yield* isRefused(
        convertFrom(nodebb, source, destination, { address: "ftp://old.example" }),
        /no address of the web/
      )
    })
  )
})
