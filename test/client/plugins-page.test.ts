/** The programs that the page about plugins shows do what it says. */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { HttpServer } from "effect/http"
import { callsMax } from "../../src/domain/plugin/FrameHandling.ts"
import { keysMax } from "../../src/domain/plugin/PluginHost.ts"
import { bytesPerSecond, framesPerSecond } from "../../src/domain/plugin/PluginPace.ts"
import { idMax, valuesMax } from "../../src/domain/plugin/PluginRpc.ts"
import { usualLimits } from "../../src/domain/plugin/PluginRuntime.ts"
import { batchMax } from "../../src/domain/plugin/PluginTelling.ts"
import { usualPolicy } from "../../src/domain/plugin/SupervisionRules.ts"
import { frameMax, unreadMax } from "../../src/layers/adapters/plugins/sockets/WebSocketOfPlugin.ts"
import { ok } from "../support/answers.ts"
import { Cast, type Person } from "../support/people.ts"
import { keeping, looking, service, temporary } from "./programs.ts"

const page = readFileSync("docs/plugins.md", "utf8")

/** The blocks of a language, in their order. */
const shown = (language: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text)

// A machine may have no program of this name.
const zip = `#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs"
import { zipOf } from ${JSON.stringify(resolve("test/plugin/archives/zip.ts"))}
const [, , , target, ...names] = process.argv
writeFileSync(target, zipOf(names.map((name) => ({ name, data: readFileSync(name) }))))
`

/** A directory in which somebody has installed the client and writes a plugin. */
const workplace = Effect.map(temporary("forum-plugin-"), (directory) => {
  const installed = join(directory, "node_modules")
  mkdirSync(join(installed, "forum-client"), { recursive: true })
  mkdirSync(join(directory, "bin"))
  symlinkSync(resolve("node_modules/effect"), join(installed, "effect"))
  symlinkSync(resolve("src"), join(installed, "forum-client/src"))
  const write = (name: string, text = "") => writeFileSync(join(directory, name), text)
  const client = { exports: { "./plugin": "./src/client/Plugin.ts" } }
  write("node_modules/forum-client/package.json", JSON.stringify({ ...client, type: "module" }))
  write("package.json", JSON.stringify({ type: "module" }))
  write("bin/zip", zip)
  chmodSync(join(directory, "bin/zip"), 0o755)
  write("manifest.json", shown("json")[0])
  write("main.ts", shown("ts")[0])
  write("effect.ts", shown("ts")[1])
  write("plain.mjs", shown("js")[0])
  return directory
})

const environment = (directory: string, more: Readonly<Record<string, string>>) => ({
  ...process.env,
  ...more,
  PATH: [join(directory, "bin"), resolve("node_modules/.bin"), process.env.PATH].join(delimiter)
})

const becomes = (person: Person, id: string, state: string) =>
  looking(
    Effect.map(person.get(`/plugins/${id}`), (answer) => ok(answer).status.active_state),
    (now) => now === state
  )

/** Opens a thread, and waits until a plugin likes it. */
const isLiked = Effect.fnUntraced(function* (person: Person, title: string) {
  const { id } = ok(yield* person.post("/threads", { title, visibility: "published" }))
  const likes = Effect.map(person.get(`/likes/posts/${id}`), (answer) => ok(answer).likes)
  return (yield* looking(likes, ({ length }) => length > 0)).length
})

layer(service, { excludeTestServices: true })("the page about plugins", (it) => {
  it.effect("shows programs that work, as external plugins and as one that the service runs", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { address } = yield* HttpServer.HttpServer
      const url = HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
      const directory = yield* workplace
      const env = environment(directory, { FORUM_URL: url })
      const [adding = "", shipping = ""] = shown("sh")
      const sh = (script: string) =>
        Effect.promise(
          () =>
            new Promise<string>((resolve, reject) => {
              const shell = spawn("sh", ["-euc", script.replaceAll("npx ", "")], { cwd: directory, env })
              let printed = ""
              shell.stdout.on("data", (part) => {
                printed += part
              })
              shell.stderr.on("data", (part) => {
                printed += part
              })
              shell.on("close", (code) => (code === 0 ? resolve(printed) : reject(new Error(printed))))
            })
        )

      const rpc = (yield* sh(`${adding}\nprintf %s "$FORUM_RPC_URL"`)).trim()
      const { id } = JSON.parse(readFileSync(join(directory, "plugin.json"), "utf8"))
      for (const program of ["main.ts", "effect.ts", "plain.mjs"]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.acquireRelease(
              Effect.sync(() =>
                spawn(process.execPath, [program], {
                  cwd: directory,
                  env: { ...env, FORUM_RPC_URL: rpc },
                  stdio: "inherit"
                })
              ),
              (running) => Effect.sync(() => running.kill("SIGKILL"))
            )
            yield* becomes(odin, id, "active")
            assert.strictEqual(yield* isLiked(odin, `The tide and ${program}`), 1, program)
          })
        )
        yield* becomes(odin, id, "connecting")
      }
      assert.strictEqual((yield* odin.delete(`/plugins/${id}`)).status, 204)

      yield* sh(shipping)
      const shipped = JSON.parse(readFileSync(join(directory, "active.json"), "utf8"))
      assert.strictEqual(shipped.status.active_state, "active")
      assert.strictEqual(yield* isLiked(odin, "The ebb"), 1)
      assert.deepStrictEqual(ok(yield* odin.get(`/plugins/${shipped.id}/configuration`)), { word: "ebb" })
      assert.strictEqual((yield* odin.delete(`/plugins/${shipped.id}`)).status, 204)
    })
  )

  it("says the limits that the service has", () => {
    const { diskMegabytes, fileMegabytes, memoryMegabytes, openFiles, processes } = usualLimits
    const { restartsMax, settledAfter, settledBackoff } = usualPolicy
    assert.strictEqual(memoryMegabytes, diskMegabytes)
    assert.strictEqual(restartsMax, 3)
    const mebibyte = 1024 * 1024
    for (const text of [
      `more than ${memoryMegabytes} MiB of memory or of disk`,
      `more than ${processes} processes or threads, opens more than ${openFiles} files, or writes a file of more than ${fileMegabytes} MiB`,
      `After ${Duration.toSeconds(settledAfter)} seconds of running, it is started again after ${Duration.toSeconds(settledBackoff)} seconds`,
      `more than ${framesPerSecond} frames in a second, or more than ${bytesPerSecond / 1024} KiB in frames`,
      `a frame of more than ${valuesMax.toLocaleString("en")} values`,
      `a frame of more than ${frameMax / mebibyte} MiB, or frames that expand to more than ${unreadMax / mebibyte} MiB`,
      `a text of at most ${idMax} characters`,
      `at most ${keysMax} keys`,
      `A batch has ${batchMax.events} events and ${batchMax.characters / 1024} KiB at most`,
      `with ${callsMax} calls at most`
    ]) {
      assert.include(page, text)
    }
  })
})
