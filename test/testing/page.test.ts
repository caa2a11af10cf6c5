/** The page about testing shows what works. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Forum } from "../../src/testing/Testing.ts"
import { sent, swapped } from "./swapped.ts"

it("shows the program that is tested here", () => {
  const text = readFileSync("test/testing/swapped.ts", "utf8")
  const program = text.slice(text.indexOf("\n") + 1)
  assert.include(readFileSync("docs/testing.md", "utf8"), `\`\`\`ts\n${program}\`\`\`\n`)
})

it.effect("a clock, a store and a mailer may be others", () =>
  Effect.gen(function* () {
    const forum = yield* Forum
    const { client } = yield* forum.administrator()
    const thread = yield* forum.thread({ tags: ["tide"] })
    assert.strictEqual(thread.createdAt, "1970-01-01T00:00:00.000Z")
    const { tags } = yield* client.tags.list({})
    assert.deepStrictEqual(
      tags.map(({ name }) => name),
      ["tide"]
    )
    const missing = yield* Effect.flip(client.tags.get({ params: { tag_name: "tide" } }))
    assert.strictEqual(missing._tag, "TagNotFound")
    const payload = { email: "sif@example.com", password: "a long password", handle: "sif" }
    yield* client.authEmail.signUpWithPassword({ payload })
    yield* forum.settle()
    assert.deepStrictEqual(sent, ["sif@example.com: Welcome to Forum!"])
  }).pipe(Effect.provide(swapped))
)
