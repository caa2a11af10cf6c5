/** Files as they are uploaded and read. */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AssetNotFound } from "../../src/domain/asset/Asset.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { RangeNotSatisfiable } from "../../src/http/asset/AssetsApi.ts"
import { PayloadTooLarge } from "../../src/http/contract/RequestProblems.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, download, gif, jpeg, png, upload, webp } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, query } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

const plain = "text/plain; charset=utf-8"

const maximum = 50 * 1024 * 1024

/** What is on the disk, below the directory of files. */
const filesIn = (folder: "files" | "incoming") =>
  Effect.flatMap(AssetFiles, ({ directory }) =>
    Effect.promise(() => readdir(join(directory, folder)).catch(() => []))
  )

layer(People.layer)("an upload", (it) => {
  it.effect("answers what the file is, by its contents", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const cases: ReadonlyArray<readonly [string, Uint8Array, string, number, number]> = [
        ["photo.png", png(640, 480), "image/png", 640, 480],
        ["photo.jpeg", jpeg(4000, 3000, 200_000), "image/jpeg", 4000, 3000],
        ["a.gif", gif(3, 5), "image/gif", 3, 5],
        ["a.webp", webp.extended(9000, 7000), "image/webp", 9000, 7000],
        ["theme.css", utf8("a { color: red }"), "text/css", 0, 0],
        ["notes", utf8("Ελληνικά"), plain, 0, 0],
        ["", bytesOf([0xff, 0xfe, 0, 1]), "application/octet-stream", 0, 0]
      ]
      for (const [filename, file, mime_type, width, height] of cases) {
        const asset = yield* upload(freya, file, filename === "" ? {} : { filename })
        const name = filename === "" ? "untitled" : filename.replace(".", "-")
        assert.deepStrictEqual(asset, {
          id: asset.id,
          filename: `${asset.id}-${name}`,
          path: `/api/assets/${asset.id}-${name}`,
          mime_type,
          width,
          height
        })
        const { bytes, headers, status } = yield* download(asset.path)
        assert.strictEqual(status, 200)
        assert.isTrue(bytes.equals(file), filename)
        assert.strictEqual(headers["content-type"], mime_type)
        assert.strictEqual(headers["content-length"], String(file.length))
      }
    })
  )

  it.effect("is not fooled by hostile files, whose answers run nothing", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const script = "<script>alert(document.domain)</script>"
      const cases: ReadonlyArray<readonly [string, Uint8Array, string, string]> = [
        [
          "a.png",
          utf8(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
          "image/svg+xml",
          "attachment"
        ],
        ["a.html", utf8(`<!DOCTYPE html>${script}`), plain, "inline"],
        ["a.js", utf8("GIF89a/*\n*/=1;alert(1)"), "image/gif", "inline"],
        [
          "a.xhtml",
          utf8(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`),
          "application/xml",
          "attachment"
        ],
        [
          "a.pdf.exe",
          bytesOf("MZ", [0x90, 0, 3, 0], Buffer.alloc(100)),
          "application/x-msdownload",
          "attachment"
        ],
        ["bomb.png", png(60_000, 60_000), "image/png", "inline"],
        ["overflow.png", png(0xffffffff, 0xffffffff), "image/png", "inline"],
        ["empty.png", bytesOf(), plain, "inline"]
      ]
      for (const [filename, file, type, disposition] of cases) {
        for (const contentType of [
          "text/html",
          "image/png",
          "application/json",
          "multipart/form-data; boundary=x"
        ]) {
          const answer = yield* loki.post(`/assets${query({ filename })}`, file, {
            "content-type": contentType
          })
          const { mime_type, path } = ok(answer)
          assert.strictEqual(mime_type, type, filename)
          const { bytes, headers, status } = yield* download(path)
          assert.deepStrictEqual(
            [
              status,
              bytes.equals(file),
              headers["content-type"],
              headers["x-content-type-options"],
              headers["content-security-policy"],
              headers["content-disposition"]
            ],
            [
              200,
              true,
              type,
              "nosniff",
              "default-src 'none'; sandbox",
              `${disposition}; filename="${filename}"`
            ]
          )
        }
      }
    })
  )

  it.effect("has the name that it is uploaded under, and no other one", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const cases: ReadonlyArray<readonly [string, string, string]> = [
        ["../../etc/passwd", "etc-passwd", 'filename="passwd"'],
        ["C:\\temp\\a.txt", "c-temp-a-txt", 'filename="a.txt"'],
        ["photo\u202egnp.exe", "photognp-exe", 'filename="photognp.exe"'],
        [
          'a"; x="y\r\nset-cookie: a=b',
          "a-x-y-set-cookie-a-b",
          `filename="a_; x=_y set-cookie: a=b"; filename*=UTF-8''a%22%3B%20x%3D%22y%20set-cookie%3A%20a%3Db`
        ],
        [
          "Фото (1).png",
          "фото-1-png",
          `filename="____ (1).png"; filename*=UTF-8''%D0%A4%D0%BE%D1%82%D0%BE%20%281%29.png`
        ],
        ["🎉", "", `filename="_"; filename*=UTF-8''%F0%9F%8E%89`],
        ["100%.txt", "100-txt", `filename="100_.txt"; filename*=UTF-8''100%25.txt`]
      ]
      for (const [filename, slug, expected] of cases) {
        const asset = yield* upload(loki, utf8("x"), { filename })
        assert.strictEqual(asset.filename, slug === "" ? asset.id : `${asset.id}-${slug}`)
        const { headers } = yield* download(asset.path)
        const disposition = String(headers["content-disposition"])
        assert.strictEqual(disposition.replace("inline; ", "").replace("attachment; ", ""), expected)
        assert.isUndefined(headers["set-cookie"])
      }
      assert.deepStrictEqual(
        [...(yield* filesIn("files"))].filter((name) => !/^[0-9a-v]{20}$/.test(name)),
        []
      )
      assertInvalid(yield* loki.post("/assets?filename=a%00b", utf8("x")), "query filename")
      assertInvalid(
        yield* loki.post(`/assets${query({ filename: "x".repeat(256) })}`, utf8("x")),
        "query filename"
      )
      ok(yield* loki.post(`/assets${query({ filename: "x".repeat(255) })}`, utf8("x")))
    })
  )

  it.effect("may be derived from another file, which is shown one level deep", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const original = yield* upload(odin, png(10, 10), { filename: "a.png" })
      const cropped = yield* upload(freya, png(5, 5), { parent_asset_id: original.id })
      assert.deepStrictEqual(cropped.parent, original)
      const again = yield* upload(freya, png(2, 2), { parent_asset_id: cropped.id })
      const { parent: _, ...shown } = cropped
      assert.deepStrictEqual(again.parent, shown)
      assertProblem(yield* freya.post(`/assets?parent_asset_id=${nobody}`, png(1, 1)), AssetNotFound, {
        asset: nobody
      })
      assertInvalid(yield* freya.post("/assets?parent_asset_id=a.png", png(1, 1)), "query parent_asset_id")
    })
  )

  it.effect("needs the permission, before anything of it is read", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      assertProblem(yield* guest.post("/assets?parent_asset_id=nonsense", utf8("x")), Unauthenticated)
      const withoutIt = sql`update roles set permissions = array_remove(permissions, 'UPLOAD_ASSET')`
      const withIt = sql`update roles set permissions = array_append(permissions, 'UPLOAD_ASSET')
        where id = '00000000000000000010'`
      yield* Effect.acquireUseRelease(
        withoutIt,
        () =>
          Effect.gen(function* () {
            const answer = yield* loki.post("/assets?parent_asset_id=nonsense", utf8("x"))
            assertProblem(answer, Forbidden, { permission: "UPLOAD_ASSET" })
          }),
        () => Effect.orDie(withIt)
      )
      ok(yield* loki.post("/assets", utf8("x")))
    })
  )

  it.effect("may have 50 MiB, whatever is announced, and one that has more leaves nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const before = yield* filesIn("files")
      const largest = Buffer.alloc(maximum, "x")
      const post = (body: Uint8Array, chunked: boolean) =>
        send({ method: "POST", path: "/api/assets", headers: freya.headers, body, chunked })
      for (const chunked of [false, true]) {
        const { filename, id } = ok(yield* post(largest, chunked))
        const { headers } = yield* download(`/api/assets/${filename}`, {}, "HEAD")
        assert.strictEqual(headers["content-length"], String(maximum))
        assertProblem(yield* post(Buffer.alloc(maximum + 1, "x"), chunked), PayloadTooLarge, { maximum })
        assert.deepStrictEqual(yield* filesIn("incoming"), [])
        assert.include(yield* filesIn("files"), id)
      }
      assert.strictEqual((yield* filesIn("files")).length, before.length + 2)
    })
  )
})

layer(People.layer)("an uploaded file", (it) => {
  it.effect("has an id that nobody finds from others", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const one = yield* upload(freya, utf8("x"))
      const other = yield* upload(freya, utf8("x"))
      for (const { id } of [one, other]) assert.match(id, /^[0-9a-v]{19}[0g]$/)
      assert.notStrictEqual(one.id.slice(0, 8), other.id.slice(0, 8))
      assert.notStrictEqual(one.id.slice(8), other.id.slice(8))
    })
  )

  it.effect("is read by its whole name, by anyone", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { filename, id } = yield* upload(freya, utf8("x"), { filename: "Über uns.txt" })
      for (const name of [filename, `${id}-Über-Uns.TXT`]) {
        assert.strictEqual((yield* download(`/api/assets/${name}`)).status, 200, name)
      }
      for (const name of [
        id,
        `${id}-other`,
        `${filename}-more`,
        nobody,
        `${nobody}-x`,
        "x",
        "%20",
        "a%2fb"
      ]) {
        const answer = yield* send({ path: `/api/assets/${encodeURI(name).replaceAll("%25", "%")}` })
        assert.strictEqual(answer.status, 404, name)
      }
      assertProblem(yield* guest.get("/assets/x"), AssetNotFound, { asset: "x" })
      assertInvalid(yield* guest.get("/assets/a%00b"), "path asset_filename")
    })
  )

  it.effect("may be kept for a year, and is not sent again to who has it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id, path } = yield* upload(freya, utf8("0123456789"))
      const { headers } = yield* download(path, { origin: "https://elsewhere.test" })
      assert.strictEqual(headers.etag, `"${id}"`)
      assert.strictEqual(headers["cache-control"], "public, max-age=31536000")
      assert.strictEqual(headers["accept-ranges"], "bytes")
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      assert.isUndefined(headers["last-modified"])
      const again = yield* download(path, { "if-none-match": `"${id}"`, range: "bytes=0-1" })
      assert.deepStrictEqual(
        [again.status, again.bytes.length, again.headers.etag, again.headers["cache-control"]],
        [304, 0, `"${id}"`, "public, max-age=31536000"]
      )
      assert.strictEqual((yield* download(path, { "if-none-match": '"other"' })).status, 200)
      const own = yield* download(path, { origin: "https://app.forum.test" })
      assert.strictEqual(own.headers["access-control-allow-origin"], "https://app.forum.test")
    })
  )

  it.effect("is described by HEAD, without its bytes", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { path } = yield* upload(freya, utf8("0123456789"))
      const whole = yield* download(path)
      const { bytes, headers, status } = yield* download(path, { range: "bytes=0-1" }, "HEAD")
      assert.deepStrictEqual([status, bytes.length], [200, 0])
      for (const name of ["content-length", "content-type", "etag", "content-disposition"] as const) {
        assert.strictEqual(headers[name], whole.headers[name])
      }
      assert.strictEqual((yield* download("/api/assets/x", {}, "HEAD")).status, 404)
    })
  )

  it.effect("is read in part", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const file = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251))
      const { id, path } = yield* upload(freya, file)
      const cases: ReadonlyArray<readonly [string, number, number]> = [
        ["bytes=0-0", 0, 0],
        ["bytes=65535-65536", 65_535, 65_536],
        ["bytes=100-", 100, 199_999],
        ["bytes=199999-400000", 199_999, 199_999],
        ["bytes=-1", 199_999, 199_999],
        ["bytes=-500000", 0, 199_999]
      ]
      for (const [range, first, last] of cases) {
        const { bytes, headers, status } = yield* download(path, { range })
        assert.strictEqual(status, 206, range)
        assert.strictEqual(headers["content-range"], `bytes ${first}-${last}/200000`)
        assert.strictEqual(headers["content-length"], String(last - first + 1))
        assert.strictEqual(headers["content-security-policy"], "default-src 'none'; sandbox")
        assert.isTrue(bytes.equals(file.subarray(first, last + 1)), range)
      }
      for (const range of ["bytes=200000-", "bytes=999999999-", "bytes=-0"]) {
        const answer = yield* send({ path, headers: { range } })
        assertProblem(answer, RangeNotSatisfiable, { size: 200_000 })
        assert.strictEqual(answer.headers["content-range"], "bytes */200000")
      }
      for (const range of [
        "bytes=0-1,5-6",
        "bytes=5-4",
        "lines=0-1",
        "bytes=a-b",
        "bytes=",
        `bytes=0-${"9".repeat(30)}`
      ]) {
        const { bytes, status } = yield* download(path, { range })
        assert.deepStrictEqual([status, bytes.length], [200, file.length], range)
      }
      for (const [ifRange, status] of [
        [`"${id}"`, 206],
        [`W/"${id}"`, 200],
        ['"other"', 200],
        ["Sat, 21 Nov 2026 10:00:00 GMT", 200]
      ] as const) {
        const answer = yield* download(path, { range: "bytes=0-1", "if-range": ifRange })
        assert.strictEqual(answer.status, status, ifRange)
      }
      const empty = yield* upload(freya, bytesOf())
      assert.strictEqual((yield* download(empty.path, { range: "bytes=-5" })).status, 200)
      assert.strictEqual((yield* download(empty.path, { range: "bytes=0-" })).status, 416)
    })
  )

  it.effect("whose bytes are missing is not found, and the log says so", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id, path } = yield* upload(freya, utf8("x"))
      const { directory } = yield* AssetFiles
      yield* Effect.promise(() => rm(join(directory, "files", id)))
      assertProblem(yield* send({ path }), AssetNotFound, { asset: id })
    })
  )
})
