/** The keys that sign tokens, of services in processes of their own and of the operator's command. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, assert, describe, it } from "vitest"
import { environment, type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

type Settings = Readonly<Record<string, string>>

const directory = mkdtempSync(join(tmpdir(), "forum-signing-"))
const running: Array<Service> = []

const stopAll = async () => {
  for (const service of running.splice(0)) {
    service.process.kill("SIGTERM")
    await service.exited
  }
}

afterAll(async () => {
  await stopAll()
  rmSync(directory, { recursive: true, force: true })
})

const start = (settings: Settings) => {
  const service = startService(settings)
  running.push(service)
  return service
}

const forum = async (settings: Settings, ...args: ReadonlyArray<string>) => {
  const flags = ["--disable-warning=ExperimentalWarning", "src/operator/main.ts"]
  const child = spawn(process.execPath, [...flags, ...args], {
    env: { ...environment(), NO_COLOR: "1", ...settings },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const code = new Promise<number | null>((resolve) => child.once("close", resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, output, errors }
}

const kidsOf = async (port: number): Promise<ReadonlyArray<string>> => {
  const answer = await sendTo(port, { path: "/api/oauth/jwks" })
  return answer.json.keys.map(({ kid }: { readonly kid: string }) => kid)
}

const findingOf = (output: string) => output.split("\n").find((line) => / signing /.test(line)) ?? ""

describe("two services that start first at the same time", () => {
  it("end with one key and one file, which the operator can check, lose and replace", async () => {
    const data = join(directory, "data")
    const settings = { DATABASE_URL: await freshDatabase(), DATA_DIR: data }
    const file = join(data, "encryption.key")

    const before = await forum(settings, "doctor")
    assert.match(findingOf(before.output), /^ok +signing +There is no key yet$/)

    const services = [start(settings), start(settings)]
    const ports = await Promise.all(services.map(({ listening }) => listening()))
    const published = await Promise.all(ports.map(kidsOf))
    const [kid = ""] = published[0] ?? []
    assert.deepStrictEqual(published, [[kid], [kid]])
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.deepStrictEqual(
      readdirSync(data).filter((name) => name.startsWith("encryption.")),
      ["encryption.key"]
    )
    assert.match(
      findingOf((await forum(settings, "doctor")).output),
      /^ok +signing +The key can be decrypted$/
    )

    const rotated = await forum(settings, "oauth", "rotate-key")
    assert.strictEqual(rotated.code, 0, rotated.errors)
    const [, next = ""] = /^The key ([0-9a-f]{16}) signs from \S+ on\.$/m.exec(rotated.output) ?? []
    const again = await forum(settings, "oauth", "rotate-key")
    assert.strictEqual(again.code, 1)
    assert.match(again.errors, /^There is a new key already/m)
    assert.match(
      findingOf((await forum(settings, "doctor")).output),
      /^ok +signing +All 2 keys can be decrypted$/
    )
    await stopAll()

    renameSync(file, `${file}.lost`)
    const lost = start(settings)
    const port = await lost.listening()
    assert.deepStrictEqual(await kidsOf(port), [kid, next])
    const isSaid = () => lost.lines.filter((line) => line.includes("Tokens cannot be signed"))
    while (isSaid().length === 0) await new Promise((resolve) => lost.process.stdout?.once("data", resolve))
    const [line = ""] = isSaid()
    assert.include(line, file)
    assert.include(line, "forum oauth rotate-key --now")
    const failed = await forum(settings, "doctor")
    assert.strictEqual(failed.code, 1)
    assert.match(findingOf(failed.output), /^fail +signing +A key cannot be decrypted: There is no key\. /)

    const replaced = await forum(settings, "oauth", "rotate-key", "--now")
    assert.strictEqual(replaced.code, 0, replaced.errors)
    assert.strictEqual((await forum(settings, "doctor")).output.match(/^fail/gm), null)
    await stopAll()
    const healed = start(settings)
    const [only = "", ...others] = await kidsOf(await healed.listening())
    assert.deepStrictEqual(others, [])
    assert.include(replaced.output, only)
    assert.notInclude([kid, next], only)
  }, 180_000)
})
