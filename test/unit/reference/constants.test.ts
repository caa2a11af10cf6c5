/** The bounds that the reference reads from the sources are what the program uses. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { constants, textOf } from "../../../tools/reference/Constants.ts"

const all = constants()
const valueOf = (file: string, name: string) =>
  all.find((one) => one.file === `src/${file}` && one.name === name)?.value

describe("the constants", () => {
  it("are found in each layer, of each kind", () => {
    assert.isAbove(all.length, 250)
    assert.strictEqual(valueOf("domain/webhook/WebhookRefusal.ts", "webhooksMax"), "50")
    assert.strictEqual(valueOf("domain/plugin/ArchiveLimit.ts", "archiveMax"), "50 MiB")
    assert.strictEqual(valueOf("domain/plugin/ArchiveLimit.ts", "entriesMax"), "2,048")
    assert.strictEqual(valueOf("domain/owndata/OwnData.ts", "keptFor"), "7d")
    assert.strictEqual(
      valueOf("domain/reaction/Reaction.ts", "reactionsMax"),
      "post 200; emoji 50; account 20"
    )
    assert.include(valueOf("layers/connections/Limits.ts", "defaultLimits"), "connections 5,000")
    assert.strictEqual(valueOf("http/pipeline/InFlight.ts", "deadline"), "30,000")
    assert.include(valueOf("layers/wiring/Database.ts", "sessionLimits"), "statement_timeout 10s")
    assert.strictEqual(valueOf("persistence/event/EventRetentionSql.ts", "retentionDays"), "90")
  })

  it("have the values that the program has, where it exports them", async () => {
    let compared = 0
    for (const { file, name, text, value } of all) {
      if (!file.startsWith("src/domain/")) continue
      const module: Record<string, unknown> = await import(
        /* @vite-ignore */ join(import.meta.dirname, "../../..", file)
      )
      if (!(name in module)) continue
      assert.strictEqual(value, textOf(module[name], text), `${file} ${name}`)
      compared++
    }
    assert.isAbove(compared, 100)
    // Everything that the domain is made of is loaded.
  }, 60_000)

  it("are told as people read them", () => {
    assert.strictEqual(textOf(1536 * 1024, "Bytes of a file"), "1536 KiB")
    assert.strictEqual(textOf(4096, "Clients that are remembered"), "4,096")
    assert.strictEqual(textOf("10 seconds", ""), "10 seconds")
    assert.strictEqual(textOf(Duration.hours(1), ""), "1h")
    assert.strictEqual(textOf({ files: 32, bytes: 2048 }, ""), "files 32; bytes 2 KiB")
    for (const other of ["text", true, null, [1], {}, { a: "text" }]) assert.isUndefined(textOf(other, ""))
  })
})
