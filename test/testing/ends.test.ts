/** What is left of a forum of a test when it has ended, in whatever way: nothing. */
import { spawn } from "node:child_process"
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { TagStore } from "../../src/domain/tag/TagStore.ts"
import { startForum, storesBut } from "../../src/testing/Testing.ts"
import { directoriesOf, leftAfterAll } from "./left.ts"

const isReached = (url: string) =>
  fetch(`${url}/api/version`).then(
    () => true,
    () => false
  )

describe("a forum for tests", () => {
  it("leaves nothing behind when it is stopped", async () => {
    const forum = await startForum()
    const made = directoriesOf(process.pid)
    assert.isNotEmpty(made)
    assert.isTrue(await isReached(forum.url))
    await forum.stop()
    // Whoever stops it may stop it again.
    await forum.stop()
    assert.isFalse(await isReached(forum.url))
    assert.deepStrictEqual(await leftAfterAll(made), [])
    // What a reset would go over to was still being made.
    assert.deepStrictEqual(directoriesOf(process.pid), [])
  })

  it("ends with the block that uses it, also while a reset prepares the next one", async () => {
    let made: ReadonlyArray<string> = []
    let url = ""
    {
      await using forum = await startForum()
      url = forum.url
      await forum.reset()
      made = directoriesOf(process.pid)
    }
    assert.isFalse(await isReached(url))
    assert.lengthOf(made, 2)
    assert.deepStrictEqual(await leftAfterAll(made), [])
  })

  it("leaves nothing behind when it cannot start", async () => {
    const stores = storesBut(TagStore, () => {
      throw new Error("There is no such store")
    })
    const why = await startForum({ stores }).catch((error: unknown) => String(error))
    assert.include(String(why), "There is no such store")
    // The directories are gone with those who guard them.
    assert.deepStrictEqual(directoriesOf(process.pid), [])
    const late = await startForum({ now: "noon" }).catch((error: unknown) => String(error))
    assert.include(String(late), "noon is no time")
  })

  it("takes the port that it is given, at the address of this machine itself alone", async () => {
    const first = await startForum()
    const port = Number(new URL(first.url).port)
    const second = await startForum({ port }).catch((error: unknown) => inspect(error))
    assert.include(String(second), "EADDRINUSE")
    await first.stop()
    await using again = await startForum({ port })
    assert.strictEqual(again.url, `http://127.0.0.1:${port}`)
    assert.isTrue(await isReached(again.url))
    assert.isFalse(await isReached(`http://127.0.0.2:${port}`))
  })

  it("leaves nothing behind when its process is killed", async () => {
    const program = `
      import { startForum } from ${JSON.stringify(new URL("../../src/testing/Testing.ts", import.meta.url).href)}
      const forum = await startForum()
      console.log(forum.url)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
    const made = directoriesOf(child.pid ?? 0)
    assert.isNotEmpty(made)
    child.kill("SIGKILL")
    assert.deepStrictEqual(await leftAfterAll(made), [])
  })
})
