/** Which rows are records of an export, in which order, and which of them are one account's own. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Kind, kinds } from "../../src/domain/exchange/Kinds.ts"
import { connect } from "../../src/operator/shared/Session.ts"
import { kindsOfAccounts, recordsOf } from "../../src/persistence/exchange/RecordQueries.ts"
import { freshDatabase } from "../process/support.ts"
import { directory } from "./backups.ts"
import { exportTo, filesIn, recordsIn, schemaErrors, undescribed } from "./exports.ts"

type Json = Readonly<Record<string, unknown>>

const id = (kind: string, number: number) => `${kind}${String(number).padStart(19, "0")}`

const [odin, freya] = [id("a", 1), id("a", 2)]
const [hers, his] = [id("t", 1), id("t", 2)]
const at = "'2026-01-01 00:00:00.000001Z'"

/** Rows as they may be in a database, whoever wrote them; ids say nothing of the order in which they were made. */
const filling: ReadonlyArray<string> = [
  // Nothing but rows: neither triggers nor references matter here.
  "set session_replication_role = replica",
  `insert into accounts (id, created_at, updated_at, handle, handle_key, name) values
    ('${odin}', ${at}, ${at}, 'odin', 'odin', 'Odin'), ('${freya}', ${at}, ${at}, 'freya', 'freya', 'Freya')`,
  `insert into account_emails (id, account_id, created_at, address) values
    ('${id("e", 1)}', '${odin}', ${at}, 'odin@asgard.example')`,
  `insert into phone_numbers (id, created_at, phone_number, account_id) values
    ('${id("e", 2)}', ${at}, '+4512345678', '${odin}')`,
  `insert into identities_elsewhere (id, account_id, created_at, service, issuer, subject, name) values
    ('${id("e", 3)}', '${odin}', ${at}, 'oauth_github', 'https://github.example', 'subject-of-odin', 'odin')`,
  `insert into code_sign_ins (account_id, created_at) values ('${odin}', ${at})`,
  `insert into settings (part, value) values
      ('general', '{"title": "Asgard"}'), ('rate_limiting', '{"rate_limit": 77}'), ('client_ip', '{}')
    on conflict (part) do update set value = excluded.value`,
  `insert into threads (id, created_at, author_id, visibility, active_at) values
    ('${hers}', ${at}, '${freya}', 'published', ${at}), ('${his}', ${at}, '${odin}', 'published', ${at})`,
  `insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title, slug, body,
      description, told)
    select case n when 0 then '${hers}' else lpad((10 - n)::text, 20, '0') end, '${hers}', n,
      case when n % 2 = 0 then '${freya}' else '${odin}' end, ${at}, ${at}, 'published',
      case n when 0 then 'Hers' end, case n when 0 then 'hers' end, '', '', n <> 3
    from generate_series(0, 5) n`,
  `insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title, slug, body,
      description)
    values ('${his}', '${his}', 0, '${odin}', ${at}, ${at}, 'published', 'His', 'his', '', '')`,
  `insert into read_marks (account_id, thread_id, read_at, replies_read) values
    ('${odin}', '${hers}', ${at}, 3), ('${freya}', '${hers}', ${at}, 0)`,
  `insert into categories (id, created_at, updated_at, name, slug, description, colour, parent_id) values
    ('${id("c", 1)}', ${at}, ${at}, 'below', 'below', '', '', '${id("c", 2)}'),
    ('${id("c", 2)}', ${at}, ${at}, 'between', 'between', '', '', '${id("c", 3)}'),
    ('${id("c", 3)}', ${at}, ${at}, 'top', 'top', '', '', null)`,
  `insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, slug, visibility) values
    ('${id("n", 1)}', ${at}, ${at}, '${odin}', '${id("n", 2)}', 'a', 'below', 'below', 'published'),
    ('${id("n", 2)}', ${at}, ${at}, '${freya}', null, 'a', 'top', 'top', 'published')`,
  `insert into property_fields (fid, parent_id, name, type, sort, version) values
    ('${id("f", 1)}', '${id("n", 2)}', 'Weight', 'number', 'a', 1)`,
  `insert into property_values (node_id, fid, value, search) values ('${id("n", 1)}', '${id("f", 1)}', '12', '')`,
  `insert into node_versions (id, node_id, author_id, created_at, updated_at, status, name, slug, properties, meta,
      ordinal) values
    ('${id("v", 1)}', '${id("n", 1)}', '${odin}', ${at}, ${at}, 'draft', 'third', 'third', '[]', '{}', null),
    ('${id("v", 2)}', '${id("n", 1)}', '${odin}', ${at}, ${at}, 'applied', 'second', 'second', '[]', '{}', 2),
    ('${id("v", 3)}', '${id("n", 1)}', '${odin}', ${at}, ${at}, 'applied', 'first', 'first', '[]', '{}', 1)`,
  `insert into collections (id, created_at, updated_at, owner_id, name, slug) values
    ('${id("k", 1)}', ${at}, ${at}, '${odin}', 'his', 'his'), ('${id("k", 2)}', ${at}, ${at}, '${freya}', 'hers', 'hers')`,
  `insert into collection_items (id, collection_id, owner_id, added_by, added_at, membership_type, node_id) values
    ('${id("k", 3)}', '${id("k", 1)}', '${odin}', '${freya}', ${at}, 'normal', '${id("n", 1)}'),
    ('${id("k", 4)}', '${id("k", 2)}', '${freya}', '${odin}', ${at}, 'normal', '${id("n", 1)}'),
    ('${id("k", 5)}', '${id("k", 2)}', '${freya}', '${freya}', ${at}, 'normal', '${id("n", 2)}')`,
  `insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description, starts_at, ends_at,
      policy, visibility, meta, search) values
    ('${id("p", 1)}', ${at}, ${at}, '${his}', 'his', 'his', '', ${at}, ${at}, 'open', 'published', '{}', ''),
    ('${id("p", 2)}', ${at}, ${at}, '${hers}', 'hers', 'hers', '', ${at}, ${at}, 'open', 'published', '{}', '')`,
  `insert into reports (id, created_at, updated_at, target_id, target_kind, reported_by, handled_by, status) values
    ('${id("r", 1)}', ${at}, ${at}, '${hers}', 'thread', '${odin}', '${freya}', 'resolved'),
    ('${id("r", 2)}', ${at}, ${at}, '${his}', 'thread', '${freya}', '${odin}', 'resolved')`,
  `insert into account_warnings (id, account_id, issuer_id, issued_at, reason) values
    ('${id("m", 1)}', '${odin}', '${freya}', ${at}, 'Be kind'), ('${id("m", 2)}', '${freya}', '${odin}', ${at}, 'Be kind')`,
  `insert into moderation_notes (id, account_id, author_id, created_at, content) values
    ('${id("m", 3)}', '${odin}', '${freya}', ${at}, 'Watch him'), ('${id("m", 4)}', '${freya}', '${odin}', ${at}, 'Watch her')`,
  `insert into audit_events (id, occurred_at, type, enacted_by, subject, cause_id) values
    ('${id("u", 1)}', ${at}, 'account_suspended', '${odin}', '{"account_id": "${freya}"}', 1),
    ('${id("u", 2)}', ${at}, 'account_suspended', '${freya}', '{"account_id": "${odin}"}', 2),
    ('${id("u", 3)}', ${at}, 'account_export_requested', '${odin}', '{"account_id": "${odin}"}', 3),
    ('${id("u", 4)}', ${at}, 'internal_error', null, '{"message": "A secret of the service"}', null)`
]

const filled = Effect.gen(function* () {
  const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
  const session = yield* connect({ url: Redacted.make(url) })
  yield* Effect.promise(() => session.run(...filling))
  return { session, dataDir, env: { DATABASE_URL: url, DATA_DIR: dataDir } }
})

const exported = Effect.fnUntraced(function* (withAddresses: boolean) {
  const { dataDir, env } = yield* filled
  const target = join(dataDir, "export")
  yield* exportTo(env, target, { withAddresses })
  const files = yield* filesIn(target)
  const lines = recordsIn(files)
  assert.deepStrictEqual([...schemaErrors(lines), ...undescribed(lines)], [])
  const records = (kind: Kind): ReadonlyArray<Json> =>
    lines.flatMap((line) => (line.kind === kind ? [{ ...Object(line.record) }] : []))
  const ids = (kind: Kind) => records(kind).map((record) => record.id)
  return { files, ids, records }
})

describe("an export", () => {
  it.effect("has records in an order in which they can be made again", () =>
    Effect.gen(function* () {
      const { ids, records } = yield* exported(false)
      assert.deepStrictEqual(
        ids("categories"),
        [3, 2, 1].map((n) => id("c", n))
      )
      assert.deepStrictEqual(
        ids("nodes"),
        [2, 1].map((n) => id("n", n))
      )
      assert.deepStrictEqual(
        ids("node_versions"),
        [3, 2, 1].map((n) => id("v", n))
      )
      const replies = [9, 8, 7, 6, 5].map((n) => String(n).padStart(20, "0"))
      assert.deepStrictEqual(ids("replies"), replies)
      assert.deepStrictEqual(
        records("replies").map(({ told }) => told),
        [undefined, undefined, false, undefined, undefined]
      )
      assert.deepStrictEqual(
        records("read_marks").map(({ account_id, last_reply_id }) => [account_id, last_reply_id]),
        [
          [odin, replies[2]],
          [freya, undefined]
        ]
      )
    })
  )

  it.effect("has nothing that is of the service alone, or that nobody chose", () =>
    Effect.gen(function* () {
      const { files, ids, records } = yield* exported(false)
      assert.include(ids("settings"), "general")
      assert.notIncludeMembers(ids("settings"), ["rate_limiting", "client_ip"])
      assert.deepStrictEqual(
        ids("audit"),
        [1, 2, 3].map((n) => id("u", n))
      )
      assert.deepStrictEqual([ids("theme"), ids("instance_images")], [[], []])
      assert.strictEqual(JSON.parse(String(files.get("manifest.json"))).title, "Asgard")
      const text = [...files.values()].join()
      for (const word of ["A secret of the service", "odin@asgard", "4512345678", "subject-of-odin"])
        assert.notInclude(text, word)
      for (const record of records("accounts"))
        assert.doesNotHaveAnyKeys(record, ["emails", "phone", "identities", "signs_in_by_email_since"])
    })
  )

  it.effect("has addresses of people where that is asked for", () =>
    Effect.gen(function* () {
      const { records } = yield* exported(true)
      assert.deepNestedInclude(records("accounts")[0], {
        "emails[0].address": "odin@asgard.example",
        "phone.number": "+4512345678",
        "identities[0].subject": "subject-of-odin",
        signs_in_by_email_since: "2026-01-01T00:00:00.000001Z"
      })
    })
  )
})

describe("own data", () => {
  it.effect("is what an account made and what is about it, without what others did", () =>
    Effect.gen(function* () {
      const { session } = yield* filled
      const wanted = { withAddresses: true, sortsByBytes: false, account: odin }
      const own: Partial<Record<Kind, ReadonlyArray<Json>>> = {}
      yield* Effect.promise(async () => {
        for (const kind of kindsOfAccounts)
          own[kind] = (await session.rows<{ record: string }>(recordsOf(kind, wanted))).map(({ record }) =>
            JSON.parse(record)
          )
      })
      const ids = (kind: Kind) => own[kind]?.map((record) => record.id)
      assert.deepStrictEqual(
        (["collections", "collection_items", "events", "nodes", "node_versions", "threads"] as const).map(
          ids
        ),
        [
          [id("k", 1)],
          // What others put into his collections, and what he put into theirs.
          [id("k", 3), id("k", 4)],
          [id("p", 1)],
          [id("n", 1)],
          [3, 2, 1].map((n) => id("v", n)),
          [his]
        ]
      )
      // Not what his own threads begin with.
      assert.deepStrictEqual(
        ids("replies"),
        [9, 7, 5].map((n) => String(n).padStart(20, "0"))
      )
      assert.deepStrictEqual(ids("audit"), [id("u", 3)])
      assert.deepStrictEqual(own.property_values, [
        { node_id: id("n", 1), field_id: id("f", 1), value: "12" }
      ])
      assert.deepStrictEqual(
        own.reports?.map((record) => [record.id, "handled_by" in record]),
        [[id("r", 1), false]]
      )
      assert.deepStrictEqual(
        own.warnings?.map((record) => [record.id, "issuer_id" in record]),
        [[id("m", 1), false]]
      )
      assert.deepStrictEqual(
        Object.keys(kinds).filter((kind) => !kindsOfAccounts.some((known) => known === kind)),
        [
          "settings",
          "roles",
          "tags",
          "instance_images",
          "theme",
          "links",
          "categories",
          "property_fields",
          "notes"
        ]
      )
    })
  )
})
