/** Avatars, uploaded and drawn. */
import { readdir, rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { inflateSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { PayloadTooLarge } from "../../src/http/contract/RequestProblems.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, download, gif, jpeg, png } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, reinstate, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"

const maximum = 10 * 1024 * 1024

const setAvatar = (person: Person, image: Uint8Array, headers?: Readonly<Record<string, string>>) =>
  person.post("/accounts/self/avatar", image, headers)

const avatarOf = (handle: string, headers?: Readonly<Record<string, string>>, method?: "HEAD") =>
  download(`/api/accounts/${handle}/avatar`, headers, method)

const directory = Effect.map(AssetFiles, (files) => join(files.directory, "files"))

layer(People.layer)("the avatar of an account that has none", (it) => {
  it.effect("is a PNG image of its own, the same by handle and id, and after its handle changes", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { bytes, headers, status } = yield* avatarOf("freya")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "image/png")
      assert.strictEqual(headers["content-length"], String(bytes.length))
      assert.strictEqual(headers["cache-control"], "public, max-age=3600")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.match(String(headers["content-security-policy"]), /default-src 'none'.*sandbox/)
      assert.strictEqual(bytes.subarray(1, 4).toString("latin1"), "PNG")
      assert.deepStrictEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [128, 128])
      const data = bytes.indexOf("IDAT")
      const length = bytes.readUInt32BE(data - 4)
      const rows = inflateSync(bytes.subarray(data + 4, data + 4 + length))
      assert.strictEqual(rows.length, 128 * 129)
      assert.deepStrictEqual([rows[0], rows[1], rows.at(-1)], [0, 0, 254])
      const palette = bytes.indexOf("PLTE")
      assert.strictEqual(bytes.readUInt32BE(palette - 4), 3 * 255)
      assert.isBelow(palette, data)

      assert.isTrue((yield* avatarOf(freya.id)).bytes.equals(bytes))
      ok(yield* freya.patch("/accounts", { handle: "vanadis" }))
      const renamed = yield* avatarOf("vanadis")
      assert.isTrue(renamed.bytes.equals(bytes))
      assert.strictEqual(renamed.headers.etag, headers.etag)
      const other = yield* avatarOf("loki")
      assert.isFalse(other.bytes.equals(bytes))
      assert.notStrictEqual(other.headers.etag, headers.etag)
      ok(yield* loki.patch("/accounts", { handle: "sly" }))
      assertProblem(yield* guest.get("/accounts/loki/avatar"), AccountNotFound, { account: "loki" })
    })
  )

  it.effect("is not sent again to who has it, and without bytes to HEAD", () =>
    Effect.gen(function* () {
      const { headers } = yield* avatarOf("odin")
      const same = yield* avatarOf("odin", { "if-none-match": String(headers.etag) })
      assert.deepStrictEqual([same.status, same.bytes.length, same.headers.etag], [304, 0, headers.etag])
      assert.strictEqual(same.headers["cache-control"], "public, max-age=3600")
      for (const tag of ['"x"', "*", `W/${headers.etag}`, `${headers.etag}, "x"`]) {
        assert.strictEqual((yield* avatarOf("odin", { "if-none-match": tag })).status, 200, tag)
      }
      const head = yield* avatarOf("odin", {}, "HEAD")
      assert.deepStrictEqual([head.status, head.bytes.length, head.headers.etag], [200, 0, headers.etag])
    })
  )

  it.effect("is not there for unknown accounts, and there for suspended ones", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      for (const handle of ["nobody", nobody, "%20"]) {
        const account = decodeURIComponent(handle)
        assertProblem(yield* guest.get(`/accounts/${handle}/avatar`), AccountNotFound, { account })
      }
      yield* suspend(loki)
      assert.strictEqual((yield* avatarOf(loki.id)).status, 200)
      assertProblem(yield* setAvatar(loki, png(1, 1)), AccountSuspended)
      yield* reinstate(loki)
    })
  )
})

layer(People.layer)("an uploaded avatar", (it) => {
  it.effect("is answered as it was sent, whatever the content type says, until another replaces it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* TestClock.adjust("1 minute")
      const drawn = yield* avatarOf("freya")
      let etag = drawn.headers.etag
      for (const [image, type] of [
        [png(200, 200), "image/png"],
        [jpeg(300, 300), "image/jpeg"],
        [gif(5, 5), "image/gif"]
      ] as const) {
        for (const sent of ["application/octet-stream", "image/png", "text/html", "application/json"]) {
          const answer = yield* setAvatar(freya, image, { "content-type": sent })
          assert.deepStrictEqual([answer.status, answer.text], [200, ""], answer.text)
          const { bytes, headers, status } = yield* avatarOf("freya", { "if-none-match": String(etag) })
          assert.strictEqual(status, 200)
          assert.isTrue(bytes.equals(image))
          assert.deepStrictEqual(
            [headers["content-type"], headers["content-length"], headers["cache-control"]],
            [type, String(image.length), "public, max-age=3600"]
          )
          assert.strictEqual(headers["x-content-type-options"], "nosniff")
          assert.match(String(headers["content-security-policy"]), /default-src 'none'.*sandbox/)
          etag = headers.etag
          const again = yield* avatarOf(freya.id, { "if-none-match": String(etag) })
          assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
          const head = yield* avatarOf("freya", {}, "HEAD")
          assert.deepStrictEqual(
            [head.bytes.length, head.headers["content-length"]],
            [0, String(image.length)]
          )
        }
      }
      assert.strictEqual(ok(yield* freya.get("/accounts")).updatedAt, "1970-01-01T00:01:00.000Z")
      assert.isFalse((yield* avatarOf("odin")).bytes.equals(gif(5, 5)))
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`select event from event_log where actor_id = ${freya.id} order by id`
      assert.strictEqual(events.length, 13)
      assert.deepStrictEqual(events.at(-1), { event: { _tag: "AccountUpdated", id: freya.id } })
      assert.strictEqual(ok(yield* odin.get("/accounts")).updatedAt, "1970-01-01T00:00:00.000Z")
    })
  )

  it.effect("runs nothing in a browser, whatever it is", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const script = "<script>alert(document.domain)</script>"
      for (const file of [
        bytesOf(`<!DOCTYPE html>${script}`),
        bytesOf(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
        bytesOf("GIF89a/*\n*/=1;alert(1)"),
        bytesOf()
      ]) {
        ok(yield* setAvatar(loki, file))
        const { bytes, headers } = yield* avatarOf("loki")
        assert.isTrue(bytes.equals(file))
        assert.notMatch(String(headers["content-type"]), /html|javascript/)
        assert.match(String(headers["content-security-policy"]), /default-src 'none'.*sandbox/)
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        if (/svg/.test(String(headers["content-type"])))
          assert.match(String(headers["content-disposition"]), /^attachment/)
      }
    })
  )

  it.effect("needs an account, a length, and not too many bytes", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const before = yield* avatarOf("tyr")
      assertProblem(yield* setAvatar(guest, png(1, 1)), Unauthenticated)
      const request = { method: "POST", path: "/api/accounts/self/avatar", headers: tyr.headers }
      const chunked = yield* send({ ...request, body: "x", chunked: true })
      assertInvalid(chunked, "header content-length")
      assertProblem(yield* setAvatar(tyr, new Uint8Array(maximum + 1)), PayloadTooLarge, { maximum })
      assert.isTrue((yield* avatarOf("tyr")).bytes.equals(before.bytes))
      ok(yield* setAvatar(tyr, new Uint8Array(maximum)))
      assert.strictEqual((yield* avatarOf("tyr")).bytes.length, maximum)
    })
  )

  it.effect("of many at once is one of them, whole", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      const images = Array.from({ length: 10 }, (_, n) => png(n + 1, 7))
      const answers = yield* Effect.forEach(images, (image) => setAvatar(hel, image), {
        concurrency: "unbounded"
      })
      for (const answer of answers) ok(answer)
      const { bytes } = yield* avatarOf("hel")
      assert.strictEqual(images.filter((image) => bytes.equals(image)).length, 1)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select * from asset_uploads`, [])
    })
  )

  it.effect("whose bytes are lost, or that is no file any more, gives way to the drawn one", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      const drawn = yield* avatarOf("vali")
      const files = yield* directory
      ok(yield* setAvatar(vali, png(9, 9)))
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly avatar_id: string
      }>`select avatar_id from accounts where id = ${vali.id}`
      const name = row?.avatar_id ?? ""
      yield* Effect.promise(() => rm(join(files, name)))
      const lost = yield* avatarOf("vali")
      assert.deepStrictEqual([lost.status, lost.headers.etag], [200, drawn.headers.etag])
      assert.isTrue(lost.bytes.equals(drawn.bytes))
      yield* sql`delete from assets where id = ${name}`
      assert.isTrue((yield* avatarOf("vali")).bytes.equals(drawn.bytes))
    })
  )

  it.effect("that cannot be recorded leaves no file", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      const files = yield* directory
      const sql = yield* SqlClient.SqlClient
      const count = Effect.map(
        Effect.promise(() => readdir(files)),
        ({ length }) => length
      )
      const before = yield* count
      yield* sql`alter table accounts add constraint refuse check (avatar_id is null or id <> ${sql.literal(`'${ran.id}'`)})`
      const answer = yield* setAvatar(ran, png(3, 3))
      assert.strictEqual(answer.status, 500)
      yield* sql`alter table accounts drop constraint refuse`
      assert.strictEqual(yield* count, before)
      assert.deepStrictEqual(yield* sql`select id from assets where account_id = ${ran.id}`, [])
      assert.deepStrictEqual(yield* sql`select id from asset_uploads`, [])
    })
  )

  it.effect("is refused while files cannot be read or written", () =>
    Effect.gen(function* () {
      const nanna = yield* signUp("nanna")
      const files = yield* directory
      ok(yield* setAvatar(nanna, png(4, 4)))
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly avatar_id: string }>`
        select avatar_id from accounts where id = ${nanna.id}`
      const path = join(files, row?.avatar_id ?? "")
      yield* Effect.promise(() => rm(path).then(() => symlink(path, path)))
      assertProblem(yield* guest.get("/accounts/nanna/avatar"), AssetBytesUnavailable, { retry_after: 5 })
      yield* sql`create function give_up() returns trigger language plpgsql as $$
        begin new.abandoned := true; return new; end $$`
      yield* sql`create trigger give_up before insert on asset_uploads for each row execute function give_up()`
      assertProblem(yield* setAvatar(nanna, png(5, 5)), AssetBytesUnavailable, { retry_after: 5 })
      const [after] = yield* sql`select avatar_id from accounts where id = ${nanna.id}`
      assert.deepStrictEqual(after, row)
    })
  )
})
