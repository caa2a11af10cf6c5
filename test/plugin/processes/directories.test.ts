/** The directories of plugins, and what is left there. */
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { AssetBytesUnavailable } from "../../../src/domain/asset/Asset.ts"
import { AssetBytes } from "../../../src/domain/asset/AssetBytes.ts"
import { ArchiveRefused, PluginArchives, UnpackingFailed } from "../../../src/domain/plugin/PluginArchives.ts"
import { PluginLogs } from "../../../src/domain/plugin/PluginLogs.ts"
import { PluginDirectories } from "../../../src/domain/plugin/PluginRuntime.ts"
import { PluginId } from "../../../src/domain/shared/Id.ts"
import * as LocalPluginDirectories from "../../../src/layers/adapters/plugins/LocalPluginDirectories.ts"
import * as PluginLogFiles from "../../../src/layers/adapters/plugins/PluginLogFiles.ts"
import { Logs, layer as logging } from "../../support/logs.ts"
import { asUser, someDirectory } from "./support.ts"

const idOf = (letter: string) => PluginId.make(`${letter.repeat(19)}0`)
const [kept, gone, stuck] = [idOf("k"), idOf("g"), idOf("s")]

const archive = { place: { store: "disk", key: "archive" }, size: 1, hash: new Uint8Array(32) } as const

interface Behaviour {
  readonly locally?: AssetBytes["Service"]["locally"]
  readonly unpack?: PluginArchives["Service"]["unpack"]
  /** What happens before a log is removed. */
  readonly removing?: (id: string) => Effect.Effect<void>
}

/** Directories of plugins below a new one; archives are found and unpacked as a test says. */
const directoriesWith = Effect.fnUntraced(function* ({
  locally = () => Effect.succeed(Option.some("archive")),
  removing = () => Effect.void,
  unpack = () => Effect.void
}: Behaviour = {}) {
  const root = yield* someDirectory
  const [plugins, logs] = [join(root, "plugins"), join(root, "logs")]
  const files = PluginLogFiles.make(logs)
  const remove = (id: string) => Effect.andThen(removing(id), files.remove(id))
  const context = yield* Layer.build(
    LocalPluginDirectories.layer.pipe(
      Layer.provide([
        Layer.mock(AssetBytes, { store: "disk", locally }),
        Layer.mock(PluginArchives, { unpack }),
        Layer.succeed(PluginLogs, { ...files, remove }),
        Layer.succeed(LocalPluginDirectories.PluginFiles, { directory: plugins })
      ])
    )
  )
  return { ...(yield* Effect.provide(PluginDirectories, context)), plugins, logs }
})

describe("the directory of a plugin", () => {
  const unavailable = new AssetBytesUnavailable({ metadata: { retry_after: 5 } })
  const reasons: ReadonlyArray<readonly [string, Behaviour]> = [
    ["The archive of the plugin is missing", { locally: () => Effect.succeedNone }],
    ["The archive of the plugin cannot be read now", { locally: () => Effect.fail(unavailable) }],
    [
      "The archive of the plugin is not used: contents",
      { unpack: () => Effect.fail(new ArchiveRefused({ reason: "contents" })) }
    ],
    ["The disk is full", { unpack: () => Effect.fail(new UnpackingFailed({ message: "The disk is full" })) }]
  ]
  for (const [message, behaviour] of reasons)
    it.effect(`is not made, and that is said: ${message}`, () =>
      Effect.gen(function* () {
        const { prepare } = yield* directoriesWith(behaviour)
        const failure = yield* Effect.flip(prepare(kept, archive))
        assert.deepStrictEqual([failure._tag, failure.message], ["PluginLaunchFailed", message])
      }).pipe(Effect.scoped)
    )

  it.effect("is made of two archives at a time at most", () =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      let [running, most] = [0, 0]
      const unpack = () =>
        Effect.suspend(() => {
          most = Math.max(most, ++running)
          return Effect.ensuring(
            Deferred.await(done),
            Effect.sync(() => running--)
          )
        })
      const { plugins, prepare } = yield* directoriesWith({ unpack })
      const preparing = yield* Effect.forkChild(
        Effect.replicateEffect(prepare(kept, archive), 6, { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      assert.strictEqual(running, 2)
      yield* Deferred.succeed(done, undefined)
      assert.deepStrictEqual(yield* Fiber.join(preparing), Array(6).fill(join(plugins, kept)))
      assert.strictEqual(most, 2)
    }).pipe(Effect.scoped)
  )

  it.live("is removed with its log where its plugin is gone, and what cannot be stops nothing else", () =>
    Effect.gen(function* () {
      const { logs, plugins, removeOthers } = yield* directoriesWith()
      const names = [kept, `${kept}.0123.new`, gone, `${gone}.0123.old`, "lost+found"]
      for (const name of names) mkdirSync(join(plugins, name, "below"), { recursive: true })
      mkdirSync(join(logs, gone), { recursive: true })
      writeFileSync(join(logs, gone, "1.log"), "written\n")
      yield* removeOthers(Effect.succeed([kept]))
      assert.deepStrictEqual(readdirSync(plugins).sort(), [kept, `${kept}.0123.new`, "lost+found"].sort())
      assert.deepStrictEqual(readdirSync(logs), [])
    }).pipe(Effect.scoped)
  )

  it.live("is removed although its program has closed it to everybody", () =>
    Effect.gen(function* () {
      const program = [process.execPath, join(import.meta.dirname, "closes.ts")]
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)("unshare", [...asUser, ...program], { encoding: "utf8" })
      )
      assert.deepStrictEqual(JSON.parse(stdout), { usual: "EACCES", isThere: false })
    })
  )

  it.live("stays if its plugin was added while it was looked for others", () =>
    Effect.gen(function* () {
      const { plugins, removeOthers } = yield* directoriesWith()
      mkdirSync(join(plugins, gone), { recursive: true })
      const adding = Effect.sync(() => {
        mkdirSync(join(plugins, kept))
        return []
      })
      yield* removeOthers(adding)
      assert.deepStrictEqual(readdirSync(plugins), [kept])
    }).pipe(Effect.scoped)
  )

  it.live("of which nothing can be removed is told of, and the others are removed", () =>
    Effect.gen(function* () {
      const failing = Effect.die(new Error("EIO: i/o error, rm"))
      const { logs, plugins, removeOthers } = yield* directoriesWith({
        removing: (id) => (id === stuck || id === gone ? failing : Effect.void)
      })
      const others = [gone, idOf("o"), stuck]
      for (const id of others)
        for (const directory of [plugins, logs]) mkdirSync(join(directory, id), { recursive: true })
      yield* removeOthers(Effect.succeed([kept]))
      assert.deepStrictEqual([readdirSync(plugins), readdirSync(logs)], [[], [gone, stuck]])
      const told = (yield* Logs).flatMap(({ annotations, message }) =>
        String(message).includes("cannot be removed") ? annotations.plugin_id : []
      )
      assert.sameMembers(told, [gone, stuck])
    }).pipe(Effect.scoped, Effect.provide(logging))
  )
})
