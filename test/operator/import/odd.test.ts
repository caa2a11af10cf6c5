/** Odd records never end an import: each is repaired or left out, and the report names it. */
import { appendFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { account, asset, at, category, idOf, imported, reply, sha256, thread } from "./inputs.ts"

const people = { accounts: [account(1, { admin: true, founder: true }), account(2)] }

describe("an import of odd records", () => {
  it.effect("gives what is by nobody to a placeholder that cannot sign in", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        threads: [thread(1, { author_id: idOf("a", 99) })],
        replies: [reply(1, 1, { author_id: idOf("a", 98) }), reply(2, 1)]
      })
      assert.deepStrictEqual(findings, [
        `replies ${idOf("r", 1)} repaired account_unknown author_id`,
        `threads ${idOf("t", 1)} repaired account_unknown author_id`
      ])
      assert.deepStrictEqual(
        yield* one(
          "select distinct a.handle, a.name, a.suspended_at is not null as is_suspended, a.has_password from posts p join accounts a on a.id = p.author_id where a.handle not like 'person%'"
        ),
        ["deleted-account", "Deleted account", true, false]
      )
    })
  )

  it.effect("leaves out what has no parent, and all that is below it", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        threads: [thread(1)],
        replies: [
          reply(1, 9),
          reply(2, 1, { reply_to_id: idOf("r", 9) }),
          reply(3, 1, { reply_to_id: idOf("r", 4) }),
          reply(4, 1)
        ],
        likes: [
          { id: idOf("k", 1), created_at: at(1), post_id: idOf("r", 1), account_id: idOf("a", 1) },
          { id: idOf("k", 2), created_at: at(1), post_id: idOf("r", 2), account_id: idOf("a", 9) }
        ]
      })
      assert.deepStrictEqual(findings, [
        `likes ${idOf("k", 1)} left out no_such_reference`,
        `likes ${idOf("k", 2)} left out no_such_reference`,
        `replies ${idOf("r", 1)} left out parent_missing`,
        `replies ${idOf("r", 2)} repaired parent_missing reply_to_id`,
        `replies ${idOf("r", 3)} repaired order reply_to_id`
      ])
      assert.deepStrictEqual(yield* one("select id from posts order by ordinal"), [
        idOf("t", 1),
        idOf("r", 2),
        idOf("r", 3),
        idOf("r", 4)
      ])
    })
  )

  it.effect("opens circles of categories, and puts what is too deep or in nothing to the top", () =>
    Effect.gen(function* () {
      const chain = Array.from({ length: 9 }, (_, index) =>
        category(10 + index, index === 0 ? {} : { parent_id: idOf("c", 9 + index) })
      )
      const { findings, one } = yield* imported({
        ...people,
        categories: [
          category(1, { parent_id: idOf("c", 3) }),
          category(2, { parent_id: idOf("c", 1) }),
          category(3, { parent_id: idOf("c", 2) }),
          category(4, { parent_id: idOf("c", 3) }),
          category(5, { parent_id: idOf("c", 99) }),
          category(6, { parent_id: idOf("c", 6) }),
          ...chain
        ]
      })
      assert.deepStrictEqual(findings, [
        `categories ${idOf("c", 1)} repaired cycle parent_id`,
        `categories ${idOf("c", 5)} repaired parent_missing parent_id`,
        `categories ${idOf("c", 6)} repaired cycle parent_id`,
        `categories ${idOf("c", 18)} repaired too_deep parent_id`
      ])
      assert.deepStrictEqual(yield* one("select id from categories where parent_id is null order by id"), [
        ...[1, 5, 6, 10, 18].map((number) => idOf("c", number))
      ])
    })
  )

  it.effect("sanitises markup, and takes what is too much as plain text", () =>
    Effect.gen(function* () {
      const deep = `${"<div>".repeat(3000)}deep${"</div>".repeat(3000)}`
      const { findings, one } = yield* imported({
        ...people,
        threads: [thread(1, { body: `<p onclick="x()">Hello<script>alert(1)</script> <b>open` })],
        replies: [
          reply(1, 1, { body: `<a id="x">${deep}` }),
          reply(2, 1, { body: `<p>${"long & ".repeat(100_000)}</p>` }),
          reply(3, 1, { body: "no markup & nothing closed < 3" })
        ]
      })
      assert.deepStrictEqual(findings, [`replies ${idOf("r", 2)} repaired markup_too_complex body`])
      const [body] = yield* one(`select body from posts where id = '${idOf("t", 1)}'`)
      assert.strictEqual(body, "<body><p>Hello <b>open</b></p></body>")
      assert.deepStrictEqual(
        yield* one(
          `select length(body) <= 131072 as fits, body like '<body><p>%long &amp; long%' as has_text from posts where id = '${idOf("r", 2)}'`
        ),
        [true, true]
      )
      assert.deepStrictEqual(yield* one(`select description from posts where id = '${idOf("r", 3)}'`), [
        "no markup & nothing closed < 3"
      ])
    })
  )

  it.effect("repairs broken encodings, and leaves out what is no record", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported(
        {
          ...people,
          threads: [
            thread(1, { title: "half \ud800 of a character", body: "nul \0 inside" }),
            "{not json",
            "[1, 2]",
            '{"id":"short"}'
          ]
        },
        [],
        (path) =>
          appendFile(
            join(path, "threads", "000001.ndjson"),
            Buffer.from(`${JSON.stringify(thread(2, { title: "caf\u00e9" }))}\n`, "latin1")
          )
      )
      assert.deepStrictEqual(findings, [
        `threads ${idOf("t", 1)} repaired encoding body`,
        `threads ${idOf("t", 1)} repaired encoding title`,
        "threads left out not_json",
        "threads left out not_json",
        "threads short left out invalid",
        `threads ${idOf("t", 2)} repaired encoding`
      ])
      assert.deepStrictEqual(yield* one("select title from posts order by id"), [
        "half \ufffd of a character",
        "caf\ufffd"
      ])
    })
  )

  it.effect("lets one account have each handle and each address", () =>
    Effect.gen(function* () {
      const email = (number: number, address: string) => ({
        emails: [{ id: idOf("e", number), created_at: at(1), address, verified: true }]
      })
      const { findings, one } = yield* imported({
        accounts: [
          account(1, { handle: "odin", admin: true, ...email(1, "One@Example.com") }),
          account(2, { handle: "Odin", name: "Second", ...email(2, "one@example.com") }),
          account(3, { handle: "Øystein Å. Nilsen-Something-Very-Long", ...email(3, "no address") }),
          account(4, { handle: "admin" }),
          account(5, { handle: "!!!" }),
          account(6, { handle: "od\u0456n" }),
          account(6, { handle: "again" })
        ]
      })
      assert.deepStrictEqual(yield* one("select handle from accounts order by id"), [
        "odin",
        "odin-2",
        "øystein-å-nilsen-something-v",
        "admin-1",
        "account-00000050",
        "odіn-3"
      ])
      assert.deepStrictEqual(yield* one("select address from account_emails"), ["one@example.com"])
      assert.include(findings, `accounts ${idOf("a", 6)} left out duplicate_id`)
      assert.include(findings, `accounts ${idOf("a", 2)} repaired handle_taken handle`)
      assert.include(findings, `accounts ${idOf("a", 2)} repaired address_taken emails`)
      assert.include(findings, `accounts ${idOf("a", 3)} repaired invalid emails`)
      assert.include(findings, `accounts ${idOf("a", 5)} repaired handle_changed handle`)
    })
  )

  it.effect("puts dates that are none or out of range into a range", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        threads: [
          thread(1, { created_at: "0000-00-00 00:00:00", updated_at: "0000-00-00 00:00:00" }),
          thread(2, { created_at: "1066-10-14T09:00:00Z" }),
          thread(3, { created_at: "9999-01-01T00:00:00Z", updated_at: undefined }),
          thread(4, { created_at: "2025-02-30T00:00:00Z" }),
          thread(5, { created_at: 1735689600, updated_at: "2025-01-01T01:00:00+01:00" })
        ]
      })
      assert.strictEqual(findings.filter((line) => line.includes("time_changed")).length, 7)
      assert.deepStrictEqual(
        yield* one(
          `select threads.created_at = '1970-01-01Z' as earliest, threads.created_at < now() + interval '2 days' as has_been,
            updated_at >= '1970-01-01Z' as in_range
          from threads join posts using (id) order by threads.id`
        ),
        [true, true, true, true, true, true, false, true, true, true, true, true, false, true, true]
      )
      assert.deepStrictEqual(
        yield* one(
          `select created_at = '2025-01-01Z' and updated_at = '2025-01-01Z' from posts where id = '${idOf("t", 5)}'`
        ),
        [true]
      )
    })
  )

  it.effect("keeps records of files that are not there, or are others", () =>
    Effect.gen(function* () {
      const [good, lost, other] = [Buffer.from("good"), Buffer.from("lost"), Buffer.from("other")]
      const { findings, one } = yield* imported(
        {
          ...people,
          assets: [
            asset(1, good),
            asset(2, lost),
            asset(3, other),
            asset(4, undefined),
            asset(5, good, { mime_type: "text/html", filename: "../../etc/passwd", size: 99 })
          ]
        },
        [good, other],
        (path) => writeFile(join(path, "files", sha256(other)), "something else")
      )
      assert.deepStrictEqual(findings, [
        `assets ${idOf("f", 2)} repaired file_missing sha256`,
        `assets ${idOf("f", 3)} repaired file_damaged sha256`,
        `assets ${idOf("f", 4)} repaired file_missing sha256`,
        `assets ${idOf("f", 5)} repaired name_changed filename`
      ])
      assert.deepStrictEqual(
        yield* one(`select filename, mime_type, size::int from assets where id = '${idOf("f", 5)}'`),
        [`${idOf("f", 5)}-file`, "text/plain; charset=utf-8", 4]
      )
      assert.deepStrictEqual(yield* one("select count(*)::int from asset_uploads"), [1])
    })
  )

  it.effect(
    "tells of every record of a kind that is not imported, and of what the input says is not in it",
    () =>
      Effect.gen(function* () {
        const { findings } = yield* imported({
          ...people,
          gadgets: [{ id: "one" }, { id: "two" }],
          left_out: [{ kind: "polls", id: "7", reason: "There is nothing like it" }],
          passwords: [{ account_id: idOf("a", 1), hash: "5f4dcc3b5aa765d61d8327deb882cf99" }]
        })
        assert.deepStrictEqual(findings, [
          "gadgets one left out kind_not_imported",
          "gadgets two left out kind_not_imported",
          "passwords left out invalid",
          "polls 7 left out not_exported"
        ])
      })
  )

  it.effect("says when nobody administers what was imported, which no sign-up changes", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({ accounts: [account(2), account(1)] })
      assert.deepStrictEqual(findings, ["accounts repaired no_administrator"])
      assert.deepStrictEqual(yield* one("select account_id from founder"), [idOf("a", 1)])
    })
  )
})
