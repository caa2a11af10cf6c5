/** What the page about webhooks shows does what it says. */
import { spawn } from "node:child_process"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { Webhook } from "standardwebhooks"
import { issuedSecret } from "../../src/domain/webhook/WebhookExamples.ts"
import { secretsMax, waitingMax, webhooksMax } from "../../src/domain/webhook/WebhookRefusal.ts"
import { WebhookReplaying } from "../../src/domain/webhook/WebhookReplaying.ts"
import { temporary } from "../client/programs.ts"
import { freePort } from "../process/support.ts"
import { until } from "../support/connections.ts"
import { open } from "../support/discussion.ts"
import { Cast } from "../support/people.ts"
import { deliver, layer as service } from "./support.ts"

const page = readFileSync("docs/webhooks.md", "utf8")

/** The blocks of a language, in their order. */
const blocks = (language: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text)

/** Runs a program, and keeps what it prints. */
const running = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(command, args, { cwd, env: { ...process.env, ...env } })
      const printed: Array<string> = []
      child.stdout.on("data", (part) => printed.push(String(part)))
      child.stderr.on("data", (part) => printed.push(String(part)))
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      return { child, ended, text: () => printed.join("") }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

layer(Layer.fresh(service), { excludeTestServices: true })("the page about webhooks", (it) => {
  it.effect("shows a receiver and requests that work", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { address } = yield* HttpServer.HttpServer
      const url = HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
      const directory = yield* temporary("forum-webhooks-page-")
      symlinkSync(resolve("node_modules"), join(directory, "node_modules"))
      writeFileSync(join(directory, "receiver.mjs"), blocks("js")[0] ?? "")
      const port = String(yield* Effect.promise(freePort))
      const env = { FORUM_URL: url, RECEIVER_URL: `http://127.0.0.1:${port}/forum` }
      const sh = Effect.fnUntraced(function* (script: string) {
        const { ended, text } = yield* running("sh", ["-euc", script], directory, env)
        assert.strictEqual(yield* Effect.promise(() => ended), 0, text())
        return text().trim()
      })
      const [creating = "", testing = "", replaying = ""] = blocks("sh")

      const secret = yield* sh(creating)
      assert.match(secret, /^whsec_[\w+/]{43}=$/)
      const receiver = yield* running(process.execPath, ["receiver.mjs"], directory, {
        WEBHOOK_SECRET: secret,
        PORT: port
      })
      const prints = (text: string) => Effect.promise(() => until(() => receiver.text().includes(text)))
      yield* prints("listening")
      const attempt = JSON.parse(yield* sh(testing))
      assert.strictEqual(attempt.status, 204)
      yield* prints(" Test ")
      const thread = yield* open(odin, "Tide")
      yield* deliver
      yield* prints(`EventThreadPublished {"event":"EventThreadPublished","id":"${thread.id}"}`)

      yield* sh(`${testing}\n${replaying}`)
      yield* WebhookReplaying.use(({ drain }) => drain)
      yield* deliver
      assert.deepStrictEqual(
        receiver
          .text()
          .trim()
          .split("\n")
          .slice(1)
          .map((line) => line.split(" ")[1]),
        ["Test", "EventThreadPublished", "Test"]
      )
    })
  )

  it("shows a request that is signed with the secret of the reference", () => {
    const [shown = ""] = blocks("http")
    const [head = "", body = ""] = shown.trim().split("\n\n")
    const header = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(head)?.[1] ?? ""
    const at = new Date(Number(header("webhook-timestamp")) * 1000)
    const signature = new Webhook(issuedSecret.secret).sign(header("webhook-id"), at, body)
    assert.strictEqual(header("webhook-signature"), signature)
  })

  it("says the limits that the service has", () => {
    assert.strictEqual(secretsMax, 5)
    for (const text of [
      `there are at most ${webhooksMax}`,
      `more than ${waitingMax.toLocaleString("en")} deliveries`,
      "Five secrets sign at the same time"
    ]) {
      assert.include(page, text)
    }
  })
})
