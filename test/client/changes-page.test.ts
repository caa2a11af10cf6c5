/** The programs that the page about changes shows do what it says. */
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { HttpServer } from "effect/http"
import { ok } from "../support/answers.ts"
import { Cast } from "../support/people.ts"
import { keeping, service, temporary } from "./programs.ts"

const page = readFileSync("docs/changes.md", "utf8")

/** The block of a language. */
const shown = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? ""

/** A directory in which somebody has installed the client. */
const workplace = Effect.map(temporary("forum-changes-"), (directory) => {
  const installed = join(directory, "node_modules")
  mkdirSync(join(installed, "forum-client"), { recursive: true })
  symlinkSync(resolve("node_modules/effect"), join(installed, "effect"))
  symlinkSync(resolve("src"), join(installed, "forum-client/src"))
  const manifest = { exports: { ".": "./src/client/Client.ts" }, type: "module" }
  writeFileSync(join(installed, "forum-client/package.json"), JSON.stringify(manifest))
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(directory, "main.ts"), `${shown("ts")}\nawait Effect.runPromise(program)\n`)
  writeFileSync(join(directory, "main.mjs"), shown("js"))
  return directory
})

layer(service, { excludeTestServices: true })("the page about changes", (it) => {
  it.effect("shows programs that are told of what happens", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* keeping
      const { address } = yield* HttpServer.HttpServer
      const url = HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
      const cwd = yield* workplace
      const programs: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["sh", ["-euc", shown("sh")]],
        [process.execPath, ["main.ts"]],
        [process.execPath, ["--experimental-eventsource", "main.mjs"]]
      ]
      for (const [program, words] of programs) {
        let printed = ""
        yield* Effect.scoped(
          Effect.gen(function* () {
            const running = yield* Effect.acquireRelease(
              Effect.sync(() => spawn(program, words, { cwd, env: { ...process.env, FORUM_URL: url } })),
              (child) => Effect.sync(() => child.kill("SIGKILL"))
            )
            running.stdout.on("data", (part) => (printed += part))
            running.stderr.on("data", (part) => (printed += part))
            const ids: Array<string> = []
            // Nobody knows when a program has begun to follow.
            const opening = yield* Effect.forkScoped(
              Effect.forever(
                Effect.gen(function* () {
                  ids.push(ok(yield* freya.post("/threads", { title: "Told", visibility: "published" })).id)
                  yield* Effect.sleep("200 millis")
                })
              )
            )
            for (let tries = 0; !ids.some((id) => printed.includes(id)); tries++) {
              assert.isBelow(tries, 300, `${program} ${words.join(" ")}: ${printed}`)
              yield* Effect.sleep("100 millis")
            }
            yield* Fiber.interrupt(opening)
          })
        )
      }
    }).pipe(Effect.scoped)
  )
})
