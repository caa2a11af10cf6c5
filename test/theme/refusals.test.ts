/** Themes that are refused, and leave the one that there is. */
import { rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AssetBytesUnavailable } from "../../src/domain/asset/Asset.ts"
import { ThemeAssetsUnknown, ThemeAssetsUnsuitable } from "../../src/domain/theme/Theme.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { ok } from "../support/answers.ts"
import { bytesOf, png, upload } from "../support/files.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { integrityOf, setTheme, themeFile, utf8 } from "./support.ts"

const read = guest.get("/info/theme")

layer(People.layer)("a theme that cannot be", (it) => {
  it.effect("leaves the one that there is, whatever is wrong with it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [css, js] = [yield* themeFile(odin, "a.css", "a {}"), yield* themeFile(odin, "a.js", "void 0")]
      const theme = yield* setTheme(odin, [css.id], [js.id])
      const put = (body: unknown) => odin.put("/admin/theme", body)
      const unchanged = Effect.gen(function* () {
        assert.deepStrictEqual(ok(yield* read), theme)
      })

      const long = "x".repeat(255)
      const unknown: ReadonlyArray<
        readonly [ReadonlyArray<string>, ReadonlyArray<string>, ReadonlyArray<string>]
      > = [
        [[nobody], [], [nobody]],
        [
          [css.id, nobody],
          [js.id, "a.js", nobody],
          [nobody, "a.js"]
        ],
        [[css.id.toUpperCase()], [], [css.id.toUpperCase()]],
        [[` ${css.id}`, ""], [], [` ${css.id}`, ""]],
        [[css.path, long], [], [css.path, long]],
        [[odin.id], [], [odin.id]]
      ]
      for (const [stylesheets, scripts, asset_ids] of unknown) {
        assertProblem(yield* put({ stylesheets, scripts }), ThemeAssetsUnknown, { asset_ids })
      }
      yield* unchanged

      const invalid: ReadonlyArray<readonly [unknown, ...ReadonlyArray<string>]> = [
        [{}, "body stylesheets", "body scripts"],
        [{ stylesheets: [css.id] }, "body scripts"],
        [{ stylesheets: null, scripts: [] }, "body stylesheets"],
        [{ stylesheets: css.id, scripts: [] }, "body stylesheets"],
        [{ stylesheets: [null], scripts: [7] }, "body stylesheets.0", "body scripts.0"],
        [{ stylesheets: [{ id: css.id }], scripts: [] }, "body stylesheets.0"],
        [{ stylesheets: [`${long}x`], scripts: [] }, "body stylesheets.0"],
        [{ stylesheets: ["\0"], scripts: [] }, "body stylesheets.0"],
        [{ stylesheets: Array(33).fill(css.id), scripts: [] }, "body stylesheets"],
        [{ stylesheets: [], scripts: Array(33).fill(js.id) }, "body scripts"],
        [[css.id], "body"]
      ]
      for (const [body, ...places] of invalid) {
        assertInvalid(yield* put(body), ...places)
      }
      assertInvalid(yield* odin.put("/admin/theme", "{"), "body")
      yield* unchanged
    })
  )

  it.effect("names the files that have no place in it, and why", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [css, js] = [yield* themeFile(odin, "a.css", "a {}"), yield* themeFile(odin, "a.js", "void 0")]
      const theme = yield* setTheme(odin, [css.id], [js.id])
      const file = (filename: string, bytes: Uint8Array) =>
        Effect.map(upload(odin, bytes, { filename }), ({ id }) => id)
      const mebibyte = 1024 * 1024
      const cases = [
        ["stylesheets", yield* file("a.txt", utf8("a {}")), "type"],
        ["stylesheets", yield* file("css", utf8("a {}")), "type"],
        ["stylesheets", yield* file("a.css.png", utf8("a {}")), "type"],
        ["stylesheets", yield* file("a.css", png(1, 1)), "type"],
        ["stylesheets", yield* file("a.css", utf8('<svg xmlns="http://www.w3.org/2000/svg"/>')), "type"],
        ["stylesheets", yield* file("a.css", bytesOf([0xff, 0xfe, 0x61, 0])), "type"],
        ["stylesheets", js.id, "type"],
        ["scripts", css.id, "type"],
        ["scripts", yield* file("a.json", utf8("{}")), "type"],
        ["scripts", yield* file("a.js", utf8("GIF89a/*\n*/=1;alert(1)")), "type"],
        ["scripts", yield* file("a.html", utf8("<script>1</script>")), "type"],
        ["scripts", yield* file("a.mjs", utf8("")), "empty"],
        ["stylesheets", yield* file("a.css", utf8("")), "empty"],
        ["scripts", yield* file("a.js", new Uint8Array(mebibyte + 1).fill(0x20)), "too_large"]
      ] as const
      for (const [list, asset_id, reason] of cases) {
        const both = { stylesheets: [css.id], scripts: [js.id] }
        const answer = yield* odin.put("/admin/theme", {
          ...both,
          [list]: [...both[list], asset_id, asset_id]
        })
        assertProblem(answer, ThemeAssetsUnsuitable, {
          asset_ids: [asset_id],
          refused: [{ asset_id, list, reason }]
        })
      }
      // One file in both lists is wrong in one of them.
      const both = yield* odin.put("/admin/theme", { stylesheets: [css.id], scripts: [css.id] })
      assertProblem(both, ThemeAssetsUnsuitable, {
        asset_ids: [css.id],
        refused: [{ asset_id: css.id, list: "scripts", reason: "type" }]
      })
      assert.deepStrictEqual(ok(yield* read), theme)
    })
  )

  it.effect("may be as large as this, and no larger", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const bytes = new Uint8Array(1024 * 1024).fill(0x20)
      const { id } = yield* upload(odin, bytes, { filename: "a.css" })
      const small: Array<string> = []
      for (let n = 0; n < 32; n++) small.push((yield* themeFile(odin, `${n}.js`, `void ${n}`)).id)
      const theme = yield* setTheme(odin, [id], small)
      assert.deepStrictEqual(
        [theme.stylesheets[0].size, theme.stylesheets[0].integrity],
        [bytes.length, integrityOf(bytes)]
      )
      assert.deepStrictEqual(
        ok(yield* read).scripts.map((script: { readonly id: string }) => script.id),
        small
      )
    })
  )

  it.effect("keeps to its limits in the database, too", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const css = yield* themeFile(odin, "a.css", "a {}")
      yield* setTheme(odin, [])
      const insert = (list: string, place: number, asset: string, integrity: string) =>
        Effect.exit(sql`insert into theme_files (list, place, asset_id, integrity)
          values (${list}, ${place}, ${asset}, ${integrity})`)
      const rows: ReadonlyArray<readonly [string, number, string, string]> = [
        ["scripts", 32, css.id, css.integrity],
        ["fonts", 0, css.id, css.integrity],
        ["scripts", 0, nobody, css.integrity],
        ["scripts", 0, css.id, "sha256-x"]
      ]
      for (const row of rows) {
        assert.strictEqual((yield* insert(...row))._tag, "Failure", row.join())
      }
      assert.strictEqual((yield* insert("scripts", 31, css.id, css.integrity))._tag, "Success")
      assert.strictEqual((yield* insert("scripts", 30, css.id, css.integrity))._tag, "Failure")
      assert.strictEqual((yield* Effect.exit(sql`insert into theme (name) values ('other')`))._tag, "Failure")
    })
  )
})

layer(People.layer)("a theme whose files", (it) => {
  it.effect("cannot be read now is refused, as long as they cannot", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { directory } = yield* AssetFiles
      const [kept, lost] = [
        yield* themeFile(odin, "kept.css", "a {}"),
        yield* themeFile(odin, "lost.css", "b {}")
      ]
      const theme = yield* setTheme(odin, [kept.id])
      const put = odin.put("/admin/theme", { stylesheets: [kept.id, lost.id], scripts: [] })
      const path = join(directory, "files", lost.id)
      yield* Effect.promise(() => rm(path).then(() => symlink(path, path)))
      assertProblem(yield* put, AssetBytesUnavailable, { retry_after: 5 })
      yield* Effect.promise(() => rm(path))
      assertProblem(yield* put, ThemeAssetsUnknown, { asset_ids: [lost.id] })
      assert.deepStrictEqual(ok(yield* read), theme)
    })
  )
})
