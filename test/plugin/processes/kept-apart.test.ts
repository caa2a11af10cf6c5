/** What programs of plugins find of the service, and what they leave behind. */
import { openSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { runner } from "./support.ts"

const Told = Schema.fromJsonString(
  Schema.Struct({
    environment: Schema.Record(Schema.String, Schema.String),
    args: Schema.Array(Schema.String),
    directory: Schema.String,
    files: Schema.Array(Schema.String)
  })
)

describe("a program of a plugin", () => {
  it.live(
    "has its arguments as they are, its directory, and nothing of the environment and the files of the service",
    () =>
      Effect.gen(function* () {
        const { launch, linesOf } = yield* runner
        process.env.SOME_SECRET = "secret"
        openSync(import.meta.filename, "r")
        const { directory, exited, id } = yield* launch("node", ["tells.mjs", "$HOME", "a  b; c", "*"], {
          environment: { FORUM_RPC_URL: "ws://127.0.0.1:1/rpc" }
        })
        yield* exited
        const told = yield* Schema.decodeUnknownEffect(Told)((yield* linesOf(id))[0])
        assert.deepStrictEqual(told.args, ["$HOME", "a  b; c", "*"])
        assert.strictEqual(told.directory, realpathSync(directory))
        assert.sameMembers(Object.keys(told.environment), [
          "FORUM_PLUGIN",
          "FORUM_RPC_URL",
          "HOME",
          "LANG",
          "PATH",
          "TMPDIR"
        ])
        assert.strictEqual(told.environment.HOME, directory)
        assert.strictEqual(told.environment.TMPDIR, join(directory, ".tmp"))
        const opened = told.files.filter((file) => !/anon_inode|\/proc\/|pipe:|\/dev\/null/.test(file))
        assert.sameMembers(
          opened.map((file) => file.replace(/:.*/, "")),
          ["1 socket", "2 socket"]
        )
      }).pipe(Effect.scoped)
  )
})
