import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

/** Every paragraph begins with copies of all formatting that is left open before it. */
const leftOpen = Array.from({ length: 500 }, (_, n) => `<p><b title=${n}></p>`).join("")

const exceeding: ReadonlyArray<readonly ["size" | "steps" | "depth", number, string]> = [
  ["size", 655_360, "x".repeat(655_361)],
  ["steps", 520_000, leftOpen],
  ["depth", 512, "<b title=x>".repeat(600)]
]

layer(People.layer)("markup that is too complex", (it) => {
  it.effect("is refused wherever rich text is written, and changes nothing", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(freya, "Simple", { body: "simple" })
      const answer = yield* reply(freya, thread.id, "simple")
      ok(yield* freya.patch("/accounts", { bio: "simple", signature: "simple" }))
      const writes = [
        [freya.post, "/threads", "body"],
        [freya.patch, `/threads/${thread.id}`, "body"],
        [freya.patch, `/posts/${thread.id}`, "body"],
        [freya.post, `/threads/${thread.id}/replies`, "body"],
        [freya.patch, `/posts/${answer.id}`, "body"],
        [tyr.patch, `/posts/${answer.id}`, "body"],
        [freya.patch, "/accounts", "bio"],
        [freya.patch, "/accounts", "signature"]
      ] as const
      for (const [limit, maximum, markup] of exceeding) {
        for (const [send, path, field] of writes) {
          // A signature that long is no valid request.
          if (field === "signature" && markup.length > 10_000) continue
          const refused = yield* send(path, { title: "Complex", [field]: markup })
          assertProblem(refused, MarkupTooComplex, { limit, maximum })
        }
      }
      const read = ok(yield* freya.get(`/threads/${thread.id}`))
      assert.strictEqual(read.title, "Simple")
      assert.strictEqual(read.body, "<body>simple</body>")
      assert.deepStrictEqual(
        read.replies.replies.map((post: { readonly body: string }) => post.body),
        ["<body>simple</body>"]
      )
      const { bio, signature } = ok(yield* freya.get("/accounts"))
      assert.deepStrictEqual([bio, signature], ["<body>simple</body>", "<body>simple</body>"])
      assert.strictEqual(ok(yield* freya.get("/threads")).results, 1)
    })
  )
})
