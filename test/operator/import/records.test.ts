/** What staff and the service noted, how people sign in and what the instance looks like is imported, as far as rules let it. */
import { createReadStream } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createZstdCompress } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { bannerSize, iconSizes } from "../../../src/domain/instance/InstanceImage.ts"
import { pack } from "../../../src/operator/shared/Tar.ts"
import { freshDatabase } from "../../process/support.ts"
import { stored } from "../backups.ts"
import {
  account,
  asset,
  at,
  directory,
  findingsOf,
  idOf,
  imported,
  importFrom,
  type Records,
  rows,
  sha256,
  thread,
  writeInput
} from "./inputs.ts"

const people = {
  accounts: [account(1, { admin: true, founder: true }), account(2), account(3)],
  threads: [thread(1)]
}

const report = (number: number, more: object = {}) => ({
  id: idOf("s", number),
  created_at: at(number),
  updated_at: at(number),
  target_kind: "thread",
  target_id: idOf("t", 1),
  reported_by: idOf("a", 2),
  status: "submitted",
  ...more
})

const note = (number: number, more: object = {}) => ({
  id: idOf("j", number),
  created_at: at(number),
  account_id: idOf("a", 2),
  author_id: idOf("a", 1),
  content: `Note ${number}`,
  ...more
})

const warning = (number: number, more: object = {}) => ({
  id: idOf("o", number),
  account_id: idOf("a", 2),
  issuer_id: idOf("a", 1),
  issued_at: at(number),
  reason: `Warning ${number}`,
  ...more
})

const notification = (number: number, more: object = {}) => ({
  id: idOf("n", number),
  created_at: at(number),
  account_id: idOf("a", 2),
  event: "thread_reply",
  status: "unread",
  source_id: idOf("a", 1),
  item_kind: "post",
  item_id: idOf("t", 1),
  ...more
})

const entry = (number: number, more: object = {}) => ({
  id: idOf("u", number),
  occurred_at: at(number),
  type: "account_suspended",
  enacted_by: idOf("a", 1),
  subject: { account_id: idOf("a", 2) },
  ...more
})

const number = (digits: number, phone = "+4915112345678") => ({
  phone: { id: idOf("h", digits), created_at: at(digits), number: phone }
})

const identity = (digits: number, more: object = {}) => ({
  id: idOf("i", digits),
  created_at: at(digits),
  service: "oauth_github",
  issuer: "https://github.com",
  subject: `${digits}`,
  name: `person ${digits}`,
  ...more
})

const beyond = (most: number, make: (number: number) => object) =>
  Array.from({ length: most + 1 }, (_, index) => make(index + 1))

describe("an import of what was noted", () => {
  it.effect("takes reports, notes, warnings, notifications and the audit log", () =>
    Effect.gen(function* () {
      const { findings, url, one } = yield* imported({
        ...people,
        reports: [
          report(1, { comment: "Look", handled_by: idOf("a", 1), status: "acknowledged" }),
          report(2),
          report(3, { status: "resolved", reported_by: undefined })
        ],
        notes: [note(1)],
        warnings: [warning(1)],
        notifications: [
          notification(1, { reply_id: idOf("r", 1) }),
          notification(2, {
            event: "report_submitted",
            item_kind: undefined,
            item_id: undefined,
            status: "read"
          })
        ],
        audit: [
          entry(1),
          entry(2, { type: "account_erased", enacted_by: undefined, subject: { keep_posts: true } })
        ]
      })
      assert.deepStrictEqual(findings, [])
      assert.deepStrictEqual(
        yield* rows(
          url,
          "select id, target_id, reported_by, handled_by, comment, status, repeats from reports order by id"
        ),
        [
          {
            id: report(1).id,
            target_id: idOf("t", 1),
            reported_by: idOf("a", 2),
            handled_by: idOf("a", 1),
            comment: "Look",
            status: "acknowledged",
            repeats: false
          },
          {
            id: report(2).id,
            target_id: idOf("t", 1),
            reported_by: idOf("a", 2),
            handled_by: null,
            comment: null,
            status: "submitted",
            repeats: true
          },
          {
            id: report(3).id,
            target_id: idOf("t", 1),
            reported_by: null,
            handled_by: null,
            comment: null,
            status: "resolved",
            repeats: false
          }
        ]
      )
      assert.deepStrictEqual(
        yield* one("select account_id, author_id, content, created_at from moderation_notes"),
        [idOf("a", 2), idOf("a", 1), "Note 1", new Date(at(1))]
      )
      assert.deepStrictEqual(
        yield* one("select account_id, issuer_id, reason, issued_at from account_warnings"),
        [idOf("a", 2), idOf("a", 1), "Warning 1", new Date(at(1))]
      )
      assert.deepStrictEqual(
        yield* rows(
          url,
          "select id, event, status, source_id, item_kind, item_id, reply_id, cause_id < 0 as has_no_cause from notifications order by id"
        ),
        [
          {
            id: idOf("n", 1),
            event: "thread_reply",
            status: "unread",
            source_id: idOf("a", 1),
            item_kind: "post",
            item_id: idOf("t", 1),
            reply_id: idOf("r", 1),
            has_no_cause: true
          },
          {
            id: idOf("n", 2),
            event: "report_submitted",
            status: "read",
            source_id: idOf("a", 1),
            item_kind: null,
            item_id: null,
            reply_id: null,
            has_no_cause: true
          }
        ]
      )
      assert.deepStrictEqual(yield* one("select received from notification_receivers"), [0])
      assert.deepStrictEqual(
        yield* one("select type, enacted_by, subject, occurred_at from audit_events order by id"),
        [
          "account_suspended",
          idOf("a", 1),
          { account_id: idOf("a", 2) },
          new Date(at(1)),
          "account_erased",
          null,
          { keep_posts: true },
          new Date(at(2))
        ]
      )
      assert.deepStrictEqual(yield* one("select sum(events)::int from audit_totals"), [2])
    })
  )

  it.effect("leaves out what nobody would understand, and what names nobody", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        reports: [
          report(1, { target_kind: "poll" }),
          report(2, { status: "odd", comment: "", reported_by: idOf("a", 9), handled_by: idOf("a", 9) })
        ],
        notes: [
          note(1, { content: " " }),
          note(2, { account_id: idOf("a", 9) }),
          note(3, { author_id: idOf("a", 9) })
        ],
        warnings: [
          warning(1, { reason: "" }),
          warning(2, { reason: "x".repeat(2001), issued_at: "2025-02-31T00:00:00Z", issuer_id: idOf("a", 9) })
        ],
        notifications: [
          notification(1, { event: "badge_granted" }),
          notification(2, { item_kind: undefined, reply_id: idOf("r", 1) }),
          notification(3, { account_id: idOf("a", 9) }),
          notification(4, { event: "follow", item_kind: undefined, item_id: undefined }),
          notification(5, { event: "follow", item_kind: undefined, item_id: undefined }),
          notification(6, { event: "post_like" }),
          notification(7, { event: "post_like" })
        ],
        audit: [
          entry(1, { type: "internal_error", subject: { where: "elsewhere" } }),
          entry(2, { type: "danced" }),
          entry(3, { subject: {} }),
          entry(4, { subject: { account_id: idOf("a", 2), type: "account_erased" } }),
          entry(5, { enacted_by: idOf("a", 9) })
        ]
      })
      assert.deepStrictEqual(findings, [
        `audit ${idOf("u", 1)} left out invalid`,
        `audit ${idOf("u", 2)} left out invalid`,
        `audit ${idOf("u", 3)} left out invalid`,
        `audit ${idOf("u", 4)} left out invalid`,
        `audit ${idOf("u", 5)} repaired no_such_reference enacted_by`,
        `notes ${idOf("j", 1)} left out invalid`,
        `notes ${idOf("j", 2)} left out no_such_reference`,
        `notes ${idOf("j", 3)} repaired account_unknown author_id`,
        `notifications ${idOf("n", 1)} left out invalid`,
        `notifications ${idOf("n", 3)} left out no_such_reference`,
        `notifications ${idOf("n", 5)} left out duplicate`,
        `notifications ${idOf("n", 7)} left out duplicate`,
        `reports ${report(1).id} left out invalid`,
        `reports ${report(2).id} repaired invalid comment`,
        `reports ${report(2).id} repaired invalid status`,
        `reports ${report(2).id} repaired no_such_reference handled_by`,
        `reports ${report(2).id} repaired no_such_reference reported_by`,
        `warnings ${idOf("o", 1)} left out invalid`,
        `warnings ${idOf("o", 2)} repaired no_such_reference issuer_id`,
        `warnings ${idOf("o", 2)} repaired text_cut reason`,
        `warnings ${idOf("o", 2)} repaired time_changed issued_at`
      ])
      assert.deepStrictEqual(
        yield* one("select id from notifications order by id"),
        [2, 4, 6].map((n) => idOf("n", n))
      )
      assert.deepStrictEqual(
        yield* one(`select item_id, reply_id from notifications where id = '${idOf("n", 2)}'`),
        [null, null]
      )
      assert.deepStrictEqual(yield* one("select status, comment from reports"), ["submitted", null])
    })
  )

  it.effect("takes no more than the service lets there be, and the newest of these", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        reports: [
          ...beyond(20, (n) => report(n)),
          ...beyond(20, (n) => report(100 + n, { reported_by: undefined })),
          ...beyond(1000, (n) => report(1000 + n, { target_id: idOf("p", n), reported_by: idOf("a", 3) })),
          report(5000, { status: "resolved" })
        ],
        notes: beyond(1000, (n) => note(n)),
        warnings: beyond(1000, (n) => warning(n)),
        notifications: beyond(1049, (n) => notification(n))
      })
      assert.deepStrictEqual(findings, [
        `notes ${idOf("j", 1)} left out limit`,
        `notifications ${idOf("n", 1)} left out limit`,
        `reports ${report(21).id} left out limit`,
        `reports ${report(121).id} left out limit`,
        `reports ${report(2001).id} left out limit`,
        `warnings ${idOf("o", 1)} left out limit`
      ])
      assert.deepStrictEqual(yield* one("select received from notification_receivers"), [49])
    })
  )
})

describe("an import of how people sign in", () => {
  it.effect("takes numbers and identities, each of one person", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        accounts: [
          account(1, { admin: true, founder: true, ...number(1), identities: [identity(1), identity(2)] }),
          account(2, {
            ...number(2),
            identities: [identity(3, { subject: "1" }), identity(4, { service: "elsewhere" })]
          }),
          account(3, { phone: { id: idOf("h", 3), created_at: at(3), number: "0151" } }),
          account(4, {
            identities: Array.from({ length: 21 }, (_, n) => identity(100 + n)),
            phone: { id: idOf("h", 1), created_at: "2025-02-31T00:00:00Z", number: "+4915100000000" }
          })
        ]
      })
      assert.deepStrictEqual(findings, [
        `accounts ${idOf("a", 2)} repaired address_taken identities`,
        `accounts ${idOf("a", 2)} repaired address_taken phone`,
        `accounts ${idOf("a", 2)} repaired invalid identities`,
        `accounts ${idOf("a", 3)} repaired invalid phone`,
        `accounts ${idOf("a", 4)} repaired limit identities`,
        `accounts ${idOf("a", 4)} repaired time_changed phone`
      ])
      assert.deepStrictEqual(
        yield* one("select account_id, phone_number from phone_numbers order by account_id"),
        [idOf("a", 1), "+4915112345678", idOf("a", 4), "+4915100000000"]
      )
      assert.deepStrictEqual(
        yield* one("select account_id, count(*)::int from identities_elsewhere group by 1 order by 1"),
        [idOf("a", 1), 2, idOf("a", 4), 20]
      )
      assert.deepStrictEqual(
        yield* one("select has_phone, services_elsewhere from accounts order by id limit 2"),
        [true, ["oauth_github"], false, []]
      )
    })
  )
})

const pngOf = (size: string) => {
  const [width = 0, height = 0] = size.split("x").map(Number)
  return Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background: { r: width % 256, g: 10, b: 20 } } })
      .png()
      .toBuffer()
  )
}

const style = Buffer.from("body { color: teal }\n")
const script = Buffer.from("console.log(1)\n")

const appearance = Effect.gen(function* () {
  const sizes = [...iconSizes, bannerSize]
  const images = yield* Effect.all(sizes.map(pngOf))
  const shown = sizes.map((size, index) => ({ size, sha256: sha256(images[index] ?? Buffer.alloc(0)) }))
  const records = {
    ...people,
    settings: [{ id: "general", updated_at: at(9), value: { title: "Elsewhere" } }],
    assets: [
      asset(1, style, { filename: `${idOf("f", 1)}-style`, name: "style.css" }),
      asset(2, script, { filename: `${idOf("f", 2)}-script`, name: "script.js" })
    ],
    instance_images: [
      { id: "icon", images: shown.slice(0, -1) },
      { id: "banner", images: shown.slice(-1) }
    ],
    theme: [
      {
        id: "active",
        set_at: at(700),
        set_by: idOf("a", 1),
        stylesheets: [idOf("f", 1)],
        scripts: [idOf("f", 2), idOf("f", 9), idOf("f", 1), idOf("f", 2)]
      }
    ]
  } satisfies Records
  return { records, files: [style, script, ...images] }
})

const themed = [
  { list: "scripts", place: 0, asset_id: idOf("f", 2) },
  { list: "stylesheets", place: 0, asset_id: idOf("f", 1) }
]

const themeFiles = "select list, place, asset_id from theme_files order by list, place"

/** The same input as one archive, whose files come before the records that name them. */
const archived = (path: string, records: Records, files: ReadonlyArray<Uint8Array>) =>
  Effect.promise(async () => {
    const parts: Array<object> = []
    const members = async function* () {
      const bytes = await readFile(join(path, "manifest.json"))
      yield { name: "manifest.json", size: bytes.length, bytes: [bytes] }
      for (const file of files) yield { name: `files/${sha256(file)}`, size: file.length, bytes: [file] }
      for (const kind of Object.keys(records)) {
        const name = `${kind}/000001.ndjson`
        const part = await readFile(join(path, name))
        yield { name, size: part.length, bytes: [part] }
        parts.push({ name, records: records[kind]?.length, bytes: part.length, sha256: sha256(part) })
      }
      const length = files.reduce((sum, file) => sum + file.length, 0)
      const listed = { parts, files: { number: files.length, bytes: length }, missing_files: 0 }
      const contents = Buffer.from(JSON.stringify(listed))
      yield { name: "contents.json", size: contents.length, bytes: [contents] }
    }
    const target = `${path}.tar`
    const chunks: Array<Uint8Array> = []
    for await (const chunk of pack(members(), 0)) chunks.push(chunk)
    await writeFile(target, Buffer.concat(chunks))
    const { createWriteStream } = await import("node:fs")
    await pipeline(createReadStream(target), createZstdCompress(), createWriteStream(`${path}.tar.zst`))
    await rm(target)
    return `${path}.tar.zst`
  })

describe("an import of what the instance looks like", () => {
  it.effect("takes images and the theme into an empty instance, from a directory and from an archive", () =>
    Effect.gen(function* () {
      const { files, records } = yield* appearance
      const path = yield* directory
      yield* writeInput(path, records, files)
      for (const input of [path, yield* archived(path, records, files)]) {
        const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
        yield* importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, input)
        assert.deepStrictEqual(yield* findingsOf(input), [
          "theme active repaired invalid scripts",
          "theme active repaired no_such_reference scripts"
        ])
        assert.deepStrictEqual(yield* rows(url, themeFiles), themed)
        assert.deepStrictEqual(yield* rows(url, "select set_by, set_at from theme"), [
          { set_by: idOf("a", 1), set_at: new Date(at(700)) }
        ])
        assert.deepStrictEqual(
          yield* rows(
            url,
            "select integrity ~ '^sha384-.{64}$' as is_hash, count(distinct integrity)::int from theme_files group by 1"
          ),
          [{ is_hash: true, count: 2 }]
        )
        const shown = yield* rows(
          url,
          "select kind, upload_id, store, lengths from instance_images order by kind"
        )
        const keys = shown.flatMap(({ lengths, upload_id }) =>
          Object.keys(lengths as object).map((size) => `${upload_id}-${size}`)
        )
        assert.lengthOf(keys, 7)
        assert.deepStrictEqual(
          Object.keys(yield* stored(dataDir)),
          [idOf("f", 1), idOf("f", 2), ...keys].toSorted()
        )
        const kept = yield* stored(dataDir)
        for (const { lengths, upload_id } of shown)
          for (const [size, length] of Object.entries(lengths as object))
            assert.strictEqual((kept[`${upload_id}-${size}`]?.length ?? 0) / 2, length)
        assert.deepStrictEqual(yield* rows(url, "select id from asset_uploads"), [])
      }
    })
  )

  it.effect("leaves images out that lack a size or are no images", () =>
    Effect.gen(function* () {
      const { files, records } = yield* appearance
      const [icon, banner] = records.instance_images
      const { findings, one } = yield* imported(
        {
          ...people,
          instance_images: [
            { ...icon, images: icon?.images.slice(1) ?? [] },
            { ...banner, images: banner?.images.map((image) => ({ ...image, sha256: sha256(style) })) ?? [] }
          ]
        },
        files
      )
      assert.deepStrictEqual(findings, [
        "instance_images icon left out invalid",
        "instance_images banner left out file_missing images"
      ])
      assert.deepStrictEqual(yield* one("select count(upload_id)::int from instance_images"), [0])
      assert.deepStrictEqual(yield* one("select count(*)::int from asset_uploads"), [1])
    })
  )

  it.effect(
    "changes nothing of an instance that has people: not its looks, its settings, nor its audit log",
    () =>
      Effect.gen(function* () {
        const { files, records } = yield* appearance
        const [url, first, second, dataDir] = yield* Effect.all([
          Effect.promise(freshDatabase),
          directory,
          directory,
          directory
        ])
        const env = { DATABASE_URL: url, DATA_DIR: dataDir }
        yield* writeInput(first, {
          accounts: [account(1, { admin: true, founder: true }), account(7)],
          audit: [entry(1)]
        })
        yield* importFrom(env, first)
        yield* writeInput(second, { ...records, audit: [entry(1), entry(2)], notes: [note(1)] }, files)
        yield* importFrom(env, second)
        const findings = yield* findingsOf(second)
        assert.deepStrictEqual(
          findings.filter((line) => /^(audit|instance_images|settings|theme)/.test(line)),
          [
            `audit ${idOf("u", 1)} there already already_there`,
            `audit ${idOf("u", 2)} left out only_into_empty`,
            "instance_images icon left out only_into_empty",
            "instance_images banner left out only_into_empty",
            "settings general left out only_into_empty",
            "theme active left out only_into_empty"
          ]
        )
        assert.deepStrictEqual(yield* rows(url, themeFiles), [])
        assert.deepStrictEqual(
          yield* rows(url, "select kind from instance_images where upload_id is not null"),
          []
        )
        assert.deepStrictEqual(yield* rows(url, "select id from audit_events"), [{ id: idOf("u", 1) }])
        assert.deepStrictEqual(yield* rows(url, "select content from moderation_notes"), [
          { content: "Note 1" }
        ])
      })
  )
})
