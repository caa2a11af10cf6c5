import { DateTime, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { EmailId, TextMessageId } from "../../../src/domain/shared/Id.ts"
import { makeMails, makeTexts } from "../../../src/testing/Messages.ts"

const id = "00000000000000000000"

describe("what a forum of a test sends to people", () => {
  it("has the code of six digits that is in it, and the addresses", () =>
    Effect.gen(function* () {
      const { all, transport } = makeMails({ current: {} }, Effect.void)
      const send = (text: string) =>
        transport?.send({
          id: EmailId.make(id),
          queuedAt: DateTime.makeUnsafe(0),
          address: "sif@example.com",
          name: "sif",
          subject: "About",
          text,
          html: ""
        }) ?? Effect.void
      yield* send(
        "7654321 is no code, 12345 neither, but 123456 is. See <https://a.example/b?c=1> and http://d.example"
      )
      yield* send("Nothing")
      const mails = yield* all()
      assert.deepStrictEqual(
        mails.map(({ code, links }) => ({ code, links })),
        [
          { code: "123456", links: ["https://a.example/b?c=1", "http://d.example"] },
          { code: undefined, links: [] }
        ]
      )
    }).pipe(Effect.runPromise))

  it("is kept up to ten thousand", () =>
    Effect.gen(function* () {
      const { all, next, transport } = makeTexts({ current: {} }, Effect.void)
      for (let n = 0; n <= 10_000; n++) {
        yield* transport?.send({ id: TextMessageId.make(id), to: "+49", text: `Text ${n}` }) ?? Effect.void
      }
      const texts = yield* all()
      assert.lengthOf(texts, 10_000)
      assert.deepStrictEqual([texts[0]?.text, texts.at(-1)?.text], ["Text 1", "Text 10000"])
      assert.strictEqual((yield* next("+49")).text, "Text 1")
    }).pipe(Effect.runPromise))
})
